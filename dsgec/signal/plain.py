"""Describe a signal as plain data, for run.json and for exports, and read it as untrusted input."""

import math
from dataclasses import dataclass
from typing import Any

from dsgec.errors import DsgecError
from dsgec.plain_data import from_plain
from dsgec.signal.constants import MOST_SAMPLES, bits_for
from dsgec.signal.description import Channel, Signal
from dsgec.signal.parse import parse_feature

_LARGEST_ZERO = 1 << 30
MOST_VOTES = 15
"""The most windows whose classes are counted as votes."""


@dataclass(frozen=True, slots=True)
class _Signal:
    channels: tuple[Channel, ...]
    window: int
    step: int
    features: tuple[str, ...]
    bits: int
    rate: float | None = None
    smooth: int = 1


def describe_signal(signal: Signal) -> dict[str, Any]:
    """Return a signal as plain data, without what is as by default."""
    return {
        "channels": [
            {
                "name": channel.name,
                **({"offset": channel.offset} if channel.offset else {}),
                **({"scale": channel.scale} if channel.scale != 1 else {}),
            }
            for channel in signal.channels
        ],
        "window": signal.window,
        "step": signal.step,
        "bits": signal.bits,
        "features": [str(feature) for feature in signal.features],
        **({} if signal.rate is None else {"rate": signal.rate}),
        **({} if signal.smooth == 1 else {"smooth": signal.smooth}),
    }


def read_signal(value: Any) -> Signal:
    """Return the signal that plain data describe; raise a ValueError if there is no such one."""
    given = from_plain(_Signal, value, "signal")
    names = [channel.name for channel in given.channels]
    rules = {
        "it has channels": bool(names),
        "its channels have different names": len({*names}) == len(names),
        "its scales are powers of two": all(_is_format(channel) for channel in given.channels),
        "its window is not too long": 1 <= given.window <= MOST_SAMPLES,
        "a window begins in each step": 1 <= given.step <= given.window,
        "its votes are few": 1 <= given.smooth <= MOST_VOTES,
        "its rate is above 0": given.rate is None or 0 < given.rate < math.inf,
    }
    broken = [rule for rule, holds in rules.items() if not holds]
    if broken or not 2 <= given.bits <= bits_for(given.window):
        raise ValueError(f"not so of a signal: {[*broken, 'its bits are few enough'][0]}")
    try:
        features = tuple(parse_feature(text, names, given.window) for text in given.features)
    except DsgecError as error:
        raise ValueError(f"its features are wrong: {error}") from error
    return Signal(
        *(given.channels, given.window, given.step, features, given.bits, given.rate, given.smooth)
    )


def _is_format(channel: Channel) -> bool:
    """Return whether a scale is a power of two, and the offset a multiple of it."""
    if not 2.0**-200 < channel.scale < 2.0**200 or math.frexp(channel.scale)[0] != 0.5:
        return False
    zero = channel.offset / channel.scale
    return abs(zero) <= _LARGEST_ZERO and zero == round(zero)
