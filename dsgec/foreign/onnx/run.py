"""An ONNX model to a function that runs it, by onnxruntime where that is installed."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dsgec.errors import DsgecError, clean
from dsgec.foreign.layers import Array
from dsgec.foreign.onnx.file import GraphInput, library
from dsgec.foreign.onnx.step import Results
from dsgec.foreign.source import ForeignOutputs

_DTYPES = {"float": np.float32, "double": np.float64, "int32": np.int32, "int64": np.int64}


def find_runner(
    proto: Any, inputs: Sequence[GraphInput], results: Results, outputs: int
) -> tuple[str, Callable[[Array], ForeignOutputs] | None]:
    """What would run the model, and how; of `outputs` results, the last of two if it is one."""
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
        one_by_one = any(one.is_one_row for one in inputs)
        parts = np.split(rows, len(rows)) if one_by_one else [rows]
        try:
            session = onnxruntime.InferenceSession(data, options, providers=providers)
            answers = [session.run(tensors, _fed(session, inputs, part)) for part in parts]
        except Exception as error:  # which are its own, and many
            said = clean(str(error))[:300]
            raise DsgecError(
                f"onnxruntime cannot run the model: {said}",
                "Upgrade onnxruntime, or save the model for an older version of ONNX.",
            ) from error
        scores = np.vstack([np.asarray(answer[0], np.float64) for answer in answers])
        classes = None
        if results.labels_tensor:
            numbers = {_plain(label): n for n, label in enumerate(results.labels)}
            found = [label for answer in answers for label in np.ravel(answer[1])]
            classes = np.array([numbers.get(_plain(label), -1) for label in found], np.intp)
        return ForeignOutputs(scores.reshape(len(rows), -1)[:, -outputs:], classes)

    return f"onnxruntime {onnxruntime.__version__}", run


def _giving(proto: Any, tensors: Sequence[str]) -> bytes:
    """The model with tensors as outputs and without ZipMaps, which take no doubles there."""
    onnx = library()
    changed = onnx.ModelProto()
    changed.CopyFrom(proto)
    graph = changed.graph
    for node in [node for node in graph.node if node.op_type == "ZipMap"]:
        graph.node.remove(node)
    del graph.output[:]
    graph.output.extend(map(onnx.helper.make_empty_tensor_value_info, tensors))
    data: bytes = changed.SerializeToString()
    return data


def _fed(session: Any, inputs: Sequence[GraphInput], rows: Array) -> dict[str, Any]:
    """The rows in the shapes that the session asks for."""
    shapes = {one.name: one.shape for one in session.get_inputs()}
    fed, first = {}, 0
    for one in inputs:
        part = rows[:, first : first + one.width].astype(_DTYPES[one.dtype])
        fed[one.name] = part.reshape([len(rows), *shapes[one.name][1:]])
        first += one.width
    return fed


def _plain(label: Any) -> str:
    return label.decode("utf-8", "replace") if isinstance(label, bytes) else str(label)
