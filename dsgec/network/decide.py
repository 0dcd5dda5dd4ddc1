"""Outputs of a classifier to the numbers of classes: the rule that every export prints.

The class is that of the largest output. Of a softmax it is that of the largest sum that goes into
it: the softmax keeps their order, but can round two different sums to equal probabilities. Of a
lone output, it is the second class where the output reaches 0.5. With another threshold, the second
of two classes is chosen where its output reaches that. What is not a number is smaller than any
number, and of equal ones the first is taken.

A row whose deciding output is not a number has no class; nor has one whose softmax is not a number:
where a sum is not, or where the largest is infinite.

So a function that gives the class needs no softmax. Nor does it need the sigmoid of a lone output,
which never falls: `deciding` finds the least sum whose sigmoid reaches the threshold.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.arithmetic.printed import vector, vector_float
from dsgec.network.canonical import canonical
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Apply, Network

Classes = NDArray[np.intp]

USUAL_THRESHOLD = 0.5

_SIGMOIDS: dict[str, tuple[Any, Any, Callable[[Any], Any]]] = {
    "double": (np.float64, np.int64, vector.sig),
    "float": (np.float32, np.int32, vector_float.sig),
}
_FAR = 800.0  # where a sigmoid of either type is 0 or 1
_NEAR = 4096  # numbers on either side of a limit that are tried one by one


def has_threshold(outputs: int, threshold: float) -> bool:
    """Whether the last output is compared with the threshold, and not with the others."""
    return outputs == 1 or threshold != USUAL_THRESHOLD


def is_by_sums(network: Network, threshold: float) -> bool:
    """Whether what goes into the softmax decides, and not what comes out of it."""
    return network.softmax and not has_threshold(len(network.outputs), threshold)


def predicted_classes(outputs: NDArray[Any], threshold: float = USUAL_THRESHOLD) -> Classes:
    """The class of each row of outputs, or of sums, also where these are not numbers."""
    if has_threshold(outputs.shape[1], threshold):
        reached = outputs[:, -1] >= outputs.dtype.type(threshold)
        return np.asarray(reached, dtype=np.intp)
    comparable = np.where(np.isnan(outputs), -np.inf, outputs)
    return np.asarray(comparable.argmax(axis=1), dtype=np.intp)


def chosen_classes(
    outputs: NDArray[Any], threshold: float = USUAL_THRESHOLD
) -> tuple[Classes, NDArray[np.bool_]]:
    """The class of each row, and which rows have none: what decides is not a number."""
    chosen = predicted_classes(outputs, threshold)
    last = has_threshold(outputs.shape[1], threshold)
    places = np.full_like(chosen, outputs.shape[1] - 1) if last else chosen
    return chosen, np.isnan(outputs[np.arange(len(outputs)), places])


def classify(
    network: Network, rows: NDArray[Any], threshold: float = USUAL_THRESHOLD
) -> tuple[Classes, NDArray[np.bool_]]:
    """The class that a network gives each row, and which rows have none; of those it is 0."""
    if not is_by_sums(network, threshold):
        return chosen_classes(evaluate(network, rows), threshold)
    sums = evaluate(replace(network, softmax=False), rows)
    nothing = np.isnan(sums).any(axis=1) | np.isinf(sums.max(axis=1))
    return np.where(nothing, 0, predicted_classes(sums)), nothing


@dataclass(frozen=True, slots=True)
class Deciding:
    """A network in two parts: `network`, and the function `finish` of what comes out of it.

    `finish` is "softmax", "sig" or "". The class is that of the largest output of `network` or, if
    there is a `limit`, the second where the last output reaches it. If it is chosen `after` the
    function, these are its outputs.
    """

    network: Network
    finish: str = ""
    limit: float | None = None
    after: bool = False


def without_finish(network: Network, threshold: float) -> Network:
    """What of a network decides between its classes, supposed that a sigmoid has a limit."""
    if is_by_sums(network, threshold):
        return replace(network, softmax=False)
    last = network.nodes[network.outputs[-1]]
    is_lone = len(network.outputs) == 1 and not network.softmax
    if is_lone and isinstance(last, Apply) and last.function == "sig":
        return canonical(replace(network, outputs=last.arguments))
    return network


def undecided(network: Network) -> Deciding:
    """The parts of a network whose outputs are values."""
    finish = "softmax" if network.softmax else ""
    return Deciding(replace(network, softmax=False), finish)


def deciding(network: Network, threshold: float, dtype: str = "double") -> Deciding:
    """The parts of a network such that as little as possible decides between its classes."""
    limit = threshold if has_threshold(len(network.outputs), threshold) else None
    if network.softmax:
        return replace(undecided(network), limit=limit, after=limit is not None)
    rest = without_finish(network, threshold)
    least = None if rest is network else sigmoid_limit(threshold, dtype)
    return Deciding(network, "", limit) if least is None else Deciding(rest, "sig", least)


@cache
@standard_arithmetic()
def sigmoid_limit(threshold: float, dtype: str) -> float | None:
    """The least number whose sigmoid reaches a threshold; None if no one number divides them.

    By halving, over the numbers of the type in their order. As the sigmoid is rounded, it can fall
    by a unit between neighbours: so the numbers around the limit that was found are tried.
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
    """Whole numbers that are in the order of the numbers of a type."""
    bits = np.array([value]).view(word)[0]
    return int(bits) if bits >= 0 else int(np.iinfo(word).min) - int(bits)


def _number(keys: NDArray[Any], real: Any, word: Any) -> NDArray[Any]:
    least = int(np.iinfo(word).min)
    bits = np.where(keys >= 0, keys, np.int64(least) - keys)
    found: NDArray[Any] = bits.astype(word).view(real)
    return found
