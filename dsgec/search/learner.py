"""New individuals to individuals that have learned: their numbers are moved by gradients.

The numbers of an individual take a step together, each to the numeral that is nearest to where its
slope sends it, and the step is kept if the fitness gets better. What is learned is written into the
genotype (Lamarck), so that children begin where their parents are.
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
from dsgec.search.batches import has_all_rows, rows_of
from dsgec.search.gradient import loss_and_gradient
from dsgec.search.graph import WeightedNetwork, weighted_network
from dsgec.search.individual import Individual, Numbers, Offspring, Score
from dsgec.search.lbfgs import minimise
from dsgec.search.problem import Learning, Problem
from dsgec.search.scoring import Scorer, faulty


def make_scorer(problem: Problem, backend: Backend) -> Scorer:
    """What scores the individuals of a run."""
    if problem.learning is None:
        return Scorer(problem, backend)
    return Learner(problem, backend, problem.learning)


@dataclass(frozen=True, slots=True)
class _Step:
    """An individual, and where its numbers would go."""

    number: int
    moved: Derivation


def weighted(problem: Problem, text: str, spans: Sequence[tuple[int, int]]) -> WeightedNetwork:
    """The network of a text, by whose numbers the loss has slopes."""
    roles = problem.grammar.directives
    return weighted_network(
        text,
        spans,
        inputs=len(problem.dataset.features),
        layered=bool(roles.layer),
        output=roles.output,
    )


class Learner(Scorer):
    """Scores individuals. Nothing is remembered: what becomes of a text depends on more than it."""

    def __init__(self, problem: Problem, backend: Backend, learning: Learning) -> None:
        super().__init__(problem, backend)
        self.learning = learning
        self._admits = True

    def begin(self, generation: int) -> None:
        batch = self.learning.batch
        if batch:
            part = self.problem.part(rows_of(generation, len(self.problem.split.train), batch))
            self.rows, self.targets = part.rows, cache(part.targets)
            self._admits = has_all_rows(generation, batch)

    def elite(self, parents: Sequence[Individual]) -> Sequence[Individual]:
        """The parents, scored again where their fitness is by other rows."""
        if not self.learning.batch:
            return parents
        return self._admitted([Offspring(one.derivation, one.rates) for one in parents], 0)

    def individuals(self, offspring: Sequence[Offspring]) -> list[Individual]:
        """What becomes of new individuals, in order; the best of their size are champions."""
        return self._admitted(offspring, self.learning.steps)

    def _admitted(self, offspring: Sequence[Offspring], steps: int) -> list[Individual]:
        made = self.learned(offspring, steps)
        for one in made if self._admits else ():
            self._admit(one.derivation.phenotype, one.score, one.derivation.genotype)
        return made

    def learned(self, offspring: Sequence[Offspring], steps: int) -> list[Individual]:
        """The individuals, scored, with at most so many steps of their numbers."""
        scores = iter(self._assess([o.derivation for o in offspring if not o.derivation.fault]))
        made = [
            Individual(one.derivation, faulty(one))
            if one.derivation.fault
            else self._begun(one, next(scores), steps)
            for one in offspring
        ]
        learners = [number for number, one in enumerate(made) if self._learns(one, steps)]
        for _ in range(steps):
            tried = []
            for number in learners:
                made[number], step = self._step(number, made[number])
                tried += [step] if step else []
            learners = []
            scores = iter(self._assess([step.moved for step in tried]))
            for step, score in zip(tried, scores, strict=True):
                one = made[step.number]
                if not score.reason and score.fitness < one.fitness:
                    made[step.number] = replace(one, derivation=step.moved, score=score)
                    learners.append(step.number)
                else:
                    made[step.number] = replace(one, rates=_held_back(one, step))
        return made

    def _begun(self, one: Offspring, score: Score, steps: int) -> Individual:
        """Without steps or a score, no number is learned."""
        individual = Individual(one.derivation, score)
        if score.reason:
            return individual
        if not self._learns(individual, steps):
            return replace(individual, rates=one.rates)
        count = len(one.derivation.constants)
        first = (Rate(FIRST_STEP, 0.0),) * count
        return replace(individual, rates=one.rates if len(one.rates) == count else first)

    def _learns(self, one: Individual, steps: int) -> bool:
        """Not where an integer is read twice, as GE does when it wraps."""
        return bool(
            steps
            and one.derivation.constants
            and not one.score.reason
            and all(
                count <= len(one.derivation.genotype[gene])
                for gene, count in one.derivation.read.items()
            )
        )

    def _step(self, number: int, one: Individual) -> tuple[Individual, _Step | None]:
        """The individual with the rates that it has then; no step where no number moves."""
        rates, ranks = [], []
        for place, rate, slope in zip(
            one.derivation.constants, one.rates, self._gradient(one), strict=True
        ):
            rate, move = advance(rate, slope)
            rates.append(rate)
            values = self.problem.tables.constants[place.rule]
            ranks.append(nearest_rank(values, values[place.rank] + move) if move else place.rank)
        learned = replace(one, rates=tuple(rates))
        if ranks == [place.rank for place in one.derivation.constants]:
            return learned, None
        return learned, _Step(number, moved(one.derivation, ranks, self.problem.tables))

    def _gradient(self, one: Individual) -> list[float]:
        problem, derivation = self.problem, one.derivation
        spans = [(number.offset, number.length) for number in derivation.constants]
        graph = weighted(problem, derivation.phenotype, spans)
        found = loss_and_gradient(
            graph,
            self._values(derivation),
            self.rows,
            self.targets(len(graph.network.outputs)),
            problem.objective,
            self.learning.penalty,
            linear=problem.is_linear,
        )
        assert found is not None  # or it would have no score
        return found[1]

    def tune(self, numbers: Numbers, evaluations: int, penalty: float) -> Sequence[float] | None:
        """Lower values of the numbers of a text; see `dsgec.search.tuning`."""
        graph = weighted(self.problem, numbers.text, numbers.spans)
        targets = self.targets(len(graph.network.outputs))
        found = minimise(
            numbers.values,
            [least for least, _ in numbers.bounds],
            [most for _, most in numbers.bounds],
            lambda values: loss_and_gradient(
                graph,
                values,
                self.rows,
                targets,
                self.problem.objective,
                penalty,
                linear=self.problem.is_linear,
            ),
            evaluations,
        )
        return found.values if found else None

    def _values(self, derivation: Derivation) -> list[float]:
        return [self.problem.tables.constants[n.rule][n.rank] for n in derivation.constants]

    def _assess(self, derivations: Sequence[Derivation]) -> list[Score]:
        """The objective, with the penalties of numbers and connections."""
        scores = self._evaluate([derivation.phenotype for derivation in derivations])
        return [
            score if score.reason else self._penalised(derivation, score)
            for derivation, score in zip(derivations, scores, strict=True)
        ]

    def _penalised(self, derivation: Derivation, score: Score) -> Score:
        total = 0.0
        for value in self._values(derivation):
            total += value * value
        fitness = score.fitness + self.learning.penalty * total
        return replace(score, fitness=fitness + self.learning.parsimony * score.size)


class LoopRefit:
    """Weights learned in Python from the training rows of a problem: see `recommend.Refit`."""

    def __init__(self, problem: Problem, backend: Backend) -> None:
        assert problem.learning is not None
        self._problem = problem
        self.tune = Learner(problem, backend, problem.learning).tune

    def fitted(self, text: str) -> NDArray[np.float64]:
        """What a text gives on the training rows."""
        return self._outputs(text, self._problem.split.train)

    def outputs(self, text: str) -> NDArray[np.float64]:
        """What a text gives on the test rows."""
        return self._outputs(text, self._problem.split.test)

    def _outputs(self, text: str, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        return evaluate(simplify(self._problem.parse(text)), self._problem.dataset.x[rows])


def _held_back(one: Individual, step: _Step) -> tuple[Rate, ...]:
    """The rates after a step that did not help."""
    return tuple(
        shrink_step(rate) if before.rank != after.rank else rate
        for rate, before, after in zip(
            one.rates, one.derivation.constants, step.moved.constants, strict=True
        )
    )


def moved(derivation: Derivation, ranks: Sequence[int], tables: RuleTables) -> Derivation:
    """The same derivation with other numbers."""
    genotype: dict[Gene, list[int]] = {g: [*v] for g, v in derivation.genotype.items()}
    text = derivation.phenotype.encode("utf-8", "surrogatepass")
    pieces, numbers, at, length = [], [], 0, 0
    for number, rank in zip(derivation.constants, ranks, strict=True):
        genotype[number.gene][number.index] = rank
        numeral = tables.productions[number.rule][rank][0]
        assert isinstance(numeral, str)
        pieces += [text[at : number.offset], numeral.encode()]
        length += number.offset - at
        at = number.offset + number.length
        numbers.append(replace(number, rank=rank, offset=length, length=len(numeral)))
        length += len(numeral)
    phenotype = b"".join([*pieces, text[at:]]).decode("utf-8", "surrogatepass")
    return replace(
        derivation,
        genotype={gene: tuple(values) for gene, values in genotype.items()},
        phenotype=phenotype,
        constants=tuple(numbers),
    )
