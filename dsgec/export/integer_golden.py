"""A program of integers to few rows whose results differ from those of almost the same program.

As in `golden.py`, mutants are evaluated beside it: one with another weight, another bias, another
entry of a table, or two columns swapped. Rows are chosen until each is given away that some
candidate gives away.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.printed import vector_integer
from dsgec.export.fixed.evaluate import evaluate_integers, read, step_values
from dsgec.export.fixed.ir import (
    ColumnValue,
    FunctionTable,
    IntegerCall,
    IntegerProgram,
    Look,
    Slot,
    Step,
    Sum,
    largest,
)
from dsgec.export.fixed.trim import operands
from dsgec.network.model import Column as Raw

Rows = NDArray[np.int32]

MOST_ROWS = 64
_CANDIDATES = 256
_COMPARED, _LATER_PART = 2_048, 99
_PARTS = {"quick": 1, "full": 4}
_WORK = {"quick": 20_000, "full": 400_000}
"""Steps that may be computed again, each on all candidates."""


@dataclass(frozen=True, slots=True)
class _Mutant:
    """Other steps at some positions, or other entries of a table, or columns in another order."""

    steps: tuple[tuple[int, Step], ...] = ()
    table: tuple[int, FunctionTable] | None = None
    swap: tuple[int, int] | None = None


def integer_candidates(
    program: IntegerProgram, columns: Sequence[Raw], count: int, part: int
) -> Rows:
    """Rows of integers: of all sizes, limits, categories, missing values; others in each part."""
    random = np.random.RandomState([len(columns), part])
    rows = np.zeros((count, len(columns)), np.int32)
    most = largest(program.bits)
    for number, (format_, column) in enumerate(zip(program.columns, columns, strict=True)):
        least, top = format_.least, format_.most
        values = random.randint(least, top + 1, count)
        small = random.randint(0, 4, count) == 0
        values[small] = values[small] >> random.randint(1, program.bits, count)[small]
        ends = random.randint(0, 6, count) == 0
        values[ends] = np.array([least, top, -most, most])[random.randint(0, 4, count)][ends]
        if column.categories:
            values = random.randint(-1, len(column.categories), count)
        if column.fill is not None:
            values[random.randint(0, 8, count) == 0] = program.missing
        rows[:, number] = values
    return rows


def integer_cover(program: IntegerProgram, columns: Sequence[Raw], effort: str) -> Rows:
    """Rows that are chosen, at most `MOST_ROWS`."""
    readers = _readers(program)
    left = _thinned(_mutants(program), _WORK[effort] // max(len(program.steps), 1))
    chosen: list[Any] = []
    for part in range(_PARTS[effort]):
        rows = integer_candidates(program, columns, _CANDIDATES, part)
        slots = step_values(program, rows)
        seen = np.array([_gives_away(program, rows, slots, readers, m) for m in left])
        seen = seen.reshape(len(left), len(rows))
        for _ in range(MOST_ROWS - len(chosen)):
            open_ = seen[~seen[:, [n for p, n in chosen if p == part]].any(axis=1)]
            if not open_.any():
                break
            chosen.append((part, int(open_.sum(axis=0).argmax())))
        left = [mutant for mutant, found in zip(left, seen, strict=True) if not found.any()]
        if not left:
            break
    picked = [
        integer_candidates(program, columns, _CANDIDATES, part)[number] for part, number in chosen
    ]
    return np.array(picked or rows[:1], np.int32).reshape(max(len(picked), 1), len(columns))


def integer_rows_around(program: IntegerProgram, columns: Sequence[Raw], threshold: float) -> Rows:
    """The rows whose last result comes nearest to a threshold from below and from above.

    They are looked for among candidates, and then between the best two of these by halving, until
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
    """The nearest one below and the nearest one from the threshold on; one if there is no other."""
    beyond = _beyond(program, rows, threshold)
    sides = (np.flatnonzero(beyond < 0), np.flatnonzero(beyond >= 0))
    return rows[[side[np.abs(beyond[side]).argmin()] for side in sides if len(side)]]


