"""Turn samples into integers: k stands for the value offset + scale * k.

A scale is a power of two and an offset a multiple of it, so that a sample that is a float becomes
the same integer in floats and in doubles. Whole numbers that have few enough bits stay as they are.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dsgec.signal.constants import bits_for, limit_of
from dsgec.signal.description import Channel
from dsgec.signal.sensors import named_axes

Values = NDArray[np.float64]
Integers = NDArray[np.int32]

_HEADROOM = 1.25  # how far beyond the training samples a sample may go without being limited
_LEAST_SPAN = 2.0**-16  # of half the range of a channel, as a part of its values
_LEAST_EXPONENT = -100
_ALIKE = 4.0  # scales that differ less are made equal, so that a magnitude can be computed


def fit_channels(
    names: Sequence[str], values: Values, training: NDArray[np.bool_], window: int
) -> tuple[tuple[Channel, ...], int]:
    """Return the channels for samples, and the bits of their integers, from the training samples.

    The axes of a sensor, channels whose names differ by x, y and z, have one scale and no offset;
    so have all channels if their scales are alike.
    """
    bits = bits_for(window)
    limit = limit_of(bits)
    columns = [_finite(column[training]) for column in values.T]
    if all(_are_small_integers(column, limit) for column in columns):
        return tuple(map(Channel, names)), bits
    centred = [_scale(float(np.max(np.abs(column), initial=0.0)), limit) for column in columns]
    together = _common_scales(names, centred)
    channels = []
    for name, column, is_axis in zip(names, columns, together, strict=True):
        if _are_small_integers(column, limit) and not is_axis:
            channels.append(Channel(name))
        elif is_axis:
            channels.append(Channel(name, 0.0, is_axis))
        else:
            channels.append(_fit_channel(name, column, limit))
    return tuple(channels), bits


def to_integers(channels: Sequence[Channel], bits: int, values: Values) -> Integers:
    """Return samples as integers of so many bits; beyond the limits they are limited.

    A missing value is 0; no window has one.
    """
    limit = limit_of(bits)
    found = np.empty(values.shape, np.int32)
    for number, channel in enumerate(channels):
        zero = channel.offset / channel.scale
        with np.errstate(all="ignore"):
            scaled = np.clip(values[:, number] / channel.scale, zero - limit, zero + limit)
            whole = np.rint(np.nan_to_num(scaled)) - zero
        found[:, number] = np.where(np.isnan(scaled), 0.0, whole)
    return found


def _finite(column: Values) -> Values:
    return column[np.isfinite(column)]


def _are_small_integers(column: Values, limit: int) -> bool:
    return bool(np.all(column == np.rint(column)) and np.all(np.abs(column) <= limit))


def _scale(size: float, limit: int) -> float:
    """Return the least power of two for which numbers up to a size stay below the limit."""
    if not size:
        return 1.0
    fraction, exponent = math.frexp(min(size, 1e300) * _HEADROOM / limit)
    return math.ldexp(1.0, max(exponent - (fraction == 0.5), _LEAST_EXPONENT))


def _fit_channel(name: str, column: Values, limit: int) -> Channel:
    """Return a channel; it has an offset if its values are far from 0."""
    if not column.size:
        return Channel(name)
    low, high = float(column.min()), float(column.max())
    if min(abs(low), abs(high)) <= high - low or low < 0 < high:
        return Channel(name, 0.0, _scale(max(abs(low), abs(high)), limit))
    size = max((high - low) / 2, max(abs(low), abs(high)) * _LEAST_SPAN)
    scale = _scale(size, limit)
    return Channel(name, scale * float(np.rint((low + high) / 2 / scale)), scale)


def _common_scales(names: Sequence[str], scales: Sequence[float]) -> list[float]:
    """Return the common scale of channels that belong together; 0 where one stands alone."""
    if len(names) > 1 and max(scales) <= _ALIKE * min(scales):
        return [max(scales)] * len(names)
    common = [0.0] * len(names)
    for members in named_axes(names):
        for number in members:
            common[number] = max(scales[member] for member in members)
    return common
