"""Correct known prices by some networks measured again, after a change of printed code.

A fit from nothing needs hundreds of networks. Here the known prices are what is believed before,
each within a margin, and the measurements move them as far as they must: least squares with a term
for each price that is changed. Stack stays: few networks say too little about it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.chips.results import Line
from dsgec.network.cost.chips import Cost, Prices
from dsgec.network.cost.kinds import ARRAY_BYTES, DATA, PACKED_CODE_KINDS, PACKED_RUNNING_KINDS

_NOISE, _BYTES, _CYCLES = 0.02, 3.0, 10.0  # of an image: a share, bytes, and cycles
_MARGIN = 16.0  # of a price, in bytes
_SHARE, _LEAST_CYCLES = 0.5, 3.0  # margin of the cycles of a kind of work
_MORE_CYCLES = 20.0  # margin of the cycles of a feature of the code
_PARTS = 4

Counts = Mapping[str, Counter[str]]


def correct(prices: Prices, lines: Sequence[Line], counts: Counts) -> Prices:
    """Return prices of a packed type that agree better with measured networks."""
    seen = {kind for line in lines for kind in counts[line.network]}
    needs = {kind: prices.needs.get(kind, ()) for kind in sorted({*prices.needs} | seen)}
    known = {DATA, ARRAY_BYTES}
    flash = _corrected(
        prices.flash,
        seen & ({*PACKED_CODE_KINDS} | prices.flash.keys()) - known,
        [(line, line.flash, prices.cost(counts[line.network]).flash) for line in lines],
        (counts, _BYTES, lambda kind: _MARGIN),
    )
    cycles = _corrected(
        prices.cycles,
        seen & ({*PACKED_RUNNING_KINDS} | prices.cycles.keys()) - known,
        [(line, line.cycles, prices.cost(counts[line.network]).cycles) for line in lines],
        (
            counts,
            _CYCLES,
            lambda kind: (
                max(_SHARE * abs(prices.cycles.get(kind, 0)), _LEAST_CYCLES)
                if kind in PACKED_RUNNING_KINDS
                else _MORE_CYCLES
            ),
        ),
    )
    return replace(prices, flash=flash, cycles=cycles, needs=needs)


def _corrected(
    prices: Mapping[str, int],
    kinds: Iterable[str],
    measured: Sequence[tuple[Line, float, float]],
    weights: tuple[Counts, float, Callable[[str], float]],
) -> dict[str, int]:
    """Return prices that agree better with what was measured than the estimates beside it."""
    counts, least, margin = weights
    names = ["", *sorted({*kinds} - {""})]
    rows, rest = [], []
    for line, wanted, estimated in measured:
        scale = _NOISE * wanted + least
        work = counts[line.network]
        rows.append([1.0 / scale, *(work[kind] / scale for kind in names[1:])])
        rest.append((wanted - estimated) / scale)
    table = np.vstack([np.array(rows), np.diag([1 / margin(kind) for kind in names])])
    change = np.linalg.lstsq(table, np.concatenate([rest, np.zeros(len(names))]), rcond=None)[0]
    found = dict(prices)
    for kind, more in zip(names, change, strict=True):
        found[kind] = round(found.get(kind, 0) + float(more))
    return {kind: price for kind, price in found.items() if price or not kind}


def left_out(prices: Prices, lines: Sequence[Line], counts: Counts) -> list[tuple[Line, Cost]]:
    """Return the estimate of each network by a correction to the others, by quarters of them."""
    found = []
    for start in range(_PARTS):
        part = lines[start::_PARTS]
        own = correct(prices, [line for line in lines if line not in part], counts)
        found += [(line, own.cost(counts[line.network])) for line in part]
    return found
