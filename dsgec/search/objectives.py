"""Outputs and targets to the number that is minimised.

Sums run in a fixed order (`LANES` partial sums, then those in turn), so that the engine can make
them with vector instructions and still give the same bits.

A row can have a weight: its error counts so many times. The weights of the training rows have the
mean 1, so a mean over the rows still divides by their number.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic import scalar
from dsgec.arithmetic.printed import vector

LANES = 8
LEAST_PROBABILITY = 2.0**-52
"""What `log-loss` takes for a probability that is less; and less than 1 by it for one that is more,
as scikit-learn does."""

Array = NDArray[np.float64]

CLASSIFICATION, REGRESSION = "classification", "regression"


@dataclass(frozen=True, slots=True)
class Targets:
    """What the outputs should be: a row each; `groups` are the rows of each class.

    `row_weights` are there where rows count differently.
    """

    values: Array
    groups: tuple[NDArray[np.intp], ...]
    row_weights: Array | None = None


def exp_rmse(outputs: Array, targets: Targets) -> float:
    """The paper's fitness: the product over the classes of exp(RMSE of the class)."""
    errors = squared_errors(outputs, targets.values)
    product = 1.0
    for rows in targets.groups:
        mean = ordered_sum(errors[rows]) / (len(rows) * outputs.shape[1])
        product *= scalar.exp(scalar.sqrt(mean))
    return product


def rmse(outputs: Array, targets: Targets) -> float:
    """The root of the mean squared error."""
    return scalar.sqrt(mse(outputs, targets))


def mse(outputs: Array, targets: Targets) -> float:
    """The mean squared error."""
    errors = squared_errors(outputs, targets.values)
    return ordered_sum(weighed(errors, targets.row_weights)) / targets.values.size


def row_squares(outputs: Array, targets: Targets) -> Array:
    """The squared errors of each row."""
    return squared_errors(outputs, targets.values)


def mae(outputs: Array, targets: Targets) -> float:
    """The mean of the errors' sizes."""
    sizes = row_sizes(outputs, targets)
    return ordered_sum(weighed(sizes, targets.row_weights)) / targets.values.size


def row_sizes(outputs: Array, targets: Targets) -> Array:
    """The sizes of the errors of each row."""
    total = np.zeros(len(outputs))
    for column in range(outputs.shape[1]):
        total = total + np.abs(outputs[:, column] - targets.values[:, column])
    return total


def log_loss(outputs: Array, targets: Targets) -> float:
    """The mean of -log p, where p is the probability of the row's class, kept from 0 and 1."""
    logs = row_logs(outputs, targets)
    return ordered_sum(weighed(logs, targets.row_weights)) / len(outputs)


def row_logs(outputs: Array, targets: Targets) -> Array:
    """The -log p of each row."""
    chosen = 1.0 - outputs[:, 0] if outputs.shape[1] == 1 else np.zeros(len(outputs))
    for column in range(outputs.shape[1]):
        chosen = np.where(targets.values[:, column] == 1.0, outputs[:, column], chosen)
    kept = np.clip(chosen, LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)
    return -vector.log(kept)


def mistakes(outputs: Array, targets: Targets) -> float:
    """The share of rows that are given another class than their own: 1 - accuracy."""
    if outputs.shape[1] == 1:
        wrong = (outputs[:, 0] >= 0.5) != (targets.values[:, 0] == 1.0)
    else:
        wrong = outputs.argmax(axis=1) != targets.values.argmax(axis=1)
    return ordered_sum(weighed(wrong.astype(np.float64), targets.row_weights)) / len(outputs)


def unexplained(outputs: Array, targets: Targets) -> float:
    """The squared errors over those of the mean of the targets: 1 - R²."""
    errors = squared_errors(outputs, targets.values)
    total = ordered_sum(weighed(errors, targets.row_weights))
    return total / spread(targets.values[:, 0], targets.row_weights)


def differences(outputs: Array, targets: Targets) -> Array:
    """The seeds of squared errors: half the slope of each by its output."""
    return outputs - targets.values


def error_signs(outputs: Array, targets: Targets) -> Array:
    """The seeds of the errors' sizes: 1, -1, or 0 where there is no error."""
    error = differences(outputs, targets)
    return np.where(error > 0.0, 1.0, np.where(error < 0.0, -1.0, 0.0))


def log_loss_slopes(outputs: Array, targets: Targets) -> Array:
    """The slopes of -log p by each output; 0 where p is kept from 0 and 1."""
    is_class = targets.values == 1.0
    single = outputs.shape[1] == 1
    chosen = np.where(is_class, outputs, 1.0 - outputs) if single else outputs
    slope = vector.log_derivative(chosen, chosen)
    other = slope if single else np.zeros_like(slope)
    clipped = (chosen < LEAST_PROBABILITY) | (chosen > 1.0 - LEAST_PROBABILITY)
    return np.where(clipped, 0.0, np.where(is_class, -slope, other))


def mse_factors(outputs: Array, targets: Targets, fitness: float) -> list[float]:
    """What the summed seeds of `mse` are multiplied by."""
    return [2.0 / targets.values.size]


def rmse_factors(outputs: Array, targets: Targets, fitness: float) -> list[float]:
    """What the summed seeds of `rmse` are multiplied by."""
    return [0.0 if fitness == 0.0 else 1.0 / (targets.values.size * fitness)]


