"""Measure how diverse a population is, for those who study that."""

from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.grammar.genome.derivation_tree import make_tree
from dsgec.grammar.genome.genotype import Genotype
from dsgec.random import Stream
from dsgec.search.individual import INFINITE
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings

PAIRS = 30
"""Pairs of individuals that are drawn to compare their texts; their trees are measured."""
_LONGEST = 500  # characters of a text that are compared
_SAMPLE = (1 << 64) - 2  # an individual that no population has, for drawing pairs


@dataclass(frozen=True, slots=True)
class Diversity:
    """The diversity of one generation.

    The first three count distinct ones. `edit_distance` is the mean of pairs of phenotypes, and
    `length`, `depth` and `nodes` are means of the same individuals: characters, and the depth and
    the size of the derivation tree.
    """

    generation: int
    genotypes: int
    phenotypes: int
    fitness_values: int
    edit_distance: float
    length: float
    depth: float
    nodes: float


def measure_diversity(
    problem: Problem,
    settings: Settings,
    generation: int,
    genotypes: Sequence[Genotype],
    fitness: Sequence[float],
) -> Diversity:
    """Measure the diversity of a population; individuals without a phenotype do not count."""
    individuals, tables = problem.represent(settings), problem.language.tables
    nothing = Stream(0, 0, 0)
    derivations = {}
    for genotype in genotypes:
        key = tuple(sorted(genotype.items()))
        if key not in derivations:
            derivations[key] = individuals.express(genotype, nothing)
    valid = [one for one in derivations.values() if not one.fault]
    texts = {one.phenotype for one in valid}
    stream = Stream(settings.seed, generation, _SAMPLE)
    drawn = [valid[stream.below(len(valid))] for _ in range(2 * PAIRS)] if valid else []
    trees = [make_tree(tables, one) for one in drawn]
    pairs = zip(drawn[::2], drawn[1::2], strict=True)
    return Diversity(
        generation,
        len(derivations),
        len(texts),
        len({value for value in fitness if value < INFINITE}),
        _mean([float(edit_distance(a.phenotype, b.phenotype)) for a, b in pairs]),
        _mean([float(len(one.phenotype)) for one in drawn]),
        _mean([float(tree.depth) for tree in trees]),
        _mean([float(tree.size) for tree in trees]),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0  # whole numbers, so in any order


def edit_distance(left: str, right: str) -> int:
    """Return the least number of insertions, deletions and replacements (Levenshtein)."""
    left, right = left[:_LONGEST], right[:_LONGEST]
    row: list[int] = [*range(len(right) + 1)]
    for i, a in enumerate(left, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]
