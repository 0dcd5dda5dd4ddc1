"""An ONNX model to a function that runs it, by onnxruntime where that is installed."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dsgec.errors import DsgecError, clean
from dsgec.network.readers.layers import Array
from dsgec.network.readers.onnx.file import GraphInput, library
from dsgec.network.readers.onnx.infer import without_maps
from dsgec.network.readers.onnx.results import Results
from dsgec.network.readers.source import ForeignOutputs

_DTYPES = {"float": np.float32, "double": np.float64, "int32": np.int32, "int64": np.int64}


def find_runner(
    proto: Any, inputs: Sequence[GraphInput], results: Results, outputs: int
) -> tuple[str, Callable[[Array], ForeignOutputs] | None]:
    """Return what would run the model, and how; of two results only the last if `outputs` is 1."""
    try:
        import onnxruntime
    except ImportError:
        return "onnxruntime is not installed", None
    tensors = [name for name in (results.scores_tensor, results.labels_tensor) if name]

    def run(rows: Array) -> ForeignOutputs:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        providers = ["CPUExecutionProvider"]
        data = _giving(proto, tensors)
        one_by_one = not all(one.has_batch for one in inputs)
        parts = np.split(rows, len(rows)) if one_by_one else [rows]
        try:
            session = onnxruntime.InferenceSession(data, options, providers=providers)
            answers = [session.run(tensors, _fed(inputs, part)) for part in parts]
        except Exception as error:  # which are its own, and many
            said = clean(str(error))[:300]
            raise DsgecError(
                f"onnxruntime cannot run the model: {said}",
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
            numbers = {_plain(label): n for n, label in enumerate(results.labels)}
            found = [label for answer in answers for label in np.ravel(answer[1])]
            classes = np.array([numbers.get(_plain(label), -1) for label in found], np.intp)
        return ForeignOutputs(_linked(scores, results.link)[:, -outputs:], classes)

    return f"onnxruntime {onnxruntime.__version__}", run


def _giving(proto: Any, tensors: Sequence[str]) -> bytes:
    """Return the model with tensors as its outputs."""
    changed = without_maps(proto)
    del changed.graph.output[:]
    changed.graph.output.extend(map(library().helper.make_empty_tensor_value_info, tensors))
    data: bytes = changed.SerializeToString()
    return data


def _fed(inputs: Sequence[GraphInput], rows: Array) -> dict[str, Any]:
    """Return the rows in the shapes and types of the inputs."""
    fed, first = {}, 0
    for one in inputs:
        part = rows[:, first : first + one.width].astype(_DTYPES[one.type])
        fed[one.name] = part.reshape([len(rows), *one.shape[1:]] if one.has_batch else one.shape)
        first += one.width
    return fed


@np.errstate(all="ignore")
def _linked(scores: Array, link: str) -> Array:
    """Return the probabilities of scores that are none."""
    match link:
        case "sig":
            return np.asarray(1.0 / (1.0 + np.exp(-scores)))
        case "softmax":
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
            return np.asarray(powers / powers.sum(axis=1, keepdims=True))
        case _:
            return scores


def _plain(label: Any) -> str:
    if isinstance(label, bytes):
        return label.decode("utf-8", "replace")
    is_whole = isinstance(label, float | np.floating) and float(label).is_integer()
    return str(int(label) if is_whole else label)
