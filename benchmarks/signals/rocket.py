"""MiniRocket (Dempster, Schmidt, Webb 2021) in numpy: features of windows for a linear model.

A kernel has nine weights, three of them 2 and the others -1, and a dilation; a feature is the share
of the samples of a window at which the convolution exceeds a bias, which is a quantile of that of
a training window. With several channels, each kernel adds some of them up.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
LENGTH = 9
KERNELS = tuple(combinations(range(LENGTH), 3))
FEATURES, _MOST_DILATIONS, _MOST_CHANNELS = 10_000, 32, 9
_GOLDEN = (np.sqrt(5.0) + 1.0) / 2.0


class MiniRocket:
    """The kernels and biases that are fitted to training windows."""

    def __init__(self, x: NDArray[np.float64], seed: int, features: int = FEATURES) -> None:
        windows, channels, length = x.shape
        rng = np.random.default_rng(seed)
        each = max(features // len(KERNELS), 1)
        furthest = np.log2((length - 1) / (LENGTH - 1)) if length > LENGTH else 0.0
        dilations = 2.0 ** np.linspace(0.0, furthest, min(each, _MOST_DILATIONS))
        self.dilations, counts = np.unique(dilations.astype(int), return_counts=True)
        shares = np.maximum(counts * each // counts.sum(), 1)
        self.chosen, self.biases = [], []
        place = 0
        for dilation, count in zip(self.dilations.tolist(), shares.tolist(), strict=True):
            for kernel in KERNELS:
                most = np.log2(min(channels, _MOST_CHANNELS) + 1)
                size = int(2.0 ** rng.uniform(0.0, most)) if channels > 1 else 1
                own = rng.choice(channels, size, replace=False)
                window = x[rng.integers(windows)][None, own].sum(axis=1).astype(np.float32)
                found = _convolve(_shifted(window, dilation), kernel)
                steps = np.arange(place + 1, place + count + 1) * _GOLDEN % 1.0
                place += count
                self.chosen.append(own)
                self.biases.append(np.quantile(found, steps).astype(np.float32))

    def transform(self, x: NDArray[np.float64]) -> Array:
        """Return the features of windows: a row for each."""
        parts, number = [], 0
        is_single = x.shape[1] == 1
        for dilation in self.dilations.tolist():
            shifted = _shifted(x[:, 0].astype(np.float32), dilation) if is_single else []
            padding = (LENGTH - 1) * dilation // 2
            for place, kernel in enumerate(KERNELS):
                if not is_single:
                    total = x[:, self.chosen[number]].sum(axis=1).astype(np.float32)
                    shifted = _shifted(total, dilation)
                found = _convolve(shifted, kernel)
                is_whole = place % 2 == 1 and found.shape[1] > 2 * padding
                found = found[:, padding : found.shape[1] - padding] if is_whole else found
                parts += [(found > bias).mean(axis=1) for bias in self.biases[number]]
                number += 1
        return np.stack(parts, axis=1).astype(np.float32)


def _shifted(x: Array, dilation: int) -> list[Array]:
    """Return the windows shifted for each weight, and the sum of these; zeros come from outside."""
    reach = (LENGTH // 2) * dilation
    padded = np.pad(x, ((0, 0), (reach, reach)))
    length = x.shape[1]
    found = [padded[:, k * dilation : k * dilation + length] for k in range(LENGTH)]
    return [*found, np.sum(found, axis=0)]


def _convolve(shifted: list[Array], kernel: tuple[int, ...]) -> Array:
    first, second, third = (shifted[k] for k in kernel)
    found: Array = 3.0 * (first + second + third) - shifted[-1]
    return found
