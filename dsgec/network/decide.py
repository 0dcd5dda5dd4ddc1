"""Choose classes from the outputs of a classifier: the rule that every export prints.

The class is that of the largest output. With a softmax it is that of its largest argument: the
softmax keeps their order, but can round two different sums to equal probabilities. A lone output
means the second class where it reaches 0.5. With another threshold, the second of two classes is
chosen where its output reaches the threshold. NaN is smaller than any number, and of equal outputs
the first is taken.

A row whose deciding output is NaN has no class; nor has one whose softmax is NaN: where an argument
is NaN, or where the largest is infinite.

So a function that returns the class needs no softmax. Nor does it need the sigmoid of a lone
output, which never falls: `split_decision` finds the least sum whose sigmoid reaches the threshold.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.arithmetic.printed import vector, vector_float
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Apply, Network
from dsgec.network.simplify import canonicalise

Classes = NDArray[np.intp]

DEFAULT_THRESHOLD = 0.5

_SIGMOIDS: dict[str, tuple[Any, Any, Callable[[Any], Any]]] = {
    "double": (np.float64, np.int64, vector.sig),
    "float": (np.float32, np.int32, vector_float.sig),
}
_FAR = 800.0  # where a sigmoid of either type is 0 or 1
_NEAR = 4096  # numbers on either side of a limit that are tried one by one


def has_threshold(outputs: int, threshold: float) -> bool:
    """Return whether the last output is compared with the threshold, not with the others."""
    return outputs == 1 or threshold != DEFAULT_THRESHOLD


def is_decided_before_softmax(network: Network, threshold: float) -> bool:
    """Return whether the arguments of the softmax decide, and not its results."""
    return network.softmax and not has_threshold(len(network.outputs), threshold)


def predict_classes(outputs: NDArray[Any], threshold: float = DEFAULT_THRESHOLD) -> Classes:
    """Return the class of each row of outputs, also of those that are NaN."""
    if has_threshold(outputs.shape[1], threshold):
        reached = outputs[:, -1] >= outputs.dtype.type(threshold)
        return np.asarray(reached, dtype=np.intp)
    comparable = np.where(np.isnan(outputs), -np.inf, outputs)
    return np.asarray(comparable.argmax(axis=1), dtype=np.intp)


def choose_classes(
    outputs: NDArray[Any], threshold: float = DEFAULT_THRESHOLD
) -> tuple[Classes, NDArray[np.bool_]]:
    """Return the class of each row, and which rows have none: their deciding output is NaN."""
    chosen = predict_classes(outputs, threshold)
    last = has_threshold(outputs.shape[1], threshold)
    places = np.full_like(chosen, outputs.shape[1] - 1) if last else chosen
    return chosen, np.isnan(outputs[np.arange(len(outputs)), places])


def classify(
    network: Network, rows: NDArray[Any], threshold: float = DEFAULT_THRESHOLD
) -> tuple[Classes, NDArray[np.bool_]]:
    """Return the class that a network gives each row, and which rows have none; theirs is 0."""
    if not is_decided_before_softmax(network, threshold):
        return choose_classes(evaluate(network, rows), threshold)
    sums = evaluate(replace(network, softmax=False), rows)
    nothing = np.isnan(sums).any(axis=1) | np.isinf(sums.max(axis=1))
    return np.where(nothing, 0, predict_classes(sums)), nothing


@dataclass(frozen=True, slots=True)
class Decision:
    """A network in two parts, `network` and the `finish` function, and how its class is chosen.

    `finish` is "softmax", "sig" or "". The class is that of the largest output of `network` or, if
    there is a `limit`, the second where the last output reaches it. If it is chosen `after` the
    finish, the outputs of that function are compared.
    """

    network: Network
    finish: str = ""
    limit: float | None = None
    after: bool = False


def strip_finish(network: Network, threshold: float) -> Network:
    """Return the part of a network that decides between its classes.

    That is without softmax or sigmoid, if the sigmoid has a limit.
    """
    if is_decided_before_softmax(network, threshold):
        return replace(network, softmax=False)
    last = network.nodes[network.outputs[-1]]
    is_lone = len(network.outputs) == 1 and not network.softmax
    if is_lone and isinstance(last, Apply) and last.function == "sig":
        return canonicalise(replace(network, outputs=last.arguments))
    return network


def split_values(network: Network) -> Decision:
    """Return the two parts of a network that has no classes."""
    finish = "softmax" if network.softmax else ""
    return Decision(replace(network, softmax=False), finish)


def split_decision(network: Network, threshold: float, dtype: str = "double") -> Decision:
    """Return the two parts of a classifier such that the first is all that the class needs."""
    limit = threshold if has_threshold(len(network.outputs), threshold) else None
    if network.softmax:
        return replace(split_values(network), limit=limit, after=limit is not None)
    rest = strip_finish(network, threshold)
    least = None if rest is network else sigmoid_limit(threshold, dtype)
    return Decision(network, "", limit) if least is None else Decision(rest, "sig", least)


@cache
@standard_arithmetic()
def sigmoid_limit(threshold: float, dtype: str) -> float | None:
    """Return the least number whose sigmoid reaches a threshold; None if no number divides them.

    It is found by bisection over the numbers of the type in their order. As the sigmoid is rounded,
    it can fall by a unit between neighbours: so the numbers around the limit are tried, too.
    """
    real, word, sigmoid = _SIGMOIDS[dtype]
    wanted = real(threshold)

    def reaches(keys: NDArray[Any]) -> NDArray[np.bool_]:
        with np.errstate(all="ignore"):
            found: NDArray[np.bool_] = sigmoid(_number(keys, real, word)) >= wanted
            return found

    low, high = (int(_key(real(end), word)) for end in (-_FAR, _FAR))
    if reaches(np.array([low]))[0] or not reaches(np.array([high]))[0]:
        return None  # every number does, or none
    first, last = low, high
    while last - first > 1:
        middle = (first + last) // 2
        first, last = (first, middle) if reaches(np.array([middle]))[0] else (middle, last)
    around = np.concatenate(
        [
            np.arange(max(last - _NEAR, low), min(last + _NEAR, high)),
            np.linspace(low, high, 4 * _NEAR).astype(np.int64),
        ]
    )
    if (reaches(around) != (around >= last)).any():
        return None
    return float(_number(np.array([last]), real, word)[0])


def _key(value: Any, word: Any) -> Any:
    """Return an integer for a number; the integers have the order of the numbers."""
    bits = np.array([value]).view(word)[0]
    return int(bits) if bits >= 0 else int(np.iinfo(word).min) - int(bits)


def _number(keys: NDArray[Any], real: Any, word: Any) -> NDArray[Any]:
    least = int(np.iinfo(word).min)
    bits = np.where(keys >= 0, keys, np.int64(least) - keys)
    found: NDArray[Any] = bits.astype(word).view(real)
    return found
