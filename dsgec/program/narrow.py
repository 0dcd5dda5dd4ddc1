"""Give the integers of a program the narrowest types that have all their values.

A program is first written with int32 for everything that is computed. The checker runs it on
ranges, and the types follow from the ranges that it meets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar, assert_never

from dsgec.program import ir
from dsgec.program.check import Extent, Ranged, RangeWalker

_COMPUTED: ir.Type = "int32"
_TYPES: tuple[ir.Type, ...] = ("int8", "int16", "int24", "int32")


class Recorder(RangeWalker):
    """Remembers the ranges that each expression, each variable and each array has had."""

    def __init__(self, program: ir.Program) -> None:
        super().__init__(program)
        self.seen: dict[int, Extent] = {}  # by the identity of the expression
        self.assigned: dict[str, Extent] = {}  # by the name of the variable or the array

    def value(self, expression: ir.Expression) -> Ranged:
        found = super().value(expression)
        _record(self.seen, id(expression), found)
        return found

    def ends(self, name: str) -> list[tuple[int, int]]:
        """Return the range of what was assigned, if anything was."""
        return [self.assigned[name].ends] if name in self.assigned else []

    def fit(self, value: Ranged, type_: ir.Type, where: str) -> Ranged:
        found = super().fit(value, type_, where)
        _record(self.assigned, where, found)
        return found


Key = TypeVar("Key")


def _record(seen: dict[Key, Extent], key: Key, found: Ranged) -> None:
    """Add a range to those that were seen before."""
    if isinstance(found, Extent):
        before = seen.get(key, found)
        if before is found or found.least < before.least or found.most > before.most:
            seen[key] = Extent(min(before.least, found.least), max(before.most, found.most))


def narrow(
    program: ir.Program, procedure: ir.Procedure, arrays: Mapping[str, ir.Type]
) -> ir.Procedure:
    """Return a procedure in which what has the type int32 has the narrowest possible one.

    Of its arrays only those are changed whose least type is given.
    """
    recorder = Recorder(program)
    recorder.run(procedure, {p.name: [Extent(*r) for r in p.ranges] for p in procedure.arrays})
    return Narrower(procedure, recorder, arrays).procedure()


def _type(extent: Extent, least: ir.Type) -> ir.Type:
    """Return the first type, from a given one on, that has all values of a range."""
    for type_ in _TYPES[_TYPES.index(least) :]:
        low, high = ir.LIMITS[type_]
        if low <= extent.least and extent.most <= high:
            return type_
    raise AssertionError(extent)


class Narrower:
    """Writes a procedure again with other types."""

    def __init__(
        self, procedure: ir.Procedure, recorder: Recorder, arrays: Mapping[str, ir.Type]
    ) -> None:
        self.source, self.seen = procedure, recorder.seen
        self.variables = {
            name: _type(extent, "int8")
            for name, extent in recorder.assigned.items()
            if ir.Variable(name, _COMPUTED) in _declared(procedure)
        }
        self.arrays = {
            p.name: _array_type([*p.ranges, *recorder.ends(p.name)], arrays[p.name])
            for p in procedure.arrays
            if p.name in arrays
        }

    def procedure(self) -> ir.Procedure:
        return replace(
            self.source,
            parameters=tuple(
                replace(p, type=self.arrays.get(p.name, p.type)) for p in self.source.parameters
            ),
            body=self.block(self.source.body),
            result=self.source.result and self.write(self.source.result),
        )

    def block(self, body: tuple[ir.Instruction, ...]) -> tuple[ir.Instruction, ...]:
        """Return instructions without updates that change nothing and needless branches."""
        found: list[ir.Instruction] = []
        for each in map(self.instruction, body):
            match each:
                case ir.Update(variable, value) if variable == value:
                    pass
                case ir.Branch(_, yes, no) if yes == no:
                    found += yes
                case ir.Branch(
                    ir.Binary("<"), yes, (ir.Branch(ir.Binary("<", _, ir.Number()), same),)
                ) if (
                    yes == same  # of two limits of one counter, the second is larger
                ):
                    found += each.no
                case _:
                    found.append(each)
        return tuple(found)

    def instruction(self, instruction: ir.Instruction) -> ir.Instruction:
        match instruction:
            case ir.Declare(variable, value):
                return ir.Declare(self.variable(variable), self.write(value))
            case ir.Update(variable, value):
                return ir.Update(self.variable(variable), self.write(value))
            case ir.Store(array, index, value):
                return ir.Store(array, self.write(index), self.write(value))
            case ir.Loop(counter, count, body, least):
                return ir.Loop(counter, self.write(count), self.block(body), least)
            case ir.While(test, updates):
                values = (
                    ir.Update(self.variable(u.variable), self.write(u.value)) for u in updates
                )
                return ir.While(self.write(test), tuple(values))
            case ir.Branch(test, yes, no):
                return ir.Branch(self.write(test), self.block(yes), self.block(no))
            case ir.LocalArray() | ir.Perform():
                return instruction
            case _:
                assert_never(instruction)

    def variable(self, variable: ir.Variable) -> ir.Variable:
        return replace(variable, type=self.variables.get(variable.name, variable.type))

    def write(self, expression: ir.Expression) -> ir.Expression:
        """Return an expression whose parts have other types."""
        type_ = expression.type
        if type_ == _COMPUTED and id(expression) in self.seen:
            type_ = _type(self.seen[id(expression)], "int16")
        match expression:
            case ir.Number():
                return replace(expression, type=type_)
            case ir.Variable():
                return self.variable(expression)
            case ir.Negative():
                return expression  # a float
            case ir.Element(array, index):
                return ir.Element(array, self.write(index), self.arrays.get(array, expression.type))
            case ir.Binary(operator, left, right):
                if operator == "*" and type_ == "int24":
                    type_ = _COMPUTED  # chips multiply numbers of 16 bits to one of 32
                return ir.Binary(operator, self.write(left), self.write(right), type_)
            case ir.Select(_, yes, no) if id(expression) in self.seen and id(yes) not in self.seen:
                return self.write(no)  # the test never holds
            case ir.Select(_, yes, no) if id(expression) in self.seen and id(no) not in self.seen:
                return self.write(yes)  # the test always holds
            case ir.Select(test, yes, no):
                return ir.Select(self.write(test), self.write(yes), self.write(no), type_)
            case ir.Invoke(function, arguments, table):
                return ir.Invoke(function, tuple(map(self.write, arguments)), table, type_)
            case _:
                assert_never(expression)


def _declared(procedure: ir.Procedure) -> set[ir.Variable]:
    return {
        each.variable for each in ir.instructions(procedure.body) if isinstance(each, ir.Declare)
    }


def _array_type(ranges: Sequence[tuple[int, int]], least: ir.Type) -> ir.Type:
    found = _type(Extent(min(low for low, _ in ranges), max(high for _, high in ranges)), least)
    return _COMPUTED if found == "int24" else found
