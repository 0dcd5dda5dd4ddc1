"""Find the neurons of an integer program: weighted sums, and what only their values go through."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dsgec.export.fixed.ir import (
    IntegerCall,
    IntegerProgram,
    Look,
    Operand,
    Slot,
    Step,
    Sum,
    WholeNumber,
    is_separate,
    largest,
    operands,
    steps_read,
)

_BEFORE = {"fill", "clamp", "equals", "absolute", "minimum", "maximum", "rounded"}
"""Functions of columns that may be computed before the neurons."""

_DEEPEST = 8  # steps that are written as one expression
_MOST_SUM, _MOST_SHIFT = (1 << 31) - 1, 30


@dataclass(frozen=True, slots=True)
class Neuron:
    """A sum and what its value goes through; `value` is the slot of the result.

    Steps of the tail read the step before them and constants.
    """

    sum: Sum
    tail: tuple[Step, ...]
    value: int


class NeuronParts:
    """The parts of a program: steps before the neurons, neurons, and steps after them."""

    def __init__(self, program: IntegerProgram) -> None:
        self.program = program
        self.depth: dict[int, int] = {}  # of the expressions of steps before
        self.neurons: dict[int, Neuron] = {}  # by the slots of their values
        self.inside: set[int] = set()  # steps of neurons
        self.readers: dict[int, list[int]] = {}
        for number, step in enumerate(program.steps):
            for operand in operands(step):
                if isinstance(operand, Slot):
                    self.readers.setdefault(operand.number, []).append(number)
        self.kept = {o.number for o in (*program.results, *program.sums) if isinstance(o, Slot)}
        self.decides = is_separate(program) and self.split(steps_read(program, program.sums))
        if not self.decides:
            self.split(range(len(program.steps)))

    def split(self, numbers: Sequence[int] | set[int]) -> bool:
        """Find the parts among some steps; return whether all sums that decide are computed."""
        self.depth, self.neurons, self.inside = {}, {}, set()
        for number in sorted(numbers):
            step = self.program.steps[number]
            if number in self.inside:
                continue
            if self.is_before(step):
                self.depth[number] = 1 + max((self.depth_of(o) for o in operands(step)), default=0)
            elif all(self.is_source(o) for o in operands(step)):
                match step:
                    case Sum():
                        self.add_neuron(number, step)
                    case IntegerCall("rounded", (Slot() as operand, WholeNumber(bits))):
                        self.add_neuron(number, Sum(((operand, 1),), (1 << bits) >> 1, bits))
        return all(self.is_source(operand) for operand in self.program.sums)

    def depth_of(self, operand: Operand) -> int:
        return self.depth[operand.number] if isinstance(operand, Slot) else 0

    def is_source(self, operand: Operand) -> bool:
        return not isinstance(operand, Slot) or (
            operand.number in self.depth or operand.number in self.neurons
        )

    def is_before(self, step: Step) -> bool:
        """Return whether a step is computed from columns before the neurons, as it is short."""
        inner = operands(step)
        if not all(o.number in self.depth for o in inner if isinstance(o, Slot)):
            return False
        if max(map(self.depth_of, inner), default=0) >= _DEEPEST:
            return False
        match step:
            case IntegerCall(function):
                return function in _BEFORE
            case Sum(((Slot(), _),), _, 0):
                return True
            case _:
                return False

    def add_neuron(self, number: int, step: Sum) -> None:
        tail: list[Step] = []
        self.inside.add(number)
        number, step = self.fold_rounding(number, step)
        while (following := self.following(number)) is not None:
            tail.append(self.program.steps[following])
            self.inside.add(following)
            number = following
        plain = tuple(_with_operand(each, Slot(0)) for each in tail)
        self.neurons[number] = Neuron(step, plain, number)

    def fold_rounding(self, number: int, step: Sum) -> tuple[int, Sum]:
        """Return a sum that includes the rounding after it, and its number.

        Dividing by 2^a and then by 2^b, rounded down each time, is dividing by 2^(a + b).
        """
        reader = self.only_reader(number)
        match None if reader is None else self.program.steps[reader]:
            case IntegerCall("rounded", (Slot(), WholeNumber(bits))):
                bias = step.bias + (((1 << bits) >> 1) << step.shift)
                most = largest(self.program.bits) + 1
                total = abs(bias) + most * sum(abs(weight) for _, weight in step.terms)
                if reader is not None and total <= _MOST_SUM and step.shift + bits <= _MOST_SHIFT:
                    self.inside.add(reader)
                    return reader, Sum(step.terms, bias, step.shift + bits)
        return number, step

    def only_reader(self, number: int) -> int | None:
        """Return the only step that reads a step whose value is not needed otherwise, or None."""
        readers = self.readers.get(number, [])
        return readers[0] if len(readers) == 1 and number not in self.kept else None

    def following(self, number: int) -> int | None:
        """Return the step of the tail that alone reads a step, or None."""
        reader = self.only_reader(number)
        if reader is None:
            return None
        step = self.program.steps[reader]
        match step:
            case Look():
                return reader
            case IntegerCall(function, (Slot(), *others)) if function in _BEFORE and all(
                isinstance(other, WholeNumber) for other in others
            ):
                return reader
            case Sum(((Slot(), _),), _, 0) if self.is_clamped_for_table(number, reader):
                return reader
            case _:
                return None

    def is_clamped_for_table(self, number: int, reader: int) -> bool:
        """Return whether a step clamps a value that a table look-up alone reads from `reader`."""
        before, after = self.program.steps[number], self.readers.get(reader, [])
        return (
            isinstance(before, IntegerCall)
            and before.function == "clamp"
            and len(after) == 1
            and isinstance(self.program.steps[after[0]], Look)
        )


def _with_operand(step: Step, slot: Slot) -> Step:
    """Return a step of a tail that reads another slot."""
    match step:
        case Look(table, _):
            return Look(table, slot)
        case IntegerCall(function, (_, *others)):
            return IntegerCall(function, (slot, *others))
        case Sum(((_, weight),), bias, shift):
            return Sum(((slot, weight),), bias, shift)
        case _:
            raise AssertionError(step)


def shifted_alike(part: Sequence[Neuron]) -> list[Neuron]:
    """Return neurons that are shifted alike, or the given ones if this needs larger weights."""
    weights = [weight for neuron in part for _, weight in neuron.sum.terms]
    most = max((neuron.sum.shift for neuron in part), default=0)
    made = [_shifted_by(neuron, most - neuron.sum.shift) for neuron in part]
    moved = [weight for neuron in made for _, weight in neuron.sum.terms]
    if moved and (min(moved) < min(weights) or max(moved) > max(weights)):
        return [*part]
    return made


def _shifted_by(neuron: Neuron, digits: int) -> Neuron:
    """Return a neuron whose sum has so many more digits, and is shifted by as many more."""
    terms = tuple((operand, weight << digits) for operand, weight in neuron.sum.terms)
    return replace(neuron, sum=Sum(terms, neuron.sum.bias << digits, neuron.sum.shift + digits))
