"""Turn a phenotype into the network and the model that are measured, exported and recorded."""

from typing import TYPE_CHECKING

import numpy as np

from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.network.cost.work import model_cost
from dsgec.network.decide import DEFAULT_THRESHOLD, Classes, predict_classes
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Network, check
from dsgec.network.model import Model, in_target_units
from dsgec.network.simplify import simplify
from dsgec.network.text import line_phenotype
from dsgec.search.rows import Array, fit_line, weigh

if TYPE_CHECKING:  # a folder is read without what makes one
    from dsgec.search.problem import Problem

_ROUNDING = 1e-12  # relative to the sum of the row weights


@standard_arithmetic()
def complete_phenotype(problem: "Problem", phenotype: str) -> str:
    """Return the phenotype as it is recorded: with `%output linear`, with its fitted line.

    The line is in the units of the target.
    """
    if not problem.language.is_linear:
        return phenotype
    outputs = evaluate(simplify(problem.language.parse(phenotype)), problem.rows)
    wanted = problem.dataset.scaled_y[problem.split.train]
    line = fit_line(outputs[:, 0], wanted, problem.row_weights)
    if line is None:
        return phenotype
    mean, deviation = problem.dataset.target_scale or (0.0, 1.0)
    return line_phenotype(
        phenotype,
        mean + deviation * line.intercept,
        deviation * line.slope,
        layered=problem.language.is_layered,
    )


def make_network(problem: "Problem", phenotype: str) -> Network:
    """Return the simplified network of a phenotype, with outputs in the units of the target."""
    scale = None if problem.language.is_linear else problem.dataset.target_scale
    parsed = problem.language.parse(complete_phenotype(problem, phenotype))
    return simplify(in_target_units(parsed, scale))


def make_model(problem: "Problem", phenotype: str) -> Model:
    """Return the network of a phenotype with its inputs, classes and threshold."""
    network = check(make_network(problem, phenotype))
    threshold = problem.threshold
    if isinstance(threshold, str) or problem.unknown:
        outputs = evaluate(network, problem.rows)
        limit = choose_unknown(problem, outputs)
        return _make_model(problem, network, choose_threshold(problem, outputs), limit)
    return _make_model(problem, network, threshold)


def _make_model(
    problem: "Problem", network: Network, threshold: float, unknown: float | None = None
) -> Model:
    dataset = problem.dataset
    signal = dataset.windows.signal if dataset.windows else None
    about = (dataset.inputs, dataset.classes, dataset.target)
    return Model(network, *about, threshold, signal, unknown)


def search_cost(problem: "Problem", network: Network, connections: int) -> int:
    """Return the cost that the search minimises, of the simplified network of a phenotype.

    Scaling an output to the units of the target costs the same for all networks and is left out.
    """
    objective = problem.cost
    if not objective.has_prices:
        return connections
    # An automatic threshold is not known yet.
    model = _make_model(problem, network, 0.0 if problem.has_own_threshold else DEFAULT_THRESHOLD)
    value: int = getattr(model_cost(model, objective.chip, objective.dtype), objective.minimise)
    return value


def choose_threshold(problem: "Problem", outputs: Array) -> float:
    """Return the threshold of a network, given its outputs on the training rows."""
    if not isinstance(problem.threshold, str):
        return problem.threshold
    classes = problem.dataset.class_numbers[problem.split.train]
    return best_threshold(outputs, classes, problem.row_weights)


def choose_unknown(problem: "Problem", outputs: Array) -> float | None:
    """Return the limit of the greatest probability, given the outputs on the training rows.

    At most the share `problem.unknown` of the rows is below it; None: no row is unknown.
    """
    if not problem.unknown:
        return None
    greatest = np.sort(greatest_probabilities(outputs))
    return float(min(max(greatest[int(problem.unknown * len(greatest))], 0.0), 1.0))


def greatest_probabilities(outputs: Array) -> Array:
    """Return the probability of the class of each row; 0 for a row without one."""
    each = np.hstack([1.0 - outputs, outputs]) if outputs.shape[1] == 1 else outputs
    found: Array = np.where(np.isnan(each), 0.0, each).max(axis=1)
    return found


def best_threshold(outputs: Array, classes: Classes, row_weights: Array | None = None) -> float:
    """Return the threshold with the highest (weighted) accuracy on rows of two classes.

    Candidates are 0.5 and the midpoints between neighbouring outputs; of equally good ones, the
    nearest to 0.5 is returned. With balanced weights the accuracy is the balanced accuracy.
    """
    if not np.isfinite(outputs).all() or not len(outputs):
        return DEFAULT_THRESHOLD
    order = np.argsort(outputs[:, -1], kind="stable")
    scores, second = outputs[order, -1], classes[order] == 1
    own = np.ones(len(scores)) if row_weights is None else row_weights[order]
    # A threshold after row i is right for the first class up to i and for the second behind it.
    first = np.add.accumulate(np.where(second, 0.0, own))
    behind = np.add.accumulate(np.where(second, own, 0.0)[::-1])[::-1]
    ends = np.flatnonzero(np.diff(scores) > 0.0)
    right = first[ends] + behind[ends + 1]
    middles = _midpoints(scores[ends], scores[ends + 1])
    is_right = predict_classes(outputs) == classes
    default = np.add.accumulate(weigh(is_right.astype(np.float64), row_weights))[-1]
    others = middles != DEFAULT_THRESHOLD  # with two outputs, 0.5 breaks ties in another way
    candidates = np.append(middles[others], DEFAULT_THRESHOLD)
    found = np.append(right[others], default)
    good = candidates[found >= found.max() - _ROUNDING * own.sum()]
    return float(good[np.abs(good - DEFAULT_THRESHOLD).argmin()])


def _midpoints(below: Array, above: Array) -> Array:
    """Return numbers above `below` and not above `above`, even if no number is between them."""
    middles = below + (above - below) / 2.0
    return np.where(middles > below, middles, above)
