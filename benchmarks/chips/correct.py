"""Correct known prices of flash by some networks measured again, after a change of printed code.

A fit from nothing needs hundreds of networks. Here the known prices are what is believed before,
each within a margin, and the measurements move them as far as they must: least squares with a term
for each price that is changed. Cycles and stack stay: few networks say too little about them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.chips.results import Line
from dsgec.network.cost.chips import Cost, Prices
from dsgec.network.cost.kinds import ARRAY_BYTES, DATA, PACKED_CODE_KINDS

_NOISE, _BYTES = 0.02, 3.0  # of an image: a share and bytes
_MARGIN = 16.0  # of a price, in bytes
_PARTS = 4

Counts = Mapping[str, Counter[str]]


def correct(prices: Prices, lines: Sequence[Line], counts: Counts) -> Prices:
    """Return prices of a packed type that agree better with measured networks."""
    seen = {kind for line in lines for kind in counts[line.network]}
    needs = {kind: prices.needs.get(kind, ()) for kind in sorted({*prices.needs} | seen)}
    possible = ({*PACKED_CODE_KINDS} | prices.flash.keys()) - {"", DATA, ARRAY_BYTES}
    kinds = ["", *sorted(seen & possible)]
    rows, rest = [], []
    for line in lines:
        scale = _NOISE * line.flash + _BYTES
        work = counts[line.network]
        rows.append([1.0 / scale, *(work[kind] / scale for kind in kinds[1:])])
        rest.append((line.flash - prices.cost(work).flash) / scale)
    table = np.vstack([np.array(rows), np.eye(len(kinds)) / _MARGIN])
    wanted = np.concatenate([np.array(rest), np.zeros(len(kinds))])
    change = np.linalg.lstsq(table, wanted, rcond=None)[0]
    flash = dict(prices.flash)
    for kind, more in zip(kinds, change, strict=True):
        flash[kind] = round(flash.get(kind, 0) + float(more))
    kept = {kind: price for kind, price in flash.items() if price or not kind}
    return replace(prices, flash=kept, needs=needs)


def left_out(prices: Prices, lines: Sequence[Line], counts: Counts) -> list[tuple[Line, Cost]]:
    """Return the estimate of each network by a correction to the others, by quarters of them."""
    found = []
    for start in range(_PARTS):
        part = lines[start::_PARTS]
        own = correct(prices, [line for line in lines if line not in part], counts)
        found += [(line, own.cost(counts[line.network])) for line in part]
    return found
