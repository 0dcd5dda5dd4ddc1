"""Mutants of an integer program, which rows detect them, and rows around a threshold.

A mutant has another weight, another bias, another entry of a table, another threshold or leaf of a
tree, or two columns swapped.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.export.candidates import integer_candidates
from dsgec.export.cover import CoverPlan, Subject, cover
from dsgec.export.fixed.evaluate import (
    Rows,
    evaluate_integers,
    read,
    step_value,
    step_values,
    with_tree_sums,
)
from dsgec.export.fixed.forest import tree_sums
from dsgec.export.fixed.ir import (
    ColumnValue,
    FunctionTable,
    IntegerProgram,
    Look,
    Slot,
    Step,
    Sum,
    TreeSum,
    WholeNumber,
    operands,
)
from dsgec.export.mutants import thin_out
from dsgec.network.model import Column
from dsgec.network.trees import Tree, reached_leaves

_CANDIDATES = 256
_PARTS = {"quick": 1, "full": 4}
_WORK = {"quick": 20_000, "full": 400_000}  # steps of mutants
_MOST_ROWS = 64
_MOST_PAIRS = 200  # of columns
_COMPARED, _LATER_PART = 2_048, 99


@dataclass(frozen=True, slots=True)
class IntegerMutant:
    """A program with another step, table or tree (each with its number), or swapped columns."""

    step: tuple[int, Step] | None = None
    table: tuple[int, FunctionTable] | None = None
    swap: tuple[int, int] | None = None
    tree: tuple[int, Tree] | None = None


def cover_integers(program: IntegerProgram, columns: Sequence[Column], effort: str) -> Rows:
    """Choose a few rows that detect the mutants of an integer program."""
    plan = CoverPlan(_CANDIDATES, _CANDIDATES, _PARTS[effort], _MOST_ROWS)
    return cover(IntegerMutants(program, columns, effort), plan)


class IntegerMutants(Subject):
    """An integer program with its mutants, as `cover` searches them."""

    def __init__(self, program: IntegerProgram, columns: Sequence[Column], effort: str) -> None:
        self.program, self.columns = program, columns
        self.nodes = len(program.steps)
        if program.forest is not None:
            self.nodes += sum(len(tree.columns) for tree in program.forest.trees)
        self.mutants = thin_out(_mutants(program), _WORK[effort] // max(self.nodes, 1))
        self.reads = [_reads(step) for step in program.steps]

    def candidates(self, count: int, part: int) -> Rows:
        rows = integer_candidates(self.program, self.columns, count, part)
        return rows if self.program.forest is None else near_thresholds(self.program, rows)

    def evaluate(self, rows: Rows) -> tuple[Rows, list[Any]]:
        rows = with_tree_sums(self.program, rows)
        return rows, step_values(self.program, rows)

    def detect(
        self, block: tuple[Rows, list[Any]], mutants: Sequence[IntegerMutant]
    ) -> tuple[NDArray[np.bool_], int]:
        return np.array([self._differs(*block, mutant) for mutant in mutants]), 0

    def _differs(self, rows: Rows, slots: list[Any], mutant: IntegerMutant) -> NDArray[np.bool_]:
        """Return for which rows the results differ from those of a mutant."""
        program, tables, other_rows = self.program, list(self.program.tables), rows
        changed: set[tuple[type, int]] = set()
        first, step = mutant.step or (0, None)
        if mutant.table:
            tables[mutant.table[0]] = mutant.table[1]
            changed.add((FunctionTable, mutant.table[0]))
        if mutant.swap:
            other_rows = rows.copy()
            other_rows[:, list(mutant.swap)] = rows[:, list(mutant.swap)[::-1]]
            changed |= {(ColumnValue, column) for column in mutant.swap}
        if program.forest is not None and (mutant.swap or mutant.tree):
            other_rows, sums = self._with_other_trees(other_rows, mutant)
            changed |= {(TreeSum, number) for number in sums}
        values = list(slots)
        for position in range(first, len(program.steps)):
            if step is not None or not changed.isdisjoint(self.reads[position]):
                other = step or program.steps[position]
                values[position] = step_value(other, tables, other_rows, values, np.int64)
                step = None
                if np.any(values[position] != slots[position]):
                    changed.add((Slot, position))
        differs = np.zeros(len(rows), bool)
        for operand in program.results:
            differs |= read(operand, rows, slots) != read(operand, other_rows, values)
        return differs

    def _with_other_trees(self, rows: Rows, mutant: IntegerMutant) -> tuple[Rows, set[int]]:
        """Return rows with the sums of a mutant's trees, and the numbers of those that changed."""
        forest = self.program.forest
        assert forest is not None
        plain = rows[:, : len(self.program.columns)]
        found = rows.copy()
        if mutant.tree is None:
            found = np.hstack([plain, tree_sums(forest, plain)[:, ::-1]])
        else:
            number, tree = mutant.tree
            for one, sign in ((forest.trees[number], -1), (tree, 1)):
                leaves = np.array(one.leaves, np.int32)[reached_leaves(one, plain)]
                found[:, [-1 - output for output in tree.outputs]] += sign * leaves
        count = len(forest.firsts)
        changed = {k for k in range(count) if np.any(found[:, -1 - k] != rows[:, -1 - k])}
        return found, changed


