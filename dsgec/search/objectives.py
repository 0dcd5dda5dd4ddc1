"""Objectives: functions of outputs and targets that the search minimises, and their gradients.

Each is defined here alone. `python -m dsgec.search.generate` prints it in C for the engine, for
numpy, and in the documentation; docs/how-to/add-an-objective.md shows how to add one.
"""

from dsgec.arithmetic.scalar import absolute, div, exp, log, sqrt
from dsgec.search.objective import CLASSIFICATION, REGRESSION, Objective, Row

LEAST_PROBABILITY = 2.220446049250313e-16
"""`log-loss` clips probabilities to this, 2⁻⁵², and to 1 minus this, as scikit-learn does."""
MOST_PROBABILITY = 0.9999999999999998


def squared_error(outputs: Row, wanted: Row, count: int) -> float:
    """Return the squared errors of a row, added over the outputs from left to right."""
    total = 0.0
    for k in range(count):
        error = outputs[k] - wanted[k]
        total += error * error
    return total


def absolute_error(outputs: Row, wanted: Row, count: int) -> float:
    """Return the absolute errors of a row, added over the outputs from left to right."""
    total = 0.0
    for k in range(count):
        total += absolute(outputs[k] - wanted[k])
    return total


def huber_loss(outputs: Row, wanted: Row, count: int) -> float:
    """Return the Huber losses of a row: half the square of errors up to 1, others are linear."""
    total = 0.0
    for k in range(count):
        error = absolute(outputs[k] - wanted[k])
        total += 0.5 * (error * error) if error <= 1.0 else error - 0.5
    return total


def log_loss(outputs: Row, wanted: Row, count: int) -> float:
    """Return -log p, where p is the clipped probability of the row's class."""
    p = 1.0 - outputs[0]  # of the class that a single output has no probability of
    for k in range(count):
        p = outputs[k] if wanted[k] == 1.0 else p
    p = LEAST_PROBABILITY if p < LEAST_PROBABILITY else p
    p = MOST_PROBABILITY if p > MOST_PROBABILITY else p
    return -log(p)


def mistake(outputs: Row, wanted: Row, count: int) -> float:
    """Return 1 if the predicted class of the row is wrong, otherwise 0."""
    hit = wanted[0] if outputs[0] >= 0.5 else 1.0 - wanted[0]  # with a single output
    if count > 1:
        hit = wanted[0]
        best = outputs[0]
        for k in range(count):
            hit = wanted[k] if outputs[k] > best else hit
            best = outputs[k] if outputs[k] > best else best
    return 1.0 - hit


def difference(output: float, wanted: float, is_single: bool) -> float:
    """Return half the derivative of a squared error by its output."""
    return output - wanted


def error_sign(output: float, wanted: float, is_single: bool) -> float:
    """Return the derivative of an absolute error by its output; 0 where there is no error."""
    error = output - wanted
    return 1.0 if error > 0.0 else (-1.0 if error < 0.0 else 0.0)


def clipped_difference(output: float, wanted: float, is_single: bool) -> float:
    """Return the derivative of a Huber loss by its output: the error, clipped to -1 and 1."""
    error = output - wanted
    error = -1.0 if error < -1.0 else error
    return 1.0 if error > 1.0 else error


def log_loss_gradient(output: float, wanted: float, is_single: bool) -> float:
    """Return the derivative of -log p by an output; 0 where p is clipped."""
    other = 1.0 - output if is_single else output
    p = output if wanted == 1.0 else other
    derivative = div(1.0, p)
    rest = derivative if is_single else 0.0
    gradient = -derivative if wanted == 1.0 else rest
    gradient = 0.0 if p < LEAST_PROBABILITY else gradient
    return 0.0 if p > MOST_PROBABILITY else gradient


def mean_by_output(total: float, rows: float, count: float, spread: float) -> float:
    """Return the mean error of an output of a row."""
    return total / count


def mean_by_output_factor(
    total: float, rows: float, count: float, spread: float, fitness: float
) -> float:
    """Return the factor of the summed gradients of a mean over all outputs."""
    return 1.0 / count


def mean_square_factor(
    total: float, rows: float, count: float, spread: float, fitness: float
) -> float:
    """Return the factor of the summed differences of a mean of squares over all outputs."""
    return 2.0 / count


def mean_by_row(total: float, rows: float, count: float, spread: float) -> float:
    """Return the mean error of a row."""
    return total / rows


def mean_by_row_factor(
    total: float, rows: float, count: float, spread: float, fitness: float
) -> float:
    """Return the factor of the summed gradients of a mean over the rows."""
    return 1.0 / rows


def root_mean(total: float, rows: float, count: float, spread: float) -> float:
    """Return the root of the mean squared error."""
    return sqrt(total / count)


