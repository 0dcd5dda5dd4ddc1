"""Measure what is decided beyond the class of a row: rows of no class, and votes of windows."""

import numpy as np
from numpy.typing import NDArray

from dsgec.network.decide import choose_classes
from dsgec.network.model import Model
from dsgec.run.record import PartDecision, SmoothingPart, SmoothingRecord, UnknownRecord
from dsgec.search.measure import row_parts
from dsgec.search.models import greatest_probabilities
from dsgec.search.problem import Problem
from dsgec.signal.smooth import smooth

Classes = NDArray[np.intp]


def decide(
    problem: Problem, model: Model, outputs: NDArray[np.float64]
) -> tuple[UnknownRecord | None, SmoothingRecord | None]:
    """Return what is decided with the outputs of all rows, as far as the settings ask for it."""
    if not model.is_classifier:
        return None, None
    classes, nothing = choose_classes(outputs, model.threshold)
    unknown = None
    if model.unknown is not None:
        nothing = greatest_probabilities(outputs) < model.unknown
        parts = dict(row_parts(problem))
        measured = {
            part: _measure_part(classes[rows], nothing[rows], problem.dataset.class_numbers[rows])
            for part, rows in parts.items()
        }
        unknown = UnknownRecord(problem.unknown, model.unknown, measured["train"], measured["test"])
    given = np.where(nothing, len(model.classes), classes).astype(np.intp)
    return unknown, _measure_smoothing(problem, given)


def _measure_part(classes: Classes, is_unknown: NDArray[np.bool_], wanted: Classes) -> PartDecision:
    if not len(classes):
        return PartDecision(None, None)
    answered = ~is_unknown
    right = float((classes == wanted)[answered].mean()) if answered.any() else None
    return PartDecision(float(is_unknown.mean()), right)


def _measure_smoothing(problem: Problem, classes: Classes) -> SmoothingRecord | None:
    windows, test = problem.dataset.windows, problem.split.test
    votes = problem.dataset.preprocessing.smooth
    if windows is None or votes < 2 or not len(test):
        return None
    begins, wanted = windows.first_of_stretch, problem.dataset.class_numbers
    smoothed = smooth(classes, begins, votes)
    event = np.cumsum(begins | np.r_[True, wanted[1:] != wanted[:-1]]) - 1
    events = np.unique(event[test])
    return SmoothingRecord(
        votes=votes,
        events=len(events),
        seconds=windows.step / windows.rate if windows.rate else None,
        alone=_measure_events(classes, wanted, event, test),
        smoothed=_measure_events(smoothed, wanted, event, test),
    )


def _measure_events(
    classes: Classes, wanted: Classes, event: Classes, test: Classes
) -> SmoothingPart:
    """Return the accuracy on test windows, and on the events that they are of."""
    right = classes == wanted
    shares, delays = [], []
    for number in np.unique(event[test]):
        own = test[event[test] == number]
        shares.append(2 * int(right[own].sum()) > len(own))
        if right[own].any():
            delays.append(int(right[own].argmax()))
    mean = float(np.mean(delays)) if delays else None
    return SmoothingPart(float(right[test].mean()), float(np.mean(shares)), mean)
