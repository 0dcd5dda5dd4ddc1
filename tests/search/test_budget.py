"""The defaults that depend on the shape of a table, compared with values worked out by hand."""

import numpy as np
import pytest

import dsgec

FEW, MANY = 60, 2200


def settings_of(rows, classes, **given):
    """Return the recorded settings of a run without generations; 0 classes: a numeric target."""
    x = np.random.default_rng(1).normal(size=(rows, 2))
    y = [f"c{number % classes}" for number in range(rows)] if classes else x[:, 0]
    run = dsgec.evolve(x, y, **{"generations": 0, "pruning": 0, "tuning": 0, **given})
    return run.record["settings"]


@pytest.mark.parametrize(
    ("rows", "classes", "l2", "parsimony", "batch"),
    [
        (FEW, 2, 0.15, 0.0002, 0),
        (FEW, 3, 0.1, 0.0004 / 3, 0),
        (FEW, 15, 0.02, 0.0004 / 15, 0),
        (FEW, 0, 0.25, 0.0002, 0),
        (MANY, 2, 0.15, 0.0001, 512),
        (MANY, 10, 0.03, 0.00002, 512),
        (MANY, 0, 0.25, 0.0001, 512),
    ],
)
def test_penalties_suit_the_shape(rows, classes, l2, parsimony, batch):
    found = settings_of(rows, classes)
    assert found.get("l2", 0.15) == pytest.approx(l2, rel=1e-12)  # which is not recorded
    assert found["parsimony"] == pytest.approx(parsimony, rel=1e-12)
    assert found.get("batch", 0) == batch


def test_what_is_given_stays():
    given = {"l2": 0.7, "parsimony": 0.01}
    assert given.items() <= settings_of(FEW, 5, **given).items()


def test_a_batch_that_is_given_changes_no_penalty():
    assert settings_of(MANY, 2, batch=100)["parsimony"] == 0.0002


def test_a_front_has_half_the_parsimony():
    assert settings_of(FEW, 2, minimise="flash")["parsimony"] == 0.0001
    assert settings_of(MANY, 10, minimise="connections")["parsimony"] == pytest.approx(0.00001)
    assert settings_of(FEW, 2, minimise="flash", parsimony=0.01)["parsimony"] == 0.01


def test_the_paper_knows_no_shape():
    found = settings_of(FEW, 5, preset="paper")
    assert not {"l2", "parsimony", "batch"} & found.keys()
