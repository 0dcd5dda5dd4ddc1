"""A network beside what everybody has: the majority class or the mean, and a linear model.

All are measured on the same rows; of the test rows, one figure says whether the difference from
the linear model could be chance.
"""

import importlib.util
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import wrong
from dsgec.network.decide import predict_classes
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Model
from dsgec.run.compared import NO_BETTER
from dsgec.search.linear_model import fit_logistic, fit_ridge
from dsgec.search.measure import Figures, measured
from dsgec.search.problem import Problem
from dsgec.search.settings import RIVALS

Array = NDArray[np.float64]

SURE = 0.05
"""A difference with a smaller p is hardly chance."""
_RESAMPLES = 2_000
_RESAMPLED = "paired bootstrap"
_OF_GROUPS = "paired test of groups"
_MOST_FLIPPED = 16
_MOST_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """What it is called, and its outputs for all rows."""

    name: str
    outputs: Array


Baselines = tuple[Baseline, ...]
"""The one that reads no feature, the linear one, and others that were asked for."""


def make_baselines(problem: Problem, others: Sequence[str] = ()) -> Baselines:
    """Fit the baselines on the training rows; `others` are names of the setting `compare`."""
    fitted = [fit_rival(name, problem) for name in RIVALS if name in others and name != "linear"]
    return (*_simple_baselines(problem), *fitted)


def _simple_baselines(problem: Problem) -> Baselines:
    """Fit the majority class or the mean, and the linear model."""
    dataset, train = problem.dataset, problem.split.train
    rows, count = len(dataset.y), len(dataset.classes)
    if not count:
        mean = math.fsum(dataset.y[train].tolist()) / len(train)
        ridge = fit_ridge(dataset.x[train], dataset.y[train], problem.row_weights)
        return (
            Baseline("mean", np.full((rows, 1), mean)),
            Baseline("ridge regression", ridge.outputs(dataset.x)),
        )
    numbers = dataset.class_numbers[train]
    shares = np.bincount(numbers, minlength=count) / len(train)
    logistic = fit_logistic(dataset.x[train], numbers, count, problem.row_weights)
    prior = shares[1:] if count == 2 else shares
    return (
        Baseline("majority class", np.tile(prior, (rows, 1))),
        Baseline("logistic regression", logistic.outputs(dataset.x)),
    )


def compare(
    problem: Problem,
    model: Model,
    figures: Figures,
    baselines: Baselines,
    *,
    balance: bool = False,
) -> dict[str, Any]:
    """What run.json says of the baselines, given the network and its figures.

    With `balance`, classes count the same, however many rows each has: accuracy is balanced then.
    """
    outputs = evaluate(model.network, problem.dataset.x)
    measures = [measured(problem, one.outputs) for one in baselines]
    described = [
        {"name": one.name, **measure} for one, measure in zip(baselines, measures, strict=True)
    ]
    if not len(problem.split.test):
        return {"baselines": described, "comparison": None}
    linear, test = baselines[1], problem.split.test
    y = problem.dataset.y[test]
    if problem.dataset.classes:
        hits = predict_classes(outputs[test], model.threshold) == y
        threshold = problem.choose_threshold(linear.outputs[problem.split.train])
        theirs = predict_classes(linear.outputs[test], threshold) == y
        metric, way, p = _compare_hits(
            hits, theirs, problem.dataset.class_numbers[test], balance, _test_groups(problem)
        )
    else:
        metric, way = "rmse", _RESAMPLED
        with np.errstate(all="ignore"):
            errors = (outputs[test, 0] - y) ** 2 - (linear.outputs[test, 0] - y) ** 2
        if (groups := _test_groups(problem)) is not None:
            way, p = _OF_GROUPS, _flip_groups(errors, groups)
        else:
            p = _bootstrap(errors)
    ours, other = figures["test"][metric], measures[1]["test"][metric]
    comparison = None
    if ours is not None and other is not None and math.isfinite(ours - other):
        comparison = {
            "with": linear.name,
            "metric": metric,
            "difference": ours - other,
            "p": p,
            "test": way,
            "verdict": _verdict(metric, figures["test"], measures, described, p),
        }
    return {"baselines": described, "comparison": comparison}


def fit_rival(name: str, problem: Problem) -> Baseline:
    """Fit a model of scikit-learn at its default settings, with a fixed seed."""
    dataset, train = problem.dataset, problem.split.train
    numbers = dataset.class_numbers[train] if dataset.classes else dataset.y[train]
    label, model = _rival(name, bool(dataset.classes))
    model.fit(dataset.x[train], numbers, sample_weight=problem.row_weights)
    if not dataset.classes:
        return Baseline(label, model.predict(dataset.x)[:, None])
    outputs = np.zeros((len(dataset.y), len(dataset.classes)))
    outputs[:, model.classes_] = model.predict_proba(dataset.x)
    return Baseline(label, outputs[:, 1:] if len(dataset.classes) == 2 else outputs)


