"""Score phenotypes: parse, simplify, evaluate on the training rows, and apply the objective."""

import math
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError, mention
from dsgec.grammar.genome.derive import EXHAUSTED
from dsgec.grammar.genome.genotype import Genotype
from dsgec.network.ir import Network
from dsgec.network.simplify import simplify
from dsgec.network.syntax import PhenotypeError
from dsgec.search.backends import Backend
from dsgec.search.individual import (
    INFINITE,
    NOT_FINITE,
    REFUSED,
    Champion,
    Individual,
    Offspring,
    Score,
    make_hall,
)
from dsgec.search.models import search_cost
from dsgec.search.objectives import OBJECTIVES
from dsgec.search.problem import Problem
from dsgec.search.rows import fit_line

REMEMBERED = 1 << 18
"""The number of phenotypes whose scores are remembered, unless a population has more."""

FEW_VALUES = 16
"""With more cases than this, fewer phenotypes are remembered, so that memory stays bounded."""

LARGEST_ERROR = 1e300
"""The error of a network in a row for which its output is not finite."""

_C1, _C2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
_WORD = (1 << 64) - 1


class Scorer:
    """Scores phenotypes, and remembers their scores."""

    def __init__(self, problem: Problem, backend: Backend) -> None:
        self.problem, self.backend = problem, backend
        self.rows = problem.rows
        self.targets = cache(problem.targets)
        self.evaluations = 0
        self.reused = 0
        # By hash, since the phenotypes themselves would fill the memory.
        self.memory: dict[bytes, Score] = {}
        self.hall = make_hall(problem.cost.is_minimised)

    def __call__(self, phenotypes: Sequence[str]) -> list[Score]:
        """Return the score of each phenotype, in order."""
        keys = [hash_text(phenotype) for phenotype in phenotypes]
        fresh: dict[bytes, str] = {}
        for key, phenotype in zip(keys, phenotypes, strict=True):
            if key in self.memory or key in fresh:
                self.reused += 1
            else:
                fresh[key] = phenotype
        scores = self._evaluate(list(fresh.values()))
        self.memory |= zip(fresh, scores, strict=True)
        for phenotype, score in zip(fresh.values(), scores, strict=True):
            self._admit(phenotype, score)
        return [self.memory[key] for key in keys]

    def begin(self, generation: int) -> None:
        """Prepare for the individuals of a generation."""

    def elite(self, parents: Sequence[Individual]) -> Sequence[Individual]:
        """Return the parents that stay in the generation, scored again if necessary."""
        return parents

    def individuals(self, offspring: Sequence[Offspring]) -> list[Individual]:
        """Score new individuals."""
        valid = [one.derivation.phenotype for one in offspring if not one.derivation.fault]
        scores = iter(self(valid))
        return [
            Individual(
                one.derivation,
                Score(INFINITE, one.derivation.fault) if one.derivation.fault else next(scores),
            )
            for one in offspring
        ]

    @np.errstate(all="ignore")
    def case_values(self, individuals: Sequence[Individual]) -> list[Sequence[float]]:
        """Return the error of each valid individual in all cases, which are the training rows.

        The rows have the order in which the objective sums them. An error that is not finite, in a
        row that the fitness of this generation does not use, is a large one.
        """
        problem, rows = self.problem, self.problem.rows
        objective = OBJECTIVES[problem.objective]
        networks = [simplify(problem.language.parse(i.derivation.phenotype)) for i in individuals]
        found: list[Sequence[float]] = []
        for outputs in self.backend.outputs(networks, rows) if networks else ():
            targets = problem.targets(outputs.shape[1])
            if problem.language.is_linear:
                line = fit_line(outputs[:, 0], targets.values[:, 0], targets.row_weights)
                outputs = line(outputs) if line else np.full(outputs.shape, np.nan)
            errors = objective.row_errors(outputs, targets.values)
            if objective.by_class and problem.dataset.classes:
                errors = errors[np.concatenate(targets.groups)]
            found.append(np.where(errors <= LARGEST_ERROR, errors, LARGEST_ERROR).tolist())
        return found

    def forget(self, population: Iterable[str]) -> None:
        """Forget all phenotypes but these, if too many are remembered."""
        if len(self.memory) >= self.memory_limit:
            self.memory = {key: self.memory[key] for key in map(hash_text, population)}

    @property
    def memory_limit(self) -> int:
        """The number of phenotypes whose scores are remembered."""
        return REMEMBERED

    def _admit(self, phenotype: str, score: Score, genotype: Genotype | None = None) -> None:
        if not score.reason:
            self.hall.admit(Champion(score.size, score.fitness, phenotype, genotype, score.cost))

    def _evaluate(self, phenotypes: list[str]) -> list[Score]:
        scores: list[Score | None] = []
        networks: list[Network] = []
        for phenotype in phenotypes:
            try:
                network = simplify(self.problem.language.parse(phenotype))
            except PhenotypeError as error:
                scores.append(_refused_score(f"no network: {error.faults[0].message}"))
                continue
            if self.problem.fits(network):
                scores.append(None)
                networks.append(network)
            else:
                scores.append(_refused_score("the network has the wrong number of outputs"))
        self.evaluations += len(networks)
        simplified = iter(networks)
        outputs = iter(self.backend.outputs(networks, self.rows) if networks else ())
        return [
            self._score(phenotype, next(simplified), next(outputs)) if score is None else score
            for phenotype, score in zip(phenotypes, scores, strict=True)
        ]

    def _score(self, phenotype: str, network: Network, outputs: NDArray[np.float64]) -> Score:
        if not np.isfinite(outputs).all():
            return Score(INFINITE, "an output is not finite", outcome=NOT_FINITE)
        targets = self.targets(outputs.shape[1])
        fitness = INFINITE
        if not self.problem.language.is_linear:
            fitness = self._fitness(outputs)
        elif line := fit_line(outputs[:, 0], targets.values[:, 0], targets.row_weights):
            fitness = self._fitness(line(outputs))
        if not math.isfinite(fitness):
            return Score(INFINITE, "the fitness is not finite", outcome=NOT_FINITE)
        size = self.problem.language.connections(phenotype)
        return Score(fitness, size=size, cost=search_cost(self.problem, network, size))

    @np.errstate(all="ignore")
    def _fitness(self, outputs: NDArray[np.float64]) -> float:
        targets = self.targets(outputs.shape[1])
        return OBJECTIVES[self.problem.objective].fitness(outputs, targets)


