"""Load the sources of packed neurons: columns, filled and clamped, and values made of columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from dsgec.export.fixed.calls import call
from dsgec.export.fixed.ir import (
    ColumnValue,
    IntegerCall,
    IntegerProgram,
    Look,
    Operand,
    Slot,
    Step,
    Sum,
    TreeSum,
    WholeNumber,
    largest,
    operands,
)
from dsgec.export.fixed.number_lists import ZERO, ProgramTables, counter, next_one, place_in
from dsgec.program import ir

ONE = ir.Number(1, "uint8")
COLUMN = ir.Variable("column", "uint16")
RUN_BYTES = 16  # of code that loads runs of columns, about


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """A column as it is loaded: filled if it has a `fill`, then clamped if it has `limits`."""

    column: int
    fill: int | None = None
    limits: tuple[int, int] | None = None


def column_source(program: IntegerProgram, operand: Operand) -> ColumnSource | None:
    """Return an operand as a column that the loop can load, or None."""
    if isinstance(operand, ColumnValue):
        return ColumnSource(operand.number)
    if not isinstance(operand, Slot):
        return None
    match program.steps[operand.number]:
        case IntegerCall("fill", (ColumnValue(column), _, WholeNumber(fill))):
            return ColumnSource(column, fill)
        case IntegerCall("clamp", (inner, WholeNumber(least), WholeNumber(most))):
            found = column_source(program, inner)
            if found is not None and found.limits is None:
                return replace(found, limits=(least, most))
    return None


def source_range(program: IntegerProgram, source: ColumnSource) -> tuple[int, int]:
    """Return the range of a loaded column in which no value is missing."""
    if source.limits:
        return source.limits
    format_ = program.columns[source.column]
    filled = [] if source.fill is None else [source.fill]
    return min([format_.least, *filled]), max([format_.most, *filled])


def load_procedure(
    program: IntegerProgram,
    sources: Sequence[ColumnSource],
    others: Sequence[Slot],
    tables: ProgramTables,
    refuses: bool,
) -> ir.Procedure:
    """Return the procedure that loads columns in a loop, and then other sources one by one.

    If it `refuses` missing values, it returns 1 where there is one. Everything that it computes has
    the type int32.
    """
    number = number_type(program)
    most = largest(program.bits)
    count, width = len(sources), len(program.columns)
    i = counter("i", count)
    listed = [source.column for source in sources]
    index: ir.Expression = i
    runs = _runs(listed)
    is_plain = len({(source.fill, source.limits) for source in sources}) == 1
    has_runs = is_plain and listed != [*range(count)] and 2 * len(runs) + RUN_BYTES < count
    if has_runs:
        index = COLUMN
    elif listed != [*range(count)]:
        index = tables.element("columns", listed, i, "The columns that are read.", signed=False)
    q = ir.Variable("q")
    inner: list[ir.Instruction] = [ir.Declare(q, ir.Element("x", index, number))]
    missing = ir.Number(program.missing)
    lacks = ir.Variable("lacks", "uint8")
    inner += _filled(q, missing, [source.fill for source in sources], tables, i)
    if refuses:
        test = ir.Binary("==", q, missing, "bool")
        inner.append(ir.Update(lacks, ir.Select(test, ONE, lacks, "uint8")))
    if any(source.limits for source in sources):
        limits = [source.limits or (-most - 1, most) for source in sources]
        inner += _clamped(q, limits, tables, i)
    body: list[ir.Instruction] = [ir.Declare(lacks, ir.Number(0, "uint8"))] if refuses else []
    if has_runs:
        body += _load_runs(runs, tuple(inner), q, tables, i)
    elif count:
        body.append(ir.Loop(i, ir.Number(count, "int16"), (*inner, ir.Store("v", i, q))))
    for at, slot in enumerate(others, count):
        body.append(ir.Store("v", ir.Number(at, "int16"), column_expression(program, slot)))
    about = "Load the columns that the network reads."
    return ir.Procedure(
        "load",
        f"{about} Returns 1 if a value is missing." if refuses else about,
        (
            ir.ArrayParameter("x", number, width, ((-most - 1, most),) * width),
            ir.ArrayParameter("v", "int32", count + len(others), is_written=True),
        ),
        tuple(body),
        lacks if refuses else None,
    )


def _filled(
    q: ir.Variable,
    missing: ir.Number,
    fills: Sequence[int | None],
    tables: ProgramTables,
    i: ir.Variable,
) -> list[ir.Instruction]:
    """Return instructions that fill a missing value of the column i, if any column is filled."""
    if all(fill is None for fill in fills):
        return []
    values = [int(missing.value) if fill is None else fill for fill in fills]
    fill = tables.element("fills", values, i, "What stands for missing values.", signed=True)
    return call("fill", q, [missing, fill])


def _clamped(
    q: ir.Variable, limits: Sequence[tuple[int, int]], tables: ProgramTables, i: ir.Variable
) -> list[ir.Instruction]:
    """Return instructions that clamp the value of the column i to its limits."""
    least, greatest = zip(*limits, strict=True)
    low = tables.element("least", least, i, "The limits of the columns.", signed=True)
    high = tables.element("most", greatest, i, signed=True)
    found: list[ir.Instruction] = []
    for name, limit, function in (("low", low, "maximum"), ("high", high, "minimum")):
        if isinstance(limit, ir.Element):
            found.append(ir.Declare(ir.Variable(name), limit))
            limit = ir.Variable(name)
        found += call(function, q, [limit])
    return found


def _runs(listed: Sequence[int]) -> list[tuple[int, int]]:
    """Return how many columns are skipped before each run of columns, and how many it has."""
    found: list[tuple[int, int]] = []
    end = 0
    for column in listed:
        if found and column == end:
            found[-1] = found[-1][0], found[-1][1] + 1
        else:
            found.append((column - end, 1))
        end = column + 1
    return found


def _load_runs(
    runs: Sequence[tuple[int, int]],
    inner: tuple[ir.Instruction, ...],
    q: ir.Variable,
    tables: ProgramTables,
    i: ir.Variable,
) -> tuple[ir.Instruction, ...]:
    """Return the loops over runs of columns and over the columns of each of them."""
    numbers = [number for run in runs for number in run]
    type_ = ir.narrowest(min(numbers), max(numbers))
    about = "How many columns are skipped, and how many are read after them."
    tables.append(ir.ConstantTable("columns", type_, tuple(numbers), about))
    at = place_in("next", len(numbers))
    following = ir.Element("columns", at, type_)
    count = ir.Variable("count", "uint16" if type_ != "uint8" else "uint8")
    each = counter("j", max(length for _, length in runs))
    skip = ir.Update(COLUMN, ir.Binary("+", COLUMN, following, "uint16"))
    one = (*inner, ir.Store("v", i, q), next_one(COLUMN), next_one(i))
    run = (
        skip,
        next_one(at),
        ir.Declare(count, following),
        next_one(at),
        ir.Loop(each, count, one, 1),
    )
    return (
        *(ir.Declare(COLUMN, ZERO), ir.Declare(at, ZERO), ir.Declare(i, ZERO)),
        ir.Loop(counter("run", len(runs)), ir.Number(len(runs), "int16"), run),
    )


def number_type(program: IntegerProgram) -> ir.Type:
    """Return the type of columns, weights and stored values."""
    return "int8" if program.bits == 8 else "int16"


def column_expression(program: IntegerProgram, operand: Operand) -> ir.Expression:
    """Return a value that is computed from columns."""
    match operand:
        case ColumnValue(number):
            return ir.Element("x", ir.Number(number, "int16"), number_type(program))
        case WholeNumber(value):
            return ir.Number(value)
        case TreeSum():
            raise AssertionError("trees have a layout of their own")
        case Slot(number):
            step = program.steps[number]
            return step_expression(
                program, step, [column_expression(program, o) for o in operands(step)]
            )
        case _:
            assert_never(operand)


def step_expression(
    program: IntegerProgram, step: Step, values: Sequence[ir.Expression]
) -> ir.Expression:
    """Return the value of a step that reads values."""
    match step:
        case IntegerCall(function):
            return ir.Invoke(function, tuple(values))
        case Look(number):
            table = program.tables[number]
            limits = tuple(ir.Number(limit) for limit in table.limits)
            return ir.Invoke(table.look, (*values, *limits), f"table{number}")
        case Sum(terms, bias, shift):
            total: ir.Expression = ir.Number(bias)
            for value, (_, weight) in zip(values, terms, strict=True):
                total = ir.Binary("+", total, ir.Binary("*", ir.Number(weight), value))
            return ir.Invoke("shifted", (total, ir.Number(shift))) if shift else total
        case _:
            assert_never(step)
