"""Linear models and perceptrons that several methods turn into C, each fitted once in a case."""

import warnings
from typing import Any

import numpy as np

from benchmarks.kilobyte.case import Array, Case

HIDDEN = (2, 4, 8, 16, 32)
STRENGTHS = (0.1, 10.0)
_STEPS, _BATCH, _RATE, _PENALTY = 1200, 64, 0.02, 1e-4
_FIRST, _SECOND = 0.9, 0.99


def scaled_model(case: Case, kind: str, setting: float, fold: int, train: Array) -> Any:
    """Return a scaler and a `linear` or `mlp` model as a pipeline of scikit-learn; rows are raw.

    :param setting: The inverse strength of the penalty, or the number of hidden neurons.
    :param fold: The number of the fold, or -1 with all training rows.
    """
    if kind == "mlp":
        return case.once("mlp", lambda: _perceptrons(case))[fold, setting]
    return case.once((kind, setting, fold), lambda: _linear(case, setting, train))


def _linear(case: Case, strength: float, train: Array) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(C=strength, max_iter=200, tol=1e-3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(case.x[train], case.y[train])


def _perceptrons(case: Case) -> dict[tuple[int, float], Any]:
    """Return perceptrons of all widths for all folds, which learn side by side."""
    from sklearn.preprocessing import StandardScaler

    parts = list(case.parts)
    scalers = [StandardScaler().fit(case.x[train]) for _, train in parts]
    rows = [s.transform(case.x[train]) for s, (_, train) in zip(scalers, parts, strict=True)]
    outputs = 1 if case.classes == 2 else case.classes
    targets = np.eye(case.classes)[case.y] if outputs > 1 else case.y[:, None]
    weights = _learn(rows, [targets[train] for _, train in parts], case.split.number)
    return {
        (fold, width): _as_pipeline(scalers[part], [w[part, place] for w in weights], width)
        for part, (fold, _) in enumerate(parts)
        for place, width in enumerate(HIDDEN)
    }


def _learn(rows: list[Array], targets: list[Array], seed: int) -> list[Array]:
    """Return the weights and biases of both layers, by part and width, after Adam's steps."""
    rng = np.random.default_rng(seed)
    columns, outputs = rows[0].shape[1], targets[0].shape[1]
    most, stack = max(HIDDEN), (len(rows), len(HIDDEN))
    used = np.array([[place < width for place in range(most)] for width in HIDDEN], np.float32)
    used = used[None, :, None, :]
    shapes = (columns, most), (1, most), (most, outputs), (1, outputs)
    fan = 2 / columns, 0.0, 2 / np.array(HIDDEN).reshape(1, -1, 1, 1), 0.0
    weights = [
        (rng.normal(size=(*stack, *shape)) * np.sqrt(variance)).astype(np.float32)
        for shape, variance in zip(shapes, fan, strict=True)
    ]
    first, second = ([np.zeros_like(own) for own in weights] for _ in range(2))
    short = min(_BATCH, *(len(own) for own in rows))
    for step in range(1, _STEPS + 1):
        chosen = [rng.integers(len(own), size=short) for own in rows]
        x = np.stack([own[at] for own, at in zip(rows, chosen, strict=True)])[:, None]
        y = np.stack([own[at] for own, at in zip(targets, chosen, strict=True)])[:, None]
        gradients = _gradients(weights, x.astype(np.float32), y.astype(np.float32), used)
        rate = _RATE * 0.5 * (1 + np.cos(np.pi * step / _STEPS))
        rate *= np.sqrt(1 - _SECOND**step) / (1 - _FIRST**step)
        for own, gradient, mean, square in zip(weights, gradients, first, second, strict=True):
            mean += (1 - _FIRST) * (gradient - mean)
            square += (1 - _SECOND) * (gradient * gradient - square)
            own -= rate * mean / (np.sqrt(square) + 1e-7)
    return weights


def _gradients(weights: list[Array], x: Array, y: Array, used: Array) -> list[Array]:
    """Return the gradients of the cross-entropy of a batch."""
    inner, biases, outer, outer_biases = weights
    hidden = np.maximum(x @ inner + biases, 0) * used
    sums = hidden @ outer + outer_biases
    if y.shape[-1] == 1:
        shares = 1 / (1 + np.exp(-np.clip(sums, -30, 30)))
    else:
        powers = np.exp(sums - sums.max(axis=-1, keepdims=True))
        shares = powers / powers.sum(axis=-1, keepdims=True)
    error = (shares - y) / x.shape[-2]
    back = (error @ outer.swapaxes(-1, -2)) * (hidden > 0)
    return [
        x.swapaxes(-1, -2) @ back + _PENALTY * inner,
        back.sum(axis=-2, keepdims=True),
        hidden.swapaxes(-1, -2) @ error + _PENALTY * outer,
        error.sum(axis=-2, keepdims=True),
    ]


def _as_pipeline(scaler: Any, weights: list[Array], width: int) -> Any:
    """Return the network as scikit-learn's own, which other libraries read."""
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import LabelBinarizer

    inner, biases, outer, outer_biases = (np.asarray(own, float) for own in weights)
    model = MLPClassifier((width,), activation="relu")
    classes = np.arange(max(2, outer.shape[1]))
    model.coefs_ = [np.ascontiguousarray(inner[:, :width]), np.ascontiguousarray(outer[:width])]
    model.intercepts_ = [biases[0, :width].copy(), outer_biases[0].copy()]
    model.n_layers_, model.n_outputs_, model.n_features_in_ = 3, outer.shape[1], len(inner)
    model.out_activation_ = "logistic" if outer.shape[1] == 1 else "softmax"
    model.classes_ = classes
    model._label_binarizer = LabelBinarizer().fit(classes)
    return make_pipeline(scaler, model)
