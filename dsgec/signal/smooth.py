"""Smooth the classes of windows: the class of most of the last windows, of equals the latest.

The votes of a stream begin again when its windows do. Exports count the same votes; this is the
specification of them.
"""

import numpy as np
from numpy.typing import NDArray

Classes = NDArray[np.intp]


def smooth(classes: Classes, begins: NDArray[np.bool_], votes: int) -> Classes:
    """Return the class of most of the last windows, at most so many, for each window.

    `begins` marks windows before which there are no others.
    """
    number = np.arange(len(classes))
    age = number - np.maximum.accumulate(np.where(begins, number, 0))
    chosen, most = classes.copy(), np.zeros(len(classes), dtype=np.intp)
    for back in range(votes):
        own = np.roll(classes, back)
        counts = np.zeros(len(classes), dtype=np.intp)
        for other in range(votes):
            counts += (np.roll(classes, other) == own) & (other <= age)
        better = (back <= age) & (counts > most)
        chosen[better], most[better] = own[better], counts[better]
    return chosen
