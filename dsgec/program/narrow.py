"""Give the integers of a program the narrowest types that have all their values.

A program is first written with int32 for everything that is computed. The checker runs it on
ranges, and the types follow from the ranges that it meets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar, assert_never

from dsgec.program.check import Extent, Ranged, RangeWalker
from dsgec.program.ir import (
    LIMITS,
    Binary,
    Branch,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    LocalArray,
    Loop,
    Negative,
    Number,
    Perform,
    Procedure,
    Program,
    Select,
    Store,
    Type,
    Update,
    Variable,
    While,
    instructions,
)

_COMPUTED: Type = "int32"
_TYPES: tuple[Type, ...] = ("int8", "int16", "int24", "int32")


class Recorder(RangeWalker):
    """Remembers the ranges that each expression, each variable and each array has had."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.seen: dict[int, Extent] = {}  # by the identity of the expression
        self.assigned: dict[str, Extent] = {}  # by the name of the variable or the array

    def value(self, expression: Expression) -> Ranged:
        found = super().value(expression)
        _record(self.seen, id(expression), found)
        return found

    def ends(self, name: str) -> list[tuple[int, int]]:
        """Return the range of what was assigned, if anything was."""
        return [self.assigned[name].ends] if name in self.assigned else []

    def fit(self, value: Ranged, type_: Type, where: str) -> Ranged:
        found = super().fit(value, type_, where)
        _record(self.assigned, where, found)
        return found


Key = TypeVar("Key")


def _record(seen: dict[Key, Extent], key: Key, found: Ranged) -> None:
    """Add a range to those that were seen before."""
    if isinstance(found, Extent):
        before = seen.get(key, found)
        seen[key] = Extent(min(before.least, found.least), max(before.most, found.most))


def narrow(program: Program, procedure: Procedure, arrays: Mapping[str, Type]) -> Procedure:
    """Return a procedure in which what has the type int32 has the narrowest possible one.

    Of its arrays only those are changed whose least type is given.
    """
    recorder = Recorder(program)
    recorder.run(procedure, {p.name: [Extent(*r) for r in p.ranges] for p in procedure.arrays})
    return _Narrower(procedure, recorder, arrays).procedure()


def _type(extent: Extent, least: Type) -> Type:
    """Return the first type, from a given one on, that has all values of a range."""
    for type_ in _TYPES[_TYPES.index(least) :]:
        low, high = LIMITS[type_]
        if low <= extent.least and extent.most <= high:
            return type_
    raise AssertionError(extent)


class _Narrower:
    """Writes a procedure again with other types."""

    def __init__(
        self, procedure: Procedure, recorder: Recorder, arrays: Mapping[str, Type]
    ) -> None:
        self.source, self.seen = procedure, recorder.seen
        self.variables = {
            name: _type(extent, "int8")
            for name, extent in recorder.assigned.items()
            if Variable(name, _COMPUTED) in _declared(procedure)
        }
        self.arrays = {
            p.name: _array_type([*p.ranges, *recorder.ends(p.name)], arrays[p.name])
            for p in procedure.arrays
            if p.name in arrays
        }

    def procedure(self) -> Procedure:
        return replace(
            self.source,
            parameters=tuple(
                replace(p, type=self.arrays.get(p.name, p.type)) for p in self.source.parameters
            ),
            body=self.block(self.source.body),
            result=self.source.result and self.write(self.source.result),
        )

    def block(self, body: tuple[Instruction, ...]) -> tuple[Instruction, ...]:
        """Return instructions without updates that change nothing and needless branches."""
        found: list[Instruction] = []
        for each in map(self.instruction, body):
            match each:
                case Update(variable, value) if variable == value:
                    pass
                case Branch(_, yes, no) if yes == no:
                    found += yes
                case Branch(Binary("<"), yes, (Branch(Binary("<", _, Number()), same),)) if (
                    yes == same  # of two limits of one counter, the second is larger
                ):
                    found += each.no
                case _:
                    found.append(each)
        return tuple(found)

    def instruction(self, instruction: Instruction) -> Instruction:
        match instruction:
            case Declare(variable, value):
                return Declare(self.variable(variable), self.write(value))
            case Update(variable, value):
                return Update(self.variable(variable), self.write(value))
            case Store(array, index, value):
                return Store(array, self.write(index), self.write(value))
            case Loop(counter, count, body, least):
                return Loop(counter, self.write(count), self.block(body), least)
            case While(test, updates):
                values = (Update(self.variable(u.variable), self.write(u.value)) for u in updates)
                return While(self.write(test), tuple(values))
            case Branch(test, yes, no):
                return Branch(self.write(test), self.block(yes), self.block(no))
            case LocalArray() | Perform():
                return instruction
            case _:
                assert_never(instruction)

    def variable(self, variable: Variable) -> Variable:
        return replace(variable, type=self.variables.get(variable.name, variable.type))

    def write(self, expression: Expression) -> Expression:
        """Return an expression whose parts have other types."""
        type_ = expression.type
        if type_ == _COMPUTED and id(expression) in self.seen:
            type_ = _type(self.seen[id(expression)], "int16")
        match expression:
            case Number():
                return replace(expression, type=type_)
            case Variable():
                return self.variable(expression)
            case Negative():
                return expression  # a float
            case Element(array, index):
                return Element(array, self.write(index), self.arrays.get(array, expression.type))
            case Binary(operator, left, right):
                if operator == "*" and type_ == "int24":
                    type_ = _COMPUTED  # chips multiply numbers of 16 bits to one of 32
                return Binary(operator, self.write(left), self.write(right), type_)
            case Select(_, yes, no) if id(expression) in self.seen and id(yes) not in self.seen:
                return self.write(no)  # the test never holds
            case Select(test, yes, no):
                return Select(self.write(test), self.write(yes), self.write(no), type_)
            case Invoke(function, arguments, table):
                return Invoke(function, tuple(map(self.write, arguments)), table, type_)
            case _:
                assert_never(expression)


def _declared(procedure: Procedure) -> set[Variable]:
    return {each.variable for each in instructions(procedure.body) if isinstance(each, Declare)}


def _array_type(ranges: Sequence[tuple[int, int]], least: Type) -> Type:
    found = _type(Extent(min(low for low, _ in ranges), max(high for _, high in ranges)), least)
    return _COMPUTED if found == "int24" else found
