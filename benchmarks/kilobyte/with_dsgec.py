"""dsgec at budgets of flash: the one place of the scoreboard that calls dsgec to learn."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

from benchmarks.kilobyte.budgets import CHIPS
from benchmarks.kilobyte.candidate import Candidate
from benchmarks.kilobyte.case import Case
from benchmarks.kilobyte.compiled import both_layouts, fixed_candidates, smaller
from dsgec import evolve
from dsgec.api.hall import HallEntry
from dsgec.export.artefact import Artefact

GRAMMARS = "shared", "shared_softmax"
"""For two classes, and for more."""

_SPARES = 1  # smaller networks to link as well, as flash is estimated


def evolved(case: Case) -> Iterator[Candidate]:
    """Yield the networks of a run's hall of fame that `--pick flash` picks for the budgets.

    It picks the best on the training rows of those that fit and are not larger than the network
    that cross-validation chose.
    """
    run = evolve(
        GRAMMARS[case.classes > 2],
        *(case.x, case.y),
        test=0,
        task="classification",
        seed=case.split.number + 1,
        threads=1,
        scale="standard",
    )
    front = _front(run.hall_of_fame, run.network.size["connections"])
    layouts = cache(partial(_layouts, front))
    chosen: set[int] = set()
    for chip in CHIPS:
        for budget in case.budgets:
            place = _last_fitting(partial(_flash, layouts, chip), budget, len(front))
            chosen |= set(range(max(0, place - _SPARES), place + 1))
    for place in sorted(chosen):
        entry = front[place]
        setting = f"{entry.size['connections']} connections"
        # A better figure of the training rows, as in a pick.
        score = float(-entry.score)
        yield from fixed_candidates(setting, score, layouts(place), entry.network.predict)


def _front(entries: Sequence[HallEntry], most: int) -> list[HallEntry]:
    """Return the networks by size that are better than all smaller ones; low scores are good."""
    found: list[HallEntry] = []
    for entry in sorted(entries, key=lambda one: one.size["connections"]):
        is_better = not found or entry.score < found[-1].score
        if is_better and entry.size["connections"] <= most:
            found.append(entry)
    return found


def _layouts(front: Sequence[HallEntry], place: int) -> tuple[Artefact, ...]:
    network = front[place].network
    return both_layouts(network.model, network.ranges)


def _flash(layouts: Callable[[int], tuple[Artefact, ...]], chip: str, place: int) -> float:
    own = layouts(place)
    return smaller(own, chip).cost(chip).flash if own else math.inf


def _last_fitting(cost: Callable[[int], float], budget: int, count: int) -> int:
    """Return the last place whose cost is within the budget, if costs rise; at least 0."""
    if cost(count - 1) <= budget:
        return count - 1
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if cost(middle) <= budget else (low, middle)
    return low
