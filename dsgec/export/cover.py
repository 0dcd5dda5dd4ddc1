"""Network + candidate rows to few rows that give its mutants away."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.export.mutants import CALL, Flip, Mutant, RowBlock, block, differences, mutants, part
from dsgec.network.ir import Network

Array = NDArray[Any]

MOST_ROWS = 128
_FIRST, _MOST_AT_ONCE, _MOST_PARTS = 64, 4096, 64  # candidates, and how often there are more
_TURNS = 3  # over the same candidates, with other mutants
_BITS = (1, 8)  # of a number that are tried at a time, on the first candidates and on later ones
_SHIFT = 0.618  # so that every pass tries other bits
WORK = {"quick": 5_000_000, "full": 600_000_000}
"""The additions that a search may take: a tenth of a second, or some seconds."""

_PATIENCE = 5  # parts of the most candidates that find nothing, before the rest is let go
_SHARE = 0.1  # of the work that is left, for one look
_AT_ONCE, _MOST_VALUES = 1 << 13, 1 << 23  # values of a node, and of all nodes


@dataclass(slots=True)
class _Search:
    """The mutants, and how much work may still be done."""

    network: Network
    mutants: Sequence[Mutant]
    work: float

    def given_away(self, rows: RowBlock, which: Array, share: float) -> tuple[Array, Array]:
        """For some mutants and each of these rows whether it is; not for more work than a share."""
        at_once = min(_AT_ONCE, _MOST_VALUES // len(self.network.nodes))
        step = max(at_once // len(rows.rows), 1)
        # Neighbours change the same nodes, so they go together; what cannot be afforded is left
        # out here and there, not at the end.
        batches = [which[start : start + step] for start in range(0, len(which), step)]
        least = self.work * (1.0 - share)
        tried, found = [which[:0]], [np.zeros((0, len(rows.rows)), bool)]
        for number in _scattered(len(batches)):
            if self.work <= least:
                break
            some = [self.mutants[mutant] for mutant in batches[number].tolist()]
            seen, work = differences(self.network, rows, some)
            self.work -= work
            tried.append(batches[number])
            found.append(seen)
        return np.concatenate(tried), np.vstack(found)


def cover(
    network: Network, more: Callable[[int, int], Array], dtype: str, effort: str = "full"
) -> Array:
    """Rows that are chosen, at most `MOST_ROWS`, of those that `more` gives: a count, and a part.

    Ever more candidates are tried for the mutants that the ones before have missed.
    """
    most_work = WORK[effort]
    search = _Search(network, mutants(network, dtype), most_work)
    left = np.arange(len(search.mutants))
    groups = _groups(search.mutants)
    width = max(len(network.nodes), network.inputs)  # a row has every column, read or not
    most = max(min(_MOST_AT_ONCE, _MOST_VALUES // width), 1)
    chosen: list[Array] = []
    count, turn, in_vain = _FIRST, 0, 0
    for number in range(_MOST_PARTS):
        rows = block(network, more(min(count, most), number))
        before = len(left)
        for _ in range(_TURNS):
            turn += 1
            some = _some_of_each(left, groups, _BITS[number > 0], turn * _SHIFT % 1)
            _, seen = search.given_away(rows, some, _SHARE)
            good = part(rows, np.array(_greedy(seen), int))
            if not len(good.rows):
                break
            tried, seen = search.given_away(good, left, _SHARE)
            left = np.setdiff1d(left, tried[seen.any(axis=1)])
            chosen.append(good.rows)
        search.work -= len(network.nodes) * CALL + width * len(rows.rows)
        in_vain = in_vain + 1 if len(left) == before and count >= most else 0
        if not len(left) or in_vain == _PATIENCE or search.work < most_work / 10:
            break
        count *= 2
    search.work = most_work
    return _needed(search, np.vstack(chosen)) if chosen else rows.rows[:1]


def _groups(found: Sequence[Mutant]) -> Array:
    """A number for each mutant, the same for all bits of a number."""
    return np.array(
        [m.position if isinstance(m, Flip) else -1 - n for n, m in enumerate(found)], int
    )


def _some_of_each(left: Array, groups: Array, most: int, shift: float) -> Array:
    """Of each group its ends, and at most so many that are evenly spread."""
    _, first, group, sizes = np.unique(
        groups[left], return_index=True, return_inverse=True, return_counts=True
    )
    place, size = np.arange(len(left)) - first[group], sizes[group]
    # Of n places, those are kept that begin one of `most` equal parts.
    step = np.maximum(size / most, 1.0)
    begins = np.floor(place / step - shift) > np.floor((place - 1) / step - shift)
    ends = (place == 0) | (place == size - 1)  # the last digit and the sign
    some: Array = left[begins | ends | (size <= most)]
    return some


def _scattered(count: int) -> list[int]:
    """All numbers below the count; of any first few, no two are close together."""
    return sorted(range(count), key=lambda number: number * _SHIFT % 1)


def _greedy(matrix: Array) -> list[int]:
    """Columns such that every row that has a true value has one in them."""
    matrix = matrix[matrix.any(axis=1)]
    chosen = []
    while len(matrix):
        best = int(matrix.sum(axis=0).argmax())
        chosen.append(best)
        matrix = matrix[~matrix[:, best]]
    return chosen


def _needed(search: _Search, chosen: Array) -> Array:
    """Of the rows few that give away what all of them do."""
    rows = block(search.network, chosen)
    _, seen = search.given_away(rows, np.arange(len(search.mutants)), 1.0)
    alike = {packed.tobytes(): number for number, packed in enumerate(np.packbits(seen, axis=1))}
    needed: Array = chosen[sorted(_greedy(seen[[*alike.values()]])[:MOST_ROWS])]
    return needed
