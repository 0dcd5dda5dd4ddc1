"""What a population is made of, and how good it is."""

from dataclasses import dataclass

from dsgec.grammar.genome.genotype import Derivation, Genotype
from dsgec.grammar.genome.rates import Rate

LARGEST_CHAMPION = 1000
"""Connections of a network in the hall of fame; nobody chooses by size among larger ones."""

INFINITE = float("inf")
NOT_FINITE, REFUSED = "not finite", "no network"


@dataclass(frozen=True, slots=True)
class Score:
    """Lower is better. An invalid individual has infinity and a reason, and cannot be the best.

    `size` is the number of connections, as the text has them; `outcome` is NOT_FINITE or REFUSED
    for a text that could not be scored. The `cost` is what is minimised beside the fitness, if
    anything is, or else the size.
    """

    fitness: float
    reason: str = ""
    size: int = 0
    outcome: str = ""
    cost: int = 0


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of a text: where they are, and between what they may be."""

    text: str
    spans: tuple[tuple[int, int], ...]
    bounds: tuple[tuple[float, float], ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CrossScore:
    """The score of a network on held-out training rows, as people read it, and its standard error.

    Its weights were refitted without those rows.
    """

    score: float
    error: float


@dataclass(frozen=True, slots=True)
class Champion:
    """A text of the hall of fame; with its genotype if numbers are learned.

    Once it is tuned with all evaluations, `numbers` has its text and what can be learned in it.
    `validated` is there if it was cross-validated.
    """

    size: int
    fitness: float
    phenotype: str
    genotype: Genotype | None = None
    cost: int = 0
    numbers: Numbers | None = None
    validated: CrossScore | None = None


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
