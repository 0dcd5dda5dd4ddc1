"""Individuals, their scores, champions, and the hall of fame that keeps champions."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dsgec.grammar.genome.genotype import Derivation, Genotype
from dsgec.grammar.genome.rates import Rate

LARGEST_CHAMPION = 1000
"""The most connections of a network in the hall of fame, and the most networks in a front."""

INFINITE = float("inf")
ERROR_RATE = "smoothed error rate"
"""The measure by which models of several families are compared: the share of wrong classes."""
NOT_FINITE, REFUSED = "not finite", "no network"


@dataclass(frozen=True, slots=True)
class Score:
    """The fitness and the size of an individual; lower is better.

    An invalid individual has an infinite fitness and a `reason`. `size` is the number of
    connections as the phenotype has them. `outcome` is NOT_FINITE or REFUSED for a phenotype that
    could not be scored. `cost` is the second objective, or the size if there is none. `values` are
    the cases or the objectives that a user's fitness gave, all minimised.
    """

    fitness: float
    reason: str = ""
    size: int = 0
    outcome: str = ""
    cost: int = 0
    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Offspring:
    """A new individual, and the learning rates that its weights inherit, if any."""

    derivation: Derivation
    rates: tuple[Rate, ...] = ()


@dataclass(frozen=True, slots=True)
class Individual:
    """A genotype with its phenotype, its score, and the learning rates of its weights."""

    derivation: Derivation
    score: Score
    rates: tuple[Rate, ...] = ()

    @property
    def fitness(self) -> float:
        return self.score.fitness


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a phenotype: their places in it, their bounds and their values."""

    phenotype: str
    spans: tuple[tuple[int, int], ...]
    bounds: tuple[tuple[float, float], ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CrossScore:
    """The score of a network on held-out training rows, and its standard error.

    Its weights were learned without those rows.
    """

    score: float
    error: float


@dataclass(frozen=True, slots=True)
class Champion:
    """A network of the hall of fame.

    It has a genotype if weights are learned, `weights` once they were tuned with all evaluations,
    and `validated` if it was cross-validated. `values` are those of a user's fitness.
    """

    size: int
    fitness: float
    phenotype: str
    genotype: Genotype | None = None
    cost: int = 0
    weights: Weights | None = None
    validated: CrossScore | None = None
    values: tuple[float, ...] = ()


class ChampionHall:
    """The best network of each size; the first of equals."""

    def __init__(self) -> None:
        self._best: dict[int, Champion] = {}

    def admit(self, one: Champion) -> None:
        """Add a network if it is the best of its size."""
        best = self._best.get(one.size)
        if one.size <= LARGEST_CHAMPION and (best is None or one.fitness < best.fitness):
            self._best[one.size] = one

    @property
    def champions(self) -> list[Champion]:
        """The champions, by size or by cost."""
        return [self._best[size] for size in sorted(self._best)]

    @property
    def slots(self) -> dict[int, Champion]:
        """The champions by their places in a saved state."""
        return self._best


class Front(ChampionHall):
    """The networks that no other equals in both fitness and cost; the first of equals."""

    def __init__(self) -> None:
        super().__init__()
        self._front: list[Champion] = []  # by rising cost and falling fitness

    def admit(self, one: Champion) -> None:
        """Add a network if it is on the front, and remove those that it dominates."""
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
        return [*self._front]

    @property
    def slots(self) -> dict[int, Champion]:
        return dict(enumerate(self._front))


def make_hall(is_front: bool) -> ChampionHall:
    """Return an empty hall of fame, which is a front if a cost is minimised."""
    return Front() if is_front else ChampionHall()


def merge_halls(is_front: bool, halls: Iterable[Sequence[Champion]]) -> list[Champion]:
    """Merge the champions of several halls of fame; of equals, keep the first."""
    hall = make_hall(is_front)
    for champions in halls:
        for champion in champions:
            hall.admit(champion)
    return hall.champions
