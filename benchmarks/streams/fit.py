"""Measurements to the prices of streams, by least squares of shares."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import nnls

from benchmarks.streams.measure import Line
from dsgec.export.streams.cost import StreamWork
from dsgec.network.cost.chips import Cost

Prices = dict[str, dict[str, int]]
Rows = Sequence[tuple[Mapping[str, int], float, float]]
_FRAMES = ("stream", "column", "overlaps", "uses root", "uses spread", "uses hypotenuse")


def fit(lines: Sequence[Line], works: Sequence[StreamWork], networks: Sequence[Cost]) -> Prices:
    """Return the prices of a chip; `networks` are the costs of networks alone, as estimated."""
    every = [*zip(lines, works, networks, strict=True)]
    frames = [
        ({kind: work.code[kind] for kind in _FRAMES}, line.stack - own.stack, line.stack)
        for line, work, own in every
    ]
    return {
        "flash": _solve([(w.code, line.flash - line.network, line.flash) for line, w, _ in every]),
        "stack": _solve(frames),
        "sample": _solve([(work.sample, line.sample, line.sample) for line, work, _ in every]),
        "window": _solve([(work.window, line.row, line.window) for line, work, _ in every]),
    }


def _solve(rows: Rows) -> dict[str, int]:
    """Return whole prices, none below 0, with the least squares of shares of a scale."""
    kinds = sorted({kind for counts, _, _ in rows for kind in counts})
    scale = np.array([max(size, 1.0) for _, _, size in rows])
    table = np.array([[float(counts.get(kind, 0)) for kind in kinds] for counts, _, _ in rows])
    table /= scale[:, None]
    wanted = np.array([value for _, value, _ in rows]) / scale
    # A small share of each price keeps kinds that always come together alike.
    ridge = np.sqrt(len(rows)) * 1e-4 * np.eye(len(kinds)) * np.linalg.norm(table, axis=0).mean()
    found, _ = nnls(np.vstack([table, ridge]), np.concatenate([wanted, np.zeros(len(kinds))]))
    return {kind: round(price) for kind, price in zip(kinds, found, strict=True)}
