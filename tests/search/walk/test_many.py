"""Whole walks on many random tables: native code has the bits of the reference."""

import numpy as np
import pytest

from dsgec.engine.toolchain import find_toolchain
from dsgec.search.walk import front
from dsgec.search.walk.descent import PlainDescent
from dsgec.search.walk.front import Walk, WalkSteps
from dsgec.search.walk.integers import WEIGHTS, learn
from dsgec.search.walk.layer import ACTIVATIONS
from dsgec.search.walk.native_descent import NativeDescent, load_descent
from tests.support.shared_layers import random_layer

pytestmark = pytest.mark.needs_cc

STEPS = WalkSteps(first=20, between=2, last=9, swap=4, rounds=2)
"""Of all parts of a walk, swaps included."""


def as_bytes(net):
    parts = (net.neurons, net.sources, net.values, net.momentum, net.square, net.powers)
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(n, marks=pytest.mark.campaign) for n in range(4, 300))]
)
def test_walks_and_integers_have_the_bits_of_the_reference(monkeypatch, seed):
    monkeypatch.setattr(front, "WIDTHS", (0, 3, 6))
    table, net = random_layer(seed, ACTIVATIONS[seed % 4], outputs=1 + seed % 3)
    descents = NativeDescent(table, load_descent(find_toolchain())), PlainDescent(table)
    walks = [
        Walk(descent, net.shape, STEPS, seed, threads, largest=24)
        for descent, threads in zip(descents, (2, 1), strict=True)
    ]
    fronts = [walk.build() for walk in walks]

    assert len(fronts[0]) > 1
    for native, plain in zip(*fronts, strict=True):
        assert (native.loss, native.order) == (plain.loss, plain.order)
        assert as_bytes(native.net) == as_bytes(plain.net)
    is_rounded = net.shape.activation in ("clip", "relu")  # values that are not negative
    for number, one in enumerate(fronts[0] if is_rounded else ()):
        integers = WEIGHTS[("nibbles", "ternary", "powers")[number % 3]]
        learned = [learn(one.net, integers, descent, steps=6) for descent in descents]
        assert as_bytes(learned[0]) == as_bytes(learned[1])
