"""The channels and windows of a signal in network files."""

from collections.abc import Iterator, Mapping, Sequence

from dsgec.network.description import are_features
from dsgec.network.model import Column
from dsgec.network.syntax import quote
from dsgec.signal.description import Signal
from dsgec.signal.plain import read_signal

SIGNAL_FORM = (
    'Write channels as `c_1 = channel("ax", scale=0.5)`, then `window = 64`, `step = 32` and'
    ' `bits = 13`, and features as columns: `x_1 = number("std(ax)")`.'
)


def signal_lines(signal: Signal, ascii_only: bool) -> Iterator[str]:
    """Yield the statements of a signal."""
    for number, channel in enumerate(signal.channels, 1):
        parts = [quote(channel.name, ascii_only)]
        parts += [f"offset={channel.offset!r}"] if channel.offset else []
        parts += [f"scale={channel.scale!r}"] if channel.scale != 1.0 else []
        yield f"c_{number} = channel({', '.join(parts)})"
    yield f"window = {signal.window}"
    yield f"step = {signal.step}"
    yield f"bits = {signal.bits}"
    if signal.rate is not None:
        yield f"rate = {signal.rate!r}"
    if signal.smooth > 1:
        yield f"smooth = {signal.smooth}"


def make_signal(
    channels: Sequence[Mapping[str, object]],
    windows: Mapping[str, float],
    columns: Sequence[Column],
) -> Signal:
    """Return the signal that statements describe; raise a ValueError if there is no such one."""
    described = {
        "channels": [
            {name: value for name, value in channel.items() if name != "categories"}
            for channel in channels
        ],
        "features": [column.name for column in columns],
        **{name: value if name == "rate" else int(value) for name, value in windows.items()},
    }
    found = read_signal(described)
    if not are_features(columns, found):
        raise ValueError("a feature of a signal is a number that is never missing")
    return found
