"""The outputs of an ONNX graph to scores and labels, and what makes probabilities of scores."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dsgec.errors import DsgecError, clean
from dsgec.network.model import Label
from dsgec.network.readers.layers import Layers, Nodes
from dsgec.network.readers.onnx.value import ClassChoice, Computed, Labelled, Value

MOST_OUTPUTS = 1000
"""The rows of a self-test are chosen in a time that grows with the square of the outputs."""

_FINAL = "Export a model with one table of results, and with labels if it is a classifier."


@dataclass(frozen=True, slots=True)
class Results:
    """The scores and the labels, if there are any, and the names of the tensors of both.

    `link` makes probabilities of the tensor of scores: `softmax`, `sig`, or nothing. `is_vector`:
    the scores of a row are along one axis.
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

    :param batches: The axes that the batch may have in them, which are those of the inputs.
    """
    found: list[Results] = []
    choices: list[tuple[str, ClassChoice]] = []
    for name, value in outputs:
        what = f"the output {clean(ascii(name))} of {source}"
        match value:
            case Computed():
                found.append(_table(value, name, what, batches))
            case Labelled(scores, labels, tensor):
                table = _table(scores, tensor, what, batches)
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
        found = [_labelled(layers, table, choice, name, source)]
    (results,) = found
    if results.scores.size > MOST_OUTPUTS:
        raise DsgecError(
            f"{source} gives more than {MOST_OUTPUTS:,} values for a row",
            "Export a model with fewer outputs: see docs/board/import.md for what is sensible.",
        )
    return results


def _table(value: Computed, name: str, what: str, batches: Collection[int | None]) -> Results:
    """Return the values of a row in their order; the rows must be along the first axis."""
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


def _labelled(
    layers: Layers, results: Results, choice: ClassChoice, name: str, source: str
) -> Results:
    """Return the results with labels, which must be those of the greatest of these scores."""
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
    """Return the results of a classifier as probabilities; those of others as they are."""
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
