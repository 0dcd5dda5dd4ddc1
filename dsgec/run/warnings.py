"""The result of a run to what a person should be warned of."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from dsgec.data.leakage import NEIGHBOUR_NOTE
from dsgec.errors import counted
from dsgec.run.compared import NO_BETTER
from dsgec.search.evolver import HistoryRow
from dsgec.search.problem import Problem

_LEAST_GAP = 0.05
_SURE = 3.0  # deviations
_MOST_NAMED = 10


def warnings(
    problem: Problem, result: dict[str, Any], history: Sequence[HistoryRow], test: float = 0.0
) -> list[str]:
    """Plain sentences, none where all is well; `result` is what run.json has so far.

    `test` is the share of test rows that was asked for.
    """
    return [
        *_untested(problem, test),
        *_dependent(problem),
        *_no_progress(history),
        *_never_predicted(problem, result),
        *_overfitting(problem, result),
        *_beaten(result),
    ]


def _untested(problem: Problem, test: float) -> Iterator[str]:
    if test and not len(problem.split.test):
        yield (
            f"there are no test rows: {counted(len(problem.split.train), 'row')} of the table are"
            " too few, so nothing says how the network does on others"
        )


def _dependent(problem: Problem) -> Iterator[str]:
    if len(problem.split.test) and any(n.startswith(NEIGHBOUR_NOTE) for n in problem.dataset.notes):
        yield (
            f"{NEIGHBOUR_NOTE}, so the test figures may be too good: if rows belong together, such"
            " as those of one recording, --group COLUMN keeps them on one side of the split"
        )


def _no_progress(history: Sequence[HistoryRow]) -> Iterator[str]:
    if len(history) > 1 and not history[-1].best < history[0].best:
        yield (
            f"nothing better than the first, random networks was found in"
            f" {counted(len(history) - 1, 'generation')}: try --effort thorough, another grammar,"
            " or look at the features with `dsgec inspect`"
        )


def _never_predicted(problem: Problem, result: dict[str, Any]) -> Iterator[str]:
    counts = result.get("confusion")
    if not counts:
        return
    both = [*counts["train"], *counts["test"]]
    predicted = [sum(column) for column in zip(*both, strict=True)]
    never = [
        f"`{label}`"
        for label, count in zip(problem.dataset.classes, predicted, strict=True)
        if not count
    ]
    if never:
        more = f" and {len(never) - _MOST_NAMED} more" if len(never) > _MOST_NAMED else ""
        yield (
            f"never predicted: {', '.join(never[:_MOST_NAMED])}{more}; --balance gives rare classes"
            " as much weight as frequent ones"
        )


def _overfitting(problem: Problem, result: dict[str, Any]) -> Iterator[str]:
    """Where test rows are so much worse that it is hardly chance."""
    train, test = result["train"], result["test"]
    rows = len(problem.split.train), len(problem.split.test)
    if not all(rows):
        return
    if problem.dataset.classes:
        metric, gap = "accuracy", train["accuracy"] - test["accuracy"]
        share = (train["accuracy"] * rows[0] + test["accuracy"] * rows[1]) / sum(rows)
        least = _SURE * math.sqrt(share * (1.0 - share) * (1.0 / rows[0] + 1.0 / rows[1]))
    else:
        if train["r2"] is None or test["r2"] is None:
            return
        metric, gap = "r2", train["r2"] - test["r2"]
        least = 0.15
    if gap > max(least, _LEAST_GAP):
        yield (
            f"overfitting: {metric} {train[metric]:.3f} on the training rows, {test[metric]:.3f} on"
            " the test rows; a smaller network of the hall of fame, more rows or a greater --l2 may"
            " do better"
        )


def _beaten(result: dict[str, Any]) -> Iterator[str]:
    """What to try where the network does not beat what everybody has."""
    comparison = result.get("comparison")
    if comparison is None:
        return
    verdict: str = comparison["verdict"]
    if verdict.startswith(("worse", NO_BETTER)):
        yield (
            f"{verdict.split(':')[0]}: try --effort thorough, another grammar (`dsgec inspect`"
            " lists those that fit), or use the simpler model"
        )
