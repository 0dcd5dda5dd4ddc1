"""Read a fitted scikit-learn estimator, which is recognised without importing scikit-learn."""

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dsgec.errors import DsgecError
from dsgec.network.decide import DEFAULT_THRESHOLD
from dsgec.network.model import Label
from dsgec.network.readers.foreign import ForeignModel, ForeignOutputs, make_model
from dsgec.network.readers.layers import Array, Layers, Nodes
from dsgec.network.readers.sklearn_trees import add_tree_model

Step = Callable[[Layers, Nodes, Any], Nodes]

_ACTIVATIONS = {"identity": "", "logistic": "sig", "tanh": "tanh", "relu": "relu", "exp": "exp"}
_MOST_STEPS = 100


def is_estimator(model: Any) -> bool:
    """Return whether something is an estimator of scikit-learn's own."""
    return type(model).__module__.partition(".")[0] == "sklearn"


def read_estimator(
    estimator: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Label] | None = None,
) -> ForeignModel:
    """Read the model of an estimator, or of a pipeline of scalers that ends in one."""
    *scalers, last = steps = _flatten_pipeline(estimator)
    if type(last).__name__ not in _PREDICTORS:
        raise _unsupported_error(last, "a predictor", _PREDICTORS)
    for step in scalers:
        if type(step).__name__ not in _SCALERS:
            raise _unsupported_error(step, "a step of a pipeline", _SCALERS)
    layers = Layers()
    width = int(_fitted_attribute(steps[0], "n_features_in_"))
    x = layers.inputs(width)
    for step in scalers:
        x = _SCALERS[type(step).__name__](layers, x, step)
    outputs = _PREDICTORS[type(last).__name__](layers, x, last)
    names = getattr(steps[0], "feature_names_in_", None)
    if names is None:
        names = [f"x_{number}" for number in range(1, width + 1)]
    classes = tuple(getattr(last, "classes_", ()))
    if class_names is not None and not classes:
        raise DsgecError(
            f"{type(last).__name__} is not a classifier", "Compile it without class names."
        )
    model = make_model(layers, outputs, names, classes, feature_names, class_names)
    if type(last).__name__ == "GradientBoostingClassifier" and model.has_lone_probability:
        # It alone gives a sum of 0 to the second class.
        model = replace(model, threshold=DEFAULT_THRESHOLD)
    version = getattr(sys.modules.get("sklearn"), "__version__", "")
    run = partial(_run, estimator, len(model.network.outputs))
    return ForeignModel(model, f"scikit-learn {version}".rstrip(), run)


