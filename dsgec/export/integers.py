"""Write the steps of an integer program as statements that templates print."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from dsgec.export.fixed import ir
from dsgec.export.statements import LONGEST_FUNCTION, FlatProgram, Statement
from dsgec.rendering import Code

_LONGEST_SUM = 16  # terms of a line


@dataclass(frozen=True, slots=True)
class IntegerSyntax:
    """The syntax in which a target writes integers; targets differ by entries here."""

    call: str = "{}"  # a function of the arithmetic, by its name
    column: str = "x[{}]"
    look: str = "look{}({})"
    shift: str = "({}) >> {}"
    number: str = "{}"  # a bias or a weight
    type: str = "int32_t"
    times: str = " * "
    longest: int = LONGEST_FUNCTION  # statements of one function


INTEGERS = IntegerSyntax()
"""The syntax of Python, numpy and JavaScript."""


def integer_program(program: ir.IntegerProgram, language: IntegerSyntax) -> FlatProgram:
    """Return the statements that compute the program, in the order of its steps."""
    writer = IntegerWriter(program, language)
    for position, step in enumerate(program.steps):
        writer.step(position, step)
    return writer.program()


def integer_functions(program: ir.IntegerProgram) -> set[str]:
    """Return the functions of the arithmetic that the statements call."""
    used = {table.look for table in program.tables}
    return used | {step.function for step in program.steps if isinstance(step, ir.IntegerCall)}


class IntegerWriter:
    """A writer of the statements of one step after the other."""

    def __init__(self, source: ir.IntegerProgram, language: IntegerSyntax) -> None:
        self.source, self.language = source, language
        self.statements: list[Statement] = []
        self.slots: dict[int, str] = {}
        self.names = dict(source.names)
        terms = sum(len(step.terms) for step in source.steps if isinstance(step, ir.Sum))
        self.array = len(source.steps) + terms // _LONGEST_SUM > language.longest

    def program(self, wanted: Sequence[ir.Operand] | None = None) -> FlatProgram:
        """Return the statements so far, in parts that are not too long, with the wanted outputs."""
        length = self.language.longest if self.array else max(len(self.statements), 1)
        parts = [
            tuple(self.statements[start : start + length])
            for start in range(0, len(self.statements), length)
        ]
        results = self.source.results if wanted is None else wanted
        outputs = tuple(Code(self.operand(operand)) for operand in results)
        type_ = Code(self.language.type)
        slots = len(self.statements)
        return FlatProgram(tuple(parts) or ((),), self.array, slots, outputs, False, type_, True)

    def operand(self, operand: ir.Operand) -> str:
        match operand:
            case ir.ColumnValue(number):
                return self.language.column.format(number)
            case ir.Slot(number):
                return self.slots[number]
            case ir.WholeNumber(value):
                return f"({value})" if value < 0 else str(value)
            case _:
                assert_never(operand)

    def step(self, position: int, step: ir.Step) -> None:
        """Write one step; a long sum takes several statements."""
        name = self.names.get(position, "")
        match step:
            case ir.Sum():
                value = self.sum(step)
            case ir.IntegerCall(function, arguments):
                operands = ", ".join(self.operand(argument) for argument in arguments)
                value = f"{self.language.call.format(function)}({operands})"
            case ir.Look(table, argument):
                value = self.language.look.format(table, self.operand(argument))
            case _:
                assert_never(step)
        self.slots[position] = self.assign(value, name)

    def sum(self, step: ir.Sum) -> str:
        """Return the expression of a sum.

        The bias comes first, even a 0: in JavaScript, −5 · 0 is −0, but 0 + −5 · 0 is 0.
        """
        number = self.language.number
        total = number.format(step.bias)
        for start in range(0, len(step.terms), _LONGEST_SUM):
            if start:
                total = self.assign(total)
            for operand, weight in step.terms[start : start + _LONGEST_SUM]:
                sign = "-" if weight < 0 else "+"
                factor = (
                    number.format(abs(weight)) + self.language.times if abs(weight) != 1 else ""
                )
                total += f" {sign} {factor}{self.operand(operand)}"
        return self.language.shift.format(total, step.shift) if step.shift else total

    def assign(self, value: str, name: str = "") -> str:
        number = len(self.statements)
        name = f"t[{number}]" if self.array else name or f"t{number}"
        self.statements.append(Statement(Code(name), Code(value)))
        return name
