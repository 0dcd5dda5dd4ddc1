"""Run a procedure on values of any kind: numbers, arrays over rows, or ranges.

The interpreter and the checker differ only in their values, so both follow the same rules: a
variable is declared before it is read, an index is within its array, and the row decides neither
how often a loop runs nor which branch is taken.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar, assert_never

from dsgec.program import ir

Value = TypeVar("Value")


class InvalidProgram(Exception):
    """A program breaks a rule of the representation: a bug in dsgec."""


class Walker(ABC, Generic[Value]):
    """Runs the instructions of a procedure; a subclass gives its values a meaning."""

    def __init__(self, program: ir.Program) -> None:
        self.tables: Mapping[str, ir.ConstantTable] = {
            table.name: table for table in program.tables
        }
        self.procedures = {procedure.name: procedure for procedure in program.procedures}
        self.variables: dict[str, Value] = {}
        self.arrays: dict[str, list[Value | None]] = {}
        self.types: dict[str, ir.Type] = {}

    @abstractmethod
    def constant(self, value: int | float, type_: ir.Type) -> Value:
        """Return the value of a constant."""

    @abstractmethod
    def known(self, value: Value, what: str) -> int:
        """Return a value that does not depend on the row as an integer, or fail."""

    @abstractmethod
    def negative(self, value: Value) -> Value:
        """Return a float with its sign flipped."""

    @abstractmethod
    def binary(self, operator: str, left: Value, right: Value) -> Value:
        """Return the value of an operation."""

    @abstractmethod
    def select(self, test: Value, yes: Value, no: Value) -> Value:
        """Return the value of a selection."""

    def repeat(self, loop: ir.While) -> None:
        """Do the body of a loop while its test holds."""
        raise InvalidProgram("how long a loop runs depends on the row")

    @abstractmethod
    def invoke(self, call: ir.Invoke, arguments: list[Value]) -> Value:
        """Return the result of a function of the arithmetic."""

    @abstractmethod
    def fit(self, value: Value, type_: ir.Type, where: str) -> Value:
        """Return a value if its type has it, or fail."""

    def run(
        self,
        procedure: ir.Procedure,
        given: Mapping[str, Sequence[Value]],
        scalars: Mapping[str, Value] | None = None,
    ) -> Value | None:
        """Run a procedure on arrays by name; those that it writes are in `arrays` afterwards."""
        self.variables = {**(scalars or {})}
        for parameter in procedure.arrays:
            self.types[parameter.name] = parameter.type
            own = given.get(parameter.name, ())
            self.arrays[parameter.name] = [*own, *[None] * (parameter.size - len(own))]
        self.do(procedure.body)
        return None if procedure.result is None else self.value(procedure.result)

    def call(self, procedure: ir.Procedure, arguments: Sequence[str]) -> None:
        """Run another procedure on arrays of this one, which it may write."""
        if len(arguments) != len(procedure.parameters):
            raise InvalidProgram(f"{procedure.name} is called with {len(arguments)} arguments")
        outside = self.variables, self.arrays, self.types
        pairs = [*zip(procedure.arrays, arguments, strict=True)]
        for parameter, argument in pairs:
            if (parameter.type, parameter.size) != (
                self.types[argument],
                len(self.arrays[argument]),
            ):
                raise InvalidProgram(f"{procedure.name} is called on another array {argument}")
        self.variables = {}
        self.arrays = {p.name: outside[1][name] for p, name in pairs}
        self.types = {p.name: p.type for p in procedure.arrays}
        self.do(procedure.body)
        self.variables, self.arrays, self.types = outside

    def result(self, procedure: ir.Procedure, arguments: Sequence[Value], array: str = "") -> Value:
        """Return the result of a function on scalars and, perhaps, an array or a table."""
        outside = self.variables, self.arrays, self.types, self.tables
        names = (parameter.name for parameter in procedure.scalars)
        self.variables = dict(zip(names, arguments, strict=True))
        self.arrays, self.types = {}, {}
        for parameter in procedure.arrays:
            if array in self.tables:
                self.tables = {**self.tables, parameter.name: self.tables[array]}
            else:
                self.arrays[parameter.name] = outside[1][array]
                self.types[parameter.name] = parameter.type
        self.do(procedure.body)
        if procedure.result is None:
            raise InvalidProgram(f"{procedure.name} has no result")
        value = self.value(procedure.result)
        self.variables, self.arrays, self.types, self.tables = outside
        return value

    def do(self, body: Sequence[ir.Instruction]) -> None:
        """Run instructions one after the other."""
        for instruction in body:
            match instruction:
                case ir.Declare(variable, value):
                    self.variables[variable.name] = self.fit(
                        self.value(value), variable.type, variable.name
                    )
                case ir.Update(variable, value):
                    if variable.name not in self.variables:
                        raise InvalidProgram(f"{variable.name} is assigned before it is declared")
                    self.variables[variable.name] = self.fit(
                        self.value(value), variable.type, variable.name
                    )
                case ir.Store(array, index, value):
                    place = self.place(array, self.value(index))
                    self.arrays[array][place] = self.fit(
                        self.value(value), self.types[array], array
                    )
                case ir.Loop(counter, count, inner, least):
                    turns = self.known(self.value(count), "the count of a loop")
                    if turns < least:
                        raise InvalidProgram(f"a loop runs {turns} times, not at least {least}")
                    for turn in range(turns):
                        self.variables[counter.name] = self.constant(turn, counter.type)
                        self.do(inner)
                case ir.While():
                    self.repeat(instruction)
                case ir.Branch(test, yes, no):
                    self.do(yes if self.known(self.value(test), "the test of a branch") else no)
                case ir.LocalArray(name, type_, size):
                    self.arrays[name], self.types[name] = [None] * size, type_
                case ir.Perform(name, arguments):
                    self.call(self.procedures[name], arguments)
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

    def value(self, expression: ir.Expression) -> Value:
        """Return the value of an expression."""
        match expression:
            case ir.Number(value, type_):
                return self.constant(value, type_)
            case ir.Variable(name):
                if name not in self.variables:
                    raise InvalidProgram(f"{name} is read before it is declared")
                return self.variables[name]
            case ir.Element(array, index):
                return self.element(array, self.value(index))
            case ir.Negative(operand):
                return self.negative(self.value(operand))
            case ir.Binary(operator, left, right, type_):
                result = self.binary(operator, self.value(left), self.value(right))
                return self.fit(result, type_, f"a result of {operator}")
            case ir.Select(test, yes, no):
                return self.select(self.value(test), self.value(yes), self.value(no))
            case ir.Invoke(_, arguments):
                return self.invoke(expression, [self.value(argument) for argument in arguments])
            case _:
                assert_never(expression)

    def element(self, array: str, index: Value) -> Value:
        """Return an element of a table or an array; fail if it has no value yet."""
        return self.element_at(array, self.place(array, index))

    def element_at(self, array: str, place: int) -> Value:
        """Return the element at a known place; fail if it has no value yet."""
        if array in self.tables:
            table = self.tables[array]
            return self.constant(table.values[place], table.type)
        found = self.arrays[array][place]
        if found is None:
            raise InvalidProgram(f"{array}[{place}] is read before it is written")
        return found
