"""The printer of programs that all languages share: a language is a subclass with its own syntax.

A printer returns text for templates, which lay out the files. It decides nothing about a network:
what is computed, and in which order, is in the program.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import copysign
from typing import ClassVar, assert_never

from dsgec.literals import number, single_number
from dsgec.program import ir

_RANKS = {"==": 1, "!=": 1, "<": 1, "<=": 1, ">": 1, ">=": 1, "+": 2, "-": 2, "*": 3, "/": 3}
_OF_BITS = ("<<", ">>", "&", "|")  # languages disagree on their precedence

_DECIMAL = 1 << 16  # words from here on are masks, and written in hexadecimal

Simple = ir.Declare | ir.Update | ir.Store | ir.LocalArray | ir.Perform
"""The instructions that are one statement."""


class Printer(ABC):
    """Prints the tables and procedures of a program in one language."""

    types: ClassVar[Mapping[ir.Type, str]]  # of variables
    elements: ClassVar[Mapping[ir.Type, str]] = {}  # of arrays and tables, where these differ
    operators: ClassVar[Mapping[str, str]] = {}  # those that are spelled in another way
    calls: Mapping[str, str] = {}  # patterns of functions that the language has by itself
    indent: ClassVar[str] = "    "
    end: ClassVar[str] = ";"  # of a statement
    opening: ClassVar[str] = " {"  # of a block
    has_increment: ClassVar[bool] = False  # `i++`
    closing: ClassVar[str] = "}"  # of a block; an empty one is not printed

    def __init__(self, program: ir.Program) -> None:
        self.source = program
        self.tables = {table.name: table for table in program.tables}
        self.own = {procedure.name for procedure in program.procedures}
        self.arrays: dict[str, ir.Type] = {}  # the types of the elements of arrays in scope
        self.updated: frozenset[str] = frozenset()  # variables that are assigned more than once

    # Programs and procedures.

    def print(self) -> str:
        """Return the tables and the procedures, with an empty line between them."""
        parts = [[*self.table(table)] for table in self.source.tables]
        parts += [[*self.procedure(procedure)] for procedure in self.source.procedures]
        return "\n\n".join("\n".join(part) for part in parts) + "\n"

    def procedure(self, procedure: ir.Procedure) -> Iterator[str]:
        """Yield the lines of a procedure."""
        self.enter(procedure)
        yield from self.comment(procedure)
        yield self.head(procedure)
        yield from self.body(procedure)
        if self.closing:
            yield self.closing

    def functions(self, library: Mapping[str, ir.Procedure]) -> tuple[ir.Procedure, ...]:
        """Return the functions of the arithmetic that are called, each after those it calls."""
        waiting = [name for procedure in self.source.procedures for name in procedure.calls]
        needed: set[str] = set(self.own)
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed.add(name)
                waiting += library[name].calls
        return tuple(library[name] for name in library if name in needed - self.own)

    def enter(self, procedure: ir.Procedure) -> None:
        """Prepare for printing the instructions of a procedure."""
        self.updated = procedure.updated
        self.arrays = {p.name: p.type for p in procedure.arrays}

    def body(self, procedure: ir.Procedure) -> Iterator[str]:
        """Yield the instructions and the result of a procedure."""
        yield from self.block(procedure.body, self.indent)
        if procedure.result is not None:
            for line in self.returned(procedure.result).splitlines():
                yield f"{self.indent}{line}"

    @abstractmethod
    def table(self, table: ir.ConstantTable) -> Iterator[str]:
        """Yield the lines of a constant table."""

    @abstractmethod
    def comment(self, procedure: ir.Procedure) -> Iterator[str]:
        """Yield the comment above a procedure."""

    @abstractmethod
    def head(self, procedure: ir.Procedure) -> str:
        """Return the first line of a procedure."""

    def returned(self, result: ir.Expression) -> str:
        """Return the statement that returns a result."""
        return f"return {self.write(result)}{self.end}"

    # Instructions.

    def block(self, body: Sequence[ir.Instruction], indent: str) -> Iterator[str]:
        """Yield the lines of instructions."""
        for instruction in body:
            match instruction:
                case ir.Loop():
                    yield from self.loop_lines(instruction, indent)
                case ir.While():
                    yield from self.repeat_lines(instruction, indent)
                case ir.Branch():
                    yield from self.branch(instruction, indent)
                case _:
                    for line in self.statement(instruction).splitlines():
                        yield f"{indent}{line}"

    def loop_lines(self, loop: ir.Loop, indent: str) -> Iterator[str]:
        """Yield the lines of a loop."""
        yield f"{indent}{self.loop(loop.counter, loop.count)}{self.opening}"
        yield from self.block(loop.body, indent + self.indent)
        if self.closing:
            yield f"{indent}{self.closing}"

    def repeat_lines(self, loop: ir.While, indent: str) -> Iterator[str]:
        """Yield the lines of a loop whose end depends on the row."""
        yield f"{indent}{self.repeat(loop.test)}{self.opening}"
        yield from self.block(loop.body, indent + self.indent)
        if self.closing:
            yield f"{indent}{self.closing}"

    def repeat(self, test: ir.Expression) -> str:
        """Return the head of a loop that runs while a test holds, without its opening."""
        return f"while ({self.write(test)})"

    def statement(self, instruction: Simple) -> str:
        """Return one statement."""
        match instruction:
            case ir.Declare(variable, value):
                return self.declare(variable, value)
            case ir.Update(variable, ir.Binary("+", left, ir.Number(1))) if (
                left == variable and self.has_increment
            ):
                return f"{self.write(variable)}++{self.end}"
            case ir.Update(variable, ir.Binary("+", left, right)) if left == variable and (
                left.type,
                right.type,
            ) != ("uint64", "uint32"):
                return f"{self.write(variable)} += {self.write(right)}{self.end}"
            case ir.Update(variable, value):
                return f"{self.write(variable)} = {self.write(value)}{self.end}"
            case ir.Store(array, index, value):
                return f"{self.target(array, index)} = {self.stored(array, value)}{self.end}"
            case ir.LocalArray():
                self.arrays[instruction.name] = instruction.type
                return self.local_array(instruction)
            case ir.Perform(procedure, arguments):
                listed = ", ".join(map(self.array_argument, arguments))
                return f"{self.spell_procedure(procedure)}({listed}){self.end}"
            case _:
                assert_never(instruction)

    @abstractmethod
    def declare(self, variable: ir.Variable, value: ir.Expression) -> str:
        """Return the declaration of a variable."""

    @abstractmethod
    def local_array(self, array: ir.LocalArray) -> str:
        """Return the declaration of an array."""

    @abstractmethod
    def loop(self, counter: ir.Variable, count: ir.Expression) -> str:
        """Return the first line of a loop, without its opening."""

    def target(self, array: str, index: ir.Expression) -> str:
        """Return an element that is written."""
        return f"{array}[{self.write(index)}]"

    def stored(self, array: str, value: ir.Expression) -> str:
        """Return a value as it is written into an array."""
        return self.write(value)

    def test(self, test: ir.Expression) -> str:
        """Return the head of a branch, without its opening."""
        return f"if ({self.write(test)})"

    def branch(self, branch: ir.Branch, indent: str) -> Iterator[str]:
        """Yield the lines of a branch; one inside an `else` continues it as `else if`."""
        yield f"{indent}{self.test(branch.test)}{self.opening}"
        yield from self.block(branch.yes, indent + self.indent)
        match branch.no:
            case ():
                yield f"{indent}{self.closing}"
            case (ir.Branch() as inner,):
                first, *rest = self.branch(inner, indent)
                yield f"{indent}{self.closing} else {first.lstrip()}"
                yield from rest
            case _:
                yield f"{indent}{self.closing} else{self.opening}"
                yield from self.block(branch.no, indent + self.indent)
                yield f"{indent}{self.closing}"

    # Expressions.

    def write(self, expression: ir.Expression) -> str:
        """Return an expression in this language."""
        match expression:
            case ir.Number():
                return self.number(expression)
            case ir.Variable(name):
                return self.spell_variable(name)
            case ir.Element():
                return self.element(expression)
            case ir.Negative(operand):
                return f"-{self.inner(operand, '*', is_right=True)}"
            case ir.Binary():
                return self.binary(expression)
            case ir.Select():
                return self.select(expression)
            case ir.Invoke():
                return self.invoke(expression)
            case _:
                assert_never(expression)

    def inner(self, expression: ir.Expression, operator: str, *, is_right: bool = False) -> str:
        """Return an operand, in parentheses where the operator around it needs them."""
        text = self.write(expression)
        return (
            f"({text})" if self.needs_parentheses(expression, operator, is_right=is_right) else text
        )

    def needs_parentheses(
        self, expression: ir.Expression, operator: str, *, is_right: bool = False
    ) -> bool:
        """Return whether an operand needs parentheses inside an operator."""
        match expression:
            case ir.Binary(own, _, _, type_) if own not in _OF_BITS and operator not in _OF_BITS:
                rank, outer = _RANKS[own], _RANKS[operator]
                # The order of operations of floats matters: it is shown where it could be missed.
                # Python chains comparisons.
                is_order = (type_ in ir.REALS and own != operator) or operator in ir.COMPARISONS
                return rank < outer + is_right or (rank == outer and is_order)
            case ir.Binary() | ir.Negative() | ir.Select():
                return True
            case ir.Number(value):
                return copysign(1, value) < 0 and is_right and operator in ("+", "-", "*", "/")
            case _:
                return False

    def binary(self, expression: ir.Binary) -> str:
        """Return an operation; `+` and `*` of words wrap around."""
        operator = expression.operator
        left = self.inner(expression.left, operator)
        right = self.inner(expression.right, operator, is_right=True)
        return f"{left} {self.operators.get(operator, operator)} {right}"

    @abstractmethod
    def number(self, number: ir.Number) -> str:
        """Return a literal that reads back bit for bit."""

    def element(self, element: ir.Element) -> str:
        """Return an element of an array or of a table."""
        return f"{element.array}[{self.write(element.index)}]"

    def select(self, select: ir.Select) -> str:
        """Return a choice between two values."""
        test, yes, no = (self.choice(part) for part in (select.test, select.yes, select.no))
        return f"{test} ? {yes} : {no}"

    def choice(self, part: ir.Expression) -> str:
        """Return a part of a choice, in parentheses if it is a choice itself."""
        text = self.write(part)
        return f"({text})" if isinstance(part, ir.Select) else text

    def invoke(self, call: ir.Invoke) -> str:
        """Return a call of a function, which the language may have by itself."""
        arguments = [self.argument(argument) for argument in call.arguments]
        if call.function in self.calls:
            return self.calls[call.function].format(*arguments)
        first = [self.array_argument(call.table)] if call.table else []
        spell = self.spell_procedure if call.function in self.own else self.spell_function
        return f"{spell(call.function)}({', '.join([*first, *arguments])})"

    def argument(self, argument: ir.Expression) -> str:
        """Return a value that is passed to a function."""
        return self.write(argument)

    def array_argument(self, array: str) -> str:
        """Return an array or a table that is passed to a function."""
        return array

    def spell_variable(self, name: str) -> str:
        """Return the name of a variable."""
        return name

    def spell_function(self, name: str) -> str:
        """Return the name of a function of the arithmetic."""
        return name

    def spell_procedure(self, name: str) -> str:
        """Return the name of a procedure of the program."""
        return name


def is_part(name: str) -> bool:
    """Return whether a procedure is a part of one that is too long."""
    return name.removeprefix("part").isdigit()


def camel(name: str) -> str:
    """Return a name in camel case, as Java and Go spell names; `h_1_2` stays."""
    return re.sub(r"(?<=\w)_([a-z])", lambda found: found[1].upper(), name)


def plain_number(literal: ir.Number) -> str:
    """Return a literal whose type follows from where it stands."""
    match literal:
        case ir.Number(value, "double"):
            return number(float(value))
        case ir.Number(value, "float"):
            return single_number(float(value))
        case ir.Number(value, "bool"):
            return "true" if value else "false"
        case ir.Number(value, "uint32" | "uint64" as type_) if value >= _DECIMAL:
            return f"0x{value:0{int(type_.removeprefix('uint')) // 4}x}"
        case ir.Number(value):
            return str(value)


def is_untyped(expression: ir.Expression) -> bool:
    """Return whether an expression has only constants, from which no language learns its type."""
    match expression:
        case ir.Number():
            return True
        case ir.Negative(operand):
            return is_untyped(operand)
        case ir.Binary(operator, left, right):
            return operator not in ir.COMPARISONS and is_untyped(left) and is_untyped(right)
        case ir.Select(_, yes, no):
            return is_untyped(yes) and is_untyped(no)
        case _:
            return False


def of_one_width(operation: ir.Binary) -> ir.Binary:
    """Return an operation of a uint64 and a uint32 as one of two uint64."""
    right = operation.right
    is_mixed = operation.left.type == "uint64" and right.type == "uint32"
    if not is_mixed or operation.operator in ("<<", ">>"):
        return operation
    wide: ir.Expression = ir.Invoke("wide", (right,), type="uint64")
    if isinstance(right, ir.Number):
        wide = ir.Number(right.value, "uint64")
    return replace(operation, right=wide)
