"""Networks that learn in integers are those that fixed point exports, weight for weight."""

import numpy as np
import pytest

from dsgec.data.arrays import make_table
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.engine.toolchain import find_toolchain
from dsgec.export.artefact import PACKED, QUICK, Artefact
from dsgec.export.fixed.number_lists import Storage
from dsgec.export.golden import classes_of_results
from dsgec.grammar.load import load_grammar
from dsgec.search.defaults import with_defaults
from dsgec.search.models import make_model
from dsgec.search.presets import Preset, make_settings
from dsgec.search.problem import make_problem
from dsgec.search.walk.descent import PlainDescent
from dsgec.search.walk.integer_front import LINEAR, IntegerWalk
from dsgec.search.walk.integers import (
    WEIGHTS,
    as_integers,
    choose_numerals,
    column_ranges,
    from_integers,
    integer_columns,
    integer_sums,
    learn,
    with_short_biases,
)
from dsgec.search.walk.native_descent import NativeDescent, load_descent
from dsgec.search.walk.stage import make_rows, make_walk_stage
from dsgec.search.walk.state import restore_state, save_state
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
    return stage_of(columns, kinds)


def stage_of(columns, kinds):
    """Return the walk of a table, which has not begun."""
    table = make_table(columns, [f"k{kind}" for kind in kinds], target="y")
    dataset = make_dataset(table, "y", preprocessing=make(Preprocessing, {}, learned=True))
    preset, given = make(Preset, {}), {"seed": 1, "walk": STEPS}
    grammar = load_grammar("shared_softmax").grammar
    settings = with_defaults(make_settings(given, preset), given, preset, dataset, grammar)
    problem = make_problem(grammar, dataset, settings)
    return make_walk_stage(problem, settings, native, lambda phenotype: 0.0)


def native(table):
    return NativeDescent(table, load_descent(find_toolchain()))


def learned_export(stage, hidden, kind, steps):
    """Return a dense network that has learned in integers, and its export as q7."""
    problem = stage.problem
    columns = integer_columns(problem)
    rows = make_rows(problem, stage.settings, 3, columns.scaled(problem.split.train))
    net = learn(as_integers(stage.walk.start(hidden), columns), WEIGHTS[kind], native(rows), steps)
    return net, packed_export(stage, net, columns)


def packed_export(stage, net, columns):
    """Return the export of a network of integer columns as q7."""
    champion = stage.champion(from_integers(net, columns))
    model = make_model(stage.problem, champion.phenotype)
    ranges = column_ranges(stage.problem)
    return Artefact(model, "network", "q7", selftest=QUICK, ranges=ranges, layout=PACKED)


def test_a_network_of_integer_columns_computes_the_same_up_to_rounding(stage):
    columns = integer_columns(stage.problem)
    net = stage.walk.start(5)

    same = from_integers(as_integers(net, columns), columns)

    assert same.values == pytest.approx(net.values, rel=1e-9, abs=1e-12)
    exact = outputs_of(net, stage.problem.rows.T)
    whole = outputs_of(as_integers(net, columns), columns.scaled(stage.problem.split.train).T)
    assert np.abs(exact - whole).max() < 0.1 * np.abs(exact).max()


def test_columns_are_integers_of_8_bits(stage):
    columns = integer_columns(stage.problem).scaled(stage.problem.split.train)
    columns[:, :-2] *= 64

    assert (columns == np.rint(columns)).all()
    assert np.abs(columns).max() <= 255
    assert {*columns[:, -1]} == {*columns[:, -2]} == {0.0, 1.0}  # the flags of the category


@pytest.mark.parametrize("kind", ["nibbles", "ternary", "powers"])
def test_exports_have_the_learned_integers(stage, kind):
    net, artefact = learned_export(stage, 6, kind, 400)

    packed = artefact.packed
    first = net.hidden
    for rows in (packed.terms[:first], packed.terms[first:]):
        weights = {weight for row in rows for _, weight in row}
        assert weights <= {w * 2**n for w in WEIGHTS[kind] for n in range(3)}
        # A neuron may have them doubled, if its bias needs one more digit.
        assert kind == "powers" or max(map(abs, weights), default=0) <= 2 * WEIGHTS[kind][-1]
    for part in (packed.order[:first], packed.order[first:]):
        assert kind == "powers" or len({neuron.sum.shift for neuron in part}) <= 2


