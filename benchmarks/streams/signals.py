"""Random models of signals, as a search makes them, and recordings for them."""

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError
from dsgec.export.artefact import FLAT, PACKED, QUICK, Artefact
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.network.model import Model, plain_columns
from dsgec.network.parse import parse
from dsgec.network.ranges import Range
from dsgec.signal.compute import compute_features
from dsgec.signal.constants import NUMBERS, bits_for, limit_of
from dsgec.signal.definition import DEFINITIONS, Definition
from dsgec.signal.description import Call, Channel, Signal
from dsgec.signal.parse import parse_feature

DTYPES = ("q15", "q7", "q15", "float")
_WINDOWS = (16, 25, 32, 50, 64, 100, 128, 200)
_ALIKE, _MOST_ALIKE = 0.4, 8
_DEEPEST, _MOST_FEATURES, _WIDEST = 2, 6, 6


def random_artefact(seed: int) -> Artefact:
    """Return a small network on random features of random windows."""
    rng = random.Random(seed)  # noqa: S311
    signal = random_signal(rng)
    rows = features_of(signal, recording(signal, seed, 40 * signal.window))
    ranges: tuple[Range | None, ...] = tuple(
        (float(low), float(high) + 1.0)
        for low, high in zip(rows.min(axis=0), rows.max(axis=0), strict=True)
    )
    dtype = DTYPES[seed % len(DTYPES)]
    is_fixed = dtype in STORED_BITS
    sums = " + ".join(
        f"({rng.uniform(0.2, 3) / (high - low):.6g}) * (x_{i} - ({low:.6g}))"
        for i, (low, high) in enumerate(filter(None, ranges), 1)
    )
    network = parse(f"sig(2 * tanh({sums} - 1) - 0.5)", inputs=len(ranges))
    columns = plain_columns(tuple(map(str, signal.features)))
    model = Model(network, columns, ("no", "yes"), signal=signal)
    return Artefact(
        *(model, "net", dtype),
        selftest=QUICK,
        ranges=ranges if is_fixed else (),
        layout=PACKED if is_fixed else FLAT,
    )


def random_signal(rng: random.Random) -> Signal:
    """Return a signal with random channels, windows, filters and features."""
    window = rng.choice(_WINDOWS)
    step = -(-window // rng.choice((1, 1, 1, 2, 2, 4)))
    channels = ("ax", "ay", "az")[: rng.randint(1, 3)]
    count = rng.choice((1, 1, 2, 3, 4, _MOST_FEATURES))
    calls: dict[str, Call] = {}
    while len(calls) < count:
        text = random_feature(rng, channels, window)
        try:
            calls[text] = parse_feature(text, channels, window)
        except DsgecError:  # numbers that do not go together
            continue
    if rng.random() < _ALIKE:
        calls |= _alike(rng, channels, window)
    own = tuple(map(Channel, channels))
    return Signal(own, window, step, tuple(calls.values()), bits_for(window), 50.0)


def _alike(rng: random.Random, channels: Sequence[str], window: int) -> dict[str, Call]:
    """Return several amplitudes, or parts, of one channel, as a search often finds them."""
    channel, count = rng.choice(channels), rng.randint(2, _MOST_ALIKE)
    if rng.random() < 0.5:
        cycles = rng.sample(range(1, (window - 1) // 2 + 1), min(count, (window - 1) // 2))
        texts = [f"goertzel({channel}, {k})" for k in sorted(cycles)]
    else:
        texts = [f"part({channel}, {i}, 8)" for i in range(1, count + 1)]
    return {text: parse_feature(text, channels, window) for text in texts}


def random_feature(rng: random.Random, channels: Sequence[str], window: int) -> str:
    """Return the text of a random feature."""
    features = [one for one in DEFINITIONS.values() if one.kind == "feature"]
    return _random_call(rng, rng.choice(features), channels, window, 0)


def _random_call(
    rng: random.Random, definition: Definition, channels: Sequence[str], window: int, depth: int
) -> str:
    filters = [one for one in DEFINITIONS.values() if one.kind == "filter"]
    arguments = []
    for _ in range(len(definition.streams) - rng.randint(0, definition.optional)):
        if depth < _DEEPEST and rng.random() < 0.4:
            inner = rng.choice(filters)
            arguments.append(_random_call(rng, inner, channels, window, depth + 1))
        else:
            arguments.append(rng.choice(channels))
    numbers: dict[str, int] = {}
    for name in definition.numbers:
        least, most = NUMBERS[name](window, numbers)
        most = min(most, least + _WIDEST) if name == "l" else most
        numbers[name] = rng.randint(least, max(least, most))
    return f"{definition.name}({', '.join(map(str, (*arguments, *numbers.values())))})"


def recording(signal: Signal, seed: int, count: int) -> NDArray[np.int32]:
    """Return samples: waves and noise, some of them beyond the limits."""
    rng = np.random.RandomState(seed)
    limit, channels = limit_of(signal.bits), len(signal.channels)
    time = np.arange(count)[:, None]
    wave = np.sin(time * rng.uniform(0.02, 1.5, channels) + rng.uniform(0, 6, channels))
    noise = rng.uniform(-1, 1, (count, channels)) * 2.0 ** -rng.randint(1, 8, channels)
    return np.clip(np.rint(limit * (0.8 * wave + noise)), -limit, limit).astype(np.int32)


def features_of(signal: Signal, samples: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the features of all windows of a recording."""
    starts = np.arange(0, len(samples) - signal.window + 1, signal.step)
    return compute_features(signal, samples, starts)
