"""Signals for tests, and features by plain formulas, which share no code with dsgec/signal."""

import itertools
import math

import numpy as np

from dsgec.signal.constants import bits_for, limit_of
from dsgec.signal.description import Channel, Signal
from dsgec.signal.parse import parse_feature


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
