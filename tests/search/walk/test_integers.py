"""Networks that learn in integers are those that fixed point exports, weight for weight."""

import numpy as np
import pytest

from dsgec.data.arrays import make_table
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.engine.toolchain import find_toolchain
from dsgec.export.golden import classes_of_results
from dsgec.grammar.load import load_grammar
from dsgec.search.defaults import with_defaults
from dsgec.search.presets import Preset, make_settings
from dsgec.search.problem import make_problem
from dsgec.search.walk.descent import PlainDescent
from dsgec.search.walk.integer_front import integer_candidates_of
from dsgec.search.walk.integers import (
    WEIGHTS,
    as_integers,
    choose_numerals,
    from_integers,
    integer_columns,
    learn,
)
from dsgec.search.walk.native_descent import NativeDescent, load_descent
from dsgec.search.walk.stage import make_walk_stage
from dsgec.setting import make
from tests.support.shared_layers import outputs_of

pytestmark = pytest.mark.needs_cc
STEPS = 300


@pytest.fixture(scope="module")
def stage():
    rng = np.random.default_rng(1)
    kinds = rng.integers(0, 3, 240)
    rows = rng.normal(size=(240, 4)) + 1.5 * np.eye(3, 4)[kinds]
    rows = rows * [1.0, 30.0, 0.02, 1.0] + [0.0, 500.0, 0.1, -3.0]
    columns = {f"c{n}": values for n, values in enumerate(rows.T)}
    columns["kind"] = [
        ("red", "blue")[int(value > 0)] for value in rng.normal(size=240) + kinds - 1
    ]
    table = make_table(columns, [f"k{kind}" for kind in kinds], target="y")
    dataset = make_dataset(table, "y", preprocessing=make(Preprocessing, {}, learned=True))
    preset, given = make(Preset, {}), {"seed": 1, "walk": STEPS}
    grammar = load_grammar("shared_softmax").grammar
    settings = with_defaults(make_settings(given, preset), given, preset, dataset, grammar)
    problem = make_problem(grammar, dataset, settings)
    return make_walk_stage(problem, settings, native, lambda phenotype: 0.0)


def native(table):
    return NativeDescent(table, load_descent(find_toolchain()))


def test_a_network_of_integer_columns_computes_the_same_up_to_rounding(stage):
    columns = integer_columns(stage.problem)
    net = stage.walk.start(5)

    same = from_integers(as_integers(net, columns), columns)

    assert same.values == pytest.approx(net.values, rel=1e-9, abs=1e-12)
    exact = outputs_of(net, stage.problem.rows.T)
    whole = outputs_of(as_integers(net, columns), columns.columns.T)
    assert np.abs(exact - whole).max() < 0.1 * np.abs(exact).max()


def test_columns_are_integers_of_8_bits(stage):
    columns = integer_columns(stage.problem).columns * 64

    assert (columns == np.rint(columns)).all()
    assert np.abs(columns).max() <= 255
    assert {*columns[:, -1]} == {*columns[:, -2]} == {0.0, 64.0}  # the flags of the category


@pytest.mark.parametrize("kind", ["nibbles", "ternary", "powers"])
def test_exports_have_the_learned_integers(stage, kind):
    found = integer_candidates_of(
        stage, "cortex-m0plus", native, [stage.walk.start(6)], [kind], 400
    )

    assert found
    for one in found:
        packed = one.artefact.packed
        first = one.net.hidden
        for rows in (packed.terms[:first], packed.terms[first:]):
            weights = {weight for row in rows for _, weight in row}
            assert weights <= {w * 2**n for w in WEIGHTS[kind] for n in range(3)}
            # A neuron may have them doubled, if its bias needs one more digit.
            assert kind == "powers" or max(map(abs, weights), default=0) <= 2 * WEIGHTS[kind][-1]
        for part in (packed.order[:first], packed.order[first:]):
            assert kind == "powers" or len({neuron.sum.shift for neuron in part}) <= 2


def test_the_integer_network_is_the_one_that_learned(stage):
    """The loss of the descent, in doubles, is that of the integers of the export."""
    columns = integer_columns(stage.problem)
    table = stage.walk.descent.table
    (one, *_) = integer_candidates_of(
        stage, "avr", native, [stage.walk.start(6)], ["nibbles"], 400
    )[-1:]
    hidden = as_integers(one.net, columns)
    outputs = outputs_of(
        hidden, columns.columns.T, lambda y: np.minimum(np.floor(32 * y + 0.5) / 32, 127 / 32)
    )
    raw = stage.problem.dataset.raw[stage.problem.split.train]

    labels = classes_of_results(one.artefact.model, one.artefact.number_format.results(raw))

    ordered = np.sort(outputs, axis=0)
    is_clear = ordered[-1] - ordered[-2] > 1e-9
    assert is_clear.mean() > 0.9
    assert (np.array(labels)[is_clear] == outputs.argmax(axis=0)[is_clear]).all()
    assert (
        np.mean(np.array(labels) == stage.problem.dataset.class_numbers[stage.problem.split.train])
        > 0.7
    )
    assert table.rows == len(raw)


def test_engine_and_reference_learn_the_same(stage):
    columns = integer_columns(stage.problem)
    net = as_integers(stage.walk.start(3), columns)
    found = [
        learn(net, WEIGHTS["nibbles"], make_descent(stage.walk.descent.table), 20)
        for make_descent in (native, PlainDescent)
    ]

    assert found[0].values.tobytes() == found[1].values.tobytes()


def test_learning_is_not_worse_than_rounding(stage):
    columns = integer_columns(stage.problem)
    descent = native(stage.walk.descent.table)
    net = as_integers(stage.walk.start(4), columns)
    rounded, learned = (learn(net, WEIGHTS["ternary"], descent, steps) for steps in (0, STEPS))

    numerals = choose_numerals(net, WEIGHTS["ternary"], descent.survey(net).deviations)
    assert {*np.unique(rounded.weights)} <= {*numerals.levels[0], *numerals.levels[2]}
    assert descent.survey(learned).loss < descent.survey(rounded).loss
