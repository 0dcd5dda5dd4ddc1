"""Baselines to compare a network with: the majority class or the mean, and a linear model.

All are measured on the same rows; a statistical test of the test rows tells whether the difference
from the linear model could be chance.
"""

import importlib.util
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import setting_error
from dsgec.network.decide import predict_classes
from dsgec.run.record import NO_BETTER, BaselineComparison, BaselineFigures, Metrics
from dsgec.search.linear_model import fit_logistic, fit_ridge
from dsgec.search.measure import measure_outputs
from dsgec.search.models import choose_threshold
from dsgec.search.problem import Problem
from dsgec.search.settings import RIVALS

Array = NDArray[np.float64]

SURE = 0.05
"""A difference with a smaller p is hardly chance."""
_RESAMPLES = 2_000
_MOST_FLIPPED = 16
_MOST_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """A fitted baseline: its name, and its outputs for all rows."""

    name: str
    outputs: Array


Baselines = tuple[Baseline, ...]
"""The baseline without features, the linear one, and others that were asked for."""


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
    threshold: float,
    outputs: Array,
    own: Metrics,
    baselines: Baselines,
    *,
    balance: bool = False,
) -> tuple[tuple[BaselineFigures, ...], BaselineComparison | None]:
    """Measure the baselines, and compare a network with the linear one on the test rows.

    `outputs` are those of the network for all rows, and `own` its metrics on the test rows; without
    such rows there is no comparison.
    With `balance`, all classes have the same weight: balanced accuracy is compared.
    """
    figures = tuple(
        BaselineFigures(one.name, **measure_outputs(problem, one.outputs)) for one in baselines
    )
    if not len(problem.split.test):
        return figures, None
    metric, test, p = _test_difference(problem, threshold, outputs, baselines[1], balance)
    ours, theirs = own[metric], figures[1].test[metric]
    if ours is None or theirs is None or not math.isfinite(ours - theirs):
        return figures, None
    verdict = _verdict(metric, own, figures[0], figures[1], p)
    comparison = BaselineComparison(figures[1].name, metric, ours - theirs, p, test, verdict)
    return figures, comparison


def _test_difference(
    problem: Problem, own_threshold: float, outputs: Array, linear: Baseline, balance: bool
) -> tuple[str, str, float]:
    """Return the metric that is compared, the name of the statistical test, and its p."""
    test, y = problem.split.test, problem.dataset.y[problem.split.test]
    outputs = outputs[test]
    groups = _test_groups(problem)
    if not problem.dataset.classes:
        with np.errstate(all="ignore"):
            errors = (outputs[:, 0] - y) ** 2 - (linear.outputs[test, 0] - y) ** 2
        return "rmse", *_paired_test(errors, groups)
    hits = predict_classes(outputs, own_threshold) == y
    threshold = choose_threshold(problem, linear.outputs[problem.split.train])
    theirs = predict_classes(linear.outputs[test], threshold) == y
    if not balance and groups is None:
        return "accuracy", "McNemar", _mcnemar(hits, theirs)
    classes = problem.dataset.class_numbers[test]
    weights = 1.0 / np.bincount(classes)[classes] if balance else np.ones(len(hits))
    differences = weights * (hits.astype(np.float64) - theirs.astype(np.float64))
    metric = "balanced_accuracy" if balance else "accuracy"
    return metric, *_paired_test(differences, groups)


def _paired_test(differences: Array, groups: NDArray[np.intp] | None) -> tuple[str, float]:
    """Return the name of the test of paired differences, by group if there are any, and its p."""
    if groups is not None:
        return "paired test of groups", _flip_groups(differences, groups)
    return "paired bootstrap", _bootstrap(differences)


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
    """Raise a DsgecError for models that this machine cannot fit, before anything is evolved."""
    if {*names} - {"linear"} and importlib.util.find_spec("sklearn") is None:
        raise setting_error(
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


def _test_groups(problem: Problem) -> NDArray[np.intp] | None:
    """Return the group of each test row, or None if rows have no groups and are independent."""
    groups = problem.dataset.groups
    if groups is None or (groups[problem.split.test] < 0).any():
        return None
    return groups[problem.split.test]


def _flip_groups(differences: Array, groups: NDArray[np.intp]) -> float:
    """Return the two-sided p of a sign-flip test of the sums of groups.

    It is exact for few groups; many groups are drawn with replacement.
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
    """Return the p of McNemar's exact test, given which rows either classifies correctly."""
    only_ours, only_theirs = int((ours & ~theirs).sum()), int((theirs & ~ours).sum())
    count, less = only_ours + only_theirs, min(only_ours, only_theirs)
    if not count:
        return 1.0
    ways = sum(math.comb(count, k) for k in range(less + 1))
    return float(min(1.0, 2 * ways / 2**count))


def _bootstrap(differences: Array) -> float:
    """Return the two-sided p of the sum of paired differences, by resampling the rows."""
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
    metric: str, own: Metrics, plain: BaselineFigures, linear: BaselineFigures, p: float
) -> str:
    """Return in words how a network compares with the baselines on the test rows."""
    names = {"majority class": "the majority class", "mean": "the mean"}
    # Where a class is rare, one that finds it may well be wrong more often than one that never
    # looks: it has learnt nothing if it finds the classes no better, either.
    metrics = ("rmse",) if metric == "rmse" else ("accuracy", "balanced_accuracy")
    if all(_gain(name, own, plain.test) <= 0.0 for name in metrics):
        return f"{NO_BETTER} than {names[plain.name]}: it has learnt nothing that test rows show"
    gain = _gain(metric, own, linear.test)
    if p >= SURE or not gain:
        return f"level with {linear.name}: the difference could be chance"
    return f"{'better' if gain > 0.0 else 'worse'} than {linear.name}"


def _gain(metric: str, ours: Metrics, theirs: Metrics) -> float:
    """Return by how much ours is better."""
    difference = float(ours[metric] or 0.0) - float(theirs[metric] or 0.0)
    return -difference if metric == "rmse" else difference
