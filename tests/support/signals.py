"""Signals for tests, and features by plain formulas, which share no code with dsgec/signal."""

import itertools
import math

import numpy as np

from dsgec.program.interpret import interpret
from dsgec.signal.constants import NUMBERS, bits_for, limit_of
from dsgec.signal.definition import DEFINITIONS
from dsgec.signal.description import Channel, Signal
from dsgec.signal.lower import stream_program
from dsgec.signal.parse import parse_feature
from dsgec.signal.stream import procedure_of


def signal_of(texts, channels=("ax", "ay", "az"), window=64, step=None, bits=None):
    """Return a signal with features that are given as texts."""
    return Signal(
        tuple(map(Channel, channels)),
        window,
        step or window,
        tuple(parse_feature(text, channels, window) for text in texts),
        bits_for(window) if bits is None else bits,
    )


def random_samples(signal, count, seed=0):
    """Return samples of waves and noise, some of which reach the limits."""
    rng = np.random.default_rng(seed)
    limit = limit_of(signal.bits)
    channels = len(signal.channels)
    t = np.arange(count)[:, None]
    waves = np.sin(t * rng.uniform(0.01, 2, channels)) * rng.uniform(0.01, 1.2, channels)
    noise = rng.normal(size=(count, channels)) * rng.uniform(0, 0.3, channels)
    found = np.rint((waves + noise + rng.uniform(-0.5, 0.5, channels)) * limit)
    return np.clip(found, -limit, limit).astype(np.int32)


def windows_of(signal, samples, starts):
    """Return the samples of each window: windows × samples × channels, as Python's integers."""
    return samples[np.asarray(starts)[:, None] + np.arange(signal.window)].astype(object)


def _turns(window):
    """Count turns from rising to falling after plateaus are taken out."""
    plain = [x for i, x in enumerate(window) if i == 0 or x != window[i - 1]]
    return sum(a < b > c for a, b, c in zip(plain, plain[1:], plain[2:], strict=False))


def _signs(window):
    return sum((a < 0) != (b < 0) for a, b in itertools.pairwise(window))


EXACT = {
    "mean": lambda w: sum(w),
    "rms": lambda w: math.isqrt(sum(x * x for x in w)),
    "min": min,
    "max": max,
    "range": lambda w: max(w) - min(w),
    "first": lambda w: w[0],
    "last": lambda w: w[-1],
    "min_at": lambda w: list(w).index(min(w)),
    "max_at": lambda w: list(w).index(max(w)),
    "slope": lambda w: sum((2 * t - len(w) + 1) * x for t, x in enumerate(w)),
    "mean_change": lambda w: sum(abs(b - a) for a, b in itertools.pairwise(w)),
    "zero_crossings": _signs,
    "peaks": _turns,
    "energy": lambda w: sum(x * x for x in w),
}
"""Features of one window that are exact, before they are shifted."""


def streamed(signal, samples, starts):
    """Return the features of windows by interpreting the program of the stream on all at once."""
    program = stream_program(signal)
    windows = windows_of(signal, samples, starts)
    state = {}
    for at in range(signal.window):
        name, scalars = ("following", {"at": at}) if at else ("first", {})
        procedure = procedure_of(program, name)
        given = {"sample": windows[:, at], **state, **scalars}
        written, _ = interpret(program, procedure, {}, **given)
        state = {
            array: np.stack([np.broadcast_to(e, len(windows)) for e in elements], axis=1)
            for array, elements in written.items()
        }
    written, _ = interpret(program, procedure_of(program, "features"), {}, **state)
    return np.stack([np.broadcast_to(e, len(windows)) for e in written["x"]], axis=1)


def random_feature(rng, channels, window):
    """Return the text of a random feature, whose filters stand inside each other."""
    features = [one for one in DEFINITIONS.values() if one.kind == "feature"]
    return _random_call(rng, features[rng.integers(len(features))], channels, window, 0)


def _random_call(rng, definition, channels, window, depth):
    filters = [one for one in DEFINITIONS.values() if one.kind == "filter"]
    count = len(definition.streams) - rng.integers(definition.optional + 1)
    arguments = []
    for _ in range(count):
        if depth < 3 and rng.random() < 0.4:
            inner = filters[rng.integers(len(filters))]
            arguments.append(_random_call(rng, inner, channels, window, depth + 1))
        else:
            arguments.append(channels[rng.integers(len(channels))])
    numbers = {}
    for name in definition.numbers:
        least, most = NUMBERS[name](window, numbers)
        most = min(most, least + 5) if name == "l" else most
        numbers[name] = int(rng.integers(least, most + 1)) if least <= most else least
    return f"{definition.name}({', '.join(map(str, (*arguments, *numbers.values())))})"
