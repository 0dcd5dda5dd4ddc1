"""The champions of a run to champions whose numbers are tuned: L-BFGS from where they are.

During the search numbers are numerals of the grammar and take a step a child; here those of the
best networks go as low as they can, in full precision or back to the nearest numerals.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from dsgec.evolution.individual import Champion
from dsgec.evolution.learner import Numbers, moved
from dsgec.evolution.problem import Problem
from dsgec.evolution.settings import Settings
from dsgec.genome.ir import Derivation
from dsgec.genome.numbers import nearest
from dsgec.random import Stream

MOST_TUNED = 10
"""Champions that get all evaluations; the others get a tenth."""


Tune = Callable[[Numbers, int, float], Sequence[float] | None]
"""Lower values of the numbers by so many evaluations, with a penalty; None where there are none."""
Score = Callable[[str], float]
"""The objective of a text."""


def tune_champions(
    problem: Problem,
    settings: Settings,
    champions: Sequence[Champion],
    tune: Tune,
    score: Score,
) -> list[Champion]:
    """The champions with better numbers, less those that one before them is as good as."""
    if problem.learning is None:
        return [*champions]
    ranked = sorted(range(len(champions)), key=lambda number: (champions[number].fitness, number))
    best = {*ranked[:MOST_TUNED]}
    worth_it = best | {*_front(champions)}
    tuned = [
        _tuned(
            problem,
            settings,
            champion,
            settings.tuning if number in best else settings.tuning // MOST_TUNED,
            tune,
            score,
        )
        for number, champion in enumerate(champions)
        if number in worth_it
    ]
    return [tuned[number] for number in _front(tuned)]


def _front(champions: Sequence[Champion]) -> list[int]:
    """The numbers of the champions that are better than all before them: smaller or cheaper."""
    found: list[int] = []
    for number, champion in enumerate(champions):
        if not found or champion.fitness < champions[found[-1]].fitness:
            found.append(number)
    return found


def _tuned(
    problem: Problem,
    settings: Settings,
    champion: Champion,
    evaluations: int,
    tune: Tune,
    score: Score,
) -> Champion:
    learning = problem.learning
    assert learning is not None and champion.genotype is not None
    derivation = problem.represent(settings).express(champion.genotype, Stream(0, 0, 0))
    numbers = _numbers(problem, derivation)
    if not numbers.values or not evaluations:
        return champion
    found = tune(numbers, evaluations, learning.penalty)
    if found is None:
        return champion
    text = _written(problem, settings, derivation, found)
    if settings.weights == "grammar":
        found = _numbers(problem, _rounded(problem, derivation, found)).values
    total = 0.0
    for value in found:
        total += value * value
    fitness = (score(text) + learning.penalty * total) + learning.parsimony * champion.size
    if not fitness < champion.fitness:
        return champion
    return replace(champion, fitness=fitness, phenotype=text)


def _numbers(problem: Problem, derivation: Derivation) -> Numbers:
    lists = [problem.tables.numbers[number.rule] for number in derivation.numbers]
    return Numbers(
        derivation.phenotype,
        tuple((number.offset, number.length) for number in derivation.numbers),
        tuple((values[0], values[-1]) for values in lists),
        tuple(v[number.rank] for v, number in zip(lists, derivation.numbers, strict=True)),
    )


def _rounded(problem: Problem, derivation: Derivation, values: Sequence[float]) -> Derivation:
    """The derivation with the numerals that are nearest to the values."""
    lists = (problem.tables.numbers[number.rule] for number in derivation.numbers)
    ranks = [nearest(own, value) for own, value in zip(lists, values, strict=True)]
    return moved(derivation, ranks, problem.tables)


def _written(
    problem: Problem, settings: Settings, derivation: Derivation, values: Sequence[float]
) -> str:
    """The text with the values in the place of its numbers."""
    if settings.weights == "grammar":
        return _rounded(problem, derivation, values).phenotype
    text = derivation.phenotype.encode("utf-8", "surrogatepass")
    pieces, at = [], 0
    for number, value in zip(derivation.numbers, values, strict=True):
        pieces += [text[at : number.offset], repr(value).encode()]
        at = number.offset + number.length
    return b"".join([*pieces, text[at:]]).decode("utf-8", "surrogatepass")
