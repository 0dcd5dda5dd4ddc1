"""Features of windows by docs/reference/features.md, in plain Python; no code of dsgec is used.

A window is a list of samples, each of which is a list of the integers of its channels. It is given
how many bits a sample has, and by how many bits results are shifted, which dsgec proves.
"""

import ast
import math
from itertools import pairwise


class Oracle:
    """Computes features of windows of `length` samples; `shifts` are those of results by text."""

    def __init__(self, channels, length, bits, shifts):
        self.channels = {name: number for number, name in enumerate(channels)}
        self.length, self.limit, self.shifts = length, 2 ** (bits - 1) - 1, shifts

    def feature(self, text, window):
        """Return a feature of a window."""
        call = ast.parse(text, mode="eval").body
        name, shift = call.func.id, self.shifts[text]
        limit = self.limit
        window = [[limited(value, limit) for value in sample] for sample in window]
        (x, *_), numbers = self.arguments(call, window)
        if name == "band":
            first, last = numbers
            own = [f"goertzel({ast.unparse(call.args[0])}, {k})" for k in range(first, last + 1)]
            total = sum(self.feature(one, window) for one in own)
            return total >> shift if last > first else total
        if name in EXACT:
            return EXACT[name](x, *numbers) >> shift
        return ROUNDED[name](x, *numbers, limit)

    def arguments(self, call, window):
        """Return the streams and the numbers of a call."""
        numbers = [part.value for part in call.args if isinstance(part, ast.Constant)]
        return [self.stream(part, window) for part in call.args[: -len(numbers) or None]], numbers

    def stream(self, part, window):
        """Return the samples of a channel or of a filter."""
        if isinstance(part, ast.Name):
            return [sample[self.channels[part.id]] for sample in window]
        streams, numbers = self.arguments(part, window)
        return FILTERS[part.func.id](*streams, *numbers, self.limit)


def limited(value, limit):
    return max(-limit, min(limit, value))


def lowpass(x, s, limit):
    kept = [x[0] << s]
    for value in x[1:]:
        kept.append(limited(kept[-1] + value - (kept[-1] >> s), limit << s))
    return [value >> s for value in kept]


def highpass(x, s, limit):
    return [limited(a - b, limit) for a, b in zip(x, lowpass(x, s, limit), strict=True)]


def bandpass(x, k, limit):
    """Filter with a biquad whose quality is 2; it begins at rest, as if x_0 had been there."""
    angle = 2 * math.pi * k / len(x)
    alpha = math.sin(angle) / 4
    whole = 1 + alpha
    gain, first, second = (
        round(value * 8192)
        for value in (alpha / whole, -2 * math.cos(angle) / whole, (1 - alpha) / whole)
    )
    found = [0]
    for t in range(1, len(x)):
        one, two = found[-1], found[-2] if t > 1 else 0
        before = x[t - 2] if t > 1 else x[0]
        total = gain * 4 * (x[t] - before) - first * one - second * two
        found.append(limited((total + 4096) >> 13, 4 * limit))
    return [limited((value + 2) >> 2, limit) for value in found]


def diff(x, limit):
    return [0, *(limited(b - a, limit) for a, b in pairwise(x))]


def magnitude(*streams):
    *streams, limit = streams
    return [min(math.isqrt(sum(v * v for v in one)), limit) for one in zip(*streams, strict=True)]


FILTERS = {
    "lowpass": lowpass,
    "highpass": highpass,
    "bandpass": bandpass,
    "diff": diff,
    "abs": lambda x, limit: [abs(value) for value in x],
    "magnitude": magnitude,
}


def squared_distances(x):
    """Return D of the page: the sum of the squared distances from the mean, rounded up."""
    return sum(v * v for v in x) - sum(x) ** 2 // len(x)


def std(x, limit):
    return math.isqrt(squared_distances(x))


def autocorrelation(x, lag, limit):
    distances = squared_distances(x)
    apart = sum(limited(x[t] - x[t - lag], limit) ** 2 for t in range(lag, len(x))) // 4
    return 8192 - 16384 * apart // max(distances, apart) if distances else 0


def waved(value):
    """Return a sine times 127, rounded to the nearest; halves are rounded towards 0."""
    return int(math.copysign(math.ceil(abs(127 * value) - 0.5 - 1e-9), value))


def goertzel(x, k):
    n = len(x)
    sines = [waved(math.sin(2 * math.pi * i / n)) for i in range(n)]
    cosines = [waved(math.cos(2 * math.pi * i / n)) for i in range(n)]
    a = abs(sum(v * cosines[t * k % n] for t, v in enumerate(x)))
    b = abs(sum(v * sines[t * k % n] for t, v in enumerate(x)))
    e = max(0, max(a, b).bit_length() - 15)
    return min(math.isqrt((a >> e) ** 2 + (b >> e) ** 2) << e, a + b)


def zero_crossings(x):
    return sum((a < 0) != (b < 0) for a, b in pairwise(x))


def peaks(x):
    plain = [value for t, value in enumerate(x) if t == 0 or value != x[t - 1]]
    return sum(a < b > c for a, b, c in zip(plain, plain[1:], plain[2:], strict=False))


def part(x, i, n):
    return sum(x[(i - 1) * len(x) // n : i * len(x) // n])


ROUNDED = {
    "std": std,
    "autocorrelation": autocorrelation,
    "mean_crossings": lambda x, limit: zero_crossings(highpass(x, 4, limit)),
}
EXACT = {
    "mean": sum,
    "rms": lambda x: math.isqrt(sum(v * v for v in x)),
    "energy": lambda x: sum(v * v for v in x),
    "min": min,
    "max": max,
    "range": lambda x: max(x) - min(x),
    "min_at": lambda x: x.index(min(x)),
    "max_at": lambda x: x.index(max(x)),
    "first": lambda x: x[0],
    "last": lambda x: x[-1],
    "slope": lambda x: sum((2 * t - len(x) + 1) * v for t, v in enumerate(x)),
    "part": part,
    "mean_change": lambda x: sum(abs(b - a) for a, b in pairwise(x)),
    "zero_crossings": zero_crossings,
    "peaks": peaks,
    "goertzel": goertzel,
}


def windows(samples, length, step, missing, restarts=()):
    """Return the number of the last sample of each window that a stream completes, and its samples.

    All windows begin again after a missing sample, and before a sample at which it restarts; one
    begins every `step` samples.
    """
    found, begin = [], 0
    for t, sample in enumerate(samples):
        if t in restarts:
            begin = t
        if missing in sample:
            begin = t + 1
            continue
        start = t + 1 - length
        if start >= begin and (start - begin) % step == 0:
            found.append((t, samples[start : t + 1]))
    return found
