"""Score phenotypes by a user's fitness, and keep the best of them and all failures.

The engine and the loop in Python score through this module, each phenotype once.
"""

import json
import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError, mention
from dsgec.grammar.genome.genotype import Genotype
from dsgec.grammar.indentation import indent_lines
from dsgec.search.backends import ReferenceBackend
from dsgec.search.diversity import Diversity
from dsgec.search.fitness import Answer, Failure
from dsgec.search.individual import INFINITE, NOT_FINITE, Champion, Individual, Offspring, Score
from dsgec.search.problem import Problem
from dsgec.search.scoring import FEW_VALUES, REMEMBERED, Scorer
from dsgec.search.settings import BY_CASES

MOST_REASONS = 100
"""The most reasons for failures that are counted one by one."""
_OTHER_REASONS = "other reasons"
_MOST_KEPT = 1000


class Verdict(NamedTuple):
    """The score of a phenotype: see `Score`; of one that failed, the reason."""

    fitness: float
    size: int
    values: tuple[float, ...]
    reason: str


class Verdicts(NamedTuple):
    """The verdicts on several phenotypes, by column."""

    fitness: NDArray[np.float64]
    sizes: NDArray[np.int32]
    values: Sequence[tuple[float, ...]]
    reasons: Sequence[str]


@dataclass(slots=True)
class Failures:
    """The number of phenotypes that failed for one reason, and the first of them."""

    count: int
    phenotype: str


class TextHall:
    """The phenotypes that no other equals in fitness and length; the first of equals."""

    def __init__(self) -> None:
        self._champions: list[Champion] = []  # by rising length and falling fitness
        self._sizes: list[int] = []

    def admit(self, phenotype: str, verdict: Verdict, genotype: Callable[[], Genotype]) -> None:
        """Add a phenotype if it is on the front, and remove those that it dominates."""
        fitness, size, values, _ = verdict
        at = bisect_right(self._sizes, size)
        champions = self._champions
        if at and champions[at - 1].fitness <= fitness:
            return
        start = at - 1 if at and self._sizes[at - 1] == size else at
        end = at
        while end < len(champions) and champions[end].fitness >= fitness:
            end += 1
        if end > start or len(champions) < _MOST_KEPT:
            champions[start:end] = [Champion(size, fitness, phenotype, genotype(), values=values)]
            self._sizes[start:end] = [size]

    def improvements(self, fitness: NDArray[np.float64], sizes: NDArray[np.int32]) -> list[int]:
        """Return the numbers of the phenotypes that would be on the front if they were alone."""
        least = np.array([INFINITE, *(one.fitness for one in self._champions)])
        known = np.array(self._sizes, np.int32)
        found = np.flatnonzero(fitness < least[np.searchsorted(known, sizes, side="right")])
        return [*map(int, found)]

    @property
    def champions(self) -> list[Champion]:
        """The phenotypes on the front, the best first."""
        return self._champions[::-1]

    def restore(self, champions: Sequence[Champion]) -> None:
        """Continue with the champions of another hall."""
        self._champions = [*champions][::-1]
        self._sizes = [one.size for one in self._champions]


class ObjectiveHall(TextHall):
    """The phenotypes that no other equals in all objectives; the first of equals."""

    def admit(self, phenotype: str, verdict: Verdict, genotype: Callable[[], Genotype]) -> None:
        fitness, size, values, _ = verdict
        champions = self._champions
        for place, other in enumerate(champions):
            if all(a <= b for a, b in zip(other.values, values, strict=True)):
                if place:  # it will probably dominate the next one, too
                    champions.insert(0, champions.pop(place))
                return
        champions[:] = [
            other
            for other in champions
            if not all(a <= b for a, b in zip(values, other.values, strict=True))
        ]
        if len(champions) < _MOST_KEPT:
            one = Champion(size, fitness, phenotype, genotype(), values=values)
            champions.insert(0, one)

    @property
    def champions(self) -> list[Champion]:
        return sorted(self._champions, key=lambda one: one.values)


