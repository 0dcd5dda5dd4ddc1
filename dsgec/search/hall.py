"""Champions to a hall of fame: the best of each size or, where a cost is minimised, the front."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from dsgec.search.individual import LARGEST_CHAMPION, Champion
from dsgec.search.problem import Problem


class Champions:
    """The best text of each size, the first of equals."""

    def __init__(self) -> None:
        self._best: dict[int, Champion] = {}

    def admit(self, one: Champion) -> None:
        """Take in a text, if it is the best of its size."""
        best = self._best.get(one.size)
        if one.size <= LARGEST_CHAMPION and (best is None or one.fitness < best.fitness):
            self._best[one.size] = one

    @property
    def champions(self) -> list[Champion]:
        """By size."""
        return [self._best[size] for size in sorted(self._best)]

    @property
    def slots(self) -> dict[int, Champion]:
        """By the place that each has in a saved state."""
        return self._best


class Front(Champions):
    """The texts that no other is as good and as cheap as; the first of equals."""

    def __init__(self) -> None:
        super().__init__()
        self._front: list[Champion] = []  # by cost, so that the fitness falls

    def admit(self, one: Champion) -> None:
        """Take in a text, if it is on the front, in the place of those that it dominates."""
        front = self._front
        at = bisect_left(front, one.cost, key=lambda champion: champion.cost)
        rivals = front[max(at - 1, 0) : at]
        rivals += [rival for rival in front[at : at + 1] if rival.cost == one.cost]
        if one.size > LARGEST_CHAMPION or any(rival.fitness <= one.fitness for rival in rivals):
            return
        end = at
        while end < len(front) and front[end].fitness >= one.fitness:
            end += 1
        if end > at or len(front) <= LARGEST_CHAMPION:
            front[at:end] = [one]

    @property
    def champions(self) -> list[Champion]:
        """By cost."""
        return [*self._front]

    @property
    def slots(self) -> dict[int, Champion]:
        return dict(enumerate(self._front))


def make_hall(problem: Problem) -> Champions:
    """An empty one, of the kind that the problem asks for."""
    return Front() if problem.minimises else Champions()


def merged(problem: Problem, halls: Iterable[Sequence[Champion]]) -> list[Champion]:
    """One hall of fame; of equals, the champion of the first."""
    hall = make_hall(problem)
    for one in (champion for each in halls for champion in each):
        hall.admit(one)
    return hall.champions
