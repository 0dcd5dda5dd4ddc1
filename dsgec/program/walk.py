"""Run a procedure on values of any kind: integers, arrays over rows, or ranges.

The interpreter and the checker differ only in their values, so both follow the same rules: a
variable is declared before it is read, an index is within its array, and the row decides neither
how often a loop runs nor which branch is taken.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar, assert_never

from dsgec.program.ir import (
    Binary,
    Branch,
    ConstantTable,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    Loop,
    Number,
    Procedure,
    Program,
    Select,
    Store,
    Type,
    Update,
    Variable,
)

Value = TypeVar("Value")


class InvalidProgram(Exception):
    """A program breaks a rule of the representation: a bug in dsgec."""


class Walker(ABC, Generic[Value]):
    """Runs the instructions of a procedure; a subclass gives its values a meaning."""

    def __init__(self, program: Program) -> None:
        self.tables: Mapping[str, ConstantTable] = {table.name: table for table in program.tables}
        self.variables: dict[str, Value] = {}
        self.arrays: dict[str, list[Value | None]] = {}
        self.types: dict[str, Type] = {}

    @abstractmethod
    def constant(self, value: int) -> Value:
        """Return the value of a constant."""

    @abstractmethod
    def known(self, value: Value, what: str) -> int:
        """Return a value that does not depend on the row as an integer, or fail."""

    @abstractmethod
    def binary(self, operator: str, left: Value, right: Value) -> Value:
        """Return the value of an operation."""

    @abstractmethod
    def select(self, test: Value, yes: Value, no: Value) -> Value:
        """Return the value of a selection."""

    @abstractmethod
    def invoke(self, function: str, table: ConstantTable | None, arguments: list[Value]) -> Value:
        """Return the result of a function of the arithmetic."""

    @abstractmethod
    def fit(self, value: Value, type_: Type, where: str) -> Value:
        """Return a value if its type has it, or fail."""

    def run(self, procedure: Procedure, given: Mapping[str, Sequence[Value]]) -> Value | None:
        """Run a procedure on arrays by name; those that it writes are in `arrays` afterwards."""
        self.variables = {}
        for parameter in procedure.parameters:
            self.types[parameter.name] = parameter.type
            own = given.get(parameter.name, ())
            self.arrays[parameter.name] = [*own, *[None] * (parameter.size - len(own))]
        self.do(procedure.body)
        return None if procedure.result is None else self.value(procedure.result)

    def do(self, body: Sequence[Instruction]) -> None:
        """Run instructions one after the other."""
        for instruction in body:
            match instruction:
                case Declare(variable, value):
                    self.variables[variable.name] = self.fit(
                        self.value(value), variable.type, variable.name
                    )
                case Update(variable, value):
                    if variable.name not in self.variables:
                        raise InvalidProgram(f"{variable.name} is assigned before it is declared")
                    self.variables[variable.name] = self.fit(
                        self.value(value), variable.type, variable.name
                    )
                case Store(array, index, value):
                    place = self.place(array, self.value(index))
                    self.arrays[array][place] = self.fit(
                        self.value(value), self.types[array], array
                    )
                case Loop(counter, count, inner, least):
                    turns = self.known(self.value(count), "the count of a loop")
                    if turns < least:
                        raise InvalidProgram(f"a loop runs {turns} times, not at least {least}")
                    for turn in range(turns):
                        self.variables[counter.name] = self.constant(turn)
                        self.do(inner)
                case Branch(test, yes, no):
                    self.do(yes if self.known(self.value(test), "the test of a branch") else no)
                case _:
                    assert_never(instruction)

    def place(self, array: str, index: Value) -> int:
        """Return an index that is within its array, or fail."""
        place = self.known(index, f"an index of {array}")
        self.check_places(array, place, place)
        return place

    def check_places(self, array: str, least: int, most: int) -> None:
        """Fail if an index can be outside its array."""
        if array in self.tables:
            size = len(self.tables[array].values)
        elif array in self.arrays:
            size = len(self.arrays[array])
        else:
            raise InvalidProgram(f"there is no array {array}")
        for place in (least, most):
            if not 0 <= place < size:
                message = f"the index {place} is outside {array}, which has {size} elements"
                raise InvalidProgram(message)

    def value(self, expression: Expression) -> Value:
        """Return the value of an expression."""
        match expression:
            case Number(value):
                return self.constant(value)
            case Variable(name):
                if name not in self.variables:
                    raise InvalidProgram(f"{name} is read before it is declared")
                return self.variables[name]
            case Element(array, index):
                return self.element(array, self.value(index))
            case Binary(operator, left, right, type_):
                result = self.binary(operator, self.value(left), self.value(right))
                return self.fit(result, type_, f"a result of {operator}")
            case Select(test, yes, no):
                return self.select(self.value(test), self.value(yes), self.value(no))
            case Invoke(function, arguments, table):
                values = [self.value(argument) for argument in arguments]
                return self.invoke(function, self.tables[table] if table else None, values)
            case _:
                assert_never(expression)

    def element(self, array: str, index: Value) -> Value:
        """Return an element that was given or written, or fail."""
        return self.element_at(array, self.place(array, index))

    def element_at(self, array: str, place: int) -> Value:
        """Return the element at a place, or fail."""
        if array in self.tables:
            return self.constant(self.tables[array].values[place])
        found = self.arrays[array][place]
        if found is None:
            raise InvalidProgram(f"{array}[{place}] is read before it is written")
        return found
