"""`dsgec.compile`: turn a model that was trained elsewhere into a Network."""

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
from dsgec.network.readers.dumps import is_json, is_lightgbm, read_booster, read_dump
from dsgec.network.readers.estimators import is_estimator, read_estimator
from dsgec.network.readers.foreign import ForeignModel, measure_agreement
from dsgec.network.readers.layers import Array
from dsgec.network.readers.onnx.read import is_onnx, read_onnx, read_onnx_file
from dsgec.resources import read_bytes

_KNOWN = (
    "Pass a fitted estimator of scikit-learn, a model of LightGBM or XGBoost, an ONNX model, or the"
    " path of an ONNX file, of boosted trees as LightGBM's text or XGBoost's JSON, or of the text"
    " of a network."
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

    The result can be exported to every target, drawn, and shown running on a page. Its `agreement`
    tells how closely it agrees with the model that it was made from.

    :param model: A fitted scikit-learn estimator (a perceptron, a linear or a logistic model, a
        tree, a forest or gradient boosting, or a pipeline of scalers that ends in one), a model of
        LightGBM or XGBoost, an ONNX model, the path of an ONNX file, of LightGBM's text or of
        XGBoost's JSON, or the path of a text file such as `best.net` or with the text of
        `Network.text`.
    :param name: The name of its exports. Default: the class of the estimator, or the file's name.
    :param feature_names: A name for each feature, in order. Default: the model's own.
    :param class_names: A label for each class, in order. Default: the model's own.
    :param rows: Rows of features on which to measure the agreement; their ranges are used for
        exports in fixed point. Default: random rows, within three scales of the center of each
        column, and no ranges.
    """
    if name:
        check_name(name)
    source, own_name = _read(model, feature_names, class_names)
    compared = None if rows is None else _check_finite(Network(source.model).rows(rows))
    agreement = measure_agreement(source, compared) if source.ran_by else None
    return Network(source.model, name or own_name, _ranges(compared), agreement)


def _check_finite(rows: Array) -> Array:
    if not len(rows) or not np.isfinite(rows).all():
        raise DsgecError("rows to compare on must be finite numbers, and one row at least")
    return rows


def _ranges(rows: Array | None) -> tuple[Range, ...]:
    """Return the minimum and the maximum of each column; empty without rows."""
    if rows is None:
        return ()
    return tuple(zip(rows.min(axis=0).tolist(), rows.max(axis=0).tolist(), strict=True))


def _read_text(
    path: Path, feature_names: Sequence[str] | None, class_names: Sequence[Label] | None
) -> ForeignModel:
    """Read the text of a network, which contains the names of columns and classes, or of trees."""
    source = clean(str(path))
    data = read_bytes(path, source, MOST_NETWORK_BYTES, pipe=True)
    if is_lightgbm(data) or is_json(data):
        return read_dump(data, source, feature_names, class_names)
    if feature_names is not None or class_names is not None:
        raise DsgecError(
            "the text of a network says itself what its columns and classes are called",
            "Leave feature_names and class_names out, or write them into the file.",
        )
    return ForeignModel(decode_model(data, source), "", None)


def _read(
    model: Any, feature_names: Sequence[str] | None, class_names: Sequence[Label] | None
) -> tuple[ForeignModel, str]:
    """Read a model, and return a name for it as well."""
    names = (feature_names, class_names)
    if isinstance(model, str | Path):
        path = Path(model)
        name = safe_name(path.name.split(".")[0])
        if path.suffix.lower() == ".onnx":
            return read_onnx_file(path, *names), name
        return _read_text(path, feature_names, class_names), name
    if is_onnx(model):
        name = safe_name(model.graph.name)
        return read_onnx(model.SerializeToString(), "the ONNX model", *names), name
    if is_estimator(model):
        return read_estimator(model, *names), safe_name(type(model).__name__)
    if type(model).__module__.partition(".")[0] in ("lightgbm", "xgboost"):
        return read_booster(model, *names), safe_name(type(model).__name__)
    raise DsgecError(f"{type(model).__name__} cannot be compiled", _KNOWN)
