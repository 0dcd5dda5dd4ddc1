"""Choose a few rows that tell a program from its mutants: the rows of a self-test.

A mutant is a program that is almost the right one. Mutants are evaluated beside the program on
many candidate rows, and rows are chosen until every mutant that some candidate detects is detected.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

WORK = {"quick": 5_000_000, "full": 600_000_000}
"""The most additions that a sampled search takes: a tenth of a second, or some seconds."""

MOST_VALUES = 1 << 23
"""The most values of all nodes that are held at once."""

_AT_ONCE = 1 << 13  # values of one node
_SHIFT = 0.618  # so that every pass samples other mutants
_PATIENCE = 5  # parts with the most candidates that detect nothing new before the search ends
_SHARE = 0.1  # of the remaining work, for one comparison


class Subject(ABC):
    """A program with its mutants, and how to tell them apart on rows.

    `groups` has a number for each mutant, the same for similar ones; a search that samples the
    mutants needs it.
    """

    nodes: int
    mutants: Sequence[Any]
    groups: Array

    @abstractmethod
    def candidates(self, count: int, part: int) -> Array:
        """Return rows to choose from; each part has others."""

    @abstractmethod
    def evaluate(self, rows: Array) -> Any:
        """Return the rows with everything that the program computes from them."""

    @abstractmethod
    def detect(self, block: Any, mutants: Sequence[Any]) -> tuple[NDArray[np.bool_], int]:
        """Return which rows detect which mutants (mutants × rows), and the work in additions."""

    def evaluation_work(self, rows: int) -> int:
        """Return the work of evaluating so many rows, in additions."""
        return 0


@dataclass(frozen=True, slots=True)
class CoverPlan:
    """The extent of a search.

    The first part has `first` candidates, each further part twice as many, up to `most`. Without a
    `sample`, rows are chosen that detect as many mutants as all candidates do. With it, they are
    chosen by a sample of the mutants, in some `turns`: so many of each group for the first part,
    and for later ones. Rows that turn out to be superfluous are removed in the end.
    """

    first: int
    most: int
    parts: int
    rows: int
    work: float = 1.0
    turns: int = 1
    sample: tuple[int, int] | None = None


@dataclass(slots=True)
class _Search:
    """The mutants, and the work that may still be done."""

    subject: Subject
    work: float

    def detect(
        self, rows: Array, block: Any, which: Array, share: float = _SHARE
    ) -> tuple[Array, Array]:
        """Return the mutants that were tried, at most for a share of the work, and who saw them.

        The second array tells which rows detect which of the tried mutants.
        """
        step = max(min(_AT_ONCE, MOST_VALUES // max(self.subject.nodes, 1)) // len(rows), 1)
        # Neighbours change the same nodes, so they go together. Mutants that are too many for the
        # work are left out in all places, not at the end.
        batches = [which[start : start + step] for start in range(0, len(which), step)]
        least = self.work * (1.0 - share)
        tried, found = [which[:0]], [np.zeros((0, len(rows)), bool)]
        for number in _scattered(len(batches)):
            if self.work <= least:
                break
            some = [self.subject.mutants[mutant] for mutant in batches[number].tolist()]
            seen, work = self.subject.detect(block, some)
            self.work -= work
            tried.append(batches[number])
            found.append(seen)
        return np.concatenate(tried), np.vstack(found)


def cover(subject: Subject, plan: CoverPlan) -> Array:
    """Choose at most `plan.rows` candidates that detect the mutants of a program."""
    search = _Search(subject, plan.work)
    left = np.arange(len(subject.mutants))
    chosen: list[Array] = []
    count, turn, in_vain = plan.first, 0, 0
    for part in range(plan.parts):
        rows = subject.candidates(min(count, plan.most), part)
        block = subject.evaluate(rows)
        before = len(left)
        for _ in range(plan.turns):
            turn += 1
            some = left
            if plan.sample:
                some = _sample(left, subject.groups, plan.sample[part > 0], turn * _SHIFT % 1)
            tried, seen = search.detect(rows, block, some)
            picks = np.array(_greedy(seen), int)
            if not len(picks):
                break
            chosen.append(rows[picks])
            if plan.sample:
                tried, seen = search.detect(rows[picks], subject.evaluate(rows[picks]), left)
            left = np.setdiff1d(left, tried[seen.any(axis=1)])
        search.work -= subject.evaluation_work(len(rows))
        in_vain = in_vain + 1 if len(left) == before and count >= plan.most else 0
        if not len(left) or in_vain == _PATIENCE or search.work < plan.work / 10:
            break
        count *= 2
    if not chosen:
        return rows[:1]
    found = np.vstack(chosen)
    return (_reduce(subject, plan, found) if plan.sample else found)[: plan.rows]


def _sample(left: Array, groups: Array, most: int, shift: float) -> Array:
    """Return the first and last mutant of each group, and at most so many, evenly spread."""
    _, first, group, sizes = np.unique(
        groups[left], return_index=True, return_inverse=True, return_counts=True
    )
    place, size = np.arange(len(left)) - first[group], sizes[group]
    # Those of n places are kept that begin one of `most` equal parts.
    step = np.maximum(size / most, 1.0)
    begins = np.floor(place / step - shift) > np.floor((place - 1) / step - shift)
    ends = (place == 0) | (place == size - 1)  # the last digit and the sign
    some: Array = left[begins | ends | (size <= most)]
    return some


def _scattered(count: int) -> list[int]:
    """Return all numbers below the count, in an order in which no early ones are neighbours."""
    return sorted(range(count), key=lambda number: number * _SHIFT % 1)


def _greedy(matrix: Array) -> list[int]:
    """Choose columns such that every row that has a true value has one in them."""
    matrix = matrix[matrix.any(axis=1)]
    chosen = []
    while len(matrix):
        best = int(matrix.sum(axis=0).argmax())
        chosen.append(best)
        matrix = matrix[~matrix[:, best]]
    return chosen


def _reduce(subject: Subject, plan: CoverPlan, rows: Array) -> Array:
    """Choose a small set of rows that detects every mutant the full set detects."""
    search = _Search(subject, plan.work)
    every = np.arange(len(subject.mutants))
    _, seen = search.detect(rows, subject.evaluate(rows), every, 1.0)
    alike = {packed.tobytes(): number for number, packed in enumerate(np.packbits(seen, axis=1))}
    needed: Array = rows[sorted(_greedy(seen[[*alike.values()]])[: plan.rows])]
    return needed
