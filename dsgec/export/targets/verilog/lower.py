"""Lower fixed point to a circuit: its flat program is run on nodes of the circuit.

Functions are inlined, and a sum becomes a tree of additions, which work in parallel.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from dsgec.arithmetic.procedures import procedures
from dsgec.export.fixed import ir
from dsgec.export.fixed.lower import forest_program, integer_program
from dsgec.export.targets.verilog.circuit import Circuit
from dsgec.program.ir import Binary, Expression, Invoke, Number, Program, Type
from dsgec.program.walk import InvalidProgram, Walker

# Limits that integer.py states for arguments and results and that do not follow from the steps.
_ARGUMENTS = {"reciprocal": (1 << 14, (1 << 15) - 1)}
_RESULTS = {"reciprocal": ((1 << 14) - 1, (1 << 15) - 1)}

_Term = tuple[int, bool]
"""A node, and whether it is subtracted."""


@dataclass(frozen=True, slots=True)
class LoweredProgram:
    """A circuit with the nodes of its results, of the predicted class, and names of some nodes."""

    circuit: Circuit
    results: tuple[int, ...]
    class_: int | None  # None without classes
    names: Mapping[int, str]


def lower(
    source: ir.IntegerProgram, *, classes: int = 0, threshold: int | None = None
) -> LoweredProgram:
    """Return the circuit of fixed point; with a threshold, the second class must reach it."""
    if source.forest is not None:
        program = forest_program(source, packed=False, looks=False)
    else:
        program = integer_program(source, longest=sys.maxsize, longest_sum=sys.maxsize)
    walker = CircuitWalker(program)
    entry = program.procedures[-1]
    columns = [walker.circuit.column(at, source.bits) for at in range(entry.arrays[0].size)]
    walker.run(entry, {"x": columns})
    results = tuple(node for node in walker.arrays["y"] if node is not None)
    chosen = class_choice(walker.circuit, results, threshold) if classes else None
    names: dict[int, str] = {}
    for _, name in source.names:
        names.setdefault(walker.variables[name], name)
    return LoweredProgram(walker.circuit, results, chosen, names)


class CircuitWalker(Walker[int]):
    """Runs a program on nodes of a circuit."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.circuit = Circuit()

    def constant(self, value: int | float, type_: Type) -> int:
        return self.circuit.constant(int(value))

    def known(self, value: int, what: str) -> int:
        found = self.circuit.number(value)
        if found is None:
            raise InvalidProgram(f"{what} depends on the row")
        return found

    def negative(self, value: int) -> int:
        raise InvalidProgram("a circuit has no floats")

    def binary(self, operator: str, left: int, right: int) -> int:
        return self.circuit.apply(operator, left, right)

    def select(self, test: int, yes: int, no: int) -> int:
        return self.circuit.choose(test, yes, no)

    def invoke(self, call: Invoke, arguments: list[int]) -> int:
        name = call.function
        if name in _ARGUMENTS:
            arguments = [self.circuit.limited(node, *_ARGUMENTS[name]) for node in arguments]
        procedure = self.procedures.get(name) or procedures("whole")[name]
        result = self.result(procedure, arguments, call.table)
        return self.circuit.limited(result, *_RESULTS[name]) if name in _RESULTS else result

    def fit(self, value: int, type_: Type, where: str) -> int:
        return value  # proved before

    def element(self, array: str, index: int) -> int:
        if array in self.tables:
            return self.circuit.read([int(v) for v in self.tables[array].values], index)
        return super().element(array, index)

    def value(self, expression: Expression) -> int:
        """Return the node of an expression; a sum that begins with a number becomes a tree."""
        terms: list[tuple[Expression, bool]] = []
        first = expression
        while isinstance(first, Binary) and first.operator in ("+", "-"):
            terms.append((first.right, first.operator == "-"))
            first = first.left
        if not terms or not isinstance(first, Number):
            return super().value(expression)
        found = [(self.value(term), is_negative) for term, is_negative in reversed(terms)]
        return self.sum(found, int(first.value))

    def sum(self, terms: list[_Term], bias: int) -> int:
        """Add a tree of additions."""
        waiting = [*terms, *([(self.circuit.constant(bias), False)] if bias else [])]
        while len(waiting) > 1:
            pairs = zip(waiting[::2], waiting[1::2], strict=False)
            last = waiting[-1:] if len(waiting) % 2 else []
            waiting = [self.pair(a, b) for a, b in pairs] + last
        ((node, is_negative),) = waiting
        return self.circuit.apply("-", self.circuit.constant(0), node) if is_negative else node

    def pair(self, a: _Term, b: _Term) -> _Term:
        (left, minus_left), (right, minus_right) = a, b
        if minus_left == minus_right:
            return self.circuit.apply("+", left, right), minus_left
        if minus_left:
            left, right = right, left
        return self.circuit.apply("-", left, right), False


def class_choice(circuit: Circuit, results: tuple[int, ...], threshold: int | None) -> int:
    """Add the choice of the class, a tree of comparisons; the first of equal results wins."""
    if threshold is not None:
        reached = circuit.compare(">=", results[1], circuit.constant(threshold))
        return circuit.choose(reached, circuit.constant(1), circuit.constant(0))
    waiting = [(result, circuit.constant(number)) for number, result in enumerate(results)]
    while len(waiting) > 1:
        last = waiting[-1:] if len(waiting) % 2 else []
        pairs = zip(waiting[::2], waiting[1::2], strict=False)
        waiting = [_choose_better(circuit, a, b) for a, b in pairs] + last
    return waiting[0][1]


def _choose_better(
    circuit: Circuit, first: tuple[int, int], second: tuple[int, int]
) -> tuple[int, int]:
    """Return the result and the class of the better of two candidates."""
    test = circuit.compare(">", second[0], first[0])
    result = circuit.choose(test, second[0], first[0])
    return result, circuit.choose(test, second[1], first[1])
