"""Rows of no class: a limit of the greatest probability, in every type and target."""

import numpy as np
import pytest

import dsgec
from dsgec.errors import DsgecError
from dsgec.export.files import export, make_artefact
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Model, compose, plain_columns
from dsgec.network.model_text import model_text, parse_model
from dsgec.network.parse import parse
from dsgec.network.unknown import with_unknown, without_unknown

SOFTMAX = "y_1, y_2, y_3 = softmax(2 * x_1 - x_2, x_2 + 0.5, x_1 * x_2)"
LONE = "y_1 = sig(1.5 * x_1 - x_2)"
ROWS = np.random.default_rng(1).normal(size=(400, 2))
RANGES = ((-4.0, 4.0), (-4.0, 4.0))


def model_of(text, limit):
    network = parse(text, inputs=2)
    labels = ("a", "b", "c") if network.softmax else ("no", "yes")
    return Model(network, plain_columns(("u", "v")), labels, "t", unknown=limit)


def wanted_labels(text, rows, limit):
    """Return labels by numpy's own functions."""
    u, v = rows.T
    if text == LONE:
        p = 1 / (1 + np.exp(-(1.5 * u - v)))
        p, labels = np.column_stack([1 - p, p]), np.array(["no", "yes"])
    else:
        powers = np.exp(np.column_stack([2 * u - v, v + 0.5, u * v]))
        p, labels = powers / powers.sum(axis=1, keepdims=True), np.array(["a", "b", "c"])
    is_near = abs(p.max(axis=1) - limit) < 1e-9
    assert not is_near.any()
    return np.where(p.max(axis=1) < limit, "unknown", labels[p.argmax(axis=1)]), p


@pytest.mark.parametrize("text", [SOFTMAX, LONE])
@pytest.mark.parametrize("limit", [0.4, 0.6, 0.9])
def test_a_row_is_unknown_below_the_limit(text, limit):
    network = dsgec.Network(model_of(text, limit))
    labels, p = wanted_labels(text, ROWS, limit)

    assert network.predict(ROWS).tolist() == labels.tolist()
    assert np.allclose(network.predict_proba(ROWS)[:, :-1], p, atol=1e-12)
    assert network.classes[-1] == "unknown"
    assert (network.predict_proba(ROWS)[:, -1] == limit).all()


def test_probabilities_have_the_bits_of_those_without_a_limit():
    model = model_of(SOFTMAX, 0.7)

    found = evaluate(compose(with_unknown(model)), ROWS)[:, :-1]

    assert np.array_equal(found, evaluate(compose(model), ROWS))


def test_the_softmax_is_found_again():
    model = model_of(SOFTMAX, 0.7)
    found = without_unknown(with_unknown(model).network)

    assert found == (model.network, 0.7)
    assert without_unknown(model.network) is None
    assert without_unknown(parse("y_1 = x_1\ny_2 = 0.5")) is None


def test_a_network_file_has_the_limit():
    model = model_of(SOFTMAX, 0.625)

    assert "unknown = 0.625\n" in model_text(model)
    assert parse_model(model_text(model)) == model


@pytest.mark.parametrize(
    "text", ['classes = "a", "unknown"\nunknown = 0.5\n', "unknown = 0.5\n", "unknown = 2.0\n"]
)
def test_a_limit_that_cannot_be_is_refused(text):
    outputs = "y_1 = sig(x_1)\n" if "classes" in text else "y_1 = x_1\n"
    with pytest.raises(DsgecError, match="limit for the unknown class"):
        parse_model(text + outputs)


@pytest.mark.parametrize("dtype", ["q15", "q7"])
def test_fixed_point_has_the_bounds_of_the_softmax(dtype):
    model = model_of(SOFTMAX, 0.7)

    with_limit = make_artefact(model, "net", dtype, recorded=RANGES).number_format.fixed
    without = make_artefact(model_of(SOFTMAX, None), "net", dtype, recorded=RANGES)

    assert with_limit.bounds[:-1] == without.number_format.fixed.bounds
    assert with_limit.bounds[-1] < 2.0**-14


@pytest.mark.parametrize("text", [SOFTMAX, LONE])
@pytest.mark.parametrize("dtype", ["double", "float", "q15", "q7"])
def test_targets_are_exported_and_pass_their_self_tests(text, dtype, tmp_path):
    targets = ("c", "rust") if dtype == "float" else ("c", "python", "js")
    export(model_of(text, 0.7), targets, "net", tmp_path, dtype, recorded=RANGES)

    assert "UNKNOWN" in (tmp_path / "net.h").read_text()


@pytest.mark.parametrize("labels", ["ab", (3, 7)])
def test_at_most_the_share_of_the_training_rows_is_unknown(labels, tmp_path):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(200, 2))
    y = np.array(labels if isinstance(labels, tuple) else list(labels))[
        (x.sum(axis=1) + rng.normal(size=200) > 0).astype(int)
    ]

    run = dsgec.evolve(x, y, unknown=0.1, effort="quick", seed=1)

    record = run.record["result"]["unknown"]
    assert 0.05 <= record["train"]["unknown"] <= 0.1
    word = "unknown" if labels == "ab" else -1
    predicted = run.predict(x)
    both = record["train"]["unknown"] * 140 + record["test"]["unknown"] * 60
    assert (predicted == word).sum() == round(both)
    known = predicted != word
    assert (predicted == y)[known].mean() > 0.6
    again = dsgec.load(run.save(tmp_path / "run"))
    assert again.predict(x).tolist() == predicted.tolist()
    assert again.hall_of_fame[0].network.classes[-1] == word


@pytest.mark.parametrize(("threshold", "y"), [("auto", list("ab") * 50), (0.5, list(range(100)))])
def test_a_limit_beside_a_threshold_or_for_numbers_is_refused(threshold, y):
    x = np.random.default_rng(0).normal(size=(100, 2))

    with pytest.raises(DsgecError, match="unknown"):
        dsgec.evolve(
            x, y, unknown=0.1, threshold=threshold, task="" if threshold == "auto" else "regression"
        )
