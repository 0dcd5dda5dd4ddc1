"""Columns are encoded as features, and descriptions of models are read back or refused."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.export.artefact import model_id
from dsgec.network.description import describe_model, read_model
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Input, check
from dsgec.network.model import Column, Model, compose, plain_columns, prologue, unnamed_model
from dsgec.network.parse import parse
from dsgec.network.text import network_text
from tests.support.columns import COLUMNS, MODEL
from tests.support.random_networks import random_network, rows, same_bits

NAN = float("nan")


def test_features_are_named_by_column_and_category():
    assert MODEL.features == (
        "size",
        "unused",
        "wet",
        "colour=red",
        "colour=green",
        "colour=blue",
        "shape=round",
        "shape=flat",
    )


def test_the_prologue_fills_scales_and_encodes_categories():
    table = np.array([[7.0, 3.0, 1.0, 0.0, 1.0], [NAN, 3.0, NAN, NAN, -1.0]])
    expected = [
        [(7.0 - 0.1) / 0.3, 2.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        [(2.5 - 0.1) / 0.3, 2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    ]

    assert evaluate(prologue(COLUMNS), table).tolist() == expected


def test_composing_is_encoding_then_evaluating():
    whole = check(compose(MODEL))
    table = np.array(
        [[7.0, 3.0, 1.0, 0.0, 1.0], [NAN, NAN, 0.0, 1.0, 0.0], [1.0, 1.0, NAN, -1, -1]]
    )
    encoded = evaluate(prologue(COLUMNS), table)

    assert same_bits(evaluate(whole, table), evaluate(MODEL.network, encoded))
    assert evaluate(whole, table)[1, 0] == 2 * ((2.5 - 0.1) / 0.3) + 200
    assert whole.inputs == 5
    assert Input(1) not in whole.nodes, "an unused column costs nothing"


def test_scaling_is_rounded_step_by_step():
    model = Model(parse("0.7 * x_1"), (Column("a", center=0.1, scale=0.3),))
    (value,) = evaluate(compose(model), np.array([[0.77]]))[0]

    assert value == 0.7 * ((0.77 - 0.1) / 0.3)
    assert value != (0.7 / 0.3) * 0.77 - 0.7 * 0.1 / 0.3


@pytest.mark.parametrize("seed", range(20))
def test_plain_columns_leave_a_network_as_it_is(seed):
    model = unnamed_model(random_network(seed))
    table = rows(seed, 50, model.network.inputs)

    assert same_bits(evaluate(compose(model), table), evaluate(model.network, table))


def test_encoding_is_not_in_the_language_of_phenotypes():
    for call in ("fill(x_1, 2)", "is(x_1, 2)", "equals(x_1, 2)"):
        with pytest.raises(DsgecError, match="is not known"):
            parse(call)


def test_a_described_model_is_read_back():
    model = replace(MODEL, target="weight")
    description = json.loads(json.dumps(describe_model(model)))

    assert read_model(description, network_text(model.network), "a", "b") == model
    assert describe_model(unnamed_model(parse("x_1")))["columns"] == [{"name": "x_1"}]


def test_the_id_covers_the_columns():
    ids = {
        model_id(replace(MODEL, columns=(column, *COLUMNS[1:])))
        for column in (
            COLUMNS[0],
            replace(COLUMNS[0], name="Size"),
            replace(COLUMNS[0], fill=None),
            replace(COLUMNS[0], fill=2.6),
            replace(COLUMNS[0], center=0.2),
            replace(COLUMNS[0], scale=0.2),
        )
    }

    assert len(ids) == 6


@pytest.mark.parametrize(
    "column",
    [
        None,
        "size",
        {},
        {"name": 3},
        {"name": "\ud800"},
        {"name": "a", "other": 1},
        {"name": "a", "kind": "text"},
        {"name": "a", "kind": []},
        {"name": "a", "kind": "category"},
        {"name": "a", "categories": ["x"]},
        {"name": "a", "kind": "category", "categories": "xy"},
        {"name": "a", "kind": "category", "categories": ["x", "x"]},
        {"name": "a", "kind": "category", "categories": ["x", None]},
        {"name": "a", "kind": "category", "categories": ["x"], "fill": 1},
        {"name": "a", "kind": "category", "categories": ["x"], "fill": 0.5},
        {"name": "a", "kind": "category", "categories": ["x"], "scale": 2},
        {"name": "a", "kind": "boolean", "categories": ["x"]},
        {"name": "a", "fill": float("nan")},
        {"name": "a", "fill": True},
        {"name": "a", "center": float("inf")},
        {"name": "a", "center": "0"},
        {"name": "a", "scale": 0},
        {"name": "a", "scale": 10**400},
        {"name": "a", "scale": None},
    ],
    ids=repr,
)
def test_an_inconsistent_column_is_refused(column):
    with pytest.raises(DsgecError, match="does not describe a model"):
        read_model({"columns": [column]}, "y_1 = 1", "run.json", "best.net")


@pytest.mark.parametrize(
    "description",
    [
        [],
        {},
        {"columns": [{"name": "a"}, {"name": "a"}]},
        {"columns": [{"name": "a"}], "classes": [True, False]},
        {"columns": [{"name": "a"}], "classes": "ab"},
        {"columns": [{"name": "a"}], "target": 3},
    ],
    ids=repr,
)
def test_an_invalid_description_is_refused(description):
    with pytest.raises(DsgecError, match="does not describe a model"):
        read_model(description, "y_1 = 1", "run.json", "best.net")


@pytest.mark.parametrize("classes", [["a"], ["a", "b", "c"]])
def test_outputs_must_be_those_of_the_classes(classes):
    with pytest.raises(DsgecError, match="do not belong together"):
        read_model({"columns": [{"name": "a"}], "classes": classes}, "y_1 = x_1", "a", "b")


def test_plain_columns_are_numbers_as_they_are():
    assert plain_columns(("a",)) == (Column("a", "number", (), None, 0.0, 1.0),)
