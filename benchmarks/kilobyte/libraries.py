"""What emlearn and m2cgen make of models of scikit-learn."""

import copy
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.kilobyte.candidate import Candidate, Source
from benchmarks.kilobyte.case import Array, Case, Encoding, Predict
from benchmarks.kilobyte.loops import raw_weights
from benchmarks.kilobyte.sources import HIDDEN, STRENGTHS, scaled_model
from dsgec.network.cost.chips import DEFAULT_CHIP

TREES = (*((1, leaves) for leaves in (2, 3, 4, 8, 16, 32, 64, 250)), (5, 16), (10, 8), (10, 32))
"""The number of trees and the most leaves of each."""

_LOADABLE = (1, 250), (10, 32)
"""Trees that are tried as tables, too, as the library's loop has 2 KB or more."""

_LOADABLE_COLUMNS = 127

_M2CGEN = (1, 4), (1, 16), (1, 64), (5, 16)

_LEAST_NODE, _LEAST_TABLE, _LEAST_MLP, _LEAST_LINEAR = 6, 2000, 3500, 900
"""Bytes of a node as code, of a loop over nodes, of a perceptron, and of a model of doubles."""


def emlearn_trees(case: Case) -> Iterator[Candidate]:
    """Yield decision trees and forests as code on bytes, and as tables that a loop reads."""
    import emlearn

    kinds = [("inline", *trees) for trees in TREES] + [("loadable", *trees) for trees in _LOADABLE]
    for way, count, leaves in kinds:
        if way == "loadable" and case.x.shape[1] > _LOADABLE_COLUMNS:
            continue
        encoding = case.unsigned_bytes if way == "inline" else case.words
        fit = partial(_trees, case, encoding, count, leaves)
        validated = case.validated(_as_votes(fit), encoding(case.x))
        model = fit(-1, np.arange(len(case.y)))
        made = emlearn.convert(
            _with_next_thresholds(model), method=way, dtype=f"{encoding.dtype}_t"
        )
        yield Candidate(
            f"{way}, {count} trees of {leaves}",
            validated,
            _emlearn_source(made.save(name="net"), encoding.dtype, case),
            encoding,
            partial(_votes_of_raw, model, encoding),
            least=_nodes(model) * _LEAST_NODE + _LEAST_TABLE * (way == "loadable"),
            is_exact=True,
        )


def emlearn_bayes(case: Case) -> Iterator[Candidate]:
    """Yield the naive Bayes classifier, on rows of bytes as floats."""
    from emlearn.bayes import generate_c
    from sklearn.naive_bayes import GaussianNB

    encoding = case.bytes
    rows = encoding(case.x).astype(float)

    def fit(fold: int, train: Array) -> Any:
        # The library's fixed point has too few digits for columns that hardly vary.
        return GaussianNB(var_smoothing=1e-3).fit(rows[train], case.y[train])

    model = fit(-1, np.arange(len(case.y)))
    deviations = np.sqrt(model.var_)
    numbers = np.stack([model.theta_, deviations, np.log2(deviations)], axis=2)
    flags = (f"-DEML_MAX_CLASSES={case.classes}",)
    yield Candidate(
        "naive Bayes",
        case.validated(lambda fold, train: fit(fold, train).predict, rows),
        _emlearn_source(generate_c(numbers, "net"), "float32", case, flags),
        encoding,
        partial(_predict_encoded_floats, model, encoding),
        least=numbers.size * 4,
        least_agreement=0.6,  # the library's fixed point is coarse
        chips=(DEFAULT_CHIP,),  # on an AVR, its `int` has too few bits for its arithmetic
    )


def emlearn_mlp(case: Case) -> Iterator[Candidate]:
    """Yield perceptrons with weights in float; the library's fixed point has no products yet."""
    from emlearn.net import c_generate_net_loadable

    encoding = case.bytes
    for width in HIDDEN:
        model = scaled_model(case, "mlp", width, -1, np.arange(len(case.y)))
        scaler, last = model[0], model[-1]
        own, more = raw_weights(scaler, encoding, last.coefs_[0].T)
        layers = [own.T, last.coefs_[1]], [last.intercepts_[0] + more, last.intercepts_[1]]
        # The largest output needs no softmax.
        output = "identity" if case.classes > 2 else last.out_activation_
        yield Candidate(
            f"mlp {width}",
            validate_scaled(case, "mlp", width),
            _emlearn_source(
                c_generate_net_loadable(["relu", output], *layers, "net"), "float32", case
            ),
            encoding,
            model.predict,
            least=4 * own.size + _LEAST_MLP,
        )


