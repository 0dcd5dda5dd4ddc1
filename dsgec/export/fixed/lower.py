"""Lower fixed point to a program in the flat layout: straight-line code, step by step.

The entry is the procedure `integers(x, y)`, from a row of integers to its results. A table of a
function is read by a function of its own, `look0` and so on.
"""

from typing import assert_never

from dsgec.export.fixed import ir
from dsgec.export.lower import LONGEST_FUNCTION, in_parts, index
from dsgec.program.ir import (
    ArrayParameter,
    Binary,
    ConstantTable,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    Number,
    Procedure,
    Program,
    Store,
    Type,
    Variable,
)

_LONGEST_SUM = 16  # terms of a line
_STORED: dict[int, Type] = {8: "int8", 16: "int16"}


def integer_program(source: ir.IntegerProgram, *, longest: int = LONGEST_FUNCTION) -> Program:
    """Return the flat program of fixed point, with at most `longest` statements in a function."""
    writer = StepWriter(source, longest)
    for position, step in enumerate(source.steps):
        writer.step(position, step)
    x = row_parameter(source)
    y = ArrayParameter("y", "int16", len(source.results), is_written=True)
    results = tuple(writer.operand(result) for result in source.results)
    stores = tuple(Store("y", index(at), result) for at, result in enumerate(results))
    tables, looks = function_tables(source)
    about = "Compute the results of a row of integers."
    if not writer.is_split:
        entry = Procedure("integers", about, (x, y), (*writer.body, *stores))
        return Program(tables, (*looks, entry))
    t = ArrayParameter("t", "int32", len(writer.body), is_written=True)
    long = Procedure("integers", about, (x, y, t), (*writer.body, *stores))
    return Program(tables, (*looks, *in_parts(long, len(stores), longest)))


def row_parameter(source: ir.IntegerProgram) -> ArrayParameter:
    """Return the row of integers, which may have missing values."""
    limits = (source.missing, -source.missing - 1)
    columns = len(source.columns)
    return ArrayParameter("x", _STORED[source.bits], columns, (limits,) * columns)


def function_tables(
    source: ir.IntegerProgram,
) -> tuple[tuple[ConstantTable, ...], tuple[Procedure, ...]]:
    """Return the tables of functions that are read, and the procedures that read them."""
    read = {step.table for step in source.steps if isinstance(step, ir.Look)}
    found = [(number, source.tables[number]) for number in sorted(read)]
    tables = tuple(
        ConstantTable(f"table{number}", "int16", table.entries) for number, table in found
    )
    return tables, tuple(
        Procedure(
            f"look{number}",
            "",
            (Variable("a", "int32"),),
            (),
            Invoke(
                table.look,
                (Variable("a", "int32"), *(Number(limit, "int32") for limit in table.limits)),
                f"table{number}",
                "int32",
            ),
        )
        for number, table in found
    )


class StepWriter:
    """Writes one step after the other; `values` are the expressions that read their results."""

    def __init__(self, source: ir.IntegerProgram, longest: int = LONGEST_FUNCTION) -> None:
        self.source = source
        self.body: list[Instruction] = []
        self.values: dict[int, Expression] = {}
        self.names = dict(source.names)
        terms = sum(len(step.terms) for step in source.steps if isinstance(step, ir.Sum))
        count = len(source.steps) + terms // _LONGEST_SUM + len(source.results)
        self.is_split = count > longest

    def operand(self, operand: ir.Operand) -> Expression:
        match operand:
            case ir.ColumnValue(number):
                return Element("x", index(number), _STORED[self.source.bits])
            case ir.Slot(number):
                return self.values[number]
            case ir.WholeNumber(value):
                return Number(value, "int32")
            case _:
                assert_never(operand)

    def step(self, position: int, step: ir.Step) -> None:
        """Write one step; a long sum takes several statements."""
        match step:
            case ir.Sum():
                value = self.sum(step)
            case ir.IntegerCall(function, arguments):
                value = Invoke(function, tuple(map(self.operand, arguments)), type="int32")
            case ir.Look(table, argument):
                value = Invoke(f"look{table}", (self.operand(argument),), type="int32")
            case _:
                assert_never(step)
        self.values[position] = self.assign(value, self.names.get(position, ""))

    def sum(self, step: ir.Sum) -> Expression:
        """Return the expression of a sum.

        The bias comes first, even a 0: in JavaScript, −5 · 0 is −0, but 0 + −5 · 0 is 0.
        """
        total: Expression = Number(step.bias, "int32")
        for start in range(0, len(step.terms), _LONGEST_SUM):
            if start:
                total = self.assign(total)
            for operand, weight in step.terms[start : start + _LONGEST_SUM]:
                term = self.operand(operand)
                if abs(weight) != 1:
                    term = Binary("*", Number(abs(weight), "int32"), term, "int32")
                total = Binary("-" if weight < 0 else "+", total, term, "int32")
        if not step.shift:
            return total
        return Binary(">>", total, Number(step.shift, "int32"), "int32")

    def assign(self, value: Expression, name: str = "") -> Expression:
        number = len(self.body)
        if self.is_split:
            self.body.append(Store("t", index(number), value))
            return Element("t", index(number), "int32")
        variable = Variable(name or f"t{number}", "int32")
        self.body.append(Declare(variable, value))
        return variable
