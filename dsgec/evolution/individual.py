"""What a population is made of, how good it is, and the best of each size."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dsgec.genome.ir import Derivation, Genotype
from dsgec.genome.rates import Rate

LARGEST_CHAMPION = 1000
"""Connections of a network in the hall of fame; nobody chooses by size among larger ones."""

INFINITE = float("inf")
NOT_FINITE, REFUSED = "not finite", "no network"


@dataclass(frozen=True, slots=True)
class Score:
    """Lower is better. An invalid individual has infinity and a reason, and cannot be the best.

    `size` is the number of connections, as the text has them; `outcome` is NOT_FINITE or REFUSED
    for a text that could not be scored.
    """

    fitness: float
    reason: str = ""
    size: int = 0
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Champion:
    """The best text of its size, the first of equals; with its genotype if numbers are learned."""

    size: int
    fitness: float
    phenotype: str
    genotype: Genotype | None = None


@dataclass(frozen=True, slots=True)
class Offspring:
    """A new individual; `rates` are those that its numbers have of its parents, or none."""

    derivation: Derivation
    rates: tuple[Rate, ...] = ()


@dataclass(frozen=True, slots=True)
class Individual:
    """A genotype with its phenotype, how good it is, and how its numbers are being learned."""

    derivation: Derivation
    score: Score
    rates: tuple[Rate, ...] = ()

    @property
    def fitness(self) -> float:
        return self.score.fitness


def merged(halls: Iterable[Sequence[Champion]]) -> list[Champion]:
    """One hall of fame; of equals, the champion of the first."""
    best: dict[int, Champion] = {}
    for hall in halls:
        for champion in hall:
            if champion.size not in best or champion.fitness < best[champion.size].fitness:
                best[champion.size] = champion
    return [best[size] for size in sorted(best)]
