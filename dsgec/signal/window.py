"""Lower a signal to a program that computes the features of one whole window."""

from collections.abc import Iterator, Mapping

from dsgec.program import ir
from dsgec.program.specialise import fold
from dsgec.signal.description import Call, Signal
from dsgec.signal.lowering import Lowering, turn
from dsgec.signal.plan import Delay, Kept, make_plan

_ZERO, _ONE = ir.Number(0), ir.Number(1)


def window_program(signal: Signal, shifts: Mapping[Call, int] | None = None) -> ir.Program:
    """Return a program that computes the features of one window, whose samples are x.

    `shifts` are the bits that the results of calls, and of sums of them, are shifted by.
    """
    plan = make_plan(signal.features)
    lowering = Lowering(plan, signal)
    body = [*_first_sample(lowering)]
    body.append(ir.Loop(ir.Variable("i"), ir.Number(signal.window - 1), (*_next_sample(lowering),)))
    body += lowering.features("y", shifts or {})
    count = len(signal.channels) * signal.window
    ends = (-lowering.limit, lowering.limit)
    x = ir.ArrayParameter("x", "int16", count, (ends,) * count)
    y = ir.ArrayParameter("y", "int32", len(signal.features), is_written=True)
    about = "Compute the features of a window."
    return lowering.program(ir.Procedure("features", about, (x, y), tuple(body)))


def _samples(lowering: Lowering, at: ir.Expression) -> Iterator[tuple[ir.Variable, ir.Expression]]:
    """Yield the variable of each channel that is read, and the element of `x` that it has."""
    count = len(lowering.signal.channels)
    for number, variable in lowering.channels():
        index = fold(ir.Binary("+", ir.Binary("*", at, ir.Number(count)), ir.Number(number)))
        yield variable, ir.Element("x", index, "int16")


def _first_sample(lowering: Lowering) -> Iterator[ir.Instruction]:
    for variable, value in _samples(lowering, _ZERO):
        yield ir.Declare(variable, value)
    for step in lowering.plan.steps:
        match step:
            case Kept():
                yield ir.Declare(lowering.value(step), lowering.first(step))
            case Call():
                yield ir.Declare(lowering.value(step), lowering.filtered(step, lowering.value))
            case Delay(stream, lag):
                name = _array(lowering, step)
                yield ir.LocalArray(name, "int16", lag)
                yield from lowering.fill(name, step)
                yield ir.Store(name, _ZERO, lowering.value(stream))


def _next_sample(lowering: Lowering) -> Iterator[ir.Instruction]:
    at = ir.Variable("at")
    yield ir.Declare(at, ir.Binary("+", ir.Variable("i"), _ONE))
    for variable, value in _samples(lowering, at):
        yield ir.Update(variable, value)
    shared = (step for step in lowering.plan.steps if step in lowering.plan.shared)
    new = {step: ir.Variable(f"n{lowering.places[step]}") for step in shared}

    def newest(step: Kept) -> ir.Expression:
        return new.get(step) or lowering.value(step)

    for step in lowering.plan.steps:
        match step:
            case Kept():
                value = lowering.next(step, lowering.value, at)
                yield (
                    ir.Declare(new[step], value)
                    if step in new
                    else ir.Update(lowering.value(step), value)
                )
            case Call():
                yield ir.Update(lowering.value(step), lowering.filtered(step, newest))
            case Delay(stream):
                name = _array(lowering, step)
                place = ir.Variable(f"p{lowering.places[step]}")
                yield from turn(place, step, at)
                yield ir.Declare(lowering.delayed(step), ir.Element(name, place, "int16"))
                yield ir.Store(name, place, lowering.value(stream))
    for step, variable in new.items():
        assert isinstance(step, Kept)
        yield ir.Update(lowering.value(step), variable)


def _array(lowering: Lowering, delay: Delay) -> str:
    return f"d{lowering.places[delay]}"
