"""Correct known prices by some networks measured anew, after a change of the code that is printed.

A fit from nothing needs hundreds of networks. Here the known prices are what is believed before,
each within a margin, and the measurements move them as far as they must: least squares with a term
for each price that is changed.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.chips.results import Line
from dsgec.network.cost.chips import Cost, Prices
from dsgec.network.cost.kinds import ARRAY_BYTES, DATA, PACKED_CODE_KINDS, PACKED_RUNNING_KINDS

_NOISE = {"flash": 0.02, "cycles": 0.05, "stack": 0.05}
_MARGIN = {"flash": 16.0, "cycles": 12.0, "stack": 6.0}
_SHARE = 0.25  # by which the cycles of work that is done often may be off, and one cycle
_PARTS = 4

Counts = Mapping[str, Counter[str]]


def correct(prices: Prices, lines: Sequence[Line], counts: Counts) -> Prices:
    """Return prices of a packed type that agree better with measured networks."""
    known = set(prices.needs)
    for line in lines:
        known |= counts[line.network].keys()
    prices = replace(prices, needs={kind: prices.needs.get(kind, ()) for kind in sorted(known)})
    new = {
        figure: _corrected(prices, lines, counts, figure) for figure in ("flash", "cycles", "stack")
    }
    return replace(prices, **new)


def _corrected(
    prices: Prices, lines: Sequence[Line], counts: Counts, figure: str
) -> dict[str, int]:
    """Return the coefficients of a figure."""
    own: Mapping[str, int] = getattr(prices, figure)
    seen = {kind for line in lines for kind in counts[line.network]} - {DATA, ARRAY_BYTES}
    possible = {*PACKED_CODE_KINDS, *own}
    possible |= {*PACKED_RUNNING_KINDS} if figure == "cycles" else set()
    kinds = ["", *sorted(seen & possible - {""})]
    rows, rest = [], []
    for line in lines:
        scale = _NOISE[figure] * getattr(line, figure)
        work = counts[line.network]
        rows.append([1.0 / scale, *(work[kind] / scale for kind in kinds[1:])])
        estimate = getattr(prices.cost(work), figure)
        rest.append((getattr(line, figure) - estimate) / scale)
    often = {*PACKED_RUNNING_KINDS} if figure == "cycles" else set()
    margins = [
        _SHARE * own.get(kind, 0) + 1 if kind in often else _MARGIN[figure] for kind in kinds
    ]
    table = np.vstack([np.array(rows), np.diag(1 / np.array(margins))])
    wanted = np.concatenate([np.array(rest), np.zeros(len(kinds))])
    change = np.linalg.lstsq(table, wanted, rcond=None)[0]
    found = dict(own)
    for kind, more in zip(kinds, change, strict=True):
        value = round(own.get(kind, 0) + float(more))
        if value or not kind:
            found[kind] = value
    return found


def left_out(prices: Prices, lines: Sequence[Line], counts: Counts) -> list[tuple[Line, Cost]]:
    """Return the estimate of each network by a correction to the others, by quarters of them."""
    found = []
    for start in range(_PARTS):
        part = lines[start::_PARTS]
        others = [line for line in lines if line not in part]
        own = correct(prices, others, counts)
        found += [(line, own.cost(counts[line.network])) for line in part]
    return found