def m2cgen_trees(case: Case) -> Iterator[Candidate]:
    """Yield decision trees and forests as nested conditions on doubles."""
    for count, leaves in _M2CGEN:
        fit = partial(_trees, case, None, count, leaves)
        model = fit(-1, np.arange(len(case.y)))
        validated = case.validated(_as_predict(fit), case.x)
        yield Candidate(
            f"{count} trees of {leaves}",
            validated,
            _m2cgen_source(model, case.classes),
            np.asarray,
            model.predict,
            least=_nodes(model) * 12 + 400,
        )


def m2cgen_linear(case: Case) -> Iterator[Candidate]:
    """Yield logistic regressions on doubles, into which the scaling is folded."""
    from sklearn.linear_model import LogisticRegression

    for strength in STRENGTHS:
        pipeline = scaled_model(case, "linear", strength, -1, np.arange(len(case.y)))
        scaler, last = pipeline[0], pipeline[-1]
        model = LogisticRegression()
        model.classes_, model.n_features_in_ = last.classes_, last.n_features_in_
        model.coef_ = last.coef_ / scaler.scale_
        model.intercept_ = last.intercept_ - model.coef_ @ scaler.mean_
        yield Candidate(
            f"linear {strength:g}",
            validate_scaled(case, "linear", strength),
            _m2cgen_source(model, case.classes),
            np.asarray,
            pipeline.predict,
            least=4 * last.coef_.size + _LEAST_LINEAR,
        )


def validate_scaled(case: Case, kind: str, setting: float) -> float:
    """Return the accuracy in cross-validation of one of the `sources`, in floats."""
    fit = partial(scaled_model, case, kind, setting)
    found: float = case.once(
        ("validated", kind, setting),
        lambda: case.validated(lambda fold, train: fit(fold, train).predict, case.x),
    )
    return found


def _trees(
    case: Case, encoding: Encoding | None, count: int, leaves: int, fold: int, train: Array
) -> Any:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    def fit() -> Any:
        rows = case.x if encoding is None else encoding(case.x)
        seed = case.split.number
        if count == 1:
            tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=seed)
            return tree.fit(rows[train], case.y[train])
        forest = RandomForestClassifier(count, max_leaf_nodes=leaves, random_state=seed)
        return forest.fit(rows[train], case.y[train])

    return case.once(("trees", encoding and encoding.dtype, count, leaves, fold), fit)


def _with_next_thresholds(model: Any) -> Any:
    """Return the model as emlearn's C needs it: that has x < 127 where the tree has x <= 127."""
    shifted = copy.deepcopy(model)
    for tree in getattr(shifted, "estimators_", [shifted]):
        thresholds = tree.tree_.threshold
        thresholds[tree.tree_.children_left >= 0] += 1
        np.floor(thresholds, out=thresholds)
    return shifted


def _as_votes(fit: Callable[[int, Array], Any]) -> Callable[[int, Array], Predict]:
    return lambda fold, train: partial(_votes, fit(fold, train))


def _as_predict(fit: Callable[[int, Array], Any]) -> Callable[[int, Array], Predict]:
    return lambda fold, train: fit(fold, train).predict


def _votes(model: Any, rows: Array) -> Array:
    """Return the class with most votes, the first of several, as emlearn counts them."""
    trees = getattr(model, "estimators_", [model])
    votes = np.zeros((len(rows), len(model.classes_)), int)
    for tree in trees:
        votes[np.arange(len(rows)), tree.tree_.predict(rows.astype(np.float32)).argmax(axis=1)] += 1
    return np.asarray(votes.argmax(axis=1))


def _votes_of_raw(model: Any, encoding: Encoding, rows: Array) -> Array:
    return _votes(model, encoding(rows))


def _nodes(model: Any) -> int:
    trees = getattr(model, "estimators_", [model])
    return sum(int(np.sum(tree.tree_.children_left >= 0)) for tree in trees)


def _predict_encoded_floats(model: Any, encoding: Encoding, rows: Array) -> Array:
    return np.asarray(model.predict(encoding(rows).astype(float)))


def _emlearn_source(code: str, dtype: str, case: Case, flags: tuple[str, ...] = ()) -> Source:
    import emlearn

    type_ = "float" if dtype == "float32" else f"{dtype}_t"
    code += f"\nint predict(const {type_} *row) {{ return net_predict(row, {case.x.shape[1]}); }}\n"
    return Source({"net.c": code}, dtype, flags=(f"-I{emlearn.includedir}", *flags))


def _m2cgen_source(model: Any, classes: int) -> Source:
    import m2cgen

    code = m2cgen.export_to_c(model)
    if "double score(" in code:
        code += "int predict(const double *row) { return score((double *)row) > 0; }\n"
    else:
        code += f"""int predict(const double *row)
{{
    double shares[{classes}];
    int best = 0;
    score((double *)row, shares);
    for (int i = 1; i < {classes}; i++)
        if (shares[i] > shares[best])
            best = i;
    return best;
}}
"""
    return Source({"net.c": code}, "float64")
