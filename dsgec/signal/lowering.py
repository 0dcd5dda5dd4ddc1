"""Names and expressions for the steps of a plan, which all programs of a signal share."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files

from dsgec.arithmetic.procedures import procedures as arithmetic_procedures
from dsgec.arithmetic.read import Reader
from dsgec.arithmetic.subset import Annotations, Signature, Source, signatures
from dsgec.program.ir import (
    Binary,
    Declare,
    Expression,
    Instruction,
    Invoke,
    Loop,
    Number,
    Procedure,
    Program,
    Store,
    Variable,
    rewrite,
)
from dsgec.program.specialise import fold
from dsgec.signal.constants import CONSTANTS, WAVE, constant, limit_of, wave_table
from dsgec.signal.definition import STREAMS
from dsgec.signal.description import Call, Signal
from dsgec.signal.plan import (
    AT,
    DELAYED,
    Delay,
    Kept,
    Plan,
    Stream,
    channels_of,
    delay_of,
    kept_by,
    numbers_of,
    streams_of,
)

_TYPES = Annotations("int32", "int32", {"Table": "int8"})
_ZERO = Number(0)
_REMAINDER = 17  # bits for an exact remainder: samples of a window times lags are below 2^17


@cache
def defined() -> tuple[Mapping[str, Procedure], Mapping[str, Procedure]]:
    """Return the functions of `features.py`, and those that give values at the first sample."""
    source = Source.read(files("dsgec.signal").joinpath("features.py").read_text("utf-8"), _TYPES)
    known: dict[str, Signature] = {
        name: Signature(procedure.parameters, procedure.result.type)
        for name, procedure in arithmetic_procedures("whole").items()
        if procedure.result is not None
    }
    known |= signatures(source)
    own, first = {}, {}
    for name, node in source.functions.items():
        plain = name.rstrip("_")
        own[plain] = Reader(source, node, known).procedure(plain)
        for decorator in node.decorator_list:
            for part in getattr(decorator, "args", ()):
                if type(part).__name__ == "Lambda":
                    first[plain] = Reader(source, part, known).procedure(f"first_{plain}", "-")
    return own, first


class Lowering:
    """The names of values and the expressions of steps that all programs of a plan share."""

    def __init__(self, plan: Plan, signal: Signal) -> None:
        self.plan, self.signal = plan, signal
        self.limit = limit_of(signal.bits)
        self.names = {channel.name: f"c{i}" for i, channel in enumerate(signal.channels)}
        self.places = {step: i for i, step in enumerate(plan.steps)}
        self.called: dict[str, Procedure] = {}

    def value(self, step: Stream | Kept) -> Variable:
        """Return the variable of a stream, or that of something kept."""
        if isinstance(step, str):
            return Variable(self.names[step])
        return Variable(f"{'a' if isinstance(step, Kept) else 'f'}{self.places[step]}")

    def bound(
        self,
        procedure: Procedure,
        step: Call | Kept,
        kept: Callable[[Kept], Expression],
        at: Expression = _ZERO,
    ) -> Expression:
        """Return the result of a function of `features.py` for a step."""
        streams = step.streams if isinstance(step, Kept) else streams_of(step)
        numbers = dict(step.numbers if isinstance(step, Kept) else numbers_of(step))
        window = self.signal.window
        found: dict[str, Expression] = {}
        for parameter in procedure.parameters:
            name = parameter.name
            if name in STREAMS:
                place = STREAMS.index(name)
                found[name] = self.value(streams[place]) if place < len(streams) else _ZERO
            elif name == AT:
                found[name] = at
            elif name == DELAYED:
                found[name] = self.delayed(delay_of(step))
            elif name in numbers:
                found[name] = Number(numbers[name])
            elif name in CONSTANTS:
                found[name] = Number(constant(name, window, self.limit, numbers))
            elif name != WAVE:
                found[name] = kept(kept_by(step, name))
        assert procedure.result is not None
        if procedure.body:
            self.call(procedure)
            arguments = tuple(found[p.name] for p in procedure.parameters)
            return Invoke(procedure.name, arguments)
        self.call_inside(procedure)
        return fold(rewrite(procedure.result, lambda part: _given(part, found)))

    def call(self, procedure: Procedure) -> None:
        """Add a function, and those that it calls, to the program."""
        self.call_inside(procedure)
        self.called[procedure.name] = procedure

    def call_inside(self, procedure: Procedure) -> None:
        own, _ = defined()
        for name in procedure.calls:
            if name in own:
                self.call(own[name])

    def delayed(self, delay: Delay) -> Variable:
        """Return the variable of the sample at the end of a delay."""
        return Variable(f"old{self.places[delay]}")

    def fill(self, array: str, delay: Delay, first: int = 0) -> Iterator[Instruction]:
        """Yield instructions that write a sample of its channel to all places of a delay.

        Compilers call a function of a library for a loop that writes a constant.
        """
        turn = Variable(f"i{self.places[delay]}")
        channel = next(channels_of(Call("", (delay.stream,))))
        place = fold(Binary("+", turn, Number(first)))
        yield Loop(turn, Number(delay.lag), (Store(array, place, self.value(channel)),))

    def first(self, step: Kept) -> Expression:
        """Return what is kept at the first sample."""
        return self.bound(defined()[1][step.name], step, self.value)

    def next(self, step: Kept, old: Callable[[Kept], Expression], at: Expression) -> Expression:
        """Return what is kept at a further sample."""
        return self.bound(defined()[0][step.name], step, old, at)

    def filtered(self, step: Call, new: Callable[[Kept], Expression]) -> Expression:
        """Return what a filter gives."""
        return self.bound(defined()[0][step.function], step, new)

    def channels(self) -> Iterator[tuple[int, Variable]]:
        """Yield the numbers and the variables of the channels that are read."""
        read = {
            name for parts in self.plan.features for part in parts for name in channels_of(part)
        }
        for number, channel in enumerate(self.signal.channels):
            if channel.name in read:
                yield number, self.value(channel.name)

    def features(self, array: str, shifts: Mapping[Call, int]) -> Iterator[Instruction]:
        """Yield the instructions that write features into an array."""
        own, _ = defined()
        calls = dict.fromkeys(part for parts in self.plan.features for part in parts)
        for number, call in enumerate(calls):
            value = self.bound(own[call.function], call, self.value)
            yield Declare(Variable(f"y{number}"), _shifted(value, shifts.get(call, 0)))
        numbers = {call: number for number, call in enumerate(calls)}
        for place, parts in enumerate(self.plan.features):
            total: Expression = Variable(f"y{numbers[parts[0]]}")
            for part in parts[1:]:
                total = Binary("+", total, Variable(f"y{numbers[part]}"))
            shift = shifts.get(self.signal.features[place], 0) if len(parts) > 1 else 0
            yield Store(array, Number(place), _shifted(total, shift))

    def program(self, *procedures: Procedure) -> Program:
        """Return a program with the functions and the table that procedures need."""
        used = {name for procedure in procedures for name in procedure.names}
        tables = (wave_table(self.signal.window),) if WAVE in used else ()
        return Program(tables, (*self.called.values(), *procedures))


def turn(place: Variable, delay: Delay, at: Expression, first: int = 0) -> Iterator[Instruction]:
    """Yield the declaration of the place of the oldest of the last samples, where one is added.

    It is the remainder of a division by the lag, which is exact for the longest window.
    """
    lag = delay.lag
    if lag > 1:
        inverse = Number(-(-(1 << _REMAINDER) // lag))
        turns = Binary(">>", Binary("*", at, inverse), Number(_REMAINDER))
        rest: Expression = Binary("-", at, Binary("*", turns, Number(lag)))
    else:
        rest = _ZERO
    yield Declare(place, fold(Binary("+", rest, Number(first))))


def _given(part: Expression, found: Mapping[str, Expression]) -> Expression | None:
    return found.get(part.name) if isinstance(part, Variable) else None


def _shifted(value: Expression, shift: int) -> Expression:
    return Binary(">>", value, Number(shift)) if shift else value
