"""A model that was trained elsewhere to a Network of this library."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dsgec.api.network import Network
from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.errors import DsgecError, clean
from dsgec.export.names import check_name, safe_name
from dsgec.network.model import Label
from dsgec.network.model_text import MOST_NETWORK_BYTES, decode_model
from dsgec.network.ranges import Range
from dsgec.network.readers.estimators import is_estimator, read_estimator
from dsgec.network.readers.foreign import ForeignModel, measure_agreement
from dsgec.network.readers.layers import Array
from dsgec.network.readers.onnx.read import is_onnx, read_onnx, read_onnx_file
from dsgec.resources import read_bytes

_KNOWN = (
    "Pass a fitted estimator of scikit-learn, an ONNX model, or the path of an ONNX file or of the"
    " text of a network."
)


@standard_arithmetic()
def compile(
    model: Any,
    *,
    name: str = "",
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Label] | None = None,
    rows: Any = None,
) -> Network:
    """Compile a network that you already have.

    It can be exported to every target, drawn, and shown running on a page. How closely it agrees
    with the model that it was made of is measured, and kept as its `agreement`.

    :param model: A fitted estimator of scikit-learn (a perceptron, a linear or a logistic model, or
        a pipeline of scalers that ends in one), an ONNX model, the path of an ONNX file, or that of
        the text of a network, such as `best.net` or what `Network.text` gives.
    :param name: What its exports are called; default: the class of the estimator, or the file.
    :param feature_names: A name for each feature, in their order; default: the model's own.
    :param class_names: A label for each class, in their order; default: the model's own.
    :param rows: Rows of features to measure the agreement on, whose ranges are also those of
        exports in fixed point; default: random ones, within three scales of the center of each
        column, and no ranges.
    """
    if name:
        check_name(name)
    source, own_name = _read(model, feature_names, class_names)
    compared = None if rows is None else _finite(Network(source.model).rows(rows))
    agreement = measure_agreement(source, compared) if source.ran_by else None
    return Network(source.model, name or own_name, _ranges(compared), agreement)


def _finite(rows: Array) -> Array:
    if not len(rows) or not np.isfinite(rows).all():
        raise DsgecError("rows to compare on must be finite numbers, and one row at least")
    return rows


def _ranges(rows: Array | None) -> tuple[Range, ...]:
    """From the least to the greatest value of each column; none without rows."""
    if rows is None:
        return ()
    return tuple(zip(rows.min(axis=0).tolist(), rows.max(axis=0).tolist(), strict=True))


def _read_text(
    path: Path, feature_names: Sequence[str] | None, class_names: Sequence[Label] | None
) -> ForeignModel:
    """Read the text of a network, which has its own names."""
    if feature_names is not None or class_names is not None:
        raise DsgecError(
            "the text of a network says itself what its columns and classes are called",
            "Leave feature_names and class_names out, or write them into the file.",
        )
    data = read_bytes(path, clean(str(path)), MOST_NETWORK_BYTES, pipe=True)
    return ForeignModel(decode_model(data, clean(str(path))), "", None)


def _read(
    model: Any, feature_names: Sequence[str] | None, class_names: Sequence[Label] | None
) -> tuple[ForeignModel, str]:
    """What the model is, and what it can be called."""
    names = (feature_names, class_names)
    if isinstance(model, str | Path):
        path = Path(model)
        named = safe_name(path.name.split(".")[0])
        if path.suffix.lower() == ".onnx":
            return read_onnx_file(path, *names), named
        return _read_text(path, feature_names, class_names), named
    if is_onnx(model):
        named = safe_name(model.graph.name)
        return read_onnx(model.SerializeToString(), "the ONNX model", *names), named
    if is_estimator(model):
        return read_estimator(model, *names), safe_name(type(model).__name__)
    raise DsgecError(f"{type(model).__name__} cannot be compiled", _KNOWN)
