"""Read boosted trees from LightGBM's text and from XGBoost's JSON, which may come from anyone.

Only numbers are read, each within its limits, and every node must be reached exactly once.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from dsgec.errors import DsgecError
from dsgec.network.model import Label
from dsgec.network.readers.ensembles import (
    Ensemble,
    Link,
    add_ensemble,
    ordered_tree,
    single_limits,
)
from dsgec.network.readers.foreign import ForeignModel, ForeignOutputs, make_model
from dsgec.network.readers.layers import Array, Layers
from dsgec.network.trees import Tree

_MOST_TREES, _MOST_NODES, _MOST_COLUMNS, _MOST_CLASSES = 100_000, 1_000_000, 10_000, 1_000
_LARGEST, _LARGEST_SINGLE = 1e300, float(np.finfo(np.float32).max)
_ZERO = float(np.float32(1e-35))  # LightGBM takes what is no larger for 0
_LINKS: dict[str, Link] = {
    **dict.fromkeys(("regression", "regression_l1", "huber", "fair", "quantile"), "identity"),
    **dict.fromkeys(("mape", "reg:squarederror", "reg:absoluteerror"), "identity"),
    **dict.fromkeys(("reg:pseudohubererror", "reg:quantileerror"), "identity"),
    **dict.fromkeys(("poisson", "gamma", "tweedie"), "exp"),
    **dict.fromkeys(("count:poisson", "reg:gamma", "reg:tweedie"), "exp"),
    **dict.fromkeys(("binary", "cross_entropy", "binary:logistic"), "sigmoid"),
    **dict.fromkeys(("multiclass", "multi:softprob", "multi:softmax"), "softmax"),
}
_CATEGORICAL, _ZERO_IS_MISSING = 1, 4  # bits of LightGBM's decision types


def is_lightgbm(data: bytes) -> bool:
    """Return whether a file begins as LightGBM's text does."""
    return re.match(rb"tree\r?\nversion=", data) is not None


def is_json(data: bytes) -> bool:
    """Return whether a file begins as JSON does."""
    return data.lstrip()[:1] == b"{"


def read_dump(
    data: bytes,
    source: str,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Label] | None = None,
) -> ForeignModel:
    """Read LightGBM's text or XGBoost's JSON."""
    try:
        text = data.decode("utf-8")
        if is_lightgbm(data):
            ensemble, names = _read_lightgbm(text)
        else:
            ensemble, names = _read_xgboost(json.loads(text))
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise _damaged(source, f"there is no {error}") from None
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise _damaged(source, str(error).partition("\n")[0][:100]) from None
    columns = len(names)
    layers = Layers()
    outputs = add_ensemble(layers, layers.inputs(columns), ensemble)
    classes: Sequence[Any] = ()
    if ensemble.link in ("sigmoid", "softmax"):
        classes = range(max(len(outputs), 2))
    elif class_names is not None:
        raise DsgecError(f"{source} predicts values", "Compile it without class names.")
    model = make_model(layers, outputs, names, classes, feature_names, class_names)
    return ForeignModel(model, "", None)


def read_booster(
    model: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Label] | None = None,
) -> ForeignModel:
    """Read a model of lightgbm or xgboost in memory, by the text that it writes."""
    library = type(model).__module__.partition(".")[0]
    labels = getattr(model, "classes_", None)
    if class_names is None and labels is not None:
        class_names = [label.item() if hasattr(label, "item") else label for label in labels]
    if library == "lightgbm":
        booster = getattr(model, "booster_", model)
        data = booster.model_to_string().encode("utf-8")
        run = partial(_run_lightgbm, booster)
    else:
        booster = _best_booster(model)
        data = bytes(booster.save_raw("json"))
        run = partial(_run_xgboost, booster)
    found = read_dump(data, f"the model of {library}", feature_names, class_names)
    dtype = "double" if library == "lightgbm" else "float"
    return ForeignModel(found.model, library, run, dtype, least_share=1.0)


def _best_booster(model: Any) -> Any:
    """Return the booster of a model of XGBoost up to its best round."""
    missing = getattr(model, "missing", None)
    if missing is not None and not math.isnan(missing):
        advice = "Replace it by NaN, and train it again with missing=nan."
        raise _unsupported(f"takes {missing} for a missing value", advice)
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    best = booster.attr("best_iteration")
    return booster if best is None else booster[: int(best) + 1]


def _run_lightgbm(booster: Any, rows: Array) -> ForeignOutputs:
    return _with_classes(np.asarray(booster.predict(rows), np.float64))


def _run_xgboost(booster: Any, rows: Array) -> ForeignOutputs:
    booster = booster.copy()
    if '"multi:softmax"' in booster.save_config():  # predicts labels
        booster.set_param({"objective": "multi:softprob"})
    found = booster.inplace_predict(rows.astype(np.float32))
    return _with_classes(np.asarray(found, np.float64))


