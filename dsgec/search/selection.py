"""Select parents: templates/engine/selection.c does the same.

docs/how-to/add-a-selection-method.md shows how to add a method.
"""

from collections.abc import Callable, Sequence

from dsgec.random import Stream
from dsgec.search.individual import Individual
from dsgec.search.settings import NOTHING, Settings

Parents = Sequence[Individual]


def precedes(parents: Parents, settings: Settings, i: int, j: int) -> bool:
    """Return whether individual `i` is better than `j`; of equals, the first is.

    If a cost is minimised, the population is sorted.
    """
    if settings.minimise != NOTHING:
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


SELECTIONS: dict[str, Callable[[Parents, Settings, Stream], int]] = {
    "tournament": tournament,
}
"""The methods by name, in the order of selection.c: each returns the number of a parent."""


def select_parent(parents: Parents, settings: Settings, stream: Stream) -> Individual:
    """Return a parent, selected by the method of the settings."""
    return parents[SELECTIONS[settings.selection](parents, settings, stream)]
