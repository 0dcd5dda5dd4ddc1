"""A Model made of a foreign one, and how closely the two agree."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError, counted
from dsgec.network.decide import DEFAULT_THRESHOLD, classify
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Network
from dsgec.network.model import Label, Model, check_classes, compose
from dsgec.network.readers.layers import Array, Layers, Nodes

ABOVE_HALF = math.nextafter(DEFAULT_THRESHOLD, 1.0)
"""scikit-learn and ONNX choose the second of two classes above 0.5, not at 0.5."""

_MOST_ROWS, _LEAST_ROWS = 1000, 50
_MOST_VALUES = 30_000_000  # of all nodes for all rows
_SEED = 20250101
_SPREAD = 3.0  # standard deviations to both sides
_TOLERANCE = {"double": 1e-6, "float": 1e-3}  # by the type that the foreign model computes in
_TIE = {"double": 1e-9, "float": 1e-6}  # difference of two probabilities that rounding explains


@dataclass(frozen=True, slots=True)
class ForeignOutputs:
    """The outputs of a foreign model for rows and, of a classifier, the indices of classes."""

    outputs: Array
    classes: NDArray[np.intp] | None = None


@dataclass(frozen=True, slots=True)
class ForeignModel:
    """The model, and the foreign one as a function of raw rows; `ran_by` names what computes it.

    `run` is None if nothing is installed to run it: then `ran_by` says what is missing. It computes
    in the type `dtype`, double or float, and takes whole numbers only in the columns `whole`, which
    are given by their indices. Its probabilities lose digits below `least_share`.
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
    """Return the model of the layers; names that the user gave take precedence over its own."""
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
    found = tuple(map(str, names if given is None else _name_list(given, "feature")))
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
    given = None if given is None else _name_list(given, "class")
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


def _name_list(given: Iterable[Any], what: str) -> list[Any]:
    """Return names as a list; raise a DsgecError for one text, which is no list of characters."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise DsgecError(f"the {what} names are not a list", 'Pass a list, such as ["a", "b"].')
    return list(given)


def _label(value: Any) -> Label:
    """Return a label as the labels of a table are: a bool, an int or a text."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer) or (
        isinstance(value, float | np.floating) and float(value).is_integer()
    ):
        return int(value)
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


# --- agreement ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Agreement:
    """A comparison of the compiled network with the model that it was made of.

    :param source: What computed the other side, such as `scikit-learn 1.9.1`; where there is none,
        what is missing.
    :param rows: How many rows were compared; 0 if none could be.
    :param worst: The greatest relative difference of an output. That of a probability is a share of
        that probability (of 1e-290 where it is below that), or of 1 beside onnxruntime, whose
        sigmoids lose digits; that of a value, a share of it or of the output's root mean
        square over the rows, whichever is larger.
    :param labels: How many of the rows have another label, because two classes are equally
        probable but for rounding.
    """

    source: str
    rows: int = 0
    worst: float = 0.0
    labels: int = 0

    def __str__(self) -> str:
        if not self.rows:
            return f"was not compared with the model that it was made of: {self.source}"
        labels = f", {self.labels:,} of which have another label" if self.labels else ""
        return (
            f"agrees with {self.source} to {self.worst:.1e} on {counted(self.rows, 'row')}{labels}"
        )


def measure_agreement(source: ForeignModel, rows: Array | None = None) -> Agreement:
    """Compare both models on the user's rows, or on random ones within three deviations.

    Raise a DsgecError if they compute different things: that is an error of this reader, or the
    model has another meaning than its parameters say.
    """
    if source.run is None:
        return Agreement(source.ran_by)
    model = source.model
    network = compose(model)
    if rows is None:
        count = min(max(_MOST_VALUES // len(network.nodes), _LEAST_ROWS), _MOST_ROWS)
        rows = plausible_rows(model, count)
        rows[:, source.whole] = np.rint(rows[:, source.whole])
    _check_whole(source, rows)
    theirs = source.run(rows)
    ours = evaluate(network, rows)
    if theirs.outputs.shape != ours.shape:
        raise _mismatch_error(
            source, f"it gives {theirs.outputs.shape[1]} outputs, not {ours.shape[1]}"
        )
    whole = float(_relative_difference(model, ours, theirs.outputs, 1.0).max(initial=0.0))
    if not whole <= _TOLERANCE[source.dtype]:
        raise _mismatch_error(source, f"their outputs differ by {whole:.1e}")
    found = _relative_difference(model, ours, theirs.outputs, source.least_share)
    worst = float(found.max(initial=0.0))
    others = _count_other_labels(source, network, rows, ours, theirs)
    return Agreement(source.ran_by, len(rows), worst, others)


@np.errstate(all="ignore")
def plausible_rows(model: Model, count: int) -> Array:
    """Return random rows, always the same: within three scales of the columns' centers."""
    random = np.random.RandomState(_SEED)  # numpy promises never to change its numbers
    spread = random.uniform(-_SPREAD, _SPREAD, (count, len(model.columns)))
    center = np.array([column.center for column in model.columns])
    scale = np.array([column.scale for column in model.columns])
    # Exact in single precision, too: a model of that type is then given the same rows.
    return (center + scale * spread).astype(np.float32).astype(np.float64)


def _relative_difference(model: Model, ours: Array, theirs: Array, least: float) -> Array:
    """Return the relative difference of every output: see `Agreement`."""
    with np.errstate(all="ignore"):
        typical = least if model.is_classifier else np.sqrt(np.mean(theirs**2, axis=0))
        size = np.maximum(np.abs(theirs), typical)
        found = np.abs(ours - theirs) / size
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    return np.where(same, 0.0, np.where(np.isnan(found), np.inf, found))


def _check_whole(source: ForeignModel, rows: Array) -> None:
    for number in source.whole:
        if (rows[:, number] != np.rint(rows[:, number])).any():
            raise DsgecError(
                f"the column {source.model.columns[number].name!a} takes whole numbers only",
                "Compare on rows with whole numbers there, or export the model with real ones.",
            )


def _count_other_labels(
    source: ForeignModel, network: Network, rows: Array, ours: Array, theirs: ForeignOutputs
) -> int:
    """Return how many labels differ by rounding; raise a DsgecError for any other difference."""
    if theirs.classes is None:
        return 0
    chosen = classify(network, rows, source.model.threshold)[0]
    other = chosen != theirs.classes
    if not other.any():
        return 0
    shares = np.hstack([1.0 - ours, ours]) if ours.shape[1] == 1 else ours
    every = np.arange(len(ours))
    with np.errstate(all="ignore"):
        apart = shares[every, chosen] - shares[every, np.maximum(theirs.classes, 0)]
        rounding = _TIE[source.dtype] + 2.0 * np.abs(ours - theirs.outputs).max(axis=1)
    wrong = int(np.sum(other & ((theirs.classes < 0) | ~(np.abs(apart) <= rounding))))
    if wrong:
        raise _mismatch_error(
            source, f"{wrong:,} of {counted(len(ours), 'row')} have another label"
        )
    return int(other.sum())


def _mismatch_error(source: ForeignModel, what: str) -> DsgecError:
    return DsgecError(
        f"the compiled network does not compute what {source.ran_by} does: {what}",
        "Please report this with the model; dsgec does not export it.",
    )
