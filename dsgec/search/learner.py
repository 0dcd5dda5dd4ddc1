"""Score individuals and learn their weights by gradients.

The weights of an individual take a step together, each to the numeral that is nearest to where its
gradient sends it, and the step is kept if it improves the fitness. What is learned is written into
the genotype (Lamarckian learning), so that children begin where their parents ended.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dsgec.grammar.genome.constants import nearest_rank
from dsgec.grammar.genome.genotype import Derivation, Gene
from dsgec.grammar.genome.rates import FIRST_STEP, Rate, advance, shrink_step
from dsgec.grammar.genome.rule_tables import RuleTables
from dsgec.network.evaluate import evaluate
from dsgec.network.simplify import simplify
from dsgec.search.backends import Backend
from dsgec.search.gradient import Span, loss_and_gradient, sum_of_squares
from dsgec.search.individual import INFINITE, Individual, Offspring, Score, Weights
from dsgec.search.lbfgs import Evaluate, minimise
from dsgec.search.problem import Learning, Problem
from dsgec.search.rows import batch_rows, has_all_rows
from dsgec.search.scoring import Scorer


def make_scorer(problem: Problem, backend: Backend) -> Scorer:
    """Return the scorer of a problem: a Learner if weights are learned."""
    if problem.learning is None:
        return Scorer(problem, backend)
    return Learner(problem, backend, problem.learning)


@dataclass(frozen=True, slots=True)
class _Step:
    """An individual, by its number, with the weights that a step would give it."""

    number: int
    moved: Derivation


class Learner(Scorer):
    """A scorer that learns weights. It remembers no scores, since they depend on the rates too."""

    def __init__(self, problem: Problem, backend: Backend, learning: Learning) -> None:
        super().__init__(problem, backend)
        self.learning = learning
        self._admits = True

    def begin(self, generation: int) -> None:
        batch = self.learning.batch
        if batch:
            part = self.problem.part(batch_rows(generation, len(self.problem.split.train), batch))
            self.rows, self.targets = part.rows, cache(part.targets)
            self._admits = has_all_rows(generation, batch)

    def elite(self, parents: Sequence[Individual]) -> Sequence[Individual]:
        if not self.learning.batch:
            return parents
        return self._learn_and_admit([Offspring(one.derivation, one.rates) for one in parents], 0)

    def individuals(self, offspring: Sequence[Offspring]) -> list[Individual]:
        return self._learn_and_admit(offspring, self.learning.steps)

    def _learn_and_admit(self, offspring: Sequence[Offspring], steps: int) -> list[Individual]:
        individuals = self.learn(offspring, steps)
        for one in individuals if self._admits else ():
            self._admit(one.derivation.phenotype, one.score, one.derivation.genotype)
        return individuals

    def learn(self, offspring: Sequence[Offspring], steps: int) -> list[Individual]:
        """Score new individuals and let their weights take at most so many steps."""
        scores = iter(self._assess([o.derivation for o in offspring if not o.derivation.fault]))
        found = [
            Individual(one.derivation, Score(INFINITE, one.derivation.fault))
            if one.derivation.fault
            else self._begin_learning(one, next(scores), steps)
            for one in offspring
        ]
        learners = [number for number, one in enumerate(found) if _can_learn(one, steps)]
        for _ in range(steps):
            tried = []
            for number in learners:
                found[number], step = self._step(number, found[number])
                tried += [step] if step else []
            learners = []
            scores = iter(self._assess([step.moved for step in tried]))
            for step, score in zip(tried, scores, strict=True):
                one = found[step.number]
                if not score.reason and score.fitness < one.fitness:
                    found[step.number] = replace(one, derivation=step.moved, score=score)
                    learners.append(step.number)
                else:
                    found[step.number] = replace(one, rates=_reduce_rates(one, step))
        return found

    def _begin_learning(self, one: Offspring, score: Score, steps: int) -> Individual:
        individual = Individual(one.derivation, score)
        if score.reason:
            return individual
        if not _can_learn(individual, steps):
            return replace(individual, rates=one.rates)
        count = len(one.derivation.constants)
        first = (Rate(FIRST_STEP, 0.0),) * count
        return replace(individual, rates=one.rates if len(one.rates) == count else first)

    def _step(self, number: int, one: Individual) -> tuple[Individual, _Step | None]:
        """Return the individual with its new rates, and its step unless no weight moves."""
        rates, ranks = [], []
        for place, rate, derivative in zip(
            one.derivation.constants, one.rates, self._gradient(one.derivation), strict=True
        ):
            rate, move = advance(rate, derivative)
            rates.append(rate)
            values = self.problem.language.tables.constants[place.rule]
            ranks.append(nearest_rank(values, values[place.rank] + move) if move else place.rank)
        learned = replace(one, rates=tuple(rates))
        if ranks == [place.rank for place in one.derivation.constants]:
            return learned, None
        return learned, _Step(
            number, with_ranks(one.derivation, ranks, self.problem.language.tables)
        )

    def _gradient(self, derivation: Derivation) -> list[float]:
        spans = [(number.offset, number.length) for number in derivation.constants]
        evaluate_at = self._evaluation(derivation.phenotype, spans, self.learning.penalty)
        found = evaluate_at(self._values(derivation))
        assert found is not None  # or it would have no score
        return found[1]

    def _evaluation(self, phenotype: str, spans: Sequence[Span], penalty: float) -> Evaluate:
        """Return the loss and the gradient of a phenotype as a function of its weights."""
        graph = self.problem.language.parse_weighted(phenotype, spans)
        targets = self.targets(len(graph.network.outputs))
        return lambda values: loss_and_gradient(
            graph,
            values,
            self.rows,
            targets,
            self.problem.objective,
            penalty,
            linear=self.problem.language.is_linear,
        )

    def tune(self, weights: Weights, evaluations: int, penalty: float) -> Sequence[float] | None:
        """Minimise the loss by the weights of a phenotype; see `dsgec.search.refine.Tune`."""
        found = minimise(
            weights.values,
            [least for least, _ in weights.bounds],
            [most for _, most in weights.bounds],
            self._evaluation(weights.phenotype, weights.spans, penalty),
            evaluations,
        )
        return found.values if found else None

    def _values(self, derivation: Derivation) -> list[float]:
        tables = self.problem.language.tables
        return [tables.constants[number.rule][number.rank] for number in derivation.constants]

    def _assess(self, derivations: Sequence[Derivation]) -> list[Score]:
        """Return the scores with the penalties of weights and connections."""
        scores = self._evaluate([derivation.phenotype for derivation in derivations])
        return [
            score if score.reason else self._penalise(derivation, score)
            for derivation, score in zip(derivations, scores, strict=True)
        ]

    def _penalise(self, derivation: Derivation, score: Score) -> Score:
        squares = sum_of_squares(self._values(derivation))
        fitness = score.fitness + self.learning.penalty * squares
        return replace(score, fitness=fitness + self.learning.parsimony * score.size)


class LoopRefit:
    """Learns weights in Python from the training rows of a problem: see `recommend.Refit`."""

    def __init__(self, problem: Problem, backend: Backend) -> None:
        assert problem.learning is not None
        self._problem = problem
        self.tune = Learner(problem, backend, problem.learning).tune

    def train_outputs(self, phenotype: str) -> NDArray[np.float64]:
        return self._outputs(phenotype, self._problem.split.train)

    def test_outputs(self, phenotype: str) -> NDArray[np.float64]:
        return self._outputs(phenotype, self._problem.split.test)

    def _outputs(self, phenotype: str, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        network = simplify(self._problem.language.parse(phenotype))
        return evaluate(network, self._problem.dataset.x[rows])


def _can_learn(one: Individual, steps: int) -> bool:
    """Return whether weights can be learned: not if GE wraps and reads an integer twice."""
    return bool(
        steps
        and one.derivation.constants
        and not one.score.reason
        and all(
            count <= len(one.derivation.genotype[gene])
            for gene, count in one.derivation.read.items()
        )
    )


def _reduce_rates(one: Individual, step: _Step) -> tuple[Rate, ...]:
    """Return the rates after a step that did not improve the fitness."""
    return tuple(
        shrink_step(rate) if before.rank != after.rank else rate
        for rate, before, after in zip(
            one.rates, one.derivation.constants, step.moved.constants, strict=True
        )
    )


def with_ranks(derivation: Derivation, ranks: Sequence[int], tables: RuleTables) -> Derivation:
    """Return the derivation with other numerals, by their ranks in the tables."""
    genotype: dict[Gene, list[int]] = {g: [*v] for g, v in derivation.genotype.items()}
    numerals = []
    for number, rank in zip(derivation.constants, ranks, strict=True):
        genotype[number.gene][number.index] = rank
        numeral = tables.productions[number.rule][rank][0]
        assert isinstance(numeral, str)
        numerals.append(numeral)
    old = [(number.offset, number.length) for number in derivation.constants]
    phenotype, spans = replace_numerals(derivation.phenotype, old, numerals)
    return replace(
        derivation,
        genotype={gene: tuple(values) for gene, values in genotype.items()},
        phenotype=phenotype,
        constants=tuple(
            replace(number, rank=rank, offset=offset, length=length)
            for number, rank, (offset, length) in zip(
                derivation.constants, ranks, spans, strict=True
            )
        ),
    )


def replace_numerals(
    phenotype: str, spans: Sequence[Span], numerals: Sequence[str]
) -> tuple[str, list[Span]]:
    """Return the phenotype with other numerals at these places, and their new places."""
    text = phenotype.encode("utf-8", "surrogatepass")
    pieces: list[bytes] = []
    found: list[Span] = []
    at = end = 0
    for (offset, length), numeral in zip(spans, numerals, strict=True):
        pieces += [text[at:offset], numeral.encode()]
        found.append((end + offset - at, len(pieces[-1])))
        end = sum(found[-1])
        at = offset + length
    return b"".join([*pieces, text[at:]]).decode("utf-8", "surrogatepass"), found