def _with_classes(found: Array) -> ForeignOutputs:
    """Return outputs; the class of several is that of the greatest."""
    if found.ndim == 1:
        return ForeignOutputs(found[:, None])
    return ForeignOutputs(found, found.argmax(axis=1))


def _damaged(source: str, what: str) -> DsgecError:
    return DsgecError(
        f"{source} is no model of LightGBM or XGBoost that can be read: {what}",
        "Write it with `booster.save_model`, as .txt by LightGBM or as .json by XGBoost.",
    )


def _unsupported(what: str, advice: str) -> DsgecError:
    return DsgecError(f"the model {what}", advice)


def _link(objective: str) -> Link:
    if objective not in _LINKS:
        known = ", ".join(sorted(_LINKS))
        raise _unsupported(f"has the objective {objective[:40]!a}", f"These are known: {known}.")
    return _LINKS[objective]


# --- LightGBM ----------------------------------------------------------------------------------


def _read_lightgbm(text: str) -> tuple[Ensemble, list[str]]:
    head, *blocks = re.split(r"\r?\nTree=\d+\r?\n", text.partition("\nend of trees")[0])
    fields = _fields(head)
    if len(blocks) > _MOST_TREES:
        raise ValueError("it has too many trees")
    if "average_output" in head.split():
        raise _unsupported("averages its trees", "Train it with boosting other than rf.")
    objective, *settings = fields["objective"].split()
    options = dict(word.partition(":")[::2] for word in settings)
    if "sqrt" in options:
        raise _unsupported("predicts roots", "Train it with reg_sqrt=false.")
    link = _link(objective)
    names = fields["feature_names"].split(" ")
    count = _bounded_integer(fields["num_tree_per_iteration"], 1, _MOST_CLASSES)
    if len(names) != _bounded_integer(fields["max_feature_idx"], 0, _MOST_COLUMNS) + 1:
        raise ValueError("it has other columns than names")
    trees = [
        _lightgbm_tree(_fields(block), number % count, len(names))
        for number, block in enumerate(blocks)
    ]
    slope = _number(options.get("sigmoid", "1")) if objective == "binary" else 1.0
    return Ensemble(tuple(trees), (None,) * count, link, slope), names


def _fields(text: str) -> dict[str, str]:
    lines = (line.partition("=") for line in text.splitlines())
    return {key: value.strip() for key, sign, value in lines if sign}


def _lightgbm_tree(fields: Mapping[str, str], output: int, columns: int) -> Tree:
    count = _bounded_integer(fields["num_leaves"], 1, _MOST_NODES)
    leaves = [(_number(value),) for value in fields["leaf_value"].split()]
    if len(leaves) != count:
        raise ValueError("a tree has other leaves than it says")
    if fields.get("is_linear", "0") != "0":
        raise _unsupported("has linear leaves", "Train it with linear_tree=false.")
    if count == 1:
        return Tree((), (), (), (), tuple(leaves), (output,))
    kinds = [_bounded_integer(value, 0, 15) for value in fields["decision_type"].split()]
    if any(kind & _CATEGORICAL for kind in kinds):
        advice = "Encode categories as numbers, and train it again."
        raise _unsupported("splits by categories", advice)
    if any(kind & 12 == _ZERO_IS_MISSING for kind in kinds):
        advice = "Train it with zero_as_missing=false."
        raise _unsupported("takes 0 for a missing value", advice)
    listed = {
        name: [_bounded_integer(value, -_MOST_NODES, _MOST_NODES) for value in fields[name].split()]
        for name in ("split_feature", "left_child", "right_child")
    }
    return _checked_tree(
        listed["split_feature"],
        [_around_zero(_number(value)) for value in fields["threshold"].split()],
        listed["left_child"],
        listed["right_child"],
        leaves,
        output,
        columns,
    )


def _around_zero(threshold: float) -> float:
    """Return a threshold that does not divide the numbers which LightGBM takes for 0."""
    if abs(threshold) > _ZERO:
        return threshold
    return _ZERO if threshold >= 0 else math.nextafter(-_ZERO, -math.inf)


# --- XGBoost -----------------------------------------------------------------------------------


