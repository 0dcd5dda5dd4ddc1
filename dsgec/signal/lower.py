"""Lower a signal to programs: features of one whole window, and of samples one after the other."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files

from dsgec.arithmetic.procedures import procedures as arithmetic_procedures
from dsgec.arithmetic.read import Reader
from dsgec.arithmetic.subset import Annotations, Signature, Source, signatures
from dsgec.program.ir import (
    ArrayParameter,
    Binary,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    LocalArray,
    Loop,
    Number,
    Procedure,
    Program,
    Store,
    Update,
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
    delay_of,
    kept_by,
    make_plan,
    numbers_of,
    streams_of,
)

_TYPES = Annotations("int32", "int32", {"Table": "int8"})
_ZERO, _ONE = Number(0), Number(1)


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
    """What programs of a plan have in common: the names of values, and expressions of steps."""

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

    def first(self, step: Kept) -> Expression:
        """Return what is kept at the first sample."""
        return self.bound(defined()[1][step.name], step, self.value)

    def next(self, step: Kept, old: Callable[[Kept], Expression], at: Expression) -> Expression:
        """Return what is kept at a further sample."""
        return self.bound(defined()[0][step.name], step, old, at)

    def filtered(self, step: Call, new: Callable[[Kept], Expression]) -> Expression:
        """Return what a filter gives."""
        return self.bound(defined()[0][step.function], step, new)

    def features(self, shifts: Mapping[Call, int]) -> Iterator[Instruction]:
        """Yield the instructions that write features into y."""
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
            yield Store("y", Number(place), _shifted(total, shift))

    def program(self, *procedures: Procedure) -> Program:
        """Return a program with the functions and the table that procedures need."""
        used = {name for procedure in procedures for name in procedure.names}
        tables = (wave_table(self.signal.window),) if WAVE in used else ()
        return Program(tables, (*self.called.values(), *procedures))


def window_program(signal: Signal, shifts: Mapping[Call, int] | None = None) -> Program:
    """Return a program that computes the features of one window, whose samples are x.

    `shifts` are the bits that the results of calls, and of sums of them, are shifted by.
    """
    plan = make_plan(signal.features)
    lowering = Lowering(plan, signal)
    body = [*_first_sample(lowering)]
    body.append(Loop(Variable("i"), Number(signal.window - 1), (*_next_sample(lowering),)))
    body += lowering.features(shifts or {})
    count = len(signal.channels) * signal.window
    ends = (-lowering.limit, lowering.limit)
    x = ArrayParameter("x", "int16", count, (ends,) * count)
    y = ArrayParameter("y", "int32", len(signal.features), is_written=True)
    about = "Compute the features of a window."
    return lowering.program(Procedure("features", about, (x, y), tuple(body)))


def _samples(lowering: Lowering, at: Expression) -> Iterator[tuple[Variable, Expression]]:
    """Yield the variables of the channels that are read, and the elements that they are."""
    count = len(lowering.signal.channels)
    for number, channel in enumerate(lowering.signal.channels):
        index = fold(Binary("+", Binary("*", at, Number(count)), Number(number)))
        yield lowering.value(channel.name), Element("x", index, "int16")


def _first_sample(lowering: Lowering) -> Iterator[Instruction]:
    for variable, value in _samples(lowering, _ZERO):
        yield Declare(variable, value)
    for step in lowering.plan.steps:
        match step:
            case Kept():
                yield Declare(lowering.value(step), lowering.first(step))
            case Call():
                yield Declare(lowering.value(step), lowering.filtered(step, lowering.value))
            case Delay(stream, lag):
                name = _array(lowering, step)
                yield LocalArray(name, "int16", lag)
                turn = Variable(f"i{name}")
                yield Loop(turn, Number(lag), (Store(name, turn, _ZERO),))
                yield Store(name, Number(lag - 1), lowering.value(stream))


def _next_sample(lowering: Lowering) -> Iterator[Instruction]:
    at = Variable("at")
    yield Declare(at, Binary("+", Variable("i"), _ONE))
    for variable, value in _samples(lowering, at):
        yield Update(variable, value)
    shared = (step for step in lowering.plan.steps if step in lowering.plan.shared)
    new = {step: Variable(f"n{lowering.places[step]}") for step in shared}

    def newest(step: Kept) -> Expression:
        return new.get(step) or lowering.value(step)

    for step in lowering.plan.steps:
        match step:
            case Kept():
                value = lowering.next(step, lowering.value, at)
                yield (
                    Declare(new[step], value)
                    if step in new
                    else Update(lowering.value(step), value)
                )
            case Call():
                yield Update(lowering.value(step), lowering.filtered(step, newest))
            case Delay(stream, lag):
                name = _array(lowering, step)
                yield Declare(lowering.delayed(step), Element(name, _ZERO, "int16"))
                yield from move_along(name, lag, lowering.value(stream))
    for step, variable in new.items():
        assert isinstance(step, Kept)
        yield Update(lowering.value(step), variable)


def _array(lowering: Lowering, delay: Delay) -> str:
    return f"d{lowering.places[delay]}"


def move_along(array: str, lag: int, sample: Expression, first: int = 0) -> Iterator[Instruction]:
    """Yield instructions that drop the oldest of the last samples and add one."""
    turn = Variable(f"i{array}")
    if lag > 1:
        place = fold(Binary("+", turn, Number(first)))
        later = Binary("+", turn, Number(first + 1))
        inner = Store(array, place, Element(array, later, "int16"))
        yield Loop(turn, Number(lag - 1), (inner,))
    yield Store(array, Number(first + lag - 1), sample)


def _given(part: Expression, found: Mapping[str, Expression]) -> Expression | None:
    return found.get(part.name) if isinstance(part, Variable) else None


def _shifted(value: Expression, shift: int) -> Expression:
    return Binary(">>", value, Number(shift)) if shift else value