def root_mean_factor(
    total: float, rows: float, count: float, spread: float, fitness: float
) -> float:
    """Return the factor of the summed differences of a root; 0 where there is no error."""
    return 0.0 if fitness == 0.0 else 1.0 / (count * fitness)


def exp_root_mean(total: float, rows: float, count: float, spread: float) -> float:
    """Return exp of the root of the mean squared error of a class."""
    return exp(sqrt(total / count))


def exp_root_mean_factor(
    total: float, rows: float, count: float, spread: float, fitness: float
) -> float:
    """Return the factor of the summed differences of a class; 0 where there is no error."""
    root = sqrt(total / count)
    return 0.0 if root == 0.0 else fitness / (count * root)


def unexplained(total: float, rows: float, count: float, spread: float) -> float:
    """Return the share of the squared distances from the mean that is not explained."""
    return total / spread


def unexplained_factor(
    total: float, rows: float, count: float, spread: float, fitness: float
) -> float:
    """Return the factor of the summed differences of a share."""
    return 2.0 / spread


OBJECTIVES = {
    "exp-rmse": Objective(
        "the paper's: the product over the classes of exp(RMSE of the class); the default of"
        " `--preset paper`",
        *(squared_error, difference, exp_root_mean, exp_root_mean_factor),
        (CLASSIFICATION,),
        perfect=1,
        by_class=True,
        unbounded=True,
        label="fitness (exp-RMSE; 1 is perfect)",
    ),
    "rmse": Objective(
        "the root of the mean squared error, for classes over the outputs, which should be 1 for"
        " the row's class and 0 otherwise; the default for regression",
        *(squared_error, difference, root_mean, root_mean_factor),
        degree=1,
        squared=True,
        unbounded=True,
    ),
    "mse": Objective(
        "the mean squared error, for classes as `rmse`",
        *(squared_error, difference, mean_by_output, mean_square_factor),
        degree=2,
        squared=True,
        unbounded=True,
    ),
    "mae": Objective(
        "the mean absolute error, for classes as `rmse`",
        *(absolute_error, error_sign, mean_by_output, mean_by_output_factor),
        degree=1,
        unbounded=True,
    ),
    "huber": Objective(
        "the mean Huber loss: errors up to one standard deviation of the target, or up to 1 if the"
        " target is not scaled, are squared and halved; larger ones count linearly",
        *(huber_loss, clipped_difference, mean_by_output, mean_by_output_factor),
        (REGRESSION,),
        degree=2,
        of_scaled_errors=True,
        unbounded=True,
    ),
    "log-loss": Objective(
        "the default: the mean of −log p, where p is the probability of the row's class, clamped"
        " to 2⁻⁵² … 1 − 2⁻⁵²",
        *(log_loss, log_loss_gradient, mean_by_row, mean_by_row_factor),
        (CLASSIFICATION,),
        logistic=True,
    ),
    "accuracy": Objective(
        "the share of rows that are classified correctly",
        *(mistake, log_loss_gradient, mean_by_row, mean_by_row_factor),
        (CLASSIFICATION,),
        rises=True,
        perfect=1,
        logistic=True,
        surrogate="log-loss",
        label="share of wrong rows (1 − accuracy)",
    ),
    "r2": Objective(
        "1 − squared errors / squared distances from the mean",
        *(squared_error, difference, unexplained, unexplained_factor),
        (REGRESSION,),
        rises=True,
        perfect=1,
        squared=True,
        unbounded=True,
        label="1 − R²",
    ),
}


def learned_objective(objective: str) -> Objective:
    """Return the objective that weights are learned with: its surrogate, if it has one."""
    return OBJECTIVES[OBJECTIVES[objective].surrogate or objective]


def objectives_of(task: str) -> list[str]:
    """Return the names of the objectives for classification or for regression."""
    return [name for name, objective in OBJECTIVES.items() if task in objective.tasks]


def list_objectives() -> str:
    """Return the names of the objectives by their tasks, in words."""
    phrases = {
        (CLASSIFICATION,): "for classes",
        (REGRESSION,): "for a numeric target",
        (CLASSIFICATION, REGRESSION): "for either",
    }
    found = []
    for tasks, phrase in phrases.items():
        *first, last = (name for name, objective in OBJECTIVES.items() if objective.tasks == tasks)
        found.append(f"{', '.join(first)}{' or ' if first else ''}{last} {phrase}")
    return ", ".join(found)


def as_score(objective: str, fitness: float, deviation: float = 1.0) -> float:
    """Return the score that people read: for `accuracy` and `r2`, 1 minus the fitness.

    It is in the units of the target, whose standard `deviation` was scaled to 1.
    """
    for _ in range(OBJECTIVES[objective].degree):
        fitness *= deviation
    return 1.0 - fitness if OBJECTIVES[objective].rises else fitness
