"""Labels on simulated chips are those of the interpreter, on all test rows."""

import argparse

import numpy as np
import pytest

from benchmarks import numbers
from benchmarks.chips.measure import lacking
from benchmarks.front import load_dataset
from benchmarks.mnist import load_mnist
from benchmarks.tables import load_table
from dsgec.search.walk import front, integer_front

pytestmark = pytest.mark.needs_cc


def check(name, chip, widths, monkeypatch, **settings):
    """Return the best dense network of some widths, whose labels on a chip are compared."""
    if missing := lacking(chip):
        pytest.skip(missing)
    pytest.importorskip("sklearn")
    monkeypatch.setattr(integer_front, "DENSE_WIDTHS", widths)
    monkeypatch.setattr(front, "WIDTHS", (0,))
    stage = numbers.make_stage(load_dataset(load_table(name)), 1, None, **settings)
    given = argparse.Namespace(ways=("learned",))
    found = numbers.candidates(stage, given)["learned"]
    linked = numbers.link_all(stage.problem, found, chip)

    best = numbers.best_within(linked, 4096)
    rows = len(stage.problem.split.test)
    right = round(best.accuracy * rows)
    text = numbers.check_on_chip(stage.problem, best, chip)
    assert text == f"{rows} test rows, 0 other labels, {right} right"
    return best


@pytest.mark.parametrize("chip", numbers.CHIPS)
def test_labels_of_a_small_table_are_those_on_the_chip(chip, monkeypatch):
    best = check("iris", chip, (3,), monkeypatch, walk=300)

    assert best.accuracy > 0.8
    assert best.flash < 500


@pytest.mark.campaign
@pytest.mark.parametrize("chip", numbers.CHIPS)
@pytest.mark.parametrize("name", ["digits", "segment", "optdigits", "led7digit", "wine"])
def test_labels_of_tables_are_those_on_the_chip(name, chip, monkeypatch):
    assert check(name, chip, (4, 8), monkeypatch).accuracy > 0.6


def test_images_are_averaged(tmp_path):
    rng = np.random.default_rng(1)
    for name, count in (("train", 30), ("t10k", 20)):
        images = rng.integers(0, 256, (count, 28, 28), dtype=np.uint8)
        head = np.array([2051, count, 28, 28], ">u4").tobytes()
        (tmp_path / f"{name}-images-idx3-ubyte").write_bytes(head + images.tobytes())
        head = np.array([2049, count], ">u4").tobytes()
        (tmp_path / f"{name}-labels-idx1-ubyte").write_bytes(
            head + bytes(n % 3 for n in range(count))
        )

    dataset, split = load_mnist(tmp_path)

    wide = np.repeat(np.repeat(images.astype(float), 2, axis=1), 2, axis=2)  # 56 = 8 * 7
    wanted = wide.reshape(count, 8, 7, 8, 7).mean(axis=(2, 4)).reshape(count, -1)
    assert dataset.raw[split.test] == pytest.approx(np.round(wanted))
    assert len(split.train) == 30