def exp_rmse_factors(outputs: Array, targets: Targets, fitness: float) -> list[float]:
    """What the summed seeds of each class are multiplied by in `exp-rmse`."""
    errors = squared_errors(outputs, targets.values)
    factors = []
    for rows in targets.groups:
        count = len(rows) * outputs.shape[1]
        root = scalar.sqrt(ordered_sum(errors[rows]) / count)
        factors.append(0.0 if root == 0.0 else fitness / (count * root))
    return factors


def mae_factors(outputs: Array, targets: Targets, fitness: float) -> list[float]:
    """What the summed seeds of `mae` are multiplied by."""
    return [1.0 / targets.values.size]


def log_loss_factors(outputs: Array, targets: Targets, fitness: float) -> list[float]:
    """What the summed seeds of `log-loss` are multiplied by."""
    return [1.0 / len(outputs)]


def unexplained_factors(outputs: Array, targets: Targets, fitness: float) -> list[float]:
    """What the summed seeds of `r2` are multiplied by."""
    return [2.0 / spread(targets.values[:, 0], targets.row_weights)]


@dataclass(frozen=True, slots=True)
class Objective:
    """What is minimised, by `fitness` here and by templates/engine/objectives in native code.

    Its slope by a weight is, for each group of rows, the sum of what the `seeds` of the outputs
    come to at the weight, times the group's factor; `factors` are of the outputs, the targets and
    the fitness. `logistic`: where the outputs are a softmax or a sigmoid, the seeds of what goes
    into that are outputs less targets. `surrogate` is the objective that weights are learned by,
    where that is another.

    `rises`: people read 1 minus that, where more is better. `perfect` is the best that they read.
    `degree` is the power of a numeric target's units that it is in: of `rmse` 1, of `mse` 2.
    `by_class`: the rows of each class are summed on their own, so that rows have no weights.
    `squared`: it is least where the squared errors of all rows are. `row_losses` are what the rows
    add to it, or to what stands for it where networks are compared row by row.
    """

    fitness: Callable[[Array, Targets], float]
    seeds: Callable[[Array, Targets], Array]
    factors: Callable[[Array, Targets, float], list[float]]
    tasks: tuple[str, ...] = (CLASSIFICATION, REGRESSION)
    rises: bool = False
    perfect: int = 0
    degree: int = 0
    by_class: bool = False
    squared: bool = False
    logistic: bool = False
    surrogate: str = ""
    label: str = ""
    row_losses: Callable[[Array, Targets], Array] = row_squares


OBJECTIVES = {
    "exp-rmse": Objective(
        exp_rmse,
        differences,
        exp_rmse_factors,
        (CLASSIFICATION,),
        perfect=1,
        by_class=True,
        label="fitness (exp-RMSE; 1 is perfect)",
    ),
    "rmse": Objective(rmse, differences, rmse_factors, degree=1, squared=True),
    "mse": Objective(mse, differences, mse_factors, degree=2, squared=True),
    "mae": Objective(mae, error_signs, mae_factors, degree=1, row_losses=row_sizes),
    "log-loss": Objective(
        log_loss,
        log_loss_slopes,
        log_loss_factors,
        (CLASSIFICATION,),
        logistic=True,
        row_losses=row_logs,
    ),
    "accuracy": Objective(
        mistakes,
        log_loss_slopes,
        log_loss_factors,
        (CLASSIFICATION,),
        rises=True,
        perfect=1,
        logistic=True,
        surrogate="log-loss",
        row_losses=row_logs,
        label="share of wrong rows (1 − accuracy)",
    ),
    "r2": Objective(
        unexplained,
        differences,
        unexplained_factors,
        (REGRESSION,),
        rises=True,
        perfect=1,
        squared=True,
        label="1 − R²",
    ),
}


def objectives_of(task: str) -> list[str]:
    """The objectives that measure a task."""
    return [name for name, objective in OBJECTIVES.items() if task in objective.tasks]


def natural(objective: str, fitness: float, deviation: float = 1.0) -> float:
    """The score that people read: for `accuracy` and `r2`, 1 minus what is minimised.

    In the units of a target whose `deviation` was scaled to 1.
    """
    for _ in range(OBJECTIVES[objective].degree):
        fitness *= deviation
    return 1.0 - fitness if OBJECTIVES[objective].rises else fitness


def spread(values: Array, row_weights: Array | None = None) -> float:
    """The squared distances from the mean, summed."""
    deviations = values - ordered_mean(values, row_weights)
    return ordered_sum(weighed(deviations * deviations, row_weights))


def ordered_mean(values: Array, row_weights: Array | None = None) -> float:
    """The mean; some of the training rows have weights of another mean than 1."""
    mass = len(values) if row_weights is None else ordered_sum(row_weights)
    return ordered_sum(weighed(values, row_weights)) / mass


def weighed(values: Array, row_weights: Array | None) -> Array:
    """A number or a row of numbers for each row, times the weight of the row."""
    if row_weights is None:
        return values
    return values * (row_weights if values.ndim == 1 else row_weights[:, None])


def squared_errors(outputs: Array, targets: Array) -> Array:
    """For each row, its squared errors summed over the outputs from left to right."""
    total = np.zeros(len(outputs))
    for column in range(outputs.shape[1]):
        difference = outputs[:, column] - targets[:, column]
        total = total + difference * difference
    return total


def ordered_sum(values: Array) -> float:
    """Row i is added to lane i mod LANES, row after row; then the lanes are added in turn."""
    padded = np.zeros(-(-len(values) // LANES) * LANES or LANES)
    padded[: len(values)] = values
    # A running sum, because numpy may regroup the terms of a plain one.
    lanes = np.add.accumulate(padded.reshape(-1, LANES), axis=0)[-1]
    total = 0.0
    for lane in lanes.tolist():
        total += lane
    return total