def check_rivals(names: Sequence[str]) -> None:
    """Refuse models that this machine cannot fit, before anything is evolved."""
    if {*names} - {"linear"} and importlib.util.find_spec("sklearn") is None:
        raise wrong(
            "compare",
            f"is {', '.join(names)}, which needs scikit-learn",
            "Install it with `pip install 'dsgec[sklearn]'`, or compare with linear alone.",
        )


def _rival(name: str, has_classes: bool) -> tuple[str, Any]:
    from sklearn import ensemble

    if name == "forest":
        kind = ensemble.RandomForestClassifier if has_classes else ensemble.RandomForestRegressor
        return "random forest", kind(random_state=1)
    boosting = ensemble.HistGradientBoostingRegressor
    boosting = ensemble.HistGradientBoostingClassifier if has_classes else boosting
    return "boosted trees", boosting(random_state=1)


def _compare_hits(
    ours: NDArray[np.bool_],
    theirs: NDArray[np.bool_],
    classes: NDArray[np.intp],
    balance: bool,
    groups: NDArray[np.intp] | None,
) -> tuple[str, str, float]:
    """The metric, the test and its p, given which rows either classifies correctly."""
    if not balance and groups is None:
        return "accuracy", "McNemar", _mcnemar(ours, theirs)
    weights = 1.0 / np.bincount(classes)[classes] if balance else np.ones(len(ours))
    differences = weights * (ours.astype(np.float64) - theirs.astype(np.float64))
    metric = "balanced_accuracy" if balance else "accuracy"
    if groups is not None:
        return metric, _OF_GROUPS, _flip_groups(differences, groups)
    return metric, _RESAMPLED, _bootstrap(differences)


def _test_groups(problem: Problem) -> NDArray[np.intp] | None:
    """Return the group of each test row, where they have groups: their rows are not independent."""
    groups = problem.dataset.groups
    if groups is None or (groups[problem.split.test] < 0).any():
        return None
    return groups[problem.split.test]


def _flip_groups(differences: Array, groups: NDArray[np.intp]) -> float:
    """Return how likely groups that favour either model by lot differ so much, in both directions.

    Exact for few groups; groups are drawn with replacement where there are many.
    """
    if not np.isfinite(differences).all():
        return 1.0
    sums: Array = np.bincount(np.unique(groups, return_inverse=True)[1], differences).astype(float)
    if len(sums) > _MOST_FLIPPED:
        return _bootstrap(sums)
    signs = 1 - 2 * (np.arange(2 ** len(sums))[:, None] >> np.arange(len(sums)) & 1)
    totals = abs((signs * sums).sum(axis=1))
    return float((totals >= abs(sums.sum()) * (1.0 - 1e-9)).mean())


def _mcnemar(ours: NDArray[np.bool_], theirs: NDArray[np.bool_]) -> float:
    """Exact: how likely one of the two is right so much more often among rows they differ on."""
    only_ours, only_theirs = int((ours & ~theirs).sum()), int((theirs & ~ours).sum())
    count, less = only_ours + only_theirs, min(only_ours, only_theirs)
    if not count:
        return 1.0
    ways = sum(math.comb(count, k) for k in range(less + 1))
    return float(min(1.0, 2 * ways / 2**count))


def _bootstrap(differences: Array) -> float:
    """How often samples of the rows, drawn with replacement, say the opposite, twice."""
    if not np.isfinite(differences).all() or not differences.any():
        return 1.0
    rows = len(differences)
    # The generator whose numbers numpy promises never to change.
    random = np.random.RandomState(rows % 2**31)
    below = above = 0
    at_once = max(_MOST_CELLS_AT_ONCE // rows, 1)
    for start in range(0, _RESAMPLES, at_once):
        count = min(at_once, _RESAMPLES - start)
        sums = np.add.reduce(differences[random.randint(0, rows, (rows, count))], axis=0)
        below += int((sums <= 0.0).sum())
        above += int((sums >= 0.0).sum())
    return min(1.0, 2 * min(below, above) / _RESAMPLES)


def _verdict(
    metric: str,
    figures: dict[str, float | None],
    measures: list[Figures],
    described: list[dict[str, Any]],
    p: float,
) -> str:
    """What the network is, for people, given its figures on the test rows."""
    plain, linear, *_ = (one["test"] for one in measures)
    plain_name, linear_name, *_ = (one["name"] for one in described)
    names = {"majority class": "the majority class", "mean": "the mean"}
    # Where a class is rare, one that finds it may well be wrong more often than one that never
    # looks: it has learnt nothing if it finds the classes no better, either.
    metrics = ("rmse",) if metric == "rmse" else ("accuracy", "balanced_accuracy")
    if all(_gain(name, figures, plain) <= 0.0 for name in metrics):
        return f"{NO_BETTER} than {names[plain_name]}: it has learnt nothing that test rows show"
    gain = _gain(metric, figures, linear)
    if p >= SURE or not gain:
        return f"level with {linear_name}: the difference could be chance"
    return f"{'better' if gain > 0.0 else 'worse'} than {linear_name}"


def _gain(metric: str, ours: dict[str, float | None], theirs: dict[str, float | None]) -> float:
    """How much better ours is."""
    difference = float(ours[metric] or 0.0) - float(theirs[metric] or 0.0)
    return -difference if metric == "rmse" else difference
