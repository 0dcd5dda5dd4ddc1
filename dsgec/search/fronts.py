"""Non-dominated sorting by any number of objectives: templates/engine/objective_fronts.c.

With two objectives it is the sorting of `dsgec.search.loop`, which is faster but needs a whole
number as the second.
"""

from collections.abc import Sequence

from dsgec.search.individual import INFINITE

Vector = Sequence[float]
"""The objectives of an individual, all minimised; empty if it is invalid."""


def sort_by_objectives(points: Sequence[Vector]) -> list[int]:
    """Return the numbers of the points, the best first; the invalid ones are last.

    They are sorted by their front, then by crowding distance, then as they stand.
    """
    valid = [number for number, point in enumerate(points) if point]
    fronts = find_objective_fronts(points, valid)
    distances = _crowding_distances(points, fronts)
    valid.sort(key=lambda number: (fronts[number], -distances[number], number))
    return valid + [number for number, point in enumerate(points) if not point]


def find_objective_fronts(points: Sequence[Vector], valid: Sequence[int]) -> dict[int, int]:
    """Return the number of the front of each valid point; 0 is the best.

    Of equal points, the first dominates the others.
    """
    found: dict[int, int] = {}
    for number in sorted(valid, key=lambda n: (*points[n], n)):
        above = [
            front
            for other, front in found.items()
            if all(a <= b for a, b in zip(points[other], points[number], strict=True))
        ]
        found[number] = max(above, default=-1) + 1
    return found


def _crowding_distances(points: Sequence[Vector], fronts: dict[int, int]) -> dict[int, float]:
    """Return the crowding distance of each point within its front, infinite at the ends of it."""
    found = dict.fromkeys(fronts, 0.0)
    for front in sorted(set(fronts.values())):
        members = [number for number, own in fronts.items() if own == front]
        for objective in range(len(points[members[0]])):
            members.sort(key=lambda number: (points[number][objective], number))
            values = [points[number][objective] for number in members]
            span = values[-1] - values[0]
            found[members[0]] = found[members[-1]] = INFINITE
            for k in range(1, len(members) - 1):
                if span > 0.0:
                    found[members[k]] += (values[k + 1] - values[k - 1]) / span
    return found
