"""Count what the C of an integer program does per row and what it consists of, by kind.

Integer operations are cheap, so it matters which functions a compiler inlines and which loops it
unrolls. The limits here are those of gcc -Os, as seen in its images.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeGuard, assert_never

from dsgec.export.fixed.ir import (
    RESULT_BITS,
    ColumnValue,
    FunctionTable,
    IntegerCall,
    IntegerProgram,
    Look,
    Operand,
    Slot,
    Step,
    Sum,
    TreeSum,
    WholeNumber,
    is_separate,
    largest,
    operands,
    trimmed,
)
from dsgec.network.cost.kinds import DATA
from dsgec.network.cost.work import count_surrounding_work, most_live
from dsgec.network.ir import Network
from dsgec.network.model import Model

_SEVERAL = 3  # the least number of products worth a table
_SHIFTING = ("product", "quotient", "rounded", "shifted")
"""Functions whose last argument is a shift."""

_PRICED_AS = {"greater": "equals", "selected": "minimum"}
"""Functions that take a comparison, and a choice, as others do."""

_MOST_INLINED, _MOST_UNROLLED_TERMS, _MOST_UNROLLED = 2, 4, 3
"""The most calls that are inlined, and the most products and other loop turns unrolled."""

_MOST_SAVED = 4  # registers that a function must save


def reads_table(step: Step) -> TypeGuard[Sum]:
    """Return whether the C reads the weights of a sum from tables, in a function for all sums.

    Its operands have few bits if some weight is not ±1.
    """
    if not isinstance(step, Sum):
        return False
    return len(step.terms) >= _SEVERAL and any(abs(weight) != 1 for _, weight in step.terms)


def terms_by_source(
    step: Sum,
) -> tuple[list[tuple[ColumnValue, int]], list[tuple[Slot | TreeSum, int]]]:
    """Split the terms of a sum into those of columns and those of earlier steps.

    The C reads the former from the row and the latter from an array of its own.
    """
    columns: list[tuple[ColumnValue, int]] = []
    slots: list[tuple[Slot | TreeSum, int]] = []
    for operand, weight in step.terms:
        match operand:
            case ColumnValue():
                columns.append((operand, weight))
            case Slot() | TreeSum():
                slots.append((operand, weight))
            case _:
                assert_never(operand)
    return columns, slots


def integer_work(model: Model, network: Network, program: IntegerProgram) -> Counter[str]:
    """Count what the C of an integer program does per row, and what it consists of.

    Operations have the names of their functions; a `clamp` is one limit. In sums that are written
    out, `times` counts products, `doubled` those with powers of two, `plain` terms without a
    product, `flag` terms of a comparison, and `flag_times` weighted flags. `byte` and `word` are
    constants of 8 bits and of more, `bits` the total shift except by whole bytes. `live` is the
    most values alive at a time, `saved` how many of them are in saved registers.
    """
    if is_separate(program):  # the sums suffice for the class
        program = trimmed(replace(program, results=program.sums))
    counts = (
        count_surrounding_work(model, network)
        + step_work(program, range(len(program.steps)))
        + _sums(program)
        + table_work(program)
    )
    unroll(counts, program.bits)
    counts["output"] = len(program.results)
    counts["live"] = _live(program)
    counts["saved"] = min(counts["live"], _MOST_SAVED)
    return +counts


def step_work(
    program: IntegerProgram, numbers: Iterable[int], *, has_tables: bool = True
) -> Counter[str]:
    """Count the work of some steps, except for lookups.

    If the C `has_tables`, the terms of some sums are read from these and counted by `_sums`.
    """
    counts: Counter[str] = Counter()
    truths: set[Operand] = set()
    flags: set[Operand] = set()
    for number in numbers:
        step = program.steps[number]
        match step:
            case Sum() if has_tables and reads_table(step):
                _round(counts, step)
            case Sum(terms):
                if any(operand in truths for operand, _ in terms):
                    flags.add(Slot(number))
                _terms(counts, terms, truths, flags)
                _round(counts, step)
            case IntegerCall("clamp", (operand, *limits)):
                _clamp(counts, operand, limits, program.bits)
            case IntegerCall(function, arguments):
                _call(counts, function, arguments)
                if function == "equals":
                    truths.add(Slot(number))
            case Look():
                pass  # counted by `table_work`
            case _:
                assert_never(step)
    return counts


def _terms(
    counts: Counter[str],
    terms: Sequence[tuple[Operand, int]],
    truths: set[Operand],
    flags: set[Operand],
) -> None:
    """Count the terms of a sum that is written out."""
    for operand, weight in terms:
        size = abs(weight)
        counts["read"] += isinstance(operand, ColumnValue)
        if operand in truths:
            counts["flag"] += 1
        elif operand in flags:
            counts["flag_times"] += 1
        elif size & (size - 1) == 0:
            counts["plain" if size == 1 else "doubled"] += 1
        else:
            counts["times"] += 1
            counts["negative"] += weight < 0
            _number(counts, weight)


def _round(counts: Counter[str], step: Sum) -> None:
    counts["bias"] += bool(step.bias)
    if step.bias:
        _number(counts, step.bias)
    _shift(counts, step.shift)


def _shift(counts: Counter[str], shift: int) -> None:
    counts["shift"] += shift > 0
    counts["shift_bits"] += shift if shift % 8 else 0


def _number(counts: Counter[str], value: int) -> None:
    size = abs(value)
    counts["byte" if size < 1 << 8 else "word"] += 1


def _clamp(counts: Counter[str], operand: Operand, limits: list[Operand], bits: int) -> None:
    """Count the comparisons of a clamp: a limit of the type needs none."""
    counts["read"] += isinstance(operand, ColumnValue)
    for limit in limits:
        if isinstance(limit, WholeNumber) and abs(limit.value) != largest(bits):
            counts["clamp"] += 1
            _number(counts, limit.value)


def _call(counts: Counter[str], function: str, arguments: tuple[Operand, ...]) -> None:
    counts[_PRICED_AS.get(function, function)] += 1
    *others, last = arguments
    if function in _SHIFTING and isinstance(last, WholeNumber):
        _shift(counts, last.value)
    else:
        others.append(last)
    for argument in others:
        counts["read"] += isinstance(argument, ColumnValue)
        if isinstance(argument, WholeNumber):
            _number(counts, argument.value)


def _sums(program: IntegerProgram) -> Counter[str]:
    """Count the sums whose weights are in tables.

    If the function for them is called at most twice, it is inlined, and a loop of few turns is
    unrolled: then its operands need no place in the array that other sums read.
    """
    counts: Counter[str] = Counter()
    kept: set[Operand] = set()
    sums = [step for step in program.steps if reads_table(step)]
    parts = [part for step in sums for part in terms_by_source(step)]
    calls: list[list[Operand]] = [[operand for operand, _ in part] for part in parts if part]
    for read in calls:
        if len(calls) <= _MOST_INLINED and len(read) <= _MOST_UNROLLED_TERMS:
            counts["unrolled_sum"] += 1
            counts["unrolled_term"] += len(read)
            counts["unrolled_read"] += len(read) * isinstance(read[0], ColumnValue)
        else:
            counts["inlined_sum" if len(calls) <= _MOST_INLINED else "called_sum"] += 1
            counts["term"] += len(read)
            kept |= {operand for operand in read if isinstance(operand, Slot)}
    if counts["term"]:
        counts[DATA] = sum(map(len, calls)) * (program.bits // 8 + 1)  # a weight and its index
    counts["sum_function"] = int(len(calls) > _MOST_INLINED)
    counts["kept"] = len(kept)
    return counts


def unroll(counts: Counter[str], bits: int) -> None:
    """Count the loops around the network, which compilers unroll if they have few turns."""
    turns, is_listed = counts["required"], counts["listed"] > 0
    if 0 < turns <= _MOST_UNROLLED or (is_listed and bits == 8 and turns == _MOST_UNROLLED + 1):
        counts[f"required_{counts.pop('required')}"] = 1
        counts["listed_few"] = counts.pop("listed", 0)
    elif turns:
        counts["required_loop"] = 1
    if 0 < counts["class"] <= _MOST_UNROLLED + 1:
        counts[f"classes_{counts.pop('class')}"] = 1


def table_work(program: IntegerProgram) -> Counter[str]:
    """Count the tables of functions and the lookups.

    A function that is called from one place is inlined there. The function that reads tables is
    inlined for up to two tables, unless the compiler shares one copy.
    """
    counts: Counter[str] = Counter()
    tables = program.tables
    looks = Counter(step.table for step in program.steps if isinstance(step, Look))
    way = _way(tables)
    for number, table in enumerate(tables):
        calls = looks[number]
        is_flat = way == "inlined" and not table.shift
        counts["flat_look" if is_flat else f"{way}_look"] += calls
        counts[f"{way}_bits"] += calls * table.shift if way != "inlined" or table.shift % 8 else 0
        counts[DATA] += len(table.entries) * RESULT_BITS // 8
        if table.look != "look":
            counts[table.look] += 1
            counts[f"{table.look}_call"] += calls
        if calls > 1:
            counts["called_table"] += 1
            counts["called_look"] += calls
        counts["flat_table" if is_flat else f"{way}_table"] += 1
        counts["lone_table"] += way == "shared" and calls == 1
    counts["shared_tables"] = int(way == "shared")
    called = {step.function for step in program.steps if isinstance(step, IntegerCall)}
    counts["quotients"] = int("quotient" in called)
    return counts


def _way(tables: Sequence[FunctionTable]) -> str:
    """Return how the function that reads tables is compiled."""
    if len(tables) > _MOST_INLINED:
        return "shared"
    shifts, functions = {table.shift for table in tables}, {table.look for table in tables}
    is_twin = len(tables) == _MOST_INLINED and (
        len(shifts) == 1 or (len(functions) == 1 and functions != {"look"})
    )
    return "twin" if is_twin else "inlined"


def _live(program: IntegerProgram) -> int:
    reads = [
        [operand.number for operand in operands(step) if isinstance(operand, Slot)]
        for step in program.steps
    ]
    results = [result.number for result in program.results if isinstance(result, Slot)]
    return most_live(reads, results)
