"""Models of signals: features of windows and a network on them, drawn at random or fixed."""

import random
from dataclasses import replace

import numpy as np

from dsgec.export.files import make_artefact
from dsgec.network.model import Model, plain_columns
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from dsgec.signal.compute import compute_features
from dsgec.signal.constants import bits_for, limit_of
from dsgec.signal.description import Channel, Signal
from dsgec.signal.parse import parse_feature
from dsgec.signal.prove import shifts_of
from dsgec.signal.stream import MISSING
from tests.support.signal_oracle import Oracle
from tests.support.signal_oracle import windows as oracle_windows

_PLAIN = (
    *("mean", "std", "rms", "min", "max", "range", "energy", "first", "last", "min_at", "max_at"),
    *("slope", "mean_change", "zero_crossings", "mean_crossings", "peaks"),
)


def signal_of(features, channels=("ax", "ay"), window=16, step=6, rate=50.0, scales=None):
    """Return a signal with features as texts; `scales` has (offset, scale) of each channel."""
    scales = scales or [(0.0, 1.0)] * len(channels)
    return Signal(
        tuple(Channel(name, *pair) for name, pair in zip(channels, scales, strict=True)),
        window,
        step,
        tuple(parse_feature(text, channels, window) for text in features),
        bits_for(window),
        rate,
    )


