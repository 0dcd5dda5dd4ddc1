"""A Model that was made of a foreign one, with the foreign one beside it to compare with."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError, counted
from dsgec.network.decide import DEFAULT_THRESHOLD
from dsgec.network.model import Label, Model, check_classes
from dsgec.network.readers.layers import Layers, Nodes

Array = NDArray[np.float64]

ABOVE_HALF = math.nextafter(DEFAULT_THRESHOLD, 1.0)
"""scikit-learn and ONNX choose the second of two classes above 0.5, not at 0.5."""


@dataclass(frozen=True, slots=True)
class ForeignOutputs:
    """What a foreign model gives for rows: its outputs; of a classifier, numbers of classes."""

    outputs: Array
    classes: NDArray[np.intp] | None = None


@dataclass(frozen=True, slots=True)
class ForeignModel:
    """The model, and the foreign one as a function of raw rows; `ran_by` names what computes it.

    `run` is None where there is nothing to run it with: then `ran_by` says what is missing. It
    computes in the type `dtype`, double or float, and takes whole numbers only in the columns
    `whole`, which are given by their numbers. Its probabilities lose digits below `least_share`.
    """

    model: Model
    ran_by: str
    run: Callable[[Array], ForeignOutputs] | None
    dtype: str = "double"
    whole: tuple[int, ...] = ()
    least_share: float = 1e-290


def make_model(
    layers: Layers,
    outputs: Nodes,
    names: Sequence[str],
    classes: Sequence[Any],
    feature_names: Sequence[str] | None,
    class_names: Sequence[Label] | None,
) -> Model:
    """The model of what was built; the names that the user gave come before its own."""
    own_names = _features(names, feature_names)
    labels = _classes(classes, class_names)
    if labels:
        second = layers.second_of_two(outputs)
        outputs = outputs if second is None else second
        check_classes(len(labels), len(outputs))
    network, columns = layers.network(outputs, own_names)
    threshold = ABOVE_HALF if labels and len(outputs) == 1 else DEFAULT_THRESHOLD
    return Model(network, columns, labels, threshold=threshold)


def _features(names: Sequence[str], given: Sequence[str] | None) -> tuple[str, ...]:
    found = tuple(map(str, names if given is None else _checked(given, "feature")))
    if len(found) != len(names):
        raise DsgecError(
            f"{counted(len(found), 'feature name')} given for {counted(len(names), 'feature')}",
            "Give a name for each feature, in their order.",
        )
    twice = [name for number, name in enumerate(found) if name in found[:number]][:1]
    if twice:
        raise DsgecError(f"two features are called {twice[0]!a}", "Give names of your own.")
    return found


def _classes(own: Sequence[Any], given: Sequence[Label] | None) -> tuple[Label, ...]:
    given = None if given is None else _checked(given, "class")
    if given is not None and own and len(given) != len(own):
        raise DsgecError(
            f"{counted(len(given), 'class name')} given for"
            f" {counted(len(own), 'class', 'classes')}",
            "Give a name for each class, in their order.",
        )
    labels = tuple(map(_label, own if given is None else given))
    if len(set(labels)) < len(labels):
        raise DsgecError("two classes have the same name", "Give each a name of its own.")
    return labels


def _checked(given: Iterable[Any], what: str) -> list[Any]:
    """Names as a list; one text is not a list of its characters."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise DsgecError(f"the {what} names are not a list", 'Pass a list, such as ["a", "b"].')
    return list(given)


def _label(value: Any) -> Label:
    """A label as texts and numbers of a table are: whole numbers, or texts."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer) or (
        isinstance(value, float | np.floating) and float(value).is_integer()
    ):
        return int(value)
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
