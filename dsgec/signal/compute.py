"""Compute the features of the windows of a log."""

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.procedures import procedures
from dsgec.program.interpret import interpret
from dsgec.signal.constants import limit_of
from dsgec.signal.description import Signal
from dsgec.signal.prove import shifts_of
from dsgec.signal.window import window_program

Integers = NDArray[np.int32]

_ROOM = 1 << 22  # samples of windows that are computed at once


def compute_features(signal: Signal, samples: Integers, starts: NDArray[np.int64]) -> Integers:
    """Return the features of windows: a row for each start, which is a row of the samples.

    The samples have a column for each channel, with integers of the signal's bits; see
    `quantise.py`.
    """
    samples = np.ascontiguousarray(samples, np.int16)
    check_samples(signal, samples, starts)
    program = window_program(signal, shifts_of(signal))
    found = np.empty((len(starts), len(signal.features)), np.int32)
    size = signal.window * len(signal.channels)
    block = max(1, _ROOM // size)
    for first in range(0, len(starts), block):
        some = starts[first : first + block]
        rows = samples[some[:, None] + np.arange(signal.window)].reshape(len(some), size)
        written, _ = interpret(program, program.entry, procedures("whole"), x=rows)
        for column, values in enumerate(written["y"]):
            found[first : first + block, column] = values
    return found


def check_samples(signal: Signal, samples: Integers, starts: NDArray[np.int64]) -> None:
    """Fail if a sample has more bits than the signal, or a window is outside the samples."""
    limit = limit_of(signal.bits)
    if samples.shape[1:] != (len(signal.channels),):
        raise ValueError("samples have a column for each channel")
    if samples.size and (samples.min() < -limit or samples.max() > limit):
        raise ValueError(f"a sample is outside {signal.bits} bits")
    if len(starts) and (starts.min() < 0 or starts.max() + signal.window > len(samples)):
        raise ValueError("a window is outside the samples")
