"""Score phenotypes by a user's fitness, and keep the best of them and all failures.

The engine and the loop in Python score through this module, each phenotype once.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from dsgec.errors import DsgecError, mention
from dsgec.grammar.genome.genotype import Genotype
from dsgec.grammar.indentation import indent_lines
from dsgec.search.backends import ReferenceBackend
from dsgec.search.fitness import Answer, Failure
from dsgec.search.individual import INFINITE, NOT_FINITE, Champion, Individual, Offspring, Score
from dsgec.search.problem import Problem
from dsgec.search.scoring import FEW_VALUES, REMEMBERED, Scorer

MOST_REASONS = 100
"""The most reasons for failures that are counted one by one."""
_OTHER_REASONS = "other reasons"
_MOST_KEPT = 1000


@dataclass(slots=True)
class Failures:
    """How often phenotypes failed for one reason, and the first of them."""

    count: int
    phenotype: str


@dataclass(slots=True)
class TextHall:
    """The phenotypes that no other equals in all objectives; the first of equals.

    With one objective, the second is the length: the hall has ever longer phenotypes that are ever
    better.
    """

    entries: list[tuple[tuple[float, ...], Champion]] = field(default_factory=list)

    def admit(
        self, phenotype: str, score: Score, several: bool, genotype: Callable[[], Genotype]
    ) -> None:
        """Add a phenotype if it is on the front, and remove those that it dominates."""
        point = score.values if several else (score.fitness, float(score.size))
        entries = self.entries
        for place, (other, _) in enumerate(entries):
            if all(a <= b for a, b in zip(other, point, strict=True)):
                if place:  # it will probably dominate the next one, too
                    entries.insert(0, entries.pop(place))
                return
        entries[:] = [
            entry
            for entry in entries
            if not all(a <= b for a, b in zip(point, entry[0], strict=True))
        ]
        if len(entries) < _MOST_KEPT:
            size, fitness, values = score.size, score.fitness, score.values
            champion = Champion(size, fitness, phenotype, genotype(), values=values)
            entries.insert(0, (point, champion))

    @property
    def champions(self) -> list[Champion]:
        """The phenotypes on the front, the best by the first objective first."""
        return [champion for _, champion in sorted(self.entries, key=lambda entry: entry[0])]


class TextJudge:
    """Scores phenotypes by the fitness of a problem; `width` is how many values it returns.

    The width is -1 until an answer is known, and 0 for a fitness that returns one number.
    """

    def __init__(self, problem: Problem, selection: str = "tournament") -> None:
        assert problem.fitness is not None
        self.fitness, self._selection = problem.fitness, selection
        self._indents = bool(problem.language.grammar.directives.indent)
        self.width = -1
        self.hall = TextHall()
        self.failures: dict[str, Failures] = {}

    def __call__(
        self, phenotypes: Sequence[str], genotype: Callable[[int], Genotype] = lambda _: {}
    ) -> list[Score]:
        """Return the score of each of some different phenotypes; `genotype` returns that of one."""
        if self._indents:
            phenotypes = [*map(indent_lines, phenotypes)]
        answers = self.fitness.evaluate(phenotypes)
        several = self.fitness.objectives > 1
        scores = []
        for number, (phenotype, answer) in enumerate(zip(phenotypes, answers, strict=True)):
            score = self._score(phenotype, answer)
            if score.reason:
                self._count(score.reason, phenotype)
            else:
                self.hall.admit(phenotype, score, several, partial(genotype, number))
            scores.append(score)
        return scores

    def _score(self, phenotype: str, answer: Answer) -> Score:
        if isinstance(answer, Failure):
            return Score(INFINITE, answer.reason, outcome=NOT_FINITE)
        size = len(phenotype)
        if isinstance(answer, float):
            if self.width:
                self._expect(0)
                if self.width:
                    return self._wrong("one number")
            fitness = -answer if self.fitness.maximise else answer
            return Score(fitness, size=size, cost=size)
        self._expect(len(answer))
        if len(answer) != self.width:
            return self._wrong(f"{len(answer)} values")
        values = tuple(-value for value in answer) if self.fitness.maximise else answer
        fitness = values[0] if self.fitness.objectives > 1 else _add(values)
        if not math.isfinite(fitness):
            return Score(INFINITE, "the sum of the cases is not finite", outcome=NOT_FINITE)
        return Score(fitness, size=size, cost=size, values=values)

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
        if not width and self._selection != "tournament":
            raise DsgecError(
                f"{self._selection} selects by cases, but the fitness returned one number",
                f"Return a value for each case, or use {mention('selection', 'tournament')}.",
            )
        self.width = width

    def _wrong(self, given: str) -> Score:
        known = f"{self.width} values" if self.width else "one number"
        reason = f"the fitness is {given}, but it was {known} before"
        return Score(INFINITE, reason, outcome=NOT_FINITE)

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
                [list(point), one.fitness, one.phenotype, list(one.values), _genes(one.genotype)]
                for point, one in self.hall.entries
            ],
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
            self.hall.entries = [
                (tuple(map(float, point)), _champion(*figures))
                for point, *figures in content["hall"]
            ]
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
        return self.judge(phenotypes, lambda number: self._genotypes[phenotypes[number]])

    def _admit(self, *_: object) -> None:
        """Add nothing: the judge has a hall of fame of its own."""

    @property
    def memory_limit(self) -> int:
        width = self.judge.width
        return REMEMBERED * FEW_VALUES // width if width > FEW_VALUES else REMEMBERED