def _run(estimator: Any, outputs: int, rows: Array) -> ForeignOutputs:
    """Return the estimator's own predictions."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # rows of an array have no names
        if not hasattr(estimator, "classes_"):
            return ForeignOutputs(
                np.asarray(estimator.predict(rows), np.float64).reshape(len(rows), -1)
            )
        found = np.asarray(estimator.predict_proba(rows), np.float64)
        labels = estimator.predict(rows)
        return ForeignOutputs(found[:, -outputs:], np.searchsorted(estimator.classes_, labels))


def _flatten_pipeline(estimator: Any) -> list[Any]:
    """Return the steps of a pipeline and of pipelines in it; a search counts as its best model."""
    found: list[Any] = []
    todo = [estimator]
    while todo:
        if len(found) + len(todo) > _MOST_STEPS:
            raise DsgecError(f"the pipeline has more than {_MOST_STEPS} steps")
        one = todo.pop()
        if one is None or (isinstance(one, str) and one == "passthrough"):
            continue
        if not is_estimator(one):
            raise _unsupported_error(one, "an estimator of scikit-learn's own", _PREDICTORS)
        match type(one).__name__:
            case "Pipeline":
                todo += [step for _, step in reversed(one.steps)]
            case "GridSearchCV" | "RandomizedSearchCV" if hasattr(one, "best_estimator_"):
                todo.append(one.best_estimator_)
            case _:
                found.append(one)
    if not found:
        raise DsgecError("the pipeline has no steps")
    return found


def _unsupported_error(step: Any, what: str, known: dict[str, Step]) -> DsgecError:
    return DsgecError(
        f"{type(step).__name__} cannot be compiled as {what}",
        f"These can: {', '.join(known)}.",
    )


def _fitted_attribute(step: Any, name: str) -> Any:
    """Return an attribute that fit sets."""
    value = getattr(step, name, None)
    if value is None:
        raise DsgecError(
            f"this {type(step).__name__} is not fitted", "Call fit before it is compiled."
        )
    return value


# --- scalers -----------------------------------------------------------------------------------


def _standardise(centered: str, center: str, scaled: str) -> Step:
    """Return the step of a scaler that subtracts a center and divides by a scale.

    Both depend on a flag; the arguments are the names of the flags and of the center.
    """

    def apply(layers: Layers, x: Nodes, step: Any) -> Nodes:
        if getattr(step, centered):
            x = layers.scale(x, "sub", _fitted_attribute(step, center))
        return (
            layers.scale(x, "div", _fitted_attribute(step, "scale_"))
            if getattr(step, scaled)
            else x
        )

    return apply


def _min_max(layers: Layers, x: Nodes, step: Any) -> Nodes:
    x = layers.scale(x, "mul", _fitted_attribute(step, "scale_"))
    x = layers.scale(x, "add", _fitted_attribute(step, "min_"))
    return _clip(layers, x, *step.feature_range) if step.clip else x


def _max_abs(layers: Layers, x: Nodes, step: Any) -> Nodes:
    x = layers.scale(x, "div", _fitted_attribute(step, "scale_"))
    return _clip(layers, x, -1.0, 1.0) if getattr(step, "clip", False) else x


def _clip(layers: Layers, x: Nodes, least: float, most: float) -> Nodes:
    return layers.scale(layers.scale(x, "max", least), "min", most)


def _normalise(layers: Layers, x: Nodes, step: Any) -> Nodes:
    # The limit is scikit-learn's own.
    return layers.normalise(x, step.norm, least=10.0 * np.finfo(np.float64).eps)


# --- predictors --------------------------------------------------------------------------------


def _perceptron(layers: Layers, x: Nodes, step: Any) -> Nodes:
    last = _fitted_attribute(step, "out_activation_")
    if last == "logistic" and step.n_outputs_ > 1:
        raise DsgecError(
            f"this {type(step).__name__} gives several labels for a row",
            "Compile a classifier of one label, or one for each label.",
        )
    weights, biases = step.coefs_, step.intercepts_
    for number, (weight, bias) in enumerate(zip(weights, biases, strict=True), 1):
        x = layers.dense(x, np.asarray(weight, np.float64), np.asarray(bias, np.float64))
        name = step.activation if number < len(weights) else last
        if name == "softmax":
            x = layers.softmax(x)
        elif name not in _ACTIVATIONS:
            raise DsgecError(f"the activation {name} is unknown", "Use another activation.")
        elif name != "identity":
            x = layers.activate(x, _ACTIVATIONS[name])
    return x


def _linear(layers: Layers, x: Nodes, step: Any) -> Nodes:
    """Return weighted sums of features: predictions, or the decision function of a classifier."""
    weights = _fitted_attribute(step, "coef_")
    weights = weights.toarray() if hasattr(weights, "toarray") else weights
    weights = np.atleast_2d(np.asarray(weights, np.float64))
    bias = np.broadcast_to(np.asarray(step.intercept_, np.float64), len(weights))
    return layers.dense(x, weights.T, bias)


def _log_linear(layers: Layers, x: Nodes, step: Any) -> Nodes:
    """Return the prediction of a generalised linear model with a logarithmic link."""
    return layers.activate(_linear(layers, x, step), "exp")


def _logistic(layers: Layers, x: Nodes, step: Any) -> Nodes:
    sums = _linear(layers, x, step)
    rule = getattr(step, "multi_class", "")  # until scikit-learn 1.8
    if rule == "multinomial" and len(sums) == 1:  # a softmax of -s and s
        sums = layers.scale(sums, "mul", 2.0)
    each = rule == "ovr" or (rule in ("auto", "deprecated") and step.solver == "liblinear")
    return _probabilities(layers, sums, each=each)


def _discriminant(layers: Layers, x: Nodes, step: Any) -> Nodes:
    return _probabilities(layers, _linear(layers, x, step), each=False)


def _gradient_descent(layers: Layers, x: Nodes, step: Any) -> Nodes:
    if step.loss != "log_loss":
        raise DsgecError(
            f"an SGDClassifier with loss={step.loss!r} has no logistic probabilities",
            'Fit it with loss="log_loss".',
        )
    return _probabilities(layers, _linear(layers, x, step), each=True)


def _probabilities(layers: Layers, sums: Nodes, *, each: bool) -> Nodes:
    """Return the probability of the second of two classes, or those of all classes.

    With `each`, each class was fitted against all others; otherwise it is a softmax.
    """
    if len(sums) == 1:
        return layers.activate(sums, "sig")
    return layers.normalise(layers.activate(sums, "sig")) if each else layers.softmax(sums)


_SCALERS: dict[str, Step] = {
    "StandardScaler": _standardise("with_mean", "mean_", "with_std"),
    "MinMaxScaler": _min_max,
    "MaxAbsScaler": _max_abs,
    "RobustScaler": _standardise("with_centering", "center_", "with_scaling"),
    "Normalizer": _normalise,
}

_LINEAR = """
    LinearRegression Ridge RidgeCV Lasso LassoCV ElasticNet ElasticNetCV Lars LarsCV LassoLars
    LassoLarsCV LassoLarsIC MultiTaskLasso MultiTaskLassoCV MultiTaskElasticNet
    MultiTaskElasticNetCV OrthogonalMatchingPursuit OrthogonalMatchingPursuitCV BayesianRidge
    ARDRegression HuberRegressor QuantileRegressor TheilSenRegressor SGDRegressor
    PassiveAggressiveRegressor LinearSVR
"""

_TREES = """
    DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor
    RandomForestClassifier RandomForestRegressor ExtraTreesClassifier ExtraTreesRegressor
    GradientBoostingClassifier GradientBoostingRegressor
    HistGradientBoostingClassifier HistGradientBoostingRegressor
"""

_PREDICTORS: dict[str, Step] = {
    "MLPClassifier": _perceptron,
    "MLPRegressor": _perceptron,
    "LogisticRegression": _logistic,
    "LogisticRegressionCV": _logistic,
    "SGDClassifier": _gradient_descent,
    "LinearDiscriminantAnalysis": _discriminant,
    "PoissonRegressor": _log_linear,
    "GammaRegressor": _log_linear,
    **dict.fromkeys(_LINEAR.split(), _linear),
    **dict.fromkeys(_TREES.split(), add_tree_model),
}
