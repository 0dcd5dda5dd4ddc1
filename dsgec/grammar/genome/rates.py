"""The step sizes by which the constants of an individual learn: iRprop- (Igel, Hüsken 2003).

A step goes against the gradient, and its size does not depend on that of the gradient: it grows
while the gradient keeps its sign, and shrinks when the sign changes. A child inherits the step
sizes of its parent's constants.
"""

from typing import NamedTuple

FIRST_STEP, LEAST_STEP, LARGEST_STEP = 0.1, 1e-3, 2.0
FASTER, SLOWER = 1.2, 0.5


class Rate(NamedTuple):
    """The size of the next step of a constant, and its gradient at the last step."""

    step: float
    gradient: float


def advance(rate: Rate, gradient: float) -> tuple[Rate, float]:
    """Return the rate after a new gradient, and how far the constant moves."""
    agreement = gradient * rate.gradient
    step = rate.step
    if agreement > 0.0:
        step = min(step * FASTER, LARGEST_STEP)
    elif agreement < 0.0:
        step = max(step * SLOWER, LEAST_STEP)
        gradient = 0.0  # and the constant does not move this time
    move = -step if gradient > 0.0 else step if gradient < 0.0 else 0.0
    return Rate(step, gradient), move


def shrink_step(rate: Rate) -> Rate:
    """Return the rate after a step that did not improve the individual."""
    return Rate(max(rate.step * SLOWER, LEAST_STEP), 0.0)
