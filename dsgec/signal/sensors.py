"""Channels that are axes of one sensor, and features on the channels of a log."""

import re
from collections.abc import Mapping, Sequence

from dsgec.signal.constants import NUMBERS
from dsgec.signal.description import Call
from dsgec.signal.plan import Stream, numbers_of, streams_of

_AXIS = re.compile(r"^(.*?)([xyzXYZ])([^xyzXYZ]*)$")
_AXES_OF_A_SENSOR = 3


def named_axes(channels: Sequence[str]) -> list[tuple[int, ...]]:
    """Return the numbers of the channels of each sensor: their names differ by x, y and z."""
    groups: dict[tuple[str, str], list[int]] = {}
    for number, name in enumerate(channels):
        found = _AXIS.match(name)
        if found:
            groups.setdefault((found[1], found[3]), []).append(number)
    return [tuple(group) for group in groups.values() if 1 < len(group) <= _AXES_OF_A_SENSOR]


def find_axes(channels: Sequence[str]) -> list[tuple[int, ...]]:
    """Return the channels that belong to one sensor: by their names, or two or three in a row."""
    found, count = named_axes(channels), len(channels)
    if found or count == 1:
        return found
    if count == 2:
        return [(0, 1)]
    if count % _AXES_OF_A_SENSOR:
        return []
    return [tuple(range(first, first + 3)) for first in range(0, count, _AXES_OF_A_SENSOR)]


def fits_window(call: Call, window: int) -> bool:
    """Return whether a window is long enough for the numbers of a feature and of its filters."""
    numbers: dict[str, int] = {}
    for name, value in numbers_of(call):
        least, most = NUMBERS[name](window, numbers)
        if not least <= value <= most:
            return False
        numbers[name] = value
    return all(fits_window(inner, window) for inner in streams_of(call) if isinstance(inner, Call))


def on_channels(call: Call, names: Mapping[str, str]) -> Call:
    """Return a feature with other names of channels."""

    def renamed(argument: Stream | int) -> Stream | int:
        if isinstance(argument, Call):
            return on_channels(argument, names)
        return names[argument] if isinstance(argument, str) else argument

    return Call(call.function, tuple(map(renamed, call.arguments)))
