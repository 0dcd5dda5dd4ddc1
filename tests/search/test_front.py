"""Fronts and crowding distances, compared with definitions that compare every pair."""

import random

import pytest

from dsgec.search.individual import INFINITE, LARGEST_CHAMPION, Champion, Front
from dsgec.search.loop import crowding_distances, find_fronts, sort_by_fronts


def dominates(points, i, j):
    """Return whether i is as good and as cheap as j, and better in one, or equal and first."""
    (a, b), (c, d) = points[i], points[j]
    return a <= c and b <= d and (a < c or b < d or i < j)


def layers(points):
    """Return the points that no other dominates, then those that no remaining one does, etc."""
    left = [i for i, (fitness, _) in enumerate(points) if fitness < INFINITE]
    found = []
    while left:
        best = [i for i in left if not any(dominates(points, j, i) for j in left)]
        found.append(best)
        left = [i for i in left if i not in best]
    return found


def deb_distances(points, front):
    """Return the crowding distances by Deb's algorithm, an objective at a time."""
    distance = dict.fromkeys(front, 0.0)
    for objective in (1, 0):
        order = sorted(front, key=lambda i: points[i][objective])
        for end in (order[0], order[-1]):
            distance[end] = INFINITE
        span = points[order[-1]][objective] - points[order[0]][objective]
        for before, own, after in zip(order, order[1:], order[2:], strict=False):
            distance[own] += (points[after][objective] - points[before][objective]) / span
    return distance


def random_points(rng):
    count, costs = rng.randint(1, 40), rng.choice([3, 10, 1000])
    values = [INFINITE, *(round(rng.random(), rng.choice([1, 9])) for _ in range(count))]
    return [
        (fitness, 0 if fitness == INFINITE else rng.randint(0, costs))
        for fitness in (rng.choice(values) for _ in range(count))
    ]


@pytest.mark.parametrize("seed", range(60))
def test_the_order_is_that_of_the_definitions(seed):
    points = random_points(random.Random(seed))
    expected = layers(points)
    assert [sorted(front) for front in find_fronts(points)] == expected
    order = sort_by_fronts(points)
    assert sorted(order) == list(range(len(points)))
    at = 0
    for front in expected:
        distances = deb_distances(points, front)
        assert order[at : at + len(front)] == sorted(front, key=lambda i: (-distances[i], i))
        at += len(front)
    assert order[at:] == [i for i, (fitness, _) in enumerate(points) if fitness == INFINITE]


def test_a_copy_of_a_point_comes_behind_everything_on_the_front():
    points = [(0.5, 3), (0.1, 9), (0.5, 3), (0.9, 1)]
    assert find_fronts(points) == [[3, 0, 1], [2]]
    assert sort_by_fronts(points)[-1] == 2


def test_crowding_is_a_share_of_the_range_of_the_front():
    assert crowding_distances([(8.0, 0), (4.0, 1), (0.0, 4)]) == [INFINITE, 2.0, INFINITE]
    assert crowding_distances([(8.0, 0), (6.0, 1), (4.0, 3), (0.0, 4)])[1:3] == [
        0.75 + 0.5,
        0.75 + 0.75,
    ]
    assert crowding_distances([(1.0, 5)]) == [INFINITE]


@pytest.mark.parametrize("seed", range(30))
def test_the_hall_of_fame_is_the_front_of_all_that_was_seen(seed):
    points = [point for point in random_points(random.Random(seed)) if point[0] < INFINITE]
    hall = Front()
    for number, (fitness, cost) in enumerate(points):
        hall.admit(Champion(number, fitness, str(number), None, cost))
    best = layers(points)[0] if points else []
    expected = sorted(best, key=lambda i: points[i][1])
    assert [champion.size for champion in hall.champions] == expected


def test_a_front_holds_so_many_and_no_network_that_is_too_large():
    hall = Front()
    hall.admit(Champion(LARGEST_CHAMPION + 1, 0.0, "large", None, 0))
    assert not hall.champions
    for cost in range(LARGEST_CHAMPION + 3):
        hall.admit(Champion(1, -float(cost), "", None, cost))
    assert len(hall.champions) == LARGEST_CHAMPION + 1
    hall.admit(Champion(1, -1e9, "", None, 5))  # one that takes the place of others still enters
    assert [champion.cost for champion in hall.champions] == [0, 1, 2, 3, 4, 5]
