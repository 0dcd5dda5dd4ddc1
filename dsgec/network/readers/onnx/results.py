"""The scores and labels of an ONNX model, as dsgec finds them and as onnxruntime computes them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dsgec.errors import DsgecError, clean
from dsgec.network.model import Label
from dsgec.network.readers.foreign import ForeignOutputs
from dsgec.network.readers.layers import Array, Layers, Nodes
from dsgec.network.readers.onnx.file import DTYPES, GraphInput, library, without_maps
from dsgec.network.readers.onnx.values import ClassChoice, ComputedTensor, LabelledScores, Value

MOST_OUTPUTS = 1000
"""The time to choose the rows of a self-test grows with the square of the outputs."""

_FINAL = "Export a model with one table of results, and with labels if it is a classifier."


@dataclass(frozen=True, slots=True)
class Results:
    """The scores, the labels if there are any, and the names of the tensors of both.

    `link` is the function that makes probabilities of the scores: `softmax`, `sig` or "". With
    `is_vector`, the scores of a row are along one axis.
    """

    scores: Nodes
    scores_tensor: str
    is_vector: bool = True
    labels: tuple[Any, ...] = ()
    labels_tensor: str = ""
    link: str = ""


def find_results(
    layers: Layers,
    outputs: Sequence[tuple[str, Value | None]],
    batches: Collection[int | None],
    source: str,
) -> Results:
    """Return the one table of results among the outputs, and the labels beside it.

    :param batches: The axes that the batch may be in the outputs, which are those of the inputs.
    """
    found: list[Results] = []
    choices: list[tuple[str, ClassChoice]] = []
    for name, value in outputs:
        what = f"the output {clean(ascii(name))} of {source}"
        match value:
            case ComputedTensor():
                found.append(_as_results(value, name, what, batches))
            case LabelledScores(scores, labels, tensor):
                table = _as_results(scores, tensor, what, batches)
                found.append(replace(table, labels=labels))
            case ClassChoice():
                choices.append((name, value))
            case _:
                raise DsgecError(f"{what} is not computed from the row", _FINAL)
    if len(found) > 1 or len(choices) > 1:
        raise DsgecError(
            f"{source} has {len(found)} tables of results and {len(choices)} labels", _FINAL
        )
    for name, choice in choices:
        table = found[0] if found else Results(choice.scores, choice.tensor)
        found = [_with_labels(layers, table, choice, name, source)]
    (results,) = found
    if results.scores.size > MOST_OUTPUTS:
        raise DsgecError(
            f"{source} gives more than {MOST_OUTPUTS:,} values for a row",
            "Export a model with fewer outputs: see docs/board/import.md for what is sensible.",
        )
    return results


def _as_results(
    value: ComputedTensor, name: str, what: str, batches: Collection[int | None]
) -> Results:
    """Return an output as results; raise a DsgecError unless its rows are along the first axis."""
    if value.batch not in batches:
        if value.batch is None:
            raise DsgecError(f"{what} is not computed from the row", _FINAL)
        raise DsgecError(
            f"{what} has the rows along axis {value.batch}",
            "Export a model whose output has them along its first axis: [N, values].",
        )
    array = value.array
    is_vector = array.ndim == 0 or array.size == array.shape[-1]
    return Results(array.ravel(), name, is_vector)


def _with_labels(
    layers: Layers, results: Results, choice: ClassChoice, name: str, source: str
) -> Results:
    """Return the results with labels; raise a DsgecError if other scores choose them."""
    labels = choice.labels or tuple(range(choice.scores.size))
    if not layers.has_order_of(choice.scores, results.scores):
        raise DsgecError(
            f"{source} does not choose its label by the greatest of its results",
            "Export the model with the scores that decide as its table of results.",
        )
    if results.labels and results.labels != labels:
        raise DsgecError(
            f"{source} has different labels in its outputs",
            "Export the model with the same labels for both, in the same order.",
        )
    return replace(results, labels=labels, labels_tensor=name)


def make_classes(
    layers: Layers, results: Results, class_names: Sequence[Label] | None, source: str
) -> Results:
    """Return the results as probabilities if the model is a classifier, else as they are."""
    is_softmax = layers.is_softmax(results.scores)
    if not results.labels and class_names is None and not is_softmax:
        return results
    if not results.is_vector:
        raise DsgecError(
            f"{source} gives more than one score of a class for a row",
            "The scores of a classifier have the shape [N, classes].",
        )
    size = results.scores.size
    is_lone = size == 1 and not is_softmax
    results = replace(results, labels=results.labels or tuple(range(2 if is_lone else size)))
    if is_softmax or layers.are_shares(results.scores):
        return results
    if is_lone:
        return replace(results, scores=layers.activate(results.scores, "sig"), link="sig")
    return replace(results, scores=layers.softmax(results.scores), link="softmax")


# --- results of onnxruntime --------------------------------------------------------------------


def find_runner(
    proto: Any, inputs: Sequence[GraphInput], results: Results, outputs: int
) -> tuple[str, Callable[[Array], ForeignOutputs] | None]:
    """Return the name of the runtime, and a function that runs the model.

    Without onnxruntime, return a text that says so, and None. The function returns the last
    `outputs` columns of the scores, and the classes.
    """
    try:
        import onnxruntime
    except ImportError:
        return "onnxruntime is not installed", None
    tensors = [name for name in (results.scores_tensor, results.labels_tensor) if name]

    def run(rows: Array) -> ForeignOutputs:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        providers = ["CPUExecutionProvider"]
        data = _with_outputs(proto, tensors)
        one_by_one = not all(one.has_batch for one in inputs)
        parts = np.split(rows, len(rows)) if one_by_one else [rows]
        try:
            session = onnxruntime.InferenceSession(data, options, providers=providers)
            answers = [session.run(tensors, _feeds(inputs, part)) for part in parts]
        except Exception as error:  # of its own, and many kinds
            reason = clean(str(error))[:300]
            raise DsgecError(
                f"onnxruntime cannot run the model: {reason}",
                "Upgrade onnxruntime, or save the model for an older version of ONNX.",
            ) from error
        scores = np.vstack(
            [
                np.asarray(answer[0], np.float64).reshape(len(part), -1)
                for answer, part in zip(answers, parts, strict=True)
            ]
        )
        classes = None
        if results.labels_tensor:
            numbers = {_label_text(label): n for n, label in enumerate(results.labels)}
            found = [label for answer in answers for label in np.ravel(answer[1])]
            classes = np.array([numbers.get(_label_text(label), -1) for label in found], np.intp)
        return ForeignOutputs(_apply_link(scores, results.link)[:, -outputs:], classes)

    return f"onnxruntime {onnxruntime.__version__}", run


def _with_outputs(proto: Any, tensors: Sequence[str]) -> bytes:
    """Return the bytes of the model with these tensors as its outputs."""
    changed = without_maps(proto)
    del changed.graph.output[:]
    changed.graph.output.extend(map(library().helper.make_empty_tensor_value_info, tensors))
    data: bytes = changed.SerializeToString()
    return data


def _feeds(inputs: Sequence[GraphInput], rows: Array) -> dict[str, Any]:
    """Return the part of the rows that each input takes, in its shape and type."""
    feeds, first = {}, 0
    for one in inputs:
        part = rows[:, first : first + one.width].astype(DTYPES[one.type])
        feeds[one.name] = part.reshape([len(rows), *one.shape[1:]] if one.has_batch else one.shape)
        first += one.width
    return feeds


@np.errstate(all="ignore")
def _apply_link(scores: Array, link: str) -> Array:
    """Apply a link function to scores: `sig`, `softmax`, or none, which leaves them unchanged."""
    match link:
        case "sig":
            return np.asarray(1.0 / (1.0 + np.exp(-scores)))
        case "softmax":
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
            return np.asarray(powers / powers.sum(axis=1, keepdims=True))
        case _:
            return scores


def _label_text(label: Any) -> str:
    if isinstance(label, bytes):
        return label.decode("utf-8", "replace")
    is_whole = isinstance(label, float | np.floating) and float(label).is_integer()
    return str(int(label) if is_whole else label)
