"""A line of many points to a few of them that keep its shape."""

import heapq

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Places = NDArray[np.intp]


def thinned(x: Array, y: Array, most: int) -> Places:
    """The numbers of at most so many points, both ends among them.

    Each next one is the point that is farthest from the line as it is by then; a point that is on
    that line is never taken. Both axes count alike, whatever their units.
    """
    count = len(x)
    if count <= 2:
        return np.arange(count)
    across, up = _unit(x), _unit(y)
    kept = {0, count - 1}
    waiting: list[tuple[float, int, int, int]] = []

    def look(first: int, last: int) -> None:
        if last - first < 2:
            return
        inside = slice(first + 1, last)
        dx, dy = across[last] - across[first], up[last] - up[first]
        length = float(np.hypot(dx, dy))
        if length:
            turned = (across[inside] - across[first]) * dy - (up[inside] - up[first]) * dx
            distance = np.abs(turned) / length
        else:
            distance = np.hypot(across[inside] - across[first], up[inside] - up[first])
        place = int(distance.argmax())
        if distance[place] > 1e-12:
            heapq.heappush(waiting, (-float(distance[place]), first, first + 1 + place, last))

    look(0, count - 1)
    while waiting and len(kept) < most:
        _, first, place, last = heapq.heappop(waiting)
        kept.add(place)
        look(first, place)
        look(place, last)
    return np.array(sorted(kept), dtype=np.intp)


def _unit(values: Array) -> Array:
    """Brought to 0 … 1, so that distances mean something; halves first, as a span can overflow."""
    halves = values / 2.0
    low, high = float(halves.min()), float(halves.max())
    return (halves - low) / ((high - low) or 1.0)
