"""Objectives: functions of outputs and targets that the search minimises, and their gradients.

Each has a file of the same name in templates/engine/objectives, with the same functions.
docs/how-to/add-an-objective.md shows how to add one.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dsgec.arithmetic import scalar
from dsgec.arithmetic.printed import vector
from dsgec.search.rows import Array, Targets, ordered_sum, spread, weigh

LEAST_PROBABILITY = 2.0**-52
"""`log-loss` clips probabilities to this and to 1 minus this, as scikit-learn does."""

CLASSIFICATION, REGRESSION = "classification", "regression"


@dataclass(frozen=True, slots=True)
class GroupSum:
    """The summed errors of the rows of one class, or of all rows."""

    total: float
    rows: int
    outputs: int
    targets: Targets

    @property
    def count(self) -> int:
        """The number of outputs of all rows."""
        return self.rows * self.outputs

    @property
    def root(self) -> float:
        """The root of the mean squared error, if the errors are squared errors."""
        return scalar.sqrt(self.total / self.count)


@dataclass(frozen=True, slots=True)
class Objective:
    """A function of outputs and targets that is minimised, with its gradient.

    The errors of the rows are summed, and `group_fitness` turns the sum into the fitness. With
    `by_class` the rows of each class are summed on their own, the fitness is the product over the
    classes, and rows cannot have weights. The gradient by a weight is the sum over the rows of the
    backpropagated `row_gradients`, times the `group_factor`.

    `logistic`: if the outputs are a softmax or a sigmoid, the gradients by its arguments are the
    outputs minus the targets. `surrogate` names the objective that weights are learned with, if it
    is another one.

    `rises`: the score that people read is 1 minus the fitness, and more is better. `perfect` is the
    best score. `degree` is the power of the units of a numeric target that the score is in: the
    search minimises the fitness of the scaled target, and a score is that of the target itself.
    `squared`: it is least where the sum of the squared errors is. `label` is the title of the
    fitness in charts, by default the name.
    """

    row_errors: Callable[[Array, Targets], Array]
    group_fitness: Callable[[GroupSum], float]
    row_gradients: Callable[[Array, Targets], Array]
    group_factor: Callable[[GroupSum, float], float]
    tasks: tuple[str, ...] = (CLASSIFICATION, REGRESSION)
    rises: bool = False
    perfect: int = 0
    degree: int = 0
    by_class: bool = False
    squared: bool = False
    logistic: bool = False
    surrogate: str = ""
    label: str = ""

    def fitness(self, outputs: Array, targets: Targets) -> float:
        """Return the fitness, which is minimised."""
        product = 1.0
        for group in self._sums(outputs, targets):
            product *= self.group_fitness(group)
        return product

    def factors(self, outputs: Array, targets: Targets, fitness: float) -> list[float]:
        """Return the factor of the summed gradients of each group of rows."""
        return [self.group_factor(group, fitness) for group in self._sums(outputs, targets)]

    def _sums(self, outputs: Array, targets: Targets) -> list[GroupSum]:
        errors = weigh(self.row_errors(outputs, targets), targets.row_weights)
        groups = [errors[rows] for rows in targets.groups] if self.by_class else [errors]
        return [GroupSum(ordered_sum(own), len(own), outputs.shape[1], targets) for own in groups]


def squared_errors(outputs: Array, targets: Array) -> Array:
    """Return the squared errors of each row, added over the outputs from left to right."""
    total = np.zeros(len(outputs))
    for column in range(outputs.shape[1]):
        difference = outputs[:, column] - targets[:, column]
        total = total + difference * difference
    return total


def row_squares(outputs: Array, targets: Targets) -> Array:
    """Return the squared errors of each row."""
    return squared_errors(outputs, targets.values)


def row_distances(outputs: Array, targets: Targets) -> Array:
    """Return the absolute errors of each row."""
    total = np.zeros(len(outputs))
    for column in range(outputs.shape[1]):
        total = total + np.abs(outputs[:, column] - targets.values[:, column])
    return total


def log_losses(outputs: Array, targets: Targets) -> Array:
    """Return -log p of each row, where p is the clipped probability of its class."""
    chosen = 1.0 - outputs[:, 0] if outputs.shape[1] == 1 else np.zeros(len(outputs))
    for column in range(outputs.shape[1]):
        chosen = np.where(targets.values[:, column] == 1.0, outputs[:, column], chosen)
    probability = np.clip(chosen, LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)
    losses: Array = -vector.log(probability)
    return losses


def mistakes(outputs: Array, targets: Targets) -> Array:
    """Return 1 for each row whose predicted class is wrong, otherwise 0."""
    if outputs.shape[1] == 1:
        wrong = (outputs[:, 0] >= 0.5) != (targets.values[:, 0] == 1.0)
    else:
        wrong = outputs.argmax(axis=1) != targets.values.argmax(axis=1)
    found: Array = wrong.astype(np.float64)
    return found


def differences(outputs: Array, targets: Targets) -> Array:
    """Return half the derivative of each squared error by its output."""
    return outputs - targets.values


def error_signs(outputs: Array, targets: Targets) -> Array:
    """Return the derivative of each absolute error by its output; 0 where there is no error."""
    error = differences(outputs, targets)
    return np.where(error > 0.0, 1.0, np.where(error < 0.0, -1.0, 0.0))


def log_loss_gradients(outputs: Array, targets: Targets) -> Array:
    """Return the derivatives of -log p by each output; 0 where p is clipped."""
    is_class = targets.values == 1.0
    single = outputs.shape[1] == 1
    chosen = np.where(is_class, outputs, 1.0 - outputs) if single else outputs
    derivative = vector.log_derivative(chosen, chosen)
    other = derivative if single else np.zeros_like(derivative)
    clipped = (chosen < LEAST_PROBABILITY) | (chosen > 1.0 - LEAST_PROBABILITY)
    return np.where(clipped, 0.0, np.where(is_class, -derivative, other))


def mean_by_output(group: GroupSum) -> float:
    """Return the mean error of an output of a row."""
    return group.total / group.count


def mean_by_output_factor(group: GroupSum, fitness: float) -> float:
    """Return the factor of the summed gradients of a mean over all outputs."""
    return 1.0 / group.count


def _mean_by_row(group: GroupSum) -> float:
    return group.total / group.rows


def _mean_by_row_factor(group: GroupSum, fitness: float) -> float:
    return 1.0 / group.rows


def _root(group: GroupSum) -> float:
    return group.root


def _root_factor(group: GroupSum, fitness: float) -> float:
    return 0.0 if fitness == 0.0 else 1.0 / (group.count * fitness)


def _exp_root(group: GroupSum) -> float:
    return scalar.exp(group.root)


def _exp_root_factor(group: GroupSum, fitness: float) -> float:
    return 0.0 if group.root == 0.0 else fitness / (group.count * group.root)


def _target_spread(targets: Targets) -> float:
    return spread(targets.values[:, 0], targets.row_weights)


OBJECTIVES = {
    "exp-rmse": Objective(
        *(row_squares, _exp_root, differences, _exp_root_factor),
        (CLASSIFICATION,),
        perfect=1,
        by_class=True,
        label="fitness (exp-RMSE; 1 is perfect)",
    ),
    "rmse": Objective(row_squares, _root, differences, _root_factor, degree=1, squared=True),
    "mse": Objective(
        *(row_squares, mean_by_output, differences, lambda group, _: 2.0 / group.count),
        degree=2,
        squared=True,
    ),
    "mae": Objective(row_distances, mean_by_output, error_signs, mean_by_output_factor, degree=1),
    "log-loss": Objective(
        *(log_losses, _mean_by_row, log_loss_gradients, _mean_by_row_factor),
        (CLASSIFICATION,),
        logistic=True,
    ),
    "accuracy": Objective(
        *(mistakes, _mean_by_row, log_loss_gradients, _mean_by_row_factor),
        (CLASSIFICATION,),
        rises=True,
        perfect=1,
        logistic=True,
        surrogate="log-loss",
        label="share of wrong rows (1 − accuracy)",
    ),
    "r2": Objective(
        row_squares,
        lambda group: group.total / _target_spread(group.targets),
        differences,
        lambda group, _: 2.0 / _target_spread(group.targets),
        (REGRESSION,),
        rises=True,
        perfect=1,
        squared=True,
        label="1 − R²",
    ),
}


def learned_objective(objective: str) -> Objective:
    """Return the objective that weights are learned with: its surrogate, if it has one."""
    return OBJECTIVES[OBJECTIVES[objective].surrogate or objective]


def objectives_of(task: str) -> list[str]:
    """Return the names of the objectives for classification or for regression."""
    return [name for name, objective in OBJECTIVES.items() if task in objective.tasks]


def as_score(objective: str, fitness: float, deviation: float = 1.0) -> float:
    """Return the score that people read: for `accuracy` and `r2`, 1 minus the fitness.

    It is in the units of the target, whose standard `deviation` was scaled to 1.
    """
    for _ in range(OBJECTIVES[objective].degree):
        fitness *= deviation
    return 1.0 - fitness if OBJECTIVES[objective].rises else fitness
