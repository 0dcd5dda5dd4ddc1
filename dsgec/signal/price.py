"""Price features: how much code their streams take, before any is printed."""

from collections.abc import Sequence
from functools import cache

from dsgec.arithmetic.procedures import procedures
from dsgec.program.ir import Procedure, expressions, instructions, parts
from dsgec.signal.description import Call
from dsgec.signal.lowering import defined
from dsgec.signal.plan import Delay, Kept, make_plan

_SHARED = 0.25
"""The share of a function that several features call in the price of each."""
_DELAY = 20.0
_LEAST = 4.0


def prices(features: Sequence[Call]) -> list[float]:
    """Return the price of each feature alone: the operations of its stream, roughly."""
    return [price(feature) for feature in features]


def price(feature: Call) -> float:
    """Return the operations that a feature needs, also in what is kept for it."""
    plan = make_plan((feature,))
    total = _LEAST
    for step in plan.steps:
        match step:
            case Kept(name) | Call(name):
                total += _operations(name)
            case Delay():
                total += _DELAY
    (written,) = plan.features
    return total + sum(_operations(part.function) for part in written)


@cache
def _operations(name: str) -> float:
    """Return the operations of a function of `features.py`, with a share of those it calls."""
    own = _procedure(name)
    called = sum(_operations(one) for one in {*own.calls})
    inside = [one for each in instructions(own.body) for one in expressions(each)]
    whole = [*inside, own.result] if own.result else inside
    return len([*parts(*whole)]) + _SHARED * called


def _procedure(name: str) -> Procedure:
    own, _ = defined()
    return own[name] if name in own else procedures("whole")[name]
