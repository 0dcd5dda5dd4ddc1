"""Adam in native code and in numpy: the same bits, and those of a textbook up to rounding."""

from dataclasses import replace

import numpy as np
import pytest

from dsgec.engine.toolchain import find_toolchain
from dsgec.search.walk import descent
from dsgec.search.walk.descent import BATCH, BATCH_STRIDE, PlainDescent, make_walk_table
from dsgec.search.walk.layer import ACTIVATIONS
from dsgec.search.walk.native_descent import NativeDescent, load_descent
from tests.support.shared_layers import outputs_of, random_layer, random_numerals


@pytest.fixture(scope="module")
def library():
    return load_descent(find_toolchain())


def bits(values):
    return np.asarray(values, float).tobytes()


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("seed", range(6))
def test_native_and_plain_descents_have_the_same_bits(library, seed, outputs, activation):
    table, first = random_layer(seed, activation, outputs, share=[0.2, 0.7, 1.0][seed % 3])
    second = first.copy()
    plain, native = PlainDescent(table), NativeDescent(table, library)
    for rates in (np.full(7, 0.05), np.linspace(0.02, 0.0, 9)):
        plain.descend(first, rates)
        native.descend(second, rates)
        assert first.steps == second.steps
        for name in ("values", "momentum", "square", "powers"):
            assert bits(getattr(first, name)) == bits(getattr(second, name)), name
        one, two = (descent.survey(first, absent=True) for descent in (plain, native))
        assert one.loss == two.loss
        assert bits(one.deviations) == bits(two.deviations)
        assert bits(one.absent) == bits(two.absent)


@pytest.mark.parametrize("activation", ["clip", "relu"])
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("seed", range(6))
def test_descents_of_numerals_have_the_same_bits(library, seed, outputs, activation):
    table, first = random_layer(seed, activation, outputs, share=[0.2, 0.7, 1.0][seed % 3])
    first.numerals = random_numerals(seed)
    second = first.copy()
    plain, native = PlainDescent(table), NativeDescent(table, library)
    plain.descend(first, np.linspace(0.1, 0.0, 12))
    native.descend(second, np.linspace(0.1, 0.0, 12))

    assert bits(first.values) == bits(second.values)
    one, two = (descent.survey(first, absent=True) for descent in (plain, native))
    assert one.loss == two.loss
    assert bits(one.deviations) == bits(two.deviations)
    assert bits(one.absent) == bits(two.absent)


def test_a_network_of_numerals_computes_with_the_nearest_ones(library):
    differences = 0
    for seed in range(9):
        table, net = random_layer(seed, "clip")
        net.numerals = random_numerals(seed)
        settled = net.copy()
        settled.numerals = None
        for at, kind in enumerate(net.kinds):
            levels = net.numerals.levels[kind]
            settled.values[at] = levels[np.argmin(np.abs(levels - net.values[at]))]
        assert bits(net.seen) == bits(settled.values)

        hidden = outputs_of(replace(settled, shape=net.shape), table.columns)
        rounded = outputs_of(
            settled, table.columns, lambda y: np.minimum(np.floor(8 * y + 0.5) / 8, 3.5)
        )
        by = table.row_weights[: table.rows]
        loss = NativeDescent(table, library).survey(net).loss * table.rows
        assert loss == pytest.approx(loss_of_outputs(rounded, table, by), rel=1e-9)
        differences += not np.allclose(hidden, rounded)
    assert differences > 4


def test_straight_through_gradients_are_those_at_the_nearest_numerals(library):
    table, net = random_layer(4, "clip")
    net.numerals = replace(random_numerals(4), digits=40, top=4.0)  # the values are not rounded
    settled = replace(net.copy(), values=net.seen.copy(), numerals=None)
    before, seen = net.values.copy(), net.seen
    NativeDescent(table, library).descend(net, np.full(1, 1e-9))
    NativeDescent(table, library).descend(settled, np.full(1, 1e-9))

    decay = 2 * net.shape.penalty * (before - seen) * 0.1
    assert net.momentum - decay == pytest.approx(settled.momentum, abs=1e-9)
    assert np.abs(settled.momentum).max() > 1e-4


def loss_of_outputs(z, table, by):
    e = np.exp((z - z.max(axis=0))[:, : table.rows])
    chances = (e / e.sum(axis=0) * table.targets[:, : table.rows]).sum(axis=0)
    return float((-np.log(chances) * by).sum())


