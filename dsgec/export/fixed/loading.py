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
from dsgec.program.ir import (
    ArrayParameter,
    Binary,
    ConstantTable,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    Loop,
    Number,
    Procedure,
    Select,
    Store,
    Type,
    Update,
    Variable,
    narrowest,
)

ONE = Number(1, "uint8")
COLUMN = Variable("column", "uint16")
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
) -> Procedure:
    """Return the procedure that loads columns in a loop, and then other sources one by one.

    If it `refuses` missing values, it returns 1 where there is one. Everything that it computes has
    the type int32.
    """
    number = number_type(program)
    most = largest(program.bits)
    count, width = len(sources), len(program.columns)
    i = counter("i", count)
    listed = [source.column for source in sources]
    index: Expression = i
    runs = _runs(listed)
    is_plain = len({(source.fill, source.limits) for source in sources}) == 1
    has_runs = is_plain and listed != [*range(count)] and 2 * len(runs) + RUN_BYTES < count
    if has_runs:
        index = COLUMN
    elif listed != [*range(count)]:
        index = tables.element("columns", listed, i, "The columns that are read.", signed=False)
    q = Variable("q")
    inner: list[Instruction] = [Declare(q, Element("x", index, number))]
    missing = Number(program.missing)
    lacks = Variable("lacks", "uint8")
    if any(source.fill is not None for source in sources):
        fills = [program.missing if source.fill is None else source.fill for source in sources]
        fill = tables.element("fills", fills, i, "What stands for missing values.", signed=True)
        inner += call("fill", q, [missing, fill])
    if refuses:
        test = Binary("==", q, missing, "bool")
        inner.append(Update(lacks, Select(test, ONE, lacks, "uint8")))
    if any(source.limits for source in sources):
        limits = [source.limits or (-most - 1, most) for source in sources]
        least, greatest = zip(*limits, strict=True)
        low = tables.element("least", least, i, "The limits of the columns.", signed=True)
        high = tables.element("most", greatest, i, signed=True)
        for name, limit, function in (("low", low, "maximum"), ("high", high, "minimum")):
            if isinstance(limit, Element):
                inner.append(Declare(Variable(name), limit))
            inner += call(function, q, [Variable(name) if isinstance(limit, Element) else limit])
    body: list[Instruction] = [Declare(lacks, Number(0, "uint8"))] if refuses else []
    if has_runs:
        body += _load_runs(runs, tuple(inner), q, tables, i)
    elif count:
        body.append(Loop(i, Number(count, "int16"), (*inner, Store("v", i, q))))
    for at, slot in enumerate(others, count):
        body.append(Store("v", Number(at, "int16"), column_expression(program, slot)))
    about = "Load the columns that the network reads."
    return Procedure(
        "load",
        f"{about} Returns 1 if a value is missing." if refuses else about,
        (
            ArrayParameter("x", number, width, ((-most - 1, most),) * width),
            ArrayParameter("v", "int32", count + len(others), is_written=True),
        ),
        tuple(body),
        lacks if refuses else None,
    )


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
    inner: tuple[Instruction, ...],
    q: Variable,
    tables: ProgramTables,
    i: Variable,
) -> tuple[Instruction, ...]:
    """Return the loops over runs of columns and over the columns of each of them."""
    numbers = [number for run in runs for number in run]
    type_ = narrowest(min(numbers), max(numbers))
    about = "How many columns are skipped, and how many are read after them."
    tables.append(ConstantTable("columns", type_, tuple(numbers), about))
    at = place_in("next", len(numbers))
    following = Element("columns", at, type_)
    count = Variable("count", "uint16" if type_ != "uint8" else "uint8")
    each = counter("j", max(length for _, length in runs))
    skip = Update(COLUMN, Binary("+", COLUMN, following, "uint16"))
    one = (*inner, Store("v", i, q), next_one(COLUMN), next_one(i))
    run = (skip, next_one(at), Declare(count, following), next_one(at), Loop(each, count, one, 1))
    return (
        *(Declare(COLUMN, ZERO), Declare(at, ZERO), Declare(i, ZERO)),
        Loop(counter("run", len(runs)), Number(len(runs), "int16"), run),
    )


def number_type(program: IntegerProgram) -> Type:
    """Return the type of columns, weights and stored values."""
    return "int8" if program.bits == 8 else "int16"


def column_expression(program: IntegerProgram, operand: Operand) -> Expression:
    """Return a value that is computed from columns."""
    match operand:
        case ColumnValue(number):
            return Element("x", Number(number, "int16"), number_type(program))
        case WholeNumber(value):
            return Number(value)
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
    program: IntegerProgram, step: Step, values: Sequence[Expression]
) -> Expression:
    """Return the value of a step that reads values."""
    match step:
        case IntegerCall(function):
            return Invoke(function, tuple(values))
        case Look(number):
            table = program.tables[number]
            limits = tuple(Number(limit) for limit in table.limits)
            return Invoke(table.look, (*values, *limits), f"table{number}")
        case Sum(terms, bias, shift):
            total: Expression = Number(bias)
            for value, (_, weight) in zip(values, terms, strict=True):
                total = Binary("+", total, Binary("*", Number(weight), value))
            return Invoke("shifted", (total, Number(shift))) if shift else total
        case _:
            assert_never(step)
