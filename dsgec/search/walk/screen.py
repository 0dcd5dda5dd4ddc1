"""Choose the inputs of a walk among many: the features of a signal.

A feature costs as much however many neurons read it, and a few training windows cannot tell which
of hundreds are useful, one by one. So a linear network of all of them is learned; then the inputs
that matter least for their price are removed as a whole, a few at a time, while the rest learns on.
"""

import numpy as np

from dsgec.search.budget import Budget
from dsgec.search.walk.edits import by_deviation
from dsgec.search.walk.front import FIRST_RATE, WALK_RATE, Walk
from dsgec.search.walk.layer import Array, Indices, SharedLayer

FEWEST, MOST, ROWS_OF_AN_INPUT = 32, 64, 20
"""A walk begins with so many features of a signal: one for so many training rows, within limits."""
_BYTES_OF_AN_INPUT, _TIMES_OF_8_BITS, _LEAST = 100, 2, 4
"""A feature takes about so many bytes of flash, on a chip of 8 bits twice as many."""
_SHARE = 5  # one of so many inputs is removed at a time
_FIRST, _BETWEEN = 2, 20  # the steps of a walk, divided by these


def most_inputs(rows: int, budget: Budget | None = None) -> int:
    """Return how many features of a signal a walk begins with; fewer if flash is limited."""
    most = min(max(FEWEST, rows // ROWS_OF_AN_INPUT), MOST)
    if budget is None or budget.flash is None:
        return most
    each = _BYTES_OF_AN_INPUT * (_TIMES_OF_8_BITS if budget.chip == "avr" else 1)
    return min(max(budget.flash // each, _LEAST), most)


def choose_inputs(walk: Walk, prices: Array, most: int) -> Indices:
    """Return the inputs that are left when all but so many are removed, in ascending order.

    The squared importance of an input is divided by its price.
    """
    steps = walk.steps.first
    net = walk.start(walk.widths[0])
    walk.descend(net, np.full(max(steps // _FIRST, 1), FIRST_RATE))
    rates = np.full(max(steps // _BETWEEN, 1), WALK_RATE)
    left = inputs_of(net)
    while len(left) > most:
        importance = input_importance(net, by_deviation(net, walk.descent.survey(net)))[left]
        count = max(most, len(left) - max(len(left) // _SHARE, 1))
        order = np.argsort(-importance * importance / prices[left], kind="stable")
        left = np.sort(left[order[:count]])
        inputs = walk.shape.inputs
        net = net.keep((net.sources >= inputs) | np.isin(net.sources, left))
        walk.descend(net, rates)
        left = inputs_of(net)
    return left


def input_importance(net: SharedLayer, importance: Array) -> Array:
    """Return for each input the norm of the importance of its connections."""
    inputs = net.shape.inputs
    own = net.sources < inputs
    squares = importance[own] * importance[own]
    found: Array = np.sqrt(np.bincount(net.sources[own], squares, inputs))
    return found


def inputs_of(net: SharedLayer) -> Indices:
    """Return the inputs that a network reads, in ascending order."""
    return np.unique(net.sources[net.sources < net.shape.inputs]).astype(np.int32)