def make_text_hall(objectives: int) -> TextHall:
    """Return an empty hall of fame for a fitness with so many objectives."""
    return ObjectiveHall() if objectives > 1 else TextHall()


class TextJudge:
    """Scores phenotypes by the fitness of a problem; `width` is how many values it returns.

    The width is -1 until an answer is known, and 0 for a fitness that returns one number.
    """

    def __init__(self, problem: Problem, selection: str = "tournament") -> None:
        assert problem.fitness is not None
        self.fitness, self._selection = problem.fitness, selection
        self._indents = bool(problem.language.grammar.directives.indent)
        self.width = -1
        self.hall = make_text_hall(self.fitness.objectives)
        self.failures: dict[str, Failures] = {}
        self.diversity: list[Diversity] = []

    def __call__(
        self, phenotypes: Sequence[str], genotype: Callable[[int], Genotype] = lambda _: {}
    ) -> Verdicts:
        """Return the verdicts on some different phenotypes.

        `genotype` returns the genotype of one of them, for the hall of fame.
        """
        if self._indents:
            phenotypes = [*map(indent_lines, phenotypes)]
        answers = self.fitness.evaluate(phenotypes)
        if self.width <= 0 and self.fitness.objectives == 1 and {*map(type, answers)} == {float}:
            self._expect(0)
            return self._judge_numbers(phenotypes, answers, genotype)
        verdicts = []
        for number, (phenotype, answer) in enumerate(zip(phenotypes, answers, strict=True)):
            verdict = self._judge(phenotype, answer)
            if verdict.reason:
                self._count(verdict.reason, phenotype)
            else:
                self.hall.admit(phenotype, verdict, partial(genotype, number))
            verdicts.append(verdict)
        fitness, sizes, values, reasons = zip(*verdicts, strict=True)
        return Verdicts(np.array(fitness), np.array(sizes, np.int32), values, reasons)

    def _judge_numbers(
        self, phenotypes: Sequence[str], answers: Any, genotype: Callable[[int], Genotype]
    ) -> Verdicts:
        """Return the verdicts on phenotypes that all have one number."""
        count = len(phenotypes)
        fitness = np.array(answers) * (-1.0 if self.fitness.maximise else 1.0)
        sizes = np.fromiter(map(len, phenotypes), np.int32, count)
        for number in self.hall.improvements(fitness, sizes):
            verdict = Verdict(float(fitness[number]), int(sizes[number]), (), "")
            self.hall.admit(phenotypes[number], verdict, partial(genotype, number))
        return Verdicts(fitness, sizes, [()] * count, [""] * count)

    def _judge(self, phenotype: str, answer: Answer) -> Verdict:
        if type(answer) is float:
            if self.width:
                self._expect(0)
                if self.width:
                    return self._wrong_width("one number")
            return Verdict(-answer if self.fitness.maximise else answer, len(phenotype), (), "")
        if isinstance(answer, Failure):
            return Verdict(INFINITE, 0, (), answer.reason)
        assert isinstance(answer, tuple)
        self._expect(len(answer))
        if len(answer) != self.width:
            return self._wrong_width(f"{len(answer)} values")
        values = tuple(-value for value in answer) if self.fitness.maximise else answer
        fitness = values[0] if self.fitness.objectives > 1 else _add(values)
        if not math.isfinite(fitness):
            return Verdict(INFINITE, 0, (), "the sum of the cases is not finite")
        return Verdict(fitness, len(phenotype), values, "")

    def _expect(self, width: int) -> None:
        """Learn from the first answer how many values there are."""
        if self.width >= 0:
            return
        objectives, found = self.fitness.objectives, width or 1
        if objectives > 1 and width != objectives:
            raise DsgecError(
                f"the fitness returned {found} values, but there are {objectives} objectives",
                f"Return so many, or set {mention('objectives', found)}.",
            )
        if not width and self._selection in BY_CASES:
            raise DsgecError(
                f"{self._selection} selects by cases, but the fitness returned one number",
                f"Return a value for each case, or use {mention('selection', 'tournament')}.",
            )
        self.width = width

    def _wrong_width(self, given: str) -> Verdict:
        """Return the verdict on a fitness with more or fewer values than others."""
        known = f"{self.width} values" if self.width else "one number"
        return Verdict(INFINITE, 0, (), f"the fitness is {given}, but it was {known} before")

    def _count(self, reason: str, phenotype: str) -> None:
        if reason not in self.failures and len(self.failures) >= MOST_REASONS:
            reason = _OTHER_REASONS
        found = self.failures.setdefault(reason, Failures(0, phenotype))
        found.count += 1

    def save(self) -> bytes:
        """Return everything that is known as bytes."""
        content = {
            "width": self.width,
            "failures": {why: [one.count, one.phenotype] for why, one in self.failures.items()},
            "hall": [
                [one.fitness, one.phenotype, list(one.values), _genes(one.genotype)]
                for one in self.hall.champions
            ],
            "diversity": [astuple(one) for one in self.diversity],
        }
        return json.dumps(content).encode()

    def restore(self, data: bytes) -> None:
        """Continue from what `save` returned, or raise a ValueError."""
        content = json.loads(data)
        try:
            self.width = int(content["width"])
            self.failures = {
                str(why): Failures(int(count), str(phenotype))
                for why, (count, phenotype) in content["failures"].items()
            }
            self.diversity = [Diversity(*row) for row in content["diversity"]]
            self.hall.restore([_champion(*figures) for figures in content["hall"]])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("it is not what a search keeps") from error


