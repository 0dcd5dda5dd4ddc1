"""Phenotypes to scores: parse, simplify, run on the rows to learn from, measure."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError
from dsgec.evolution.problem import Problem
from dsgec.fitness.backends import Backend
from dsgec.fitness.objectives import OBJECTIVES
from dsgec.genome.derive import EXHAUSTED
from dsgec.network.ir import Network
from dsgec.network.simplify import simplify
from dsgec.network.tokens import PhenotypeError


@dataclass(frozen=True, slots=True)
class Score:
    """Lower is better. An invalid individual has infinity and a reason, and cannot be the best."""

    fitness: float
    reason: str = ""


INFINITE = float("inf")


class Scorer:
    """Scores texts; a text that was scored before in this run is not evaluated again."""

    def __init__(self, problem: Problem, backend: Backend) -> None:
        self.problem, self.backend = problem, backend
        self.rows = problem.rows
        self.targets = cache(problem.targets)
        self.evaluations = 0
        self.reused = 0
        # By digest: the texts of a long run would fill the memory.
        self._memory: dict[bytes, Score] = {}

    def __call__(self, phenotypes: Sequence[str]) -> list[Score]:
        """A score for each text, in order."""
        keys = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in phenotypes]
        fresh: dict[bytes, str] = {}
        for key, text in zip(keys, phenotypes, strict=True):
            if key in self._memory or key in fresh:
                self.reused += 1
            else:
                fresh[key] = text
        self._memory |= zip(fresh, self._evaluate(list(fresh.values())), strict=True)
        return [self._memory[key] for key in keys]

    def _evaluate(self, phenotypes: list[str]) -> list[Score]:
        scores: list[Score | None] = []
        networks: list[Network] = []
        for text in phenotypes:
            try:
                network = simplify(self.problem.parse(text))
            except PhenotypeError as error:
                scores.append(Score(INFINITE, f"no network: {error.faults[0].message}"))
                continue
            if self.problem.fits(network):
                scores.append(None)
                networks.append(network)
            else:
                scores.append(Score(INFINITE, "the network has the wrong number of outputs"))
        self.evaluations += len(networks)
        outputs = iter(self.backend.outputs(networks, self.rows) if networks else ())
        return [self._measure(next(outputs)) if score is None else score for score in scores]

    def _measure(self, outputs: NDArray[np.float64]) -> Score:
        if not np.isfinite(outputs).all():
            return Score(INFINITE, "an output is not finite")
        objective = OBJECTIVES[self.problem.objective]
        with np.errstate(all="ignore"):
            fitness = objective(outputs, self.targets(outputs.shape[1]))
        if not math.isfinite(fitness):
            return Score(INFINITE, "the fitness is not finite")
        return Score(fitness)


class NothingValid(DsgecError):
    """Not one individual of the first generation is valid: the run ends before it began."""


def explain(scores: Sequence[Score]) -> NothingValid:
    """Why not one individual of a population is valid."""
    reasons = [score.reason for score in scores]
    reason = max(set(reasons), key=lambda r: (reasons.count(r), r))
    return NothingValid(
        f"no individual of the first generation is valid: {reason}",
        "Give an individual more --codons, let it read them again with --wraps, or try another"
        " --seed."
        if reason == EXHAUSTED
        else "`dsgec sample` shows what the grammar makes.",
    )
