"""Streams in C: alike steps are loops, and integers are as narrow as their values."""

import numpy as np
import pytest

from dsgec.arithmetic.procedures import procedures, with_library
from dsgec.export.streams.narrow import narrowed
from dsgec.export.streams.program import renamed
from dsgec.export.streams.roll import rolled
from dsgec.program import ir
from dsgec.program.interpret import interpret
from dsgec.signal.constants import limit_of
from dsgec.signal.lower import stream_program
from tests.support.signal_models import random_signal, signal_of

ALIKE = [*(f"goertzel(ax, {k})" for k in (1, 2, 5)), *(f"part(ay, {i}, 6)" for i in range(1, 7))]


def program_of(signal):
    """Return the program of a stream, with the names that exports give it."""
    return renamed(with_library(stream_program(signal), "whole"))


def loops(program, name):
    procedure = next(one for one in program.procedures if one.name == name)
    return [one.count.value for one in procedure.body if isinstance(one, ir.Loop)]


def test_alike_steps_are_a_loop_and_others_are_not():
    program = rolled(program_of(signal_of(ALIKE, window=24)))
    assert loops(program, "stream_following") == [3, 6]
    assert loops(program, "stream_features") == [3, 6]
    other = program_of(signal_of(["mean(ax)", "std(ay)", "goertzel(ax, 2)"]))
    assert rolled(other) == other


def features_of(program, samples):
    """Run windows through the interpreter, which fails if a type lacks a value."""
    by_name = {one.name: one for one in program.procedures}
    library = procedures("whole")
    state = {}
    for at in range(samples.shape[1]):
        name = "stream_following" if at else "stream_first"
        given = {"at": at} if at else {}
        found, _ = interpret(
            program, by_name[name], library, sample=samples[:, at], **given, **state
        )
        state = {
            key: np.stack([np.broadcast_to(v, len(samples)) for v in value], axis=1)
            for key, value in found.items()
        }
    found, _ = interpret(program, by_name["stream_features"], library, **state)
    return np.stack([np.broadcast_to(v, len(samples)) for v in found["x"]], axis=1)


@pytest.mark.parametrize("seed", [*range(8), None])
def test_narrow_types_have_all_values_of_any_samples(seed):
    signal = signal_of(ALIKE, window=24) if seed is None else random_signal(seed)
    program = program_of(signal)
    small = narrowed(program, signal.window)
    assert small != program
    rng, limit = np.random.default_rng(seed), limit_of(signal.bits)
    shape = (40, signal.window, len(signal.channels))
    samples = rng.integers(-limit, limit + 1, shape)
    samples[20:] = np.where(rng.random(shape)[20:] < rng.random((20, 1, 1)), limit, -limit)
    assert np.array_equal(features_of(small, samples), features_of(program, samples))