@pytest.mark.parametrize(("hidden", "kind"), [(0, "bytes"), (3, "bytes"), (6, "nibbles")])
def test_the_integer_network_is_the_one_that_learned(stage, hidden, kind):
    """The sums by which models are chosen, in doubles, decide as the integers of the export."""
    net, artefact = learned_export(stage, hidden, kind, 400)
    problem = stage.problem
    rows = np.arange(len(problem.dataset.y))

    sums = integer_sums(net, integer_columns(problem).scaled(rows))
    labels = classes_of_results(
        artefact.model, artefact.number_format.results(problem.dataset.raw[rows])
    )

    ordered = np.sort(sums, axis=1)
    is_clear = ordered[:, -1] - ordered[:, -2] > 1e-9
    assert is_clear.mean() > 0.9
    assert (np.array(labels) == sums.argmax(axis=1))[is_clear].all()
    assert (np.array(labels) == problem.dataset.class_numbers).mean() > 0.6


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


@pytest.mark.parametrize("hidden", [0, 6])
def test_short_biases_are_bytes_in_the_export(stage, hidden):
    problem, columns = stage.problem, integer_columns(stage.problem)
    rows = make_rows(problem, stage.settings, 3, columns.scaled(problem.split.train))
    descent = native(rows)
    net = learn(as_integers(stage.walk.start(hidden), columns), WEIGHTS["nibbles"], descent, 400)

    short = with_short_biases(net, columns, descent)

    assert (short.weights == net.weights).all()
    assert descent.survey(short).loss <= 1.03 * descent.survey(net).loss
    biases = [neuron.sum.bias for neuron in packed_export(stage, short, columns).packed.order]
    assert max(biases) - min(biases) > 255
    assert Storage.choose(biases, 8, hidden, signed=True).length == 1


def test_a_linear_network_of_classes_does_not_limit_columns(stage):
    """As the softmax saturates, columns beyond their ranges need no instructions."""
    columns = integer_columns(stage.problem)

    artefact = packed_export(stage, as_integers(stage.walk.start(0), columns), columns)

    assert {source.limits for source in artefact.packed.columns} == {None}


def test_linear_networks_learn_in_integers_beside_better_ones_of_their_size():
    rows = np.random.default_rng(3).normal(size=(240, 8))
    sizes = np.abs(rows[:, :2]).sum(axis=1)
    kinds = np.searchsorted(np.quantile(sizes, [1 / 3, 2 / 3]), sizes)
    stage = stage_of({f"c{n}": values for n, values in enumerate(rows.T)}, kinds)
    problem, own = stage.problem, stage.walk
    columns = integer_columns(problem)
    rows = make_rows(problem, stage.settings, 3, columns.scaled(problem.split.train))
    given = own.descent, own.shape, own.steps, own.seed, 1, own.levels[0], columns, native(rows)
    walk = IntegerWalk(*given)
    while walk.state.cursors:
        walk.advance(0.0)
    again = IntegerWalk(*given)
    again.state = restore_state(save_state(walk.state), own.shape)

    walk.build()
    again.build()

    found = {key: net.values.tobytes() for key, net in walk.learned().items()}
    assert found == {key: net.values.tobytes() for key, net in again.learned().items()}
    starts = {start for start, _ in found}
    assert starts == {*walk.starts}
    beside = [start for start in starts if not walk.network_of(start).hidden and start > LINEAR]
    assert beside
    for start in beside:
        size = start - LINEAR
        assert walk.state.best[size].net.hidden
        assert walk.state.best[size].loss <= walk.state.linear[size].loss
        assert walk.network_of(start).size <= size