def _refused_score(reason: str) -> Score:
    return Score(INFINITE, reason, outcome=REFUSED)


class NoValidIndividual(DsgecError):
    """No individual of the first generation is valid, so the run cannot begin."""


def no_valid_individual(scores: Sequence[Score]) -> NoValidIndividual:
    """Return an error with the most frequent reason why individuals are invalid."""
    reasons = [score.reason for score in scores]
    reason = max(set(reasons), key=lambda r: (reasons.count(r), r))
    return NoValidIndividual(
        f"no individual of the first generation is valid: {reason}",
        f"Give an individual more integers with {mention('codons')}, let it read them again with"
        f" {mention('wraps')}, or try another {mention('seed')}."
        if reason == EXHAUSTED
        else "`dsgec sample` shows what the grammar makes.",
    )


def hash_text(text: str) -> bytes:
    """Return MurmurHash3 (Appleby) of 128 bits with seed 0, as templates/engine/scores.c does."""
    data = text.encode("utf-8", "surrogatepass")
    h1 = h2 = 0
    whole = len(data) // 16 * 16
    for at in range(0, whole, 16):
        h1 ^= _mix(int.from_bytes(data[at : at + 8], "little"), _C1, 31, _C2)
        h1 = ((_rotate(h1, 27) + h2) * 5 + 0x52DCE729) & _WORD
        h2 ^= _mix(int.from_bytes(data[at + 8 : at + 16], "little"), _C2, 33, _C1)
        h2 = ((_rotate(h2, 31) + h1) * 5 + 0x38495AB5) & _WORD
    h2 ^= _mix(int.from_bytes(data[whole + 8 :], "little"), _C2, 33, _C1) ^ len(data)
    h1 ^= _mix(int.from_bytes(data[whole : whole + 8], "little"), _C1, 31, _C2) ^ len(data)
    h1 = (h1 + h2) & _WORD
    h2 = (h2 + h1) & _WORD
    h1, h2 = _finish(h1), _finish(h2)
    low = (h1 + h2) & _WORD
    high = (h2 + low) & _WORD
    return low.to_bytes(8, "little") + high.to_bytes(8, "little")


def _mix(word: int, first: int, bits: int, second: int) -> int:
    return _rotate(word * first & _WORD, bits) * second & _WORD


def _rotate(word: int, bits: int) -> int:
    return (word << bits | word >> (64 - bits)) & _WORD


def _finish(word: int) -> int:
    word = (word ^ word >> 33) * 0xFF51AFD7ED558CCD & _WORD
    word = (word ^ word >> 33) * 0xC4CEB9FE1A85EC53 & _WORD
    return word ^ word >> 33
