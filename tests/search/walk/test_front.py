"""The walk: sizes, pruning without a change of meaning, moves, and threads."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from dsgec.engine.toolchain import find_toolchain
from dsgec.grammar.genome.constants import draw_gaussian
from dsgec.random import Stream
from dsgec.search.walk import front
from dsgec.search.walk.descent import PlainDescent
from dsgec.search.walk.edits import move, remove
from dsgec.search.walk.front import Walk, draw_gaussians, levels, make_steps
from dsgec.search.walk.native_descent import NativeDescent, load_descent
from tests.support.shared_layers import outputs_of, random_layer


def test_levels_fall_by_a_twentieth_to_one_connection():
    found = levels(1000)
    assert found[:3] == [1000, 950, 903]
    assert found[-1] == 1
    assert all(0 < a - b <= max(a // 20, 1) for a, b in itertools.pairwise(found))


def test_gaussians_are_those_of_the_stream():
    one, many = Stream(1, 2, 3), Stream(1, 2, 3)
    assert [draw_gaussian(one) for _ in range(9)] == draw_gaussians(many, 9).tolist()
    assert one.word() == many.word()


@pytest.mark.parametrize("seed", range(20))
def test_removed_connections_count_as_zeros(seed):
    table, net = random_layer(seed, ["clip", "tanh"][seed % 2], 3, share=0.9)
    net = replace(net, shape=replace(net.shape, limits=((-99.0, 99.0),) * 4))
    rng = np.random.default_rng(seed)
    kept = rng.random(net.size) < 0.5
    zeros = net.copy()
    zeros.weights[~kept] = 0.0
    pruned = net.keep(kept)
    assert pruned.size <= kept.sum()
    assert np.bincount(pruned.neurons, minlength=pruned.count)[: pruned.hidden].all()
    assert outputs_of(pruned, table.columns) == pytest.approx(outputs_of(zeros, table.columns))


def test_the_least_important_connections_are_removed():
    _, net = random_layer(4, "clip", 3, share=1.0)
    importance = np.arange(net.size, dtype=float)
    found = remove(net, importance, net.size - 3)
    assert found.size <= net.size - 3
    assert set(found.weights.tolist()) <= set(net.weights[3:].tolist())


def test_a_move_keeps_the_size_or_less_and_adds_where_the_gradient_is():
    table, net = random_layer(8, "clip", 3, share=0.5)
    survey = PlainDescent(table).survey(net, absent=True)
    seen = set()
    for number in range(30):
        moved = move(net, survey, Stream(1, 0, number))
        assert 0 < moved.size <= net.size
        seen.add((moved.neurons.tobytes(), moved.sources.tobytes()))
        assert not (moved.momentum.any() or moved.square.any())
    assert len(seen) > 3


def make_walk(threads, native=True, steps=30):
    table, net = random_layer(2, "clip", 3, share=1.0)
    descent = (
        NativeDescent(table, load_descent(find_toolchain())) if native else PlainDescent(table)
    )
    return Walk(descent, net.shape, make_steps(steps), 7, threads)


def as_bytes(steps):
    return [
        (one.net.neurons.tobytes(), one.net.sources.tobytes(), one.net.values.tobytes(), one.loss)
        for one in steps
    ]


@pytest.mark.parametrize(("threads", "native"), [(3, True), (1, False)])
def test_a_walk_does_not_depend_on_threads_or_the_compiler(monkeypatch, threads, native):
    monkeypatch.setattr(front, "WIDTHS", (0, 2, 5))
    steps = 300 if native else 30
    expected = make_walk(1, steps=steps).build()
    assert as_bytes(make_walk(threads, native, steps).build()) == as_bytes(expected)
    sizes = [step.net.size for step in expected]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) > 10


def test_swaps_make_no_network_worse(monkeypatch):
    monkeypatch.setattr(front, "WIDTHS", (4,))
    swapped = make_walk(1, steps=450).build()
    monkeypatch.setattr(front, "LARGEST_SWAPPED", 0)
    plain = make_walk(1, steps=450).build()
    pairs = [(a.loss, b.loss) for a, b in zip(swapped, plain, strict=True)]
    assert all(a <= b for a, b in pairs)
    assert any(a < b for a, b in pairs)
