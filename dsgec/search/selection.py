"""Select parents: templates/engine/selection.c does the same.

docs/how-to/add-a-selection-method.md shows how to add a method. Lexicase selection is that of
Helmuth, Spector and Matheson ("Solving uncompromising problems with lexicase selection", 2015);
with an epsilon, the semi-dynamic one of La Cava and others ("A probabilistic and multi-objective
analysis of lexicase selection and ε-lexicase selection", 2019); down-sampled, that of Hernandez and
others ("Random subsampling improves performance in lexicase selection", 2019).
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from statistics import median

from dsgec.random import Stream
from dsgec.search.individual import Individual
from dsgec.search.operators import Caller, Parent, ParentList
from dsgec.search.settings import Settings

FindValues = Callable[[Sequence[Individual]], list[Sequence[float]]]
"""A function that returns the values of some valid individuals in all cases."""

_CASES = (1 << 64) - 1  # an individual that no population has, for drawing cases


class Parents:
    """A population from which the parents of the next generation are selected."""

    def __init__(
        self,
        individuals: Sequence[Individual],
        settings: Settings,
        generation: int,
        find_values: FindValues,
    ) -> None:
        self._individuals, self._settings = individuals, settings
        self.generation, self._find_values = generation, find_values

    def __len__(self) -> int:
        return len(self._individuals)

    def __getitem__(self, number: int) -> Individual:
        return self._individuals[number]

    @cached_property
    def views(self) -> "ParentList":
        """The individuals as a user's operator gets them."""
        return ParentList(len(self), lambda number: as_parent(self[number]))

    @cached_property
    def valid(self) -> list[int]:
        """The numbers of the valid individuals."""
        return [number for number, one in enumerate(self._individuals) if not one.score.reason]

    @cached_property
    def values(self) -> dict[int, Sequence[float]]:
        """The values of each valid individual in all cases."""
        found = self._find_values([self[number] for number in self.valid])
        return dict(zip(self.valid, found, strict=True))

    @cached_property
    def cases(self) -> list[int]:
        """The numbers of the cases that count in this generation."""
        width = len(self.values[self.valid[0]]) if self.valid else 0
        cases = [*range(width)]
        wanted = self._settings.down_sample * width + 0.5
        count = min(max(int(wanted), 1), width)
        if count == width:
            return cases
        stream = Stream(self._settings.seed, self.generation, _CASES)
        for i in range(count):
            drawn = i + stream.below(width - i)
            cases[i], cases[drawn] = cases[drawn], cases[i]
        return cases[:count]

    @cached_property
    def epsilons(self) -> dict[int, float]:
        """The median absolute deviation of the valid individuals in each case."""
        return {case: _deviation([self.value(i, case) for i in self.valid]) for case in self.cases}

    def value(self, number: int, case: int) -> float:
        """Return the value of an individual in a case; less is better."""
        return self.values[number][case]


def as_parent(one: Individual) -> Parent:
    """Return an individual as a user's operator gets it."""
    derivation = one.derivation
    values = () if one.score.reason else one.score.values
    return Parent(derivation.genotype, derivation.phenotype, one.fitness, values)


def _deviation(values: Sequence[float]) -> float:
    middle = median(values)
    return median([abs(value - middle) for value in values])


def precedes(parents: Parents, settings: Settings, i: int, j: int) -> bool:
    """Return whether individual `i` is better than `j`; of equals, the first is.

    If there is more than one objective, the population is sorted.
    """
    if settings.has_fronts:
        return i < j
    return (parents[i].fitness, i) < (parents[j].fitness, j)


def tournament(parents: Parents, settings: Settings, stream: Stream) -> int:
    """Draw individuals and return the number of the best of them."""
    best = stream.below(len(parents))
    for _ in range(settings.tournament - 1):
        other = stream.below(len(parents))
        if precedes(parents, settings, other, best):
            best = other
    return best


def lexicase(parents: Parents, settings: Settings, stream: Stream) -> int:
    """Take cases in random order; each keeps only the best of those that are left."""
    return _filter_by_cases(parents, stream, dict.fromkeys(parents.cases, 0.0))


def epsilon_lexicase(parents: Parents, settings: Settings, stream: Stream) -> int:
    """Do as `lexicase` does, but each case keeps those that are at most its epsilon worse."""
    return _filter_by_cases(parents, stream, parents.epsilons)


def _filter_by_cases(parents: Parents, stream: Stream, epsilons: dict[int, float]) -> int:
    pool, cases = [*parents.valid], [*parents.cases]
    if not pool:
        return stream.below(len(parents))
    while cases and len(pool) > 1:
        drawn = stream.below(len(cases))
        case, cases[drawn] = cases[drawn], cases[-1]
        cases.pop()
        limit = min(parents.value(i, case) for i in pool) + epsilons[case]
        pool = [i for i in pool if parents.value(i, case) <= limit]
    return pool[stream.below(len(pool))]


SELECTIONS: dict[str, Callable[[Parents, Settings, Stream], int]] = {
    "tournament": tournament,
    "lexicase": lexicase,
    "epsilon-lexicase": epsilon_lexicase,
}
"""The methods by name, in the order of selection.c: each returns the number of a parent."""


def select_parent(
    parents: Parents, settings: Settings, stream: Stream, caller: Caller | None = None
) -> Individual:
    """Return a parent, selected by the method of the settings or by the user's operator."""
    if caller and caller.operators.select:
        return parents[caller.select(parents.views, stream)]
    return parents[SELECTIONS[settings.selection](parents, settings, stream)]
