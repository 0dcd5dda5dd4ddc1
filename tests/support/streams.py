"""A program of a stream made by hand: the sum, the range and the last sample of two channels."""

from dsgec.program.ir import (
    ArrayParameter,
    Binary,
    Element,
    Expression,
    Loop,
    Number,
    Procedure,
    Program,
    Select,
    Store,
    Variable,
)
from dsgec.signal.description import Call, Channel, Signal

SIGNAL = Signal(
    (Channel("ax"), Channel("ay", 0.5, 0.25)),
    window=8,
    step=3,
    features=(
        Call("sum", ("ax",)),
        Call("sum", ("ay",)),
        Call("range", ("ax",)),
        Call("range", ("ay",)),
    ),
    bits=14,
    rate=50.0,
)
_I = Variable("i", "int32")
_X = Element("sample", _I, "int16")


def _plus(left: Expression, right: Expression | int) -> Expression:
    return Binary("+", left, Number(right) if isinstance(right, int) else right)


def _least(place: Expression) -> Element:
    return Element("lasts", place, "int16")


def hand_made(channels: int = 2) -> Program:
    """Return the program; its state has sums, and the least and the greatest samples."""
    sample = ArrayParameter("sample", "int16", channels, ((-8191, 8191),) * channels)
    sums = ArrayParameter("sums", "int32", channels, is_written=True)
    lasts = ArrayParameter("lasts", "int16", 2 * channels, is_written=True)
    kept = tuple(
        ArrayParameter(a.name, a.type, a.size, ((0, 0),) * a.size, is_written=True)
        for a in (sums, lasts)
    )
    read = tuple(ArrayParameter(a.name, a.type, a.size, ((0, 0),) * a.size) for a in (sums, lasts))
    total = Element("sums", _I, "int32")
    top = _plus(_I, channels)
    first = (Store("sums", _I, _X), Store("lasts", _I, _X), Store("lasts", top, _X))
    less = Binary("<", _X, _least(_I), "bool")
    more = Binary(">", _X, _least(top), "bool")
    following = (
        Store("sums", _I, _plus(total, _X)),
        Store("lasts", _I, Select(less, _X, _least(_I))),
        Store("lasts", top, Select(more, _X, _least(top))),
    )
    result = (
        Store("x", _I, total),
        Store("x", top, Binary("-", _least(top), _least(_I))),
    )
    x = ArrayParameter("x", "int32", 2 * channels, is_written=True)
    count = Number(channels)
    return Program(
        (),
        (
            Procedure(
                "first", "Take the first sample.", (sample, sums, lasts), (Loop(_I, count, first),)
            ),
            Procedure(
                "following",
                "Take a further sample.",
                (Variable("at"), sample, *kept),
                (Loop(_I, count, following),),
            ),
            Procedure("features", "Compute the features.", (*read, x), (Loop(_I, count, result),)),
        ),
    )
