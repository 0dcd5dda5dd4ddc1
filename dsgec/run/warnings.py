"""The warnings of a run."""

import math
from collections.abc import Iterator, Sequence

from dsgec.data.leakage import LOG_NOTE, NEIGHBOUR_NOTE, WINDOW, is_on_neighbours
from dsgec.errors import counted
from dsgec.run.record import NO_BETTER, RISING, ResultRecord
from dsgec.search.evolver import HistoryRow
from dsgec.search.problem import Problem
from dsgec.search.recommend import Recommendation

_LEAST_GAP = 0.05
_SURE = 3.0  # deviations
_MOST_NAMED = 10


def warnings(
    problem: Problem, result: ResultRecord, history: Sequence[HistoryRow], test: float = 0.0
) -> list[str]:
    """Return the warnings of a run; empty if there are none.

    `test` is the share of test rows that was asked for.
    """
    return [
        *_no_test_rows(problem, test),
        *_similar_neighbours(problem),
        *_no_progress(history),
        *_never_predicted(problem, result),
        *_overfitting(problem, result),
        *_no_better(result),
    ]


def _no_test_rows(problem: Problem, test: float) -> Iterator[str]:
    if test and not len(problem.split.test):
        yield (
            f"there are no test rows: {counted(len(problem.split.train), 'row')} of the table are"
            " too few, so nothing says how the network does on others"
        )


def _similar_neighbours(problem: Problem) -> Iterator[str]:
    notes = problem.dataset.notes if len(problem.split.test) else ()
    if any(note.startswith(LOG_NOTE) for note in notes):
        yield (
            f"{LOG_NOTE}, whose {NEIGHBOUR_NOTE}, so test rows are other stretches of time than"
            f" training rows: --window {WINDOW} makes features of windows, and --group COLUMN names"
            " the recordings to split by"
        )
    elif any(map(is_on_neighbours, notes)):
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


def _never_predicted(problem: Problem, result: ResultRecord) -> Iterator[str]:
    counts = result.confusion
    if not counts:
        return
    both = [*counts["train"], *counts["test"]]
    predicted = [sum(column) for column in zip(*both, strict=True)]
    places = [place for place, count in enumerate(predicted) if not count]
    if places:
        never = [f"`{problem.dataset.classes[place]}`" for place in places]
        more = f" and {len(never) - _MOST_NAMED} more" if len(never) > _MOST_NAMED else ""
        rows = [sum(row) for row in counts["train"]]
        is_rare = any(2 * rows[place] * len(rows) < sum(rows) for place in places)
        advice = "; --balance gives rare classes as much weight as frequent ones"
        yield (
            f"never predicted: {', '.join(never[:_MOST_NAMED])}{more}{advice if is_rare else ''}"
        )


def _overfitting(problem: Problem, result: ResultRecord) -> Iterator[str]:
    """Warn if the test rows are so much worse that it is hardly chance."""
    rows = len(problem.split.train), len(problem.split.test)
    metric = "accuracy" if problem.dataset.classes else "r2"
    train, test = result.train[metric], result.test[metric]
    if not all(rows) or train is None or test is None:
        return
    least = 0.15
    if problem.dataset.classes:
        share = (train * rows[0] + test * rows[1]) / sum(rows)
        least = _SURE * math.sqrt(share * (1.0 - share) * (1.0 / rows[0] + 1.0 / rows[1]))
    if train - test > max(least, _LEAST_GAP):
        yield (
            f"overfitting: {metric} {train:.3f} on the training rows, {test:.3f} on"
            " the test rows; a smaller network of the hall of fame, more rows or a greater --l2 may"
            " do better"
        )


def _no_better(result: ResultRecord) -> Iterator[str]:
    """Warn if the network does not beat the baselines, and say what to try."""
    verdict = result.comparison.verdict if result.comparison else ""
    if verdict.startswith(("worse", NO_BETTER)):
        yield (
            f"{verdict.split(':')[0]}: try --effort thorough, another grammar (`dsgec inspect`"
            " lists those that fit), or use the simpler model"
        )


def _is_better_on_test(result: ResultRecord) -> bool:
    """Return whether the interval of the test accuracy is above that of the majority class."""
    interval = result.test_interval("accuracy")
    shares = [one.test["accuracy"] for one in result.baselines or () if "accuracy" in one.test]
    return interval is not None and bool(shares) and interval[0] > (shares[0] or 0.0)


def warn_unsupported(
    problem: Problem, choice: Recommendation | None, result: ResultRecord
) -> Iterator[str]:
    """Warn of a network that held-out rows do not show to be better than no network.

    There is no warning if the test rows show that.
    """
    if choice is None or choice.unsupported is None or _is_better_on_test(result):
        return
    own = choice.unsupported
    measure = "R²" if choice.measure == RISING else choice.measure
    simple = "the shares of the classes have" if problem.dataset.classes else "the mean has"
    doubt = (
        "cross-validation on the training rows does not support the network:"
        f" {measure} {own.score:.3f} ± {own.error:.3f} on held-out rows, where {simple}"
        f" {choice.baseline:.3f}"
    )
    if choice.factor == 0.0:
        yield f"{doubt}; so the result is the mean of the training rows"
    elif choice.factor < 1.0:
        yield f"{doubt}; so its distance from the mean is multiplied by {choice.factor:.2f}"
    else:
        yield doubt
