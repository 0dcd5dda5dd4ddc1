"""Lower a signal to the program of a stream, which takes one sample after the other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from dsgec.arithmetic.procedures import with_library
from dsgec.program import ir
from dsgec.program.check import Extent
from dsgec.program.narrow import Recorder
from dsgec.signal.description import Call, Signal
from dsgec.signal.lowering import Lowering, turn
from dsgec.signal.plan import Delay, Kept, make_plan
from dsgec.signal.prove import shifts_of
from dsgec.signal.stream import FEATURES, FIRST, FOLLOWING
from dsgec.signal.window import window_program

_ARRAYS: Mapping[ir.Type, str] = {"int32": "of_32", "int16": "of_16", "int8": "of_8"}
_ZERO = ir.Number(0)
_AT = ir.Variable("at")


@dataclass(frozen=True, slots=True)
class Place:
    """The first element of an array at which something is kept, and the limits of its values."""

    array: str
    type: ir.Type
    index: int
    limits: tuple[int, int]

    @property
    def element(self) -> ir.Element:
        return ir.Element(self.array, ir.Number(self.index), self.type)


def stream_program(signal: Signal) -> ir.Program:
    """Return the program that `stream.py` describes, for the features of a signal."""
    shifts = shifts_of(signal)
    lowering = Lowering(make_plan(signal.features), signal)
    state = _State(lowering, places_of(signal))
    arrays = state.arrays()
    written = tuple(replace(array, is_written=True) for array in arrays)
    empty = tuple(replace(array, ranges=()) for array in written)
    ends = (-lowering.limit, lowering.limit)
    count = len(signal.channels)
    sample = ir.ArrayParameter("sample", "int16", count, (ends,) * count)
    x = ir.ArrayParameter("x", "int32", len(signal.features), is_written=True)

    def procedure(
        name: str, about: str, taken: Sequence[ir.Parameter], body: Iterator[ir.Instruction]
    ) -> ir.Procedure:
        return ir.Procedure(name, about, tuple(taken), tuple(body))

    procedures = (
        procedure(FIRST, "Take the first sample of a window.", (sample, *empty), state.first()),
        procedure(
            FOLLOWING,
            "Take a further sample of a window.",
            (_AT, sample, *written),
            state.following(),
        ),
        procedure(
            FEATURES, "Compute the features of a window.", (*arrays, x), state.features(shifts)
        ),
    )
    return with_library(lowering.program(*procedures), "whole")


@cache
def places_of(signal: Signal) -> Mapping[Kept | Delay, Place]:
    """Return the places of all that a state has: narrow integers in arrays of their own.

    Their limits are found by running a whole window on ranges.
    """
    lowering = Lowering(make_plan(signal.features), signal)
    program = window_program(signal, shifts_of(signal))
    recorder = Recorder(program)
    given = {p.name: [Extent(*ends) for ends in p.ranges] for p in program.entry.arrays}
    recorder.run(program.entry, given)
    plan = lowering.plan
    limits = {kept: recorder.assigned[lowering.value(kept).name].ends for kept in plan.kept}
    found: dict[Kept | Delay, Place] = {}
    used = dict.fromkeys(_ARRAYS, 0)
    for kept, (least, most) in limits.items():
        type_ = ir.narrowest(least, most, signed=True)
        found[kept] = Place(_ARRAYS[type_], type_, used[type_], (least, most))
        used[type_] += 1
    for delay in plan.delays:
        ends = -(1 << 15), (1 << 15) - 1
        found[delay] = Place(_ARRAYS["int16"], "int16", used["int16"], ends)
        used["int16"] += delay.lag
    return found


class _State:
    """Writes the instructions of the three procedures."""

    def __init__(self, lowering: Lowering, places: Mapping[Kept | Delay, Place]) -> None:
        self.lowering, self.plan, self.places = lowering, lowering.plan, places

    def arrays(self) -> tuple[ir.ArrayParameter, ...]:
        """Return the arrays of the state, with the limits of their elements."""
        limits: dict[str, list[tuple[int, int]]] = {}
        sample = (-self.lowering.limit, self.lowering.limit)
        types = {place.array: place.type for place in self.places.values()}
        for step, place in self.places.items():
            own = [sample] * step.lag if isinstance(step, Delay) else [place.limits]
            limits.setdefault(place.array, []).extend(own)
        return tuple(
            ir.ArrayParameter(name, types[name], len(limits[name]), tuple(limits[name]))
            for name in _ARRAYS.values()
            if name in limits
        )

    def samples(self) -> Iterator[ir.Instruction]:
        """Yield declarations of the channels that are read."""
        for number, variable in self.lowering.channels():
            yield ir.Declare(variable, ir.Element("sample", ir.Number(number), "int16"))

    def first(self) -> Iterator[ir.Instruction]:
        """Yield the instructions for the first sample of a window."""
        yield from self.samples()
        for step in self.plan.steps:
            match step:
                case Kept():
                    value = self.lowering.first(step)
                    if self.is_read_now(step):
                        yield ir.Declare(self.lowering.value(step), value)
                        value = self.lowering.value(step)
                    if step in self.places:
                        yield self.store(step, value)
                case Call():
                    value = self.lowering.filtered(step, self.newest)
                    yield ir.Declare(self.lowering.value(step), value)
                case Delay():
                    place = self.places[step]
                    yield from self.lowering.fill(place.array, step, place.index)
                    newest = self.lowering.value(step.stream)
                    yield ir.Store(place.array, ir.Number(place.index), newest)

    def following(self) -> Iterator[ir.Instruction]:
        """Yield the instructions for each further sample.

        What others read the old value of is written after the last of them.
        """
        body = [*self.samples()]
        for step in self.plan.steps:
            match step:
                case Kept():
                    body += self.advance(step)
                case Call():
                    value = self.lowering.filtered(step, self.newest)
                    body.append(ir.Declare(self.lowering.value(step), value))
                case Delay(stream):
                    body += self.delay(step, self.lowering.value(stream))
        for step in filter(self.is_late, self.plan.kept):
            element, own = self.places[step].element, self.lowering.value(step)
            uses = (
                place
                for place, one in enumerate(body)
                if element in ir.parts(*ir.expressions(one))
                or (isinstance(one, ir.Declare) and one.variable == own)
            )
            body.insert(max(uses) + 1, self.store(step, own))
        yield from body

    def features(self, shifts: Mapping[Call, int]) -> Iterator[ir.Instruction]:
        """Yield the instructions that compute the features."""

        def load(step: Kept) -> Iterator[ir.Instruction]:
            yield ir.Declare(self.lowering.value(step), self.places[step].element)

        yield from self.lowering.features("x", shifts, load)

    # One step.

    def delay(self, step: Delay, newest: ir.Expression) -> Iterator[ir.Instruction]:
        """Yield the instructions that read the oldest of some samples and replace it."""
        place, index = self.places[step], ir.Variable(f"p{self.lowering.places[step]}")
        yield from turn(index, step, _AT, place.index)
        yield ir.Declare(self.lowering.delayed(step), ir.Element(place.array, index, place.type))
        yield ir.Store(place.array, index, newest)

    def advance(self, step: Kept) -> Iterator[ir.Instruction]:
        """Yield the instructions that give something kept its next value."""
        own = ir.Variable(f"o{self.lowering.places[step]}")

        def old(other: Kept) -> ir.Expression:
            return own if other == step else self.places[other].element

        value = self.lowering.next(step, old, _AT)
        if sum(part == own for part in ir.parts(value)) > 1:
            yield ir.Declare(own, self.places[step].element)
        else:
            value = ir.rewrite(
                value, lambda part: self.places[step].element if part == own else None
            )
        if self.is_read_now(step) or self.is_late(step):
            yield ir.Declare(self.lowering.value(step), value)
            value = self.lowering.value(step)
        if step in self.places and not self.is_late(step):
            yield self.store(step, value)

    def store(self, step: Kept, value: ir.Expression) -> ir.Store:
        return ir.Store(self.places[step].array, ir.Number(self.places[step].index), value)

    def newest(self, step: Kept) -> ir.Expression:
        return self.lowering.value(step)

    def is_read_now(self, step: Kept) -> bool:
        """Return whether a filter reads the new value, or there is no other place for it."""
        return step in self.plan.new or step not in self.places

    def is_late(self, step: Kept) -> bool:
        """Return whether its old value is read by others, so that it is written at the end."""
        return step in self.plan.shared
