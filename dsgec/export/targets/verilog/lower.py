"""Lower an integer program to a circuit, inlining the functions of the arithmetic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from dsgec.arithmetic.ir import Call, Choose, Expression, Literal, Name, Operation
from dsgec.arithmetic.parse import definitions
from dsgec.export.fixed import ir
from dsgec.export.targets.verilog.circuit import Circuit

# Limits that integer.py states for arguments and results and that do not follow from the steps.
_ARGUMENTS = {"reciprocal": (1 << 14, (1 << 15) - 1)}
_RESULTS = {"reciprocal": ((1 << 14) - 1, (1 << 15) - 1)}


@dataclass(frozen=True, slots=True)
class LoweredProgram:
    """A circuit with the nodes of its results, of the predicted class, and names of some nodes."""

    circuit: Circuit
    results: tuple[int, ...]
    class_: int | None  # None without classes
    names: Mapping[int, str]


def lower(
    program: ir.IntegerProgram, *, classes: int = 0, threshold: int | None = None
) -> LoweredProgram:
    """Return the circuit of a program; with a threshold, the second class must reach it."""
    builder = _Builder(program)
    for step in program.steps:
        builder.slots.append(builder.step(step))
    results = [builder.operand(result) for result in program.results]
    chosen = builder.choice(results, threshold) if classes else None
    names: dict[int, str] = {}
    for slot, name in program.names:
        names.setdefault(builder.slots[slot], name)
    return LoweredProgram(builder.circuit, tuple(results), chosen, names)


class _Builder:
    def __init__(self, program: ir.IntegerProgram) -> None:
        self.program = program
        self.circuit = Circuit()
        self.slots: list[int] = []

    def operand(self, operand: ir.Operand) -> int:
        match operand:
            case ir.ColumnValue(number):
                return self.circuit.column(number, self.program.bits)
            case ir.Slot(number):
                return self.slots[number]
            case ir.WholeNumber(value):
                return self.circuit.constant(value)
            case _:
                assert_never(operand)

    def step(self, step: ir.Step) -> int:
        match step:
            case ir.Sum(terms, bias, shift):
                return self.circuit.apply(">>", self.sum(terms, bias), self.circuit.constant(shift))
            case ir.IntegerCall(function, arguments):
                return self.call(function, [self.operand(a) for a in arguments])
            case ir.Look(number, argument):
                table = self.program.tables[number]
                limits = [self.circuit.constant(limit) for limit in table.limits]
                return self.call(table.look, [table.entries, self.operand(argument), *limits])
            case _:
                assert_never(step)

    def sum(self, terms: Sequence[tuple[ir.Operand, int]], bias: int) -> int:
        """Add a tree of additions, which can work in parallel.

        A term is a node and whether it is subtracted.
        """
        waiting = [(self.product(operand, abs(weight)), weight < 0) for operand, weight in terms]
        waiting += [(self.circuit.constant(bias), False)] if bias or not waiting else []
        while len(waiting) > 1:
            pairs = zip(waiting[::2], waiting[1::2], strict=False)
            last = waiting[-1:] if len(waiting) % 2 else []
            waiting = [self.pair(a, b) for a, b in pairs] + last
        ((node, is_negative),) = waiting
        return self.circuit.apply("-", self.circuit.constant(0), node) if is_negative else node

    def product(self, operand: ir.Operand, weight: int) -> int:
        return self.circuit.apply("*", self.operand(operand), self.circuit.constant(weight))

    def pair(self, a: tuple[int, bool], b: tuple[int, bool]) -> tuple[int, bool]:
        (left, minus_left), (right, minus_right) = a, b
        if minus_left == minus_right:
            return self.circuit.apply("+", left, right), minus_left
        if minus_left:
            left, right = right, left
        return self.circuit.apply("-", left, right), False

    def call(self, function: str, arguments: Sequence[int | tuple[int, ...]]) -> int:
        """Inline a function of the arithmetic; a table is given as its entries."""
        definition = definitions("whole")[function]
        if function in _ARGUMENTS:
            (argument,) = arguments
            assert isinstance(argument, int)
            arguments = [self.circuit.limited(argument, *_ARGUMENTS[function])]
        scope = dict(zip((p.name for p in definition.parameters), arguments, strict=True))
        for step in definition.steps:
            scope[step.name] = self.value(step.value, scope)
        assert definition.result
        result = self.value(definition.result, scope)
        return self.circuit.limited(result, *_RESULTS[function]) if function in _RESULTS else result

    def value(self, expression: Expression, scope: Mapping[str, int | tuple[int, ...]]) -> int:
        match expression:
            case Name(name):
                found = scope[name]
                assert isinstance(found, int)
                return found
            case Literal(text):
                return self.circuit.constant(int(text))
            case Operation(operator, (left, right)):
                return self.circuit.apply(
                    operator, self.value(left, scope), self.value(right, scope)
                )
            case Choose(test, yes, no):
                parts = [self.value(part, scope) for part in (test, yes, no)]
                return self.circuit.choose(*parts)
            case Call("at", (Name(name), index)):
                entries = scope[name]
                assert isinstance(entries, tuple)
                return self.circuit.read(entries, self.value(index, scope))
            case Call(function, arguments):
                return self.call(function, [self.argument(a, scope) for a in arguments])
            case Operation():
                raise ValueError(f"expected two operands: {expression}")
            case _:
                assert_never(expression)

    def argument(
        self, expression: Expression, scope: Mapping[str, int | tuple[int, ...]]
    ) -> int | tuple[int, ...]:
        """Return the value of an argument, which may be a table."""
        if isinstance(expression, Name):
            return scope[expression.name]
        return self.value(expression, scope)

    def choice(self, results: list[int], threshold: int | None) -> int:
        """Add the choice of the class; the first of equal results wins."""
        circuit = self.circuit
        if threshold is not None:
            reached = circuit.compare(">=", results[1], circuit.constant(threshold))
            return circuit.choose(reached, circuit.constant(1), circuit.constant(0))
        waiting = [(result, circuit.constant(number)) for number, result in enumerate(results)]
        while len(waiting) > 1:
            last = waiting[-1:] if len(waiting) % 2 else []
            pairs = zip(waiting[::2], waiting[1::2], strict=False)
            waiting = [self.better(a, b) for a, b in pairs] + last
        return waiting[0][1]

    def better(self, first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
        test = self.circuit.compare(">", second[0], first[0])
        result = self.circuit.choose(test, second[0], first[0])
        return result, self.circuit.choose(test, second[1], first[1])
