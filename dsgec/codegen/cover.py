"""Network + candidate rows to few rows that give its mutants away."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.codegen.mutants import CALL, Block, Flip, Mutant, block, differences, mutants, part
from dsgec.network.ir import Network

Array = NDArray[Any]

MOST_ROWS = 64
_FIRST = 64  # of the candidates; ever more are tried for the mutants that the first ones miss
_TURNS = 3  # over the same candidates, with other mutants
_BITS = (1, 8)  # of a number that are tried at a time, on the first candidates and on later ones
_SHIFT = 0.618  # so that every pass tries other bits
_MOST_WORK = 300_000_000  # additions
_AT_ONCE, _MOST_VALUES = 1 << 13, 1 << 23  # values of a node, and of all nodes


@dataclass(slots=True)
class _Search:
    """The mutants, what is known of all candidates, and how much work may still be done."""

    network: Network
    pool: Block
    mutants: Sequence[Mutant]
    work: int

    def given_away(self, numbers: Array, which: Array) -> tuple[Array, Array]:
        """For some mutants and each of these rows whether it is, as far as there is work left."""
        rows = part(self.pool, numbers)
        nodes = len(self.network.nodes)
        at_once = min(_AT_ONCE, _MOST_VALUES // nodes, self.work // nodes // 4)
        step = max(at_once // len(numbers), 1)
        # What cannot be afforded is left out here and there, not at the end.
        share = self.work // (nodes * (step * len(numbers) + CALL)) * step
        if self.work == _MOST_WORK:
            share = max(share, step)  # a little of the largest network too
        if len(which) > share:
            which = _spread(which, share)
        found = [np.zeros((0, len(numbers)), bool)]
        for start in range(0, len(which), step):
            some = [self.mutants[number] for number in which[start : start + step]]
            seen, work = differences(self.network, rows, some)
            self.work -= work
            found.append(seen)
        return which, np.vstack(found)


def cover(network: Network, rows: Array, dtype: str) -> list[int]:
    """The numbers of the rows that are chosen, at most `MOST_ROWS`."""
    search = _Search(network, block(network, rows), mutants(network, dtype), _MOST_WORK)
    left = np.arange(len(search.mutants))
    groups = _groups(search.mutants)
    chosen: list[int] = []
    start, count, passes = 0, _FIRST, 0
    while start < len(rows):
        numbers = np.arange(start, min(start + count, len(rows)))
        for _ in range(_TURNS):
            passes += 1
            some = _some_of_each(left, groups, _BITS[start > 0], passes * _SHIFT % 1)
            _, seen = search.given_away(numbers, some)
            new = numbers[_greedy(seen)]
            if len(new):
                tried, seen = search.given_away(new, left)
                left = np.setdiff1d(left, tried[seen.any(axis=1)])
                chosen += new.tolist()
        start, count = start + count, count * 2
    return sorted(_needed(search, np.array(chosen, int))) or [0]


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


def _spread(items: Array, most: int) -> Array:
    """At most so many, evenly spread."""
    if len(items) <= most:
        return items
    spread: Array = items[(np.arange(most) * (len(items) / max(most, 1))).astype(int)]
    return spread


def _greedy(matrix: Array) -> list[int]:
    """Columns such that every row that has a true value has one in them."""
    matrix = matrix[matrix.any(axis=1)]
    chosen = []
    while len(matrix):
        best = int(matrix.sum(axis=0).argmax())
        chosen.append(best)
        matrix = matrix[~matrix[:, best]]
    return chosen


def _needed(search: _Search, chosen: Array) -> list[int]:
    """Of the rows few that give away what all of them do."""
    if not len(chosen):
        return []
    search.work = _MOST_WORK
    _, seen = search.given_away(chosen, np.arange(len(search.mutants)))
    needed: list[int] = chosen[_greedy(np.unique(seen, axis=0))[:MOST_ROWS]].tolist()
    return needed
