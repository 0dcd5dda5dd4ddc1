"""The entry of an objective: what is minimised, how rows are added, and the gradient."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # so that the names of objectives are known without numpy
    from dsgec.search.rows import Array, Targets

CLASSIFICATION, REGRESSION = "classification", "regression"

Row = Sequence[float]
"""The outputs of a row, or their targets."""


@dataclass(frozen=True, slots=True)
class Objective:
    """A function of outputs and targets that is minimised, with its gradient.

    It is made of four functions, which are written in the language of `dsgec/arithmetic/read.py`:

    - `error` of a row takes its outputs, the targets and their number. The errors of the rows are
      multiplied by the row weights, and summed.
    - `group_fitness` turns the sum into the fitness. It takes the sum, the number of rows, the
      number of outputs of all rows and, if the objective is for regression only, the sum of the
      squared distances of the target from its mean.
    - `gradient` is the derivative of the error by one output, up to a factor. It takes the output,
      its target and whether the network has no other output.
    - `group_factor` is that factor, of the same numbers as `group_fitness` and the fitness. The
      gradient by a weight is the sum over the rows of the backpropagated gradients, times it.

    With `by_class` the rows of each class are summed on their own, the fitness is the product over
    the classes, and rows cannot have weights.

    `unbounded`: if an output is not finite, neither is the error, so that outputs need no check.
    `logistic`: if the outputs are a softmax or a sigmoid, the gradients by its arguments are the
    outputs minus the targets. `surrogate` names the objective that weights are learned with, if it
    is another one.

    `rises`: the score that people read is 1 minus the fitness, and more is better. `perfect` is the
    best score. `degree` is the power of the units of a numeric target that the score is in: the
    search minimises the fitness of the scaled target, and a score is that of the target itself.
    `of_scaled_errors`: no power of the units does that, as for a loss with linear parts; scores are
    then computed from the scaled target.
    `squared`: it is least where the sum of the squared errors is. `label` is the title of the
    fitness in charts, by default the name. `meaning` is its definition in the documentation.
    """

    meaning: str
    error: Callable[[Row, Row, int], float]
    gradient: Callable[[float, float, bool], float]
    group_fitness: Callable[[float, float, float, float], float]
    group_factor: Callable[[float, float, float, float, float], float]
    tasks: tuple[str, ...] = (CLASSIFICATION, REGRESSION)
    rises: bool = False
    perfect: int = 0
    degree: int = 0
    by_class: bool = False
    of_scaled_errors: bool = False
    squared: bool = False
    unbounded: bool = False
    logistic: bool = False
    surrogate: str = ""
    label: str = ""

    def fitness(self, outputs: "Array", targets: "Targets") -> float:
        """Return the fitness, which is minimised."""
        product = 1.0
        for sums in self._sums(outputs, targets):
            product *= self.group_fitness(*sums)
        return product

    def factors(self, outputs: "Array", targets: "Targets", fitness: float) -> list[float]:
        """Return the factor of the summed gradients of each group of rows."""
        return [self.group_factor(*sums, fitness) for sums in self._sums(outputs, targets)]

    def row_errors(self, outputs: "Array", targets: "Array") -> "Array":
        """Return the error of each row."""
        errors: Array = _on_columns(self.error)([*outputs.T], [*targets.T], outputs.shape[1])
        return errors

    def row_gradients(self, outputs: "Array", targets: "Array") -> "Array":
        """Return the gradient of each row by each output."""
        gradients: Array = _on_columns(self.gradient)(outputs, targets, outputs.shape[1] == 1)
        return gradients

    def _sums(
        self, outputs: "Array", targets: "Targets"
    ) -> list[tuple[float, float, float, float]]:
        from dsgec.search.rows import ordered_sum, spread, weigh

        errors = weigh(self.row_errors(outputs, targets.values), targets.row_weights)
        groups = [errors[rows] for rows in targets.groups] if self.by_class else [errors]
        distances = 0.0
        if self.tasks == (REGRESSION,):
            distances = spread(targets.values[:, 0], targets.row_weights)
        return [
            (ordered_sum(own), float(len(own)), float(len(own) * outputs.shape[1]), distances)
            for own in groups
        ]


def _on_columns(function: Callable[..., float]) -> Callable[..., Any]:
    """Return a function of a row as it is printed for columns."""
    from dsgec.search.printed import objectives

    printed: Callable[..., Any] = getattr(objectives, function.__name__)
    return printed