def _beyond(program: IntegerProgram, rows: Rows, threshold: float) -> NDArray[np.float64]:
    """How far the last result of each row is beyond the threshold, in its own units."""
    found: NDArray[np.float64] = evaluate_integers(program, rows)[:, -1] - np.ldexp(
        threshold, program.fraction
    )
    return found


def _thinned(items: list[Any], most: int) -> list[Any]:
    """At most so many, evenly spread."""
    return items[:: max(-(-len(items) // max(most, 1)), 1)]


def _mutants(program: IntegerProgram) -> list[_Mutant]:
    found = []
    for position, step in enumerate(program.steps):
        if not isinstance(step, Sum):
            continue
        for number, (operand, weight) in enumerate(step.terms):
            for other in dict.fromkeys((weight ^ 1, weight + 2, -weight, weight // 2, 0)):
                if other != weight:
                    terms = list(step.terms)
                    terms[number] = operand, other
                    found.append(_Mutant(((position, replace(step, terms=tuple(terms))),)))
        for other in (step.bias + (1 << step.shift), -step.bias, step.bias ^ 1):
            found.append(_Mutant(((position, replace(step, bias=other)),)))
    for number, table in enumerate(program.tables):
        for place, entry in enumerate(table.entries):
            entries = (*table.entries[:place], entry ^ 1, *table.entries[place + 1 :])
            found.append(_Mutant(table=(number, replace(table, entries=entries))))
    used = sorted(_columns(program))
    pairs = [(a, b) for place, a in enumerate(used) for b in used[place + 1 :]]
    return found + [_Mutant(swap=pair) for pair in _thinned(pairs, 200)]


def _columns(program: IntegerProgram) -> set[int]:
    steps = [operand for step in program.steps for operand in operands(step)]
    return {o.number for o in (*steps, *program.results) if isinstance(o, ColumnValue)}


def _readers(program: IntegerProgram) -> list[set[int]]:
    """Of each step the earlier ones that it reads."""
    return [
        {operand.number for operand in operands(step) if isinstance(operand, Slot)}
        for step in program.steps
    ]


def _gives_away(
    program: IntegerProgram, rows: Rows, slots: list[Any], reads: list[set[int]], mutant: _Mutant
) -> NDArray[np.bool_]:
    """For each row whether its results differ from the mutant's."""
    changed = dict(mutant.steps)
    tables = list(program.tables)
    first = min(changed, default=0)
    if mutant.table:
        tables[mutant.table[0]] = mutant.table[1]
    other_rows = rows
    if mutant.swap:
        other_rows = rows.copy()
        other_rows[:, list(mutant.swap)] = rows[:, list(mutant.swap)[::-1]]
    moved: set[int] = set()
    values = list(slots)
    for position in range(first, len(program.steps)):
        step = changed.get(position, program.steps[position])
        is_other = (
            position in changed
            or not moved.isdisjoint(reads[position])
            or (mutant.table and isinstance(step, Look) and step.table == mutant.table[0])
            or (mutant.swap and _reads_column(step, mutant.swap))
        )
        if is_other:
            values[position] = _value(step, tables, other_rows, values)
            if np.any(values[position] != slots[position]):
                moved.add(position)
    differs = np.zeros(len(rows), bool)
    for operand in program.results:
        differs |= read(operand, rows, slots) != read(operand, other_rows, values)
    return differs


def _reads_column(step: Step, columns: tuple[int, int]) -> bool:
    return any(isinstance(o, ColumnValue) and o.number in columns for o in operands(step))


def _value(step: Step, tables: list[FunctionTable], rows: Rows, values: list[Any]) -> Any:
    match step:
        case Sum(terms, bias, shift):
            total: Any = np.int64(bias)
            for operand, weight in terms:
                total = total + np.int64(weight) * read(operand, rows, values)
            return total >> shift
        case IntegerCall(function, arguments):
            return getattr(vector_integer, function)(*(read(a, rows, values) for a in arguments))
        case Look(number, argument):
            table = tables[number]
            look = getattr(vector_integer, table.look)
            return look(np.array(table.entries), read(argument, rows, values), *table.limits)
        case _:
            assert_never(step)
