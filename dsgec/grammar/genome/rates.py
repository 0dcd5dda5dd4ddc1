"""How the numbers of an individual learn: the steps of iRprop- (Igel, Hüsken 2003).

A step goes against the slope, and its size does not depend on that of the slope: it grows while
the slope keeps its sign, and shrinks when it changes. A child's numbers go on with the steps that
its parent's had.
"""

from typing import NamedTuple

FIRST_STEP, LEAST_STEP, LARGEST_STEP = 0.1, 1e-3, 2.0
FASTER, SLOWER = 1.2, 0.5


class Rate(NamedTuple):
    """How a number is being learned: the size of its next step, and its slope at the last one."""

    step: float
    slope: float


def advance(rate: Rate, slope: float) -> tuple[Rate, float]:
    """The rate after one more slope has been seen, and how far the number goes."""
    agreement = slope * rate.slope
    step = rate.step
    if agreement > 0.0:
        step = min(step * FASTER, LARGEST_STEP)
    elif agreement < 0.0:
        step = max(step * SLOWER, LEAST_STEP)
        slope = 0.0  # and the number stays where it is this time
    move = -step if slope > 0.0 else step if slope < 0.0 else 0.0
    return Rate(step, slope), move


def hold_back(rate: Rate) -> Rate:
    """The rate after a step that did not help."""
    return Rate(max(rate.step * SLOWER, LEAST_STEP), 0.0)