def random_signal(seed):
    """Return a signal with random channels, windows, filters and features."""
    rng = random.Random(seed)
    channels = ("ax", "ay", "az")[: rng.randint(1, 3)]
    window = rng.choice([4, 7, 12, 16, 25, 33, rng.randint(34, 300)])
    step = rng.choice([1, window, window, rng.randint(1, window), max(1, window // 2)])
    step = max(step, -(-window // 6))
    features = list(
        dict.fromkeys(_feature(rng, channels, window) for _ in range(rng.randint(1, 6)))
    )
    scales = [rng.choice([(0.0, 1.0), (0.0, 0.25), (3.0, 0.5), (-64.0, 2.0)]) for _ in channels]
    return signal_of(features, channels, window, step, None, scales)


def _feature(rng, channels, window):
    stream = _stream(rng, channels, window)
    kind = rng.randrange(6)
    half = (window - 1) // 2
    if kind == 0:
        return f"goertzel({stream}, {rng.randint(1, half)})"
    if kind == 1:
        k = rng.randint(1, half)
        return f"band({stream}, {k}, {rng.randint(k, min(half, k + 63))})"
    if kind == 2:
        return f"autocorrelation({stream}, {rng.randint(1, min(window - 1, 64))})"
    if kind == 3:
        n = rng.randint(2, min(window, 64))
        return f"part({stream}, {rng.randint(1, n)}, {n})"
    return f"{rng.choice(_PLAIN)}({stream})"


def _stream(rng, channels, window):
    channel = rng.choice(channels)
    kind = rng.randrange(9)
    if kind == 0:
        return f"lowpass({channel}, {rng.randint(1, 4)})"
    if kind == 1:
        return f"highpass({channel}, {rng.randint(1, 4)})"
    if kind == 2:
        return f"diff({channel})"
    if kind == 3:
        return f"abs({channel})"
    if kind == 4 and len(channels) > 1:
        return f"magnitude({', '.join(channels)})"
    if kind == 5 and window > 6:
        return f"bandpass({channel}, {rng.randint(1, (window - 1) // 2)})"
    return channel


def signal_model(signal, seed=0, outputs=1, classes=("idle", "shake"), samples=None):
    """Return a model of a random network on the features of a signal; regression has no classes.

    Its weights suit the features of samples, which are random unless they are given.
    """
    rng = random.Random(seed)
    if samples is None:
        samples = random_samples(signal, seed + 1, 40 * signal.step + signal.window)
    rows = features_of(signal, samples)
    center, scale = rows.mean(axis=0), rows.std(axis=0) + 1.0
    count = len(signal.features)
    lines = [f"inputs = {count}"]
    for number in range(1, 4):
        chosen = sorted(rng.sample(range(count), rng.randint(1, min(3, count))))
        terms = [
            f"({float(rng.uniform(-3, 3) / scale[i])!r}) * (x_{i + 1} - ({float(center[i])!r}))"
            for i in chosen
        ]
        lines.append(f"h_1_{number} = {rng.choice(['sig', 'tanh', 'relu'])}({' + '.join(terms)})")
    sums = [
        " + ".join(f"({rng.uniform(-2, 2):.3f}) * h_1_{i}" for i in (1, 2, 3))
        for _ in range(outputs)
    ]
    if outputs > 1 and classes:
        names = ", ".join(f"y_{i + 1}" for i in range(outputs))
        lines.append(f"{names} = softmax({', '.join(sums)})")
    else:
        finish = "sig({})" if classes else "{}"
        lines += [f"y_{i + 1} = {finish.format(text)}" for i, text in enumerate(sums)]
    network = simplify(parse("\n".join(lines) + "\n", inputs=count))
    columns = plain_columns(tuple(map(str, signal.features)))
    return Model(network, columns, classes, signal=signal)


def random_model(seed):
    """Return a model of a random signal: of two or three classes, or of one or two values."""
    outputs, classes = ((1, ("a", "b")), (3, ("a", "b", "c")), (1, ()), (2, ()))[seed % 4]
    votes = (1, 3, 4)[seed // 4 % 3] if classes else 1
    return signal_model(replace(random_signal(seed), smooth=votes), seed, outputs, classes)


def random_samples(signal, seed, count, gaps=0):
    """Return samples of int16: slow waves, noise, spikes that are limited, and missing ones."""
    rng = np.random.RandomState(seed)
    limit, channels = limit_of(signal.bits), len(signal.channels)
    time = np.arange(count)[:, None]
    wave = np.sin(time * rng.uniform(0.02, 1.5, channels) + rng.uniform(0, 6, channels))
    noise = rng.uniform(-1, 1, (count, channels)) * 2.0 ** -rng.randint(1, 8, channels)
    samples = np.rint(limit * (0.7 * wave + noise)).astype(np.int32)
    spikes = rng.randint(0, count, max(count // 20, 1))
    samples[spikes] = rng.choice([-32767, -limit - 1, limit + 1, 32767], (len(spikes), channels))
    for at in rng.randint(0, count, gaps):
        samples[at, rng.randint(channels)] = MISSING
    return np.clip(samples, MISSING, -MISSING - 1)


def features_of(signal, samples, starts=None):
    """Return the features of windows of samples without gaps, by default of all windows."""
    if starts is None:
        starts = range(0, len(samples) - signal.window + 1, signal.step)
    limit = limit_of(signal.bits)
    return compute_features(signal, np.clip(samples, -limit, limit), np.array([*starts], np.int64))


def expected_windows(signal, samples, restarts=()):
    """Return the ends of the windows that a stream completes, and their features by the oracle."""
    shifts = {str(call): shift for call, shift in shifts_of(signal).items()}
    oracle = Oracle([c.name for c in signal.channels], signal.window, signal.bits, shifts)
    found = oracle_windows(samples.tolist(), signal.window, signal.step, MISSING, restarts)
    names = [*map(str, signal.features)]
    wanted = [[oracle.feature(name, window) for name in names] for _, window in found]
    ends = [end for end, _ in found]
    return ends, np.array(wanted).reshape(len(ends), len(names))


def artefact_of(model, dtype="double", layout="flat", name="net"):
    """Return an artefact; in fixed point, the ranges are those of a random recording."""
    found = features_of(model.signal, np.abs(random_samples(model.signal, 9, 2000)))
    ends = zip(model.columns, found.min(axis=0), found.max(axis=0), strict=True)
    ranges = {column.name: (float(low), float(high) + 1.0) for column, low, high in ends}
    return make_artefact(model, name, dtype, ranges if dtype[0] == "q" else {}, layout=layout)
