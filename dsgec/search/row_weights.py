"""Classes of training rows, and weights that a user gave them, to weights of mean 1.

With the mean 1, the penalties that are added to an objective keep their meaning.
"""

import numpy as np
from numpy.typing import NDArray

from dsgec.search.objectives import Array, ordered_sum


def make_row_weights(
    given: Array | None, classes: NDArray[np.intp], count: int, *, balance: bool
) -> Array | None:
    """The weight of each row, given the number of its class; None where all rows count the same.

    With `balance`, the rows of each of the `count` classes weigh the same together: without other
    weights, each is n / (count * the rows of its class), as in scikit-learn.
    """
    if given is None and not balance:
        return None
    weights = np.ones(len(classes)) if given is None else given
    if balance:
        total = ordered_sum(weights)
        own = [ordered_sum(weights[classes == number]) for number in range(count)]
        weights = weights * np.array([total / (count * each) for each in own])[classes]
    return weights * (len(weights) / ordered_sum(weights))