def near_thresholds(program: IntegerProgram, rows: Rows) -> Rows:
    """Return rows of which two thirds have, in one column, a threshold of a tree or one above."""
    forest = program.forest
    assert forest is not None
    splits = [pair for t in forest.trees for pair in zip(t.columns, t.thresholds, strict=True)]
    found = rows.copy()
    for number in range(len(rows) if splits else 0):
        column, threshold = splits[(number // 3) % len(splits)]
        if number % 3:
            found[number, column] = int(threshold) + number % 3 - 1
    return found


def _reads(step: Step) -> set[tuple[type, int]]:
    """Return the kinds and numbers of everything that a step depends on."""
    numbered = (operand for operand in operands(step) if not isinstance(operand, WholeNumber))
    found: set[tuple[type, int]] = {(type(operand), operand.number) for operand in numbered}
    return found | {(FunctionTable, step.table)} if isinstance(step, Look) else found


def integer_rows_around(
    program: IntegerProgram, columns: Sequence[Column], threshold: float
) -> Rows:
    """Return the rows whose last result is nearest to a threshold, from below and from above.

    They are searched among candidates, and then between the best two of these by halving, until
    they are neighbours.
    """
    rows = integer_candidates(program, columns, _COMPARED, _LATER_PART)
    sides = _nearest_rows(program, rows, threshold)
    while len(sides) == 2:
        between = (sides[0] + sides[1]) >> 1
        if (sides == between).all(axis=1).any():
            break
        rows = np.vstack([rows, between])
        sides[int(_beyond(program, between[None], threshold)[0] >= 0)] = between
    return _nearest_rows(program, rows, threshold)


def _nearest_rows(program: IntegerProgram, rows: Rows, threshold: float) -> Rows:
    """Return the nearest row below the threshold and the nearest not below it, if there are."""
    beyond = _beyond(program, rows, threshold)
    sides = (np.flatnonzero(beyond < 0), np.flatnonzero(beyond >= 0))
    return rows[[side[np.abs(beyond[side]).argmin()] for side in sides if len(side)]]


def _beyond(program: IntegerProgram, rows: Rows, threshold: float) -> NDArray[np.float64]:
    """Return how far the last result of each row is beyond the threshold, in its own units."""
    found: NDArray[np.float64] = evaluate_integers(program, rows)[:, -1] - np.ldexp(
        threshold, program.fraction
    )
    return found


def _mutants(program: IntegerProgram) -> list[IntegerMutant]:
    found = []
    for position, step in enumerate(program.steps):
        if not isinstance(step, Sum):
            continue
        for number, (operand, weight) in enumerate(step.terms):
            for other in dict.fromkeys((weight ^ 1, weight + 2, -weight, weight // 2, 0)):
                if other != weight:
                    terms = (*step.terms[:number], (operand, other), *step.terms[number + 1 :])
                    found.append(IntegerMutant((position, replace(step, terms=terms))))
        for other in (step.bias + (1 << step.shift), -step.bias, step.bias ^ 1):
            found.append(IntegerMutant((position, replace(step, bias=other))))
    for number, table in enumerate(program.tables):
        for place, entry in enumerate(table.entries):
            entries = (*table.entries[:place], entry ^ 1, *table.entries[place + 1 :])
            found.append(IntegerMutant(table=(number, replace(table, entries=entries))))
    for number, tree in enumerate(program.forest.trees if program.forest else ()):
        for split, threshold in enumerate(tree.thresholds):
            values = (*tree.thresholds[:split], threshold + 1.0, *tree.thresholds[split + 1 :])
            found.append(IntegerMutant(tree=(number, replace(tree, thresholds=values))))
        for leaf, values in enumerate(tree.leaves):
            more = tuple(value + 1.0 for value in values)
            leaves = (*tree.leaves[:leaf], more, *tree.leaves[leaf + 1 :])
            found.append(IntegerMutant(tree=(number, replace(tree, leaves=leaves))))
    read_ = (*(o for step in program.steps for o in operands(step)), *program.results)
    used_ = {operand.number for operand in read_ if isinstance(operand, ColumnValue)}
    used = sorted(used_ | {*(program.forest.columns if program.forest else ())})
    pairs = [(a, b) for place, a in enumerate(used) for b in used[place + 1 :]]
    return found + [IntegerMutant(swap=pair) for pair in thin_out(pairs, _MOST_PAIRS)]