def loss_of(net, columns, targets, by):
    """Return the summed loss of some rows without the penalty."""
    z = outputs_of(net, columns)
    if len(z) == 1:
        chances = 1 / (1 + np.exp(-z[0]))
        chances = np.where(targets[0] > 0.5, chances, 1 - chances)
    else:
        e = np.exp(z - z.max(axis=0))
        chances = (e / e.sum(axis=0) * targets).sum(axis=0)
    return float((-np.log(chances) * by).sum())


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("outputs", [1, 3])
def test_a_survey_has_the_loss_the_deviations_and_the_gradients_of_absent_connections(
    library, activation, outputs
):
    table, net = random_layer(11, activation, outputs, share=0.5)
    survey = NativeDescent(table, library).survey(net, absent=True)
    part = [values[..., : table.rows] for values in (table.columns, table.targets)]
    by = table.row_weights[: table.rows]
    assert survey.loss == pytest.approx(loss_of(net, *part, by) / table.rows, rel=1e-9)
    assert survey.deviations[: net.shape.inputs] == pytest.approx(part[0].std(axis=1), rel=1e-9)
    present = set(zip(net.neurons.tolist(), net.sources.tolist(), strict=True))
    tried = 0
    for neuron in range(net.count):
        allowed = net.allowed_sources(neuron)
        for source in range(allowed.start, allowed.stop):
            if (neuron, source) in present:
                continue
            larger = net.connect(np.array([neuron]), np.array([source]))
            at = np.flatnonzero((larger.neurons == neuron) & (larger.sources == source))[0]
            ends = []
            for move in (1e-6, -1e-6):
                larger.values[at] = move
                ends.append(loss_of(larger, *part, by))
            slope = (ends[0] - ends[1]) / 2e-6
            assert survey.absent[neuron, source] == pytest.approx(slope, rel=1e-4, abs=1e-5)
            tried += 1
    assert tried


def test_a_descent_is_adam_on_windows_of_the_rows(library):
    table, net = random_layer(3, "tanh", 3, share=0.8)
    rate, penalty = 0.03, net.shape.penalty
    expected = net.copy()
    momentum, square = np.zeros_like(net.values), np.zeros_like(net.values)
    for step in range(5):
        rows = (step * BATCH_STRIDE % table.rows + np.arange(BATCH)) % table.rows
        part = table.columns[:, rows], table.targets[:, rows], table.row_weights[rows]
        gradient = np.empty_like(net.values)
        for at in range(len(gradient)):
            ends = []
            for move in (1e-6, -1e-6):
                moved = expected.copy()
                moved.values[at] += move
                ends.append(loss_of(moved, *part) / BATCH + penalty * (moved.values**2).sum())
            gradient[at] = (ends[0] - ends[1]) / 2e-6
        momentum = 0.9 * momentum + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        expected.values -= (
            rate
            * (momentum / (1 - 0.9 ** (step + 1)))
            / (np.sqrt(square / (1 - 0.99 ** (step + 1))) + 1e-8)
        )
        least, most = expected.bounds()
        expected.values[:] = np.clip(expected.values, least, most)
    NativeDescent(table, library).descend(net, np.full(5, rate))
    assert net.values == pytest.approx(expected.values, abs=1e-4)


def test_a_survey_of_a_large_table_looks_at_its_first_rows(library, monkeypatch):
    table, net = next(one for seed in range(99) if (one := random_layer(seed))[0].rows > 100)
    whole = NativeDescent(table, library).survey(net, absent=True)
    monkeypatch.setattr(descent, "MOST_SURVEYED", 70)
    surveys = [
        one.survey(net, absent=True) for one in (PlainDescent(table), NativeDescent(table, library))
    ]
    assert surveys[0].loss == surveys[1].loss != whole.loss
    assert bits(surveys[0].absent) == bits(surveys[1].absent)
    part = table.columns[:, :70], table.targets[:, :70], table.row_weights[:70]
    assert surveys[0].loss == pytest.approx(loss_of(net, *part) / 70, rel=1e-9)


def test_values_stay_within_their_limits(library):
    table, net = random_layer(5, "relu", 3, share=1.0)
    NativeDescent(table, library).descend(net, np.full(200, 0.5))
    least, most = net.bounds()
    assert ((net.values >= least) & (net.values <= most)).all()
    assert (net.values == most).any()


def test_a_table_of_fewer_rows_than_a_batch_repeats_them():
    columns = np.arange(5.0)[None]
    table = make_walk_table(columns, columns, columns[0])
    assert table.columns.shape == (1, 5 + BATCH)
    assert (table.columns[0] == np.arange(5 + BATCH) % 5).all()
