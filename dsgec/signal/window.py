"""Lower a signal to a program that computes the features of one whole window."""

from collections.abc import Iterator, Mapping

from dsgec.program.ir import (
    ArrayParameter,
    Binary,
    Declare,
    Element,
    Expression,
    Instruction,
    LocalArray,
    Loop,
    Number,
    Procedure,
    Program,
    Store,
    Update,
    Variable,
)
from dsgec.program.specialise import fold
from dsgec.signal.description import Call, Signal
from dsgec.signal.lowering import Lowering, turn
from dsgec.signal.plan import Delay, Kept, make_plan

_ZERO, _ONE = Number(0), Number(1)


def window_program(signal: Signal, shifts: Mapping[Call, int] | None = None) -> Program:
    """Return a program that computes the features of one window, whose samples are x.

    `shifts` are the bits that the results of calls, and of sums of them, are shifted by.
    """
    plan = make_plan(signal.features)
    lowering = Lowering(plan, signal)
    body = [*_first_sample(lowering)]
    body.append(Loop(Variable("i"), Number(signal.window - 1), (*_next_sample(lowering),)))
    body += lowering.features("y", shifts or {})
    count = len(signal.channels) * signal.window
    ends = (-lowering.limit, lowering.limit)
    x = ArrayParameter("x", "int16", count, (ends,) * count)
    y = ArrayParameter("y", "int32", len(signal.features), is_written=True)
    about = "Compute the features of a window."
    return lowering.program(Procedure("features", about, (x, y), tuple(body)))


def _samples(lowering: Lowering, at: Expression) -> Iterator[tuple[Variable, Expression]]:
    """Yield the variable of each channel that is read, and the element of `x` that it has."""
    count = len(lowering.signal.channels)
    for number, variable in lowering.channels():
        index = fold(Binary("+", Binary("*", at, Number(count)), Number(number)))
        yield variable, Element("x", index, "int16")


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
                yield from lowering.fill(name, step)
                yield Store(name, _ZERO, lowering.value(stream))


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
            case Delay(stream):
                name = _array(lowering, step)
                place = Variable(f"p{lowering.places[step]}")
                yield from turn(place, step, at)
                yield Declare(lowering.delayed(step), Element(name, place, "int16"))
                yield Store(name, place, lowering.value(stream))
    for step, variable in new.items():
        assert isinstance(step, Kept)
        yield Update(lowering.value(step), variable)


def _array(lowering: Lowering, delay: Delay) -> str:
    return f"d{lowering.places[delay]}"
