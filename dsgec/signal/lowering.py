"""Names and expressions for the steps of a plan, which all programs of a signal share."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files

from dsgec.arithmetic.procedures import procedures as arithmetic_procedures
from dsgec.arithmetic.read import Reader
from dsgec.arithmetic.subset import Annotations, Signature, Source, signatures
from dsgec.program import ir
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
_ZERO = ir.Number(0)
_REMAINDER = 17  # bits for an exact remainder: samples of a window times lags are below 2^17


@cache
def defined() -> tuple[Mapping[str, ir.Procedure], Mapping[str, ir.Procedure]]:
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
        self.called: dict[str, ir.Procedure] = {}

    def value(self, step: Stream | Kept) -> ir.Variable:
        """Return the variable of a stream, or that of something kept."""
        if isinstance(step, str):
            return ir.Variable(self.names[step])
        return ir.Variable(f"{'a' if isinstance(step, Kept) else 'f'}{self.places[step]}")

    def bound(
        self,
        procedure: ir.Procedure,
        step: Call | Kept,
        kept: Callable[[Kept], ir.Expression],
        at: ir.Expression = _ZERO,
    ) -> ir.Expression:
        """Return the result of a function of `features.py` for a step."""
        streams = step.streams if isinstance(step, Kept) else streams_of(step)
        numbers = dict(step.numbers if isinstance(step, Kept) else numbers_of(step))
        window = self.signal.window
        found: dict[str, ir.Expression] = {}
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
                found[name] = ir.Number(numbers[name])
            elif name in CONSTANTS:
                found[name] = ir.Number(constant(name, window, self.limit, numbers))
            elif name != WAVE:
                found[name] = kept(kept_by(step, name))
        assert procedure.result is not None
        if procedure.body:
            self.call(procedure)
            arguments = tuple(found[p.name] for p in procedure.parameters)
            return ir.Invoke(procedure.name, arguments)
        self.call_inside(procedure)
        return fold(ir.rewrite(procedure.result, lambda part: _given(part, found)))

    def call(self, procedure: ir.Procedure) -> None:
        """Add a function, and those that it calls, to the program."""
        self.call_inside(procedure)
        self.called[procedure.name] = procedure

    def call_inside(self, procedure: ir.Procedure) -> None:
        """Add the functions that a procedure calls to those of the program."""
        own, _ = defined()
        for name in procedure.calls:
            if name in own:
                self.call(own[name])

    def delayed(self, delay: Delay) -> ir.Variable:
        """Return the variable of the sample at the end of a delay."""
        return ir.Variable(f"old{self.places[delay]}")

    def fill(self, array: str, delay: Delay, first: int = 0) -> Iterator[ir.Instruction]:
        """Yield instructions that write a sample of its channel to all places of a delay.

        Compilers call a function of a library for a loop that writes a constant.
        """
        turn = ir.Variable(f"i{self.places[delay]}")
        channel = next(channels_of(Call("", (delay.stream,))))
        place = fold(ir.Binary("+", turn, ir.Number(first)))
        yield ir.Loop(turn, ir.Number(delay.lag), (ir.Store(array, place, self.value(channel)),))

    def first(self, step: Kept) -> ir.Expression:
        """Return what is kept at the first sample."""
        return self.bound(defined()[1][step.name], step, self.value)

    def next(
        self, step: Kept, old: Callable[[Kept], ir.Expression], at: ir.Expression
    ) -> ir.Expression:
        """Return what is kept at a further sample."""
        return self.bound(defined()[0][step.name], step, old, at)

    def filtered(self, step: Call, new: Callable[[Kept], ir.Expression]) -> ir.Expression:
        """Return what a filter gives."""
        return self.bound(defined()[0][step.function], step, new)

    def channels(self) -> Iterator[tuple[int, ir.Variable]]:
        """Yield the numbers and the variables of the channels that are read."""
        read = {
            name for parts in self.plan.features for part in parts for name in channels_of(part)
        }
        for number, channel in enumerate(self.signal.channels):
            if channel.name in read:
                yield number, self.value(channel.name)

    def features(
        self,
        array: str,
        shifts: Mapping[Call, int],
        load: Callable[[Kept], Iterator[ir.Instruction]] | None = None,
    ) -> Iterator[ir.Instruction]:
        """Yield the instructions that write features into an array.

        What is kept is in variables, or each is loaded before the first feature that needs it, and
        each feature is written at once: small chips have few registers.
        """
        own, _ = defined()
        known: dict[Call, ir.Variable] = {}
        loaded: set[Kept] = set()
        for place, parts in enumerate(self.plan.features):
            for call in parts:
                if call in known:
                    continue
                needed: dict[Kept, None] = {}

                def kept(step: Kept, needed: dict[Kept, None] = needed) -> ir.Expression:
                    needed[step] = None
                    return self.value(step)

                value = self.bound(own[call.function], call, kept)
                for step in needed if load else ():
                    yield from load(step) if load and step not in loaded else ()
                loaded |= needed.keys()
                known[call] = ir.Variable(f"y{len(known)}")
                yield ir.Declare(known[call], _shifted(value, shifts.get(call, 0)))
            total: ir.Expression = known[parts[0]]
            for part in parts[1:]:
                total = ir.Binary("+", total, known[part])
            shift = shifts.get(self.signal.features[place], 0) if len(parts) > 1 else 0
            yield ir.Store(array, ir.Number(place), _shifted(total, shift))

    def program(self, *procedures: ir.Procedure) -> ir.Program:
        """Return a program with the functions and the table that procedures need."""
        used = {name for procedure in procedures for name in procedure.names}
        tables = (wave_table(self.signal.window),) if WAVE in used else ()
        return ir.Program(tables, (*self.called.values(), *procedures))


def turn(
    place: ir.Variable, delay: Delay, at: ir.Expression, first: int = 0
) -> Iterator[ir.Instruction]:
    """Yield the declaration of the place of the oldest of the last samples, where one is added.

    It is the remainder of a division by the lag, which is exact for the longest window.
    """
    lag = delay.lag
    if lag > 1:
        inverse = ir.Number(-(-(1 << _REMAINDER) // lag))
        turns = ir.Binary(">>", ir.Binary("*", at, inverse), ir.Number(_REMAINDER))
        rest: ir.Expression = ir.Binary("-", at, ir.Binary("*", turns, ir.Number(lag)))
    else:
        rest = _ZERO
    yield ir.Declare(place, fold(ir.Binary("+", rest, ir.Number(first))))


def _given(part: ir.Expression, found: Mapping[str, ir.Expression]) -> ir.Expression | None:
    return found.get(part.name) if isinstance(part, ir.Variable) else None


def _shifted(value: ir.Expression, shift: int) -> ir.Expression:
    return ir.Binary(">>", value, ir.Number(shift)) if shift else value
