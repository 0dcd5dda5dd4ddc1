"""The champions of a run to champions whose numbers are tuned: L-BFGS from where they are.

During the search numbers are numerals of the grammar and take a step a child; here those of the
best networks go as low as they can, in full precision or back to the nearest_rank numerals.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from dsgec.arithmetic import scalar
from dsgec.grammar.genome.constants import nearest_rank
from dsgec.grammar.genome.genotype import Derivation
from dsgec.random import Stream
from dsgec.search.individual import Champion, Numbers
from dsgec.search.learner import moved
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings

MOST_TUNED = 10
"""Champions that get all evaluations; the others get a tenth."""
MOST_CANDIDATES = 12
"""Champions, from the smallest to the best, of which one is recommended: they get all, too."""


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
    worth_it = sorted(best | {*_front(champions)})
    if settings.choose == "cv":  # one of these may be recommended
        best |= {worth_it[place] for place in evenly([champions[n] for n in worth_it])}
    tuned = []
    for number in worth_it:
        evaluations = settings.tuning if number in best else settings.tuning // MOST_TUNED
        one = _tuned(problem, settings, champions[number], evaluations, tune, score)
        tuned.append(one if number in best else replace(one, numbers=None))
    return [tuned[number] for number in _front(tuned)]


def evenly(champions: Sequence[Champion], most: int = MOST_CANDIDATES) -> list[int]:
    """The places of a few champions, evenly by the logarithm of their costs, which rise."""
    if len(champions) <= most:
        return [*range(len(champions))]
    logs = [scalar.log(1.0 + (one.cost or one.size)) for one in champions]
    step = (logs[-1] - logs[0]) / (most - 1)
    wanted = [logs[0] + number * step for number in range(most)]
    return sorted({min(range(len(logs)), key=lambda at: abs(logs[at] - log)) for log in wanted})


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
    untuned = replace(champion, numbers=numbers)
    if not numbers.values or not evaluations:
        return untuned
    found = tune(numbers, evaluations, learning.penalty)
    if found is None:
        return untuned
    if settings.weights == "grammar":
        tuned = _numbers(problem, _rounded(problem, derivation, found))
    else:
        tuned = with_values(numbers, found)
    total = 0.0
    for value in tuned.values:
        total += value * value
    fitness = (score(tuned.text) + learning.penalty * total) + learning.parsimony * champion.size
    if not fitness < champion.fitness:
        return untuned
    return replace(champion, fitness=fitness, phenotype=tuned.text, numbers=tuned)


def _numbers(problem: Problem, derivation: Derivation) -> Numbers:
    lists = [problem.tables.constants[number.rule] for number in derivation.constants]
    return Numbers(
        derivation.phenotype,
        tuple((number.offset, number.length) for number in derivation.constants),
        tuple((values[0], values[-1]) for values in lists),
        tuple(v[number.rank] for v, number in zip(lists, derivation.constants, strict=True)),
    )


def _rounded(problem: Problem, derivation: Derivation, values: Sequence[float]) -> Derivation:
    """The derivation with the numerals that are nearest_rank to the values."""
    lists = (problem.tables.constants[number.rule] for number in derivation.constants)
    ranks = [nearest_rank(own, value) for own, value in zip(lists, values, strict=True)]
    return moved(derivation, ranks, problem.tables)


def with_values(numbers: Numbers, values: Sequence[float]) -> Numbers:
    """The text with other values in the place of its numbers, in full precision."""
    text = numbers.text.encode("utf-8", "surrogatepass")
    pieces: list[bytes] = []
    spans: list[tuple[int, int]] = []
    at = length = 0
    for (offset, old), value in zip(numbers.spans, values, strict=True):
        numeral = repr(value).encode()
        pieces += [text[at:offset], numeral]
        length += offset - at
        spans.append((length, len(numeral)))
        length += len(numeral)
        at = offset + old
    written = b"".join([*pieces, text[at:]]).decode("utf-8", "surrogatepass")
    return Numbers(written, tuple(spans), numbers.bounds, tuple(values))