def _read_xgboost(model: Any) -> tuple[Ensemble, list[str]]:
    learner = model["learner"]
    booster = learner["gradient_booster"]
    if booster["name"] != "gbtree":
        raise _unsupported(f"is a {str(booster['name'])[:20]!a}", "Train it with booster=gbtree.")
    parameters = learner["learner_model_param"]
    link = _link(learner["objective"]["name"])
    columns = _bounded_integer(parameters["num_feature"], 1, _MOST_COLUMNS)
    count = max(_bounded_integer(parameters["num_class"], 0, _MOST_CLASSES), 1)
    if _bounded_integer(parameters.get("num_target", "1"), 1, _MOST_CLASSES) != 1:
        raise _unsupported("has several targets", "Train a model for each.")
    names = [str(name) for name in learner.get("feature_names", ())]
    names = names or [f"x_{number}" for number in range(1, columns + 1)]
    if len(names) != columns:
        raise ValueError("it has other columns than names")
    trees, owners = booster["model"]["trees"], booster["model"]["tree_info"]
    if len(trees) > _MOST_TREES or len(trees) != len(owners):
        raise ValueError("it has other trees than it says")
    best = learner.get("attributes", {}).get("best_iteration")
    rounds = len(booster["model"].get("iteration_indptr", ())) - 1
    if best is not None and 0 <= _bounded_integer(best, 0, _MOST_TREES) + 1 < rounds:
        raise _unsupported(
            "has rounds after its best one",
            "Cut them off: `booster[: booster.best_iteration + 1]`.",
        )
    made = [
        _xgboost_tree(tree, _bounded_integer(owner, 0, count - 1), columns)
        for tree, owner in zip(trees, owners, strict=True)
    ]
    starts = _xgboost_starts(str(parameters["base_score"]), link, count)
    return Ensemble(tuple(made), starts, link), names


def _xgboost_starts(text: str, link: Link, count: int) -> tuple[float, ...]:
    """Return what the sums begin with: the base score, before the link."""
    values = [_number(value) for value in text.strip("[]").split(",")]
    if len(values) not in (1, count):
        raise ValueError("it has other base scores than outputs")
    values = values * count if len(values) < count else values
    match link:
        case "sigmoid":
            values = [math.log(value / (1.0 - value)) for value in values]
        case "exp":
            values = [math.log(value) for value in values]
    return tuple(float(np.float32(value)) for value in values)


def _xgboost_tree(tree: Mapping[str, Any], output: int, columns: int) -> Tree:
    lefts, rights = ([int(c) for c in tree[f"{side}_children"]] for side in ("left", "right"))
    given = [_number(value, _LARGEST_SINGLE) for value in tree["split_conditions"]]
    conditions = np.array(given, np.float32)
    if any(int(kind) for kind in tree.get("split_type", ())):
        advice = "Encode categories as numbers, and train it again."
        raise _unsupported("splits by categories", advice)
    size = tree.get("tree_param", {}).get("size_leaf_vector", "1")
    if _bounded_integer(size, 0, _MOST_CLASSES) > 1:
        raise _unsupported("has leaves of several values", "Train it with one_output_per_tree.")
    nodes = len(lefts)
    if not 0 < nodes <= _MOST_NODES or len(conditions) != nodes or len(rights) != nodes:
        raise ValueError("the lists of a tree differ in length")
    leaves = [node for node in range(nodes) if lefts[node] < 0]
    number = {node: ~place for place, node in enumerate(leaves)}
    limits = single_limits(conditions.astype(np.float64), strict=True)
    return _checked_tree(
        [int(column) for column in tree["split_indices"]],
        limits.tolist(),
        [number.get(child, child) for child in lefts],
        [number.get(child, child) for child in rights],
        [(float(conditions[node]),) for node in leaves],
        output,
        columns,
        root=number.get(0, 0),
        splits=nodes - len(leaves),
    )


# --- checks ------------------------------------------------------------------------------------


def _checked_tree(
    split_columns: Sequence[int],
    thresholds: Sequence[float],
    lefts: Sequence[int],
    rights: Sequence[int],
    leaves: Sequence[tuple[float, ...]],
    output: int,
    columns: int,
    *,
    root: int = 0,
    splits: int | None = None,
) -> Tree:
    """Return a tree each of whose nodes is reached exactly once, or raise a ValueError."""
    count = len(split_columns)
    if not len(thresholds) == len(lefts) == len(rights) == count:
        raise ValueError("the lists of a tree differ in length")
    seen: set[int] = set()
    todo = [root]
    while todo:
        child = todo.pop()
        if child in seen or not -len(leaves) <= child < count:
            raise ValueError("the nodes of a tree are no tree")
        seen.add(child)
        if child >= 0:
            if not 0 <= split_columns[child] < columns:
                raise ValueError(f"there is no column {split_columns[child]}")
            todo += [lefts[child], rights[child]]
    if len(seen) != (count if splits is None else splits) + len(leaves):
        raise ValueError("a tree has nodes that nothing leads to")
    return ordered_tree(split_columns, thresholds, lefts, rights, leaves, (output,), root)


def _bounded_integer(value: Any, least: int, most: int) -> int:
    """Return a value as an integer between two limits, or raise an error."""
    number = int(value)
    if not least <= number <= most:
        raise ValueError(f"{number} is not from {least} to {most}")
    return number


def _number(value: Any, most: float = _LARGEST) -> float:
    number = float(value)
    if not abs(number) <= most:
        raise ValueError(f"{number} is too large, or no number")
    return number
