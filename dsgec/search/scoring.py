"""Phenotypes to scores: parse, simplify, run on the training rows, measure."""

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
from dsgec.network.structure import count_connections
from dsgec.network.syntax import PhenotypeError
from dsgec.search.backends import Backend
from dsgec.search.hall import make_hall
from dsgec.search.hash import hash_text
from dsgec.search.individual import (
    INFINITE,
    NOT_FINITE,
    REFUSED,
    Champion,
    Individual,
    Offspring,
    Score,
)
from dsgec.search.linear import on_line
from dsgec.search.objectives import OBJECTIVES
from dsgec.search.problem import Problem

REMEMBERED = 1 << 18
"""So many texts are remembered, or those of one population if they are more."""


class Scorer:
    """Scores texts; a text that it remembers is not evaluated again."""

    def __init__(self, problem: Problem, backend: Backend) -> None:
        self.problem, self.backend = problem, backend
        self.rows = problem.rows
        self.targets = cache(problem.targets)
        self.evaluations = 0
        self.reused = 0
        # By hash: the texts themselves would fill the memory.
        self.memory: dict[bytes, Score] = {}
        self.hall = make_hall(problem)

    def __call__(self, phenotypes: Sequence[str]) -> list[Score]:
        """A score for each text, in order."""
        keys = [hash_text(text) for text in phenotypes]
        fresh: dict[bytes, str] = {}
        for key, text in zip(keys, phenotypes, strict=True):
            if key in self.memory or key in fresh:
                self.reused += 1
            else:
                fresh[key] = text
        scores = self._evaluate(list(fresh.values()))
        self.memory |= zip(fresh, scores, strict=True)
        for text, score in zip(fresh.values(), scores, strict=True):
            self._admit(text, score)
        return [self.memory[key] for key in keys]

    def begin(self, generation: int) -> None:
        """Get ready for the individuals of a generation."""

    def elite(self, parents: Sequence[Individual]) -> Sequence[Individual]:
        """Parents that stay in the generation."""
        return parents

    def individuals(self, offspring: Sequence[Offspring]) -> list[Individual]:
        """What becomes of new individuals, in order."""
        scores = iter(
            self([one.derivation.phenotype for one in offspring if not one.derivation.fault])
        )
        return [
            Individual(one.derivation, faulty(one) if one.derivation.fault else next(scores))
            for one in offspring
        ]

    def forget(self, population: Iterable[str]) -> None:
        """Remember only these texts, once there are too many others."""
        if len(self.memory) >= REMEMBERED:
            self.memory = {key: self.memory[key] for key in map(hash_text, population)}

    def _admit(self, text: str, score: Score, genotype: Genotype | None = None) -> None:
        """Put a text into the hall of fame, if it belongs there."""
        if not score.reason:
            self.hall.admit(Champion(score.size, score.fitness, text, genotype, score.cost))

    def _evaluate(self, phenotypes: list[str]) -> list[Score]:
        scores: list[Score | None] = []
        networks: list[Network] = []
        for text in phenotypes:
            try:
                network = simplify(self.problem.parse(text))
            except PhenotypeError as error:
                scores.append(_refused(f"no network: {error.faults[0].message}"))
                continue
            if self.problem.fits(network):
                scores.append(None)
                networks.append(network)
            else:
                scores.append(_refused("the network has the wrong number of outputs"))
        self.evaluations += len(networks)
        simplified = iter(networks)
        outputs = iter(self.backend.outputs(networks, self.rows) if networks else ())
        return [
            self._measure(text, next(simplified), next(outputs)) if score is None else score
            for text, score in zip(phenotypes, scores, strict=True)
        ]

    def _measure(self, text: str, network: Network, outputs: NDArray[np.float64]) -> Score:
        if not np.isfinite(outputs).all():
            return Score(INFINITE, "an output is not finite", outcome=NOT_FINITE)
        targets = self.targets(outputs.shape[1])
        if self.problem.is_linear:
            scaled = on_line(outputs, targets)
            if scaled is None:
                return Score(INFINITE, "the fitness is not finite", outcome=NOT_FINITE)
            outputs, _ = scaled
        objective = OBJECTIVES[self.problem.objective].fitness
        with np.errstate(all="ignore"):
            fitness = objective(outputs, targets)
        if not math.isfinite(fitness):
            return Score(INFINITE, "the fitness is not finite", outcome=NOT_FINITE)
        size = count_connections(text, layered=bool(self.problem.grammar.directives.layer))
        return Score(fitness, size=size, cost=self.problem.cost(network, size))


def faulty(one: Offspring) -> Score:
    """The score of an individual that has no text."""
    return Score(INFINITE, one.derivation.fault)


def _refused(reason: str) -> Score:
    return Score(INFINITE, reason, outcome=REFUSED)


class NothingValid(DsgecError):
    """Not one individual of the first generation is valid: the run ends before it began."""


def explain(scores: Sequence[Score]) -> NothingValid:
    """Why not one individual of a population is valid."""
    reasons = [score.reason for score in scores]
    reason = max(set(reasons), key=lambda r: (reasons.count(r), r))
    return NothingValid(
        f"no individual of the first generation is valid: {reason}",
        f"Give an individual more integers with {mention('codons')}, let it read them again with"
        f" {mention('wraps')}, or try another {mention('seed')}."
        if reason == EXHAUSTED
        else "`dsgec sample` shows what the grammar makes.",
    )
