"""Two objectives to one order: non-dominated sorting and crowding distance, as NSGA-II has them.

Deb and others, "A fast and elitist multiobjective genetic algorithm: NSGA-II", 2002. With two
objectives, one sweep by cost finds the fronts. templates/engine/front.c does the same.
"""

from bisect import bisect_right
from collections.abc import Sequence

from dsgec.search.individual import INFINITE

Point = tuple[float, int]
"""A fitness and a cost, both to be low; an infinite fitness is that of an invalid individual."""


def ordered(points: Sequence[Point]) -> list[int]:
    """The numbers of the points, the best first: by their front, then by how lonely they are in
    it, then as they stand. The invalid ones are the last."""
    found: list[int] = []
    for front in fronts(points):
        lonely = crowding([points[number] for number in front])
        ranks = sorted(range(len(front)), key=lambda k: (-lonely[k], front[k]))
        found += [front[k] for k in ranks]
    return found + [number for number, (fitness, _) in enumerate(points) if fitness == INFINITE]


def fronts(points: Sequence[Point]) -> list[list[int]]:
    """The valid points by how many points in a chain dominate them; in a front, by cost.

    One that is no better than another dominates neither, but of equals the first dominates:
    otherwise copies of one network would fill the population.
    """
    found: list[list[int]] = []
    least: list[float] = []  # the fitness of the last of each front, which is its lowest
    valid = [number for number, (fitness, _) in enumerate(points) if fitness < INFINITE]
    for number in sorted(valid, key=lambda n: (points[n][1], points[n][0], n)):
        fitness = points[number][0]
        place = bisect_right(least, fitness)
        if place == len(found):
            found.append([])
            least.append(fitness)
        found[place].append(number)
        least[place] = fitness
    return found


def crowding(front: Sequence[Point]) -> list[float]:
    """How far the neighbours of each point of a front are apart; infinite at its ends.

    Each objective counts as a share of its range in the front.
    """
    last = len(front) - 1
    found = [INFINITE] * len(front)
    for k in range(1, last):
        costs = float(front[k + 1][1] - front[k - 1][1]) / float(front[last][1] - front[0][1])
        found[k] = costs + (front[k - 1][0] - front[k + 1][0]) / (front[0][0] - front[last][0])
    return found