def _add(values: Sequence[float]) -> float:
    try:
        return math.fsum(values)
    except OverflowError:
        return INFINITE


def _genes(genotype: Genotype | None) -> list[list[Any]]:
    return [[rule, part, [*values]] for (rule, part), values in (genotype or {}).items()]


def _champion(fitness: Any, phenotype: Any, values: Any, genes: Any) -> Champion:
    text = str(phenotype)
    genotype = {(int(rule), int(part)): tuple(map(int, own)) for rule, part, own in genes}
    return Champion(len(text), float(fitness), text, genotype, values=tuple(map(float, values)))


class TextScorer(Scorer):
    """Scores the individuals of the loop in Python by a user's fitness."""

    def __init__(self, problem: Problem, selection: str) -> None:
        super().__init__(problem, ReferenceBackend())
        self.judge = TextJudge(problem, selection)

        self._genotypes: dict[str, Genotype] = {}

    def individuals(self, offspring: Sequence[Offspring]) -> list[Individual]:
        for one in reversed(offspring):  # of equal phenotypes, the first counts
            self._genotypes[one.derivation.phenotype] = one.derivation.genotype
        found = super().individuals(offspring)
        self._genotypes = {}
        return found

    def _evaluate(self, phenotypes: list[str]) -> list[Score]:
        self.evaluations += len(phenotypes)
        if not phenotypes:
            return []
        found = self.judge(phenotypes, lambda number: self._genotypes[phenotypes[number]])
        return [
            Score(fitness, reason, size, NOT_FINITE if reason else "", size, values)
            for fitness, size, values, reason in zip(
                *(found.fitness.tolist(), found.sizes.tolist(), found.values, found.reasons),
                strict=True,
            )
        ]

    def case_values(self, individuals: Sequence[Individual]) -> list[Sequence[float]]:
        """Return the values that the user's fitness gave."""
        return [one.score.values for one in individuals]

    def _admit(self, *_: object) -> None:
        """Add nothing: the judge has a hall of fame of its own."""

    @property
    def memory_limit(self) -> int:
        width = self.judge.width
        return REMEMBERED * FEW_VALUES // width if width > FEW_VALUES else REMEMBERED
