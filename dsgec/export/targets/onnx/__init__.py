"""An ONNX model, for runtimes with an arithmetic of their own."""

import json
from typing import Any

import numpy as np

from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.export.number_format import REALS
from dsgec.export.targets.onnx.emit import ROWS, emit_onnx, library
from dsgec.export.targets.running import CannotRun
from dsgec.export.targets.target import Array, Files, Target


def read_onnx(data: bytes) -> Any:
    """Return the properties of a model, which are its metadata, or None."""
    try:
        model = library().load_from_string(data)
        properties = {entry.key: entry.value for entry in model.metadata_props}
        keys = {"columns", "classes", *({"threshold"} & set(properties))}
        plain = {key: json.loads(properties[key]) for key in keys}
    except DsgecError:
        raise
    except Exception:  # protobuf does not document what it raises
        return None
    return properties | plain


def run_onnx(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Return the results for rows, computed by onnxruntime."""
    try:
        import onnxruntime
    except ImportError as error:
        raise CannotRun("there is no onnxruntime here") from error
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    providers = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(files[0].text, options, providers=providers)
    result: Array = session.run(None, {ROWS: rows})[0].astype(np.float64)
    return result


TARGET = Target(
    ("{}.onnx",),
    emit_onnx,
    read_onnx,
    run_onnx,
    dtypes=REALS,
    rows="float32",
    tolerance=1e-6,
    mark=b"dsgec",
)
