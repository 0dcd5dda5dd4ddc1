"""A ForeignModel to how closely its Model agrees with the foreign one, measured on rows."""

from dataclasses import dataclass

import numpy as np

from dsgec.errors import DsgecError, counted
from dsgec.network.decide import classify
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Network
from dsgec.network.model import Model, compose
from dsgec.network.readers.source import Array, ForeignModel, ForeignOutputs

_MOST_ROWS, _LEAST_ROWS = 1000, 50
_MOST_VALUES = 30_000_000  # of all nodes for all rows
_SEED = 20250101
_SPREAD = 3.0  # standard deviations to both sides
_TOLERANCE = {"double": 1e-6, "float": 1e-3}  # by what the other side computes in
_TIE = {"double": 1e-9, "float": 1e-6}  # two probabilities that are equal but for rounding


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the compiled network compares with the model that it was made of.

    :param source: What computed the other side, such as `scikit-learn 1.9.1`; where there is none,
        what is missing.
    :param rows: How many rows were compared; 0 where nothing could be.
    :param worst: The greatest relative difference of an output. Of a probability it is a share of
        that probability (of 1e-290 where it is below that), or of 1 beside onnxruntime, whose
        sigmoids lose digits; of a value, a share of it or of the output's root mean
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
    """Compare on rows of the user's, or on random ones within three deviations of each column.

    A model that computes something else is refused: that is an error of this reader, or the model
    has another meaning than its parameters say.
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
        raise _different(source, f"it gives {theirs.outputs.shape[1]} outputs, not {ours.shape[1]}")
    whole = float(relative(model, ours, theirs.outputs, 1.0).max(initial=0.0))
    if not whole <= _TOLERANCE[source.dtype]:
        raise _different(source, f"their outputs differ by {whole:.1e}")
    found = relative(model, ours, theirs.outputs, source.least_share)
    worst = float(found.max(initial=0.0))
    others = _other_labels(source, network, rows, ours, theirs)
    return Agreement(source.ran_by, len(rows), worst, others)


@np.errstate(all="ignore")
def plausible_rows(model: Model, count: int) -> Array:
    """Random rows, the same every time: as columns are scaled, or from -3 to 3."""
    random = np.random.RandomState(_SEED)  # whose numbers numpy promises never to change
    spread = random.uniform(-_SPREAD, _SPREAD, (count, len(model.columns)))
    center = np.array([column.center for column in model.columns])
    scale = np.array([column.scale for column in model.columns])
    # Exact in single precision, too: a model of that type is then given the same rows.
    return (center + scale * spread).astype(np.float32).astype(np.float64)


def relative(model: Model, ours: Array, theirs: Array, least: float) -> Array:
    """The relative difference of every output: see `Agreement`."""
    with np.errstate(all="ignore"):
        usual = least if model.is_classifier else np.sqrt(np.mean(theirs**2, axis=0))
        size = np.maximum(np.abs(theirs), usual)
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


def _other_labels(
    source: ForeignModel, network: Network, rows: Array, ours: Array, theirs: ForeignOutputs
) -> int:
    """Return how many labels differ by rounding; any other difference is refused."""
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
        raise _different(source, f"{wrong:,} of {counted(len(ours), 'row')} have another label")
    return int(other.sum())


def _different(source: ForeignModel, what: str) -> DsgecError:
    return DsgecError(
        f"the compiled network does not compute what {source.ran_by} does: {what}",
        "Please report this with the model; dsgec does not export it.",
    )
