"""The description of a signal: its channels, its windows, and the features of a window.

A sample is a row of channels, which are integers of `bits` bits: what a sensor or an ADC gives, or
(value - offset) / scale, rounded and limited. Features are computed from these integers by exact
arithmetic of 32 bits in every number type of the network, so that a board that computes them one
sample at a time has the bits of the training. A feature is written as in a grammar:

    std(lowpass(ax, 3))
    goertzel(magnitude(ax, ay, az), 5)
"""

import re
from dataclasses import dataclass

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Channel:
    """A column of samples; the integer k of a sample stands for the value offset + scale * k."""

    name: str
    offset: float = 0.0
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Call:
    """A function of a feature or a filter, applied to channels or filtered channels.

    The arguments are calls, names of channels, and whole numbers, which come last.
    """

    function: str
    arguments: "tuple[Call | str | int, ...]"

    def __str__(self) -> str:
        return f"{self.function}({', '.join(map(_argument_text, self.arguments))})"


@dataclass(frozen=True, slots=True)
class Signal:
    """The channels and windows of a signal, and the features that the columns of a model are.

    A window has `window` samples, and a new one begins every `step` samples, which is at most
    `window`. `bits` is the number of bits of a sample, with its sign. `rate` is the number of
    samples in a second, if it is known. The class of a window is that of most of the last `smooth`
    windows.
    """

    channels: tuple[Channel, ...]
    window: int
    step: int
    features: tuple[Call, ...]
    bits: int
    rate: float | None = None
    smooth: int = 1

    @property
    def overlap(self) -> int:
        """Return the greatest number of windows that one sample belongs to."""
        return -(-self.window // self.step)


def _argument_text(argument: Call | str | int) -> str:
    if isinstance(argument, str) and not _PLAIN.fullmatch(argument):
        return '"' + argument.replace("\\", r"\\").replace('"', r"\"") + '"'
    return str(argument)
