"""Hand-written loops over packed tables of bytes: linear, perceptron, boosted trees."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.kilobyte.candidate import Candidate, Source
from benchmarks.kilobyte.case import Array, Case, Encoding, Predict
from benchmarks.kilobyte.packed import as_bytes, kernel_source, with_shift
from benchmarks.kilobyte.sources import HIDDEN, STRENGTHS, scaled_model


@dataclass(frozen=True, eq=False)
class Quantised:
    """A model in integers: its C, and the labels of encoded rows, computed by numpy."""

    source: Source
    labels: Predict
    weights: int = 0


_LEAST_LOOP = 60
"""Bytes of code that each of the loops has at least."""


def linear(case: Case) -> Iterator[Candidate]:
    """Yield logistic regressions with weights of 8 bits."""
    for strength in STRENGTHS:
        yield from _candidate(case, "linear", strength, _quantised_linear)


def perceptron(case: Case) -> Iterator[Candidate]:
    """Yield perceptrons with one hidden layer of clipped relu and weights of 8 bits."""
    for hidden in HIDDEN:
        yield from _candidate(case, "mlp", hidden, _quantised_perceptron)


def _candidate(
    case: Case,
    kind: str,
    setting: float,
    quantise: Callable[[Any, Encoding, Array], Quantised],
) -> Iterator[Candidate]:
    encoding = case.bytes
    rows = encoding(case.x)

    def fit(fold: int, train: Array) -> Quantised:
        model = scaled_model(case, kind, setting, fold, train)
        return quantise(model, encoding, rows[train])

    validated = case.validated(lambda fold, train: fit(fold, train).labels, rows)
    found = fit(-1, np.arange(len(case.y)))
    yield Candidate(
        f"{kind} {setting:g}",
        validated,
        found.source,
        encoding,
        partial(predict_encoded, found.labels, encoding),
        least=_LEAST_LOOP + found.weights,
        is_exact=True,
    )


def predict_encoded(labels: Predict, encoding: Encoding, rows: Array) -> Array:
    """Return the labels of raw rows, which are encoded first."""
    return labels(encoding(rows))


def raw_weights(scaler: Any, encoding: Encoding, weights: Array) -> tuple[Array, Array]:
    """Return the weights of encoded rows, and what is added to the biases, for scaled ones."""
    unit = 2.0**-encoding.fractions
    own = weights * (unit / scaler.scale_)
    return own, ((encoding.zeros * unit - scaler.mean_) / scaler.scale_ * weights).sum(axis=1)


def label_of(sums: Array) -> Array:
    """Return the class of the largest sum, or of the sign of a single one."""
    return (sums[:, 0] > 0).astype(int) if sums.shape[1] == 1 else sums.argmax(axis=1)


def _quantised_linear(model: Any, encoding: Encoding, rows: Array) -> Quantised:
    scaler, last = model[0], model[-1]
    own, more = raw_weights(scaler, encoding, last.coef_)
    most = np.abs(own).max()
    weights = as_bytes(own, most)
    biases, shift = with_shift((last.intercept_ + more) * 127 / most)
    numbers = {"OUTPUTS": len(biases), "COLUMNS": own.shape[1], "BIAS_SHIFT": shift}
    source = kernel_source("linear", numbers, {"weights": weights, "biases": biases})
    wide, added = weights.astype(np.int64).T, biases.astype(np.int64) << shift
    return Quantised(
        source, lambda encoded: label_of(encoded.astype(np.int64) @ wide + added), weights.size
    )


def _quantised_perceptron(model: Any, encoding: Encoding, rows: Array) -> Quantised:
    scaler, last = model[0], model[-1]
    own, more = raw_weights(scaler, encoding, last.coefs_[0].T)
    each = 127 / np.maximum(np.abs(own).max(axis=1), 1e-9)
    weights = np.rint(own * each[:, None]).astype(np.int8)
    biases, shift = with_shift((last.intercepts_[0] + more) * each)
    added, wide = biases.astype(np.int64) << shift, weights.astype(np.int64).T
    sums = rows.astype(np.int64) @ wide + added
    # A neuron's largest sums may be clipped: one row of a thousand.
    most = max(1.0, float(np.quantile(sums, 0.999, axis=0).max()))
    down = max(0, int(np.ceil(np.log2(most / 127))))
    outer = last.coefs_[1].T * (2.0**down / each)
    largest = np.abs(outer).max()
    output_weights = as_bytes(outer, largest)
    output_biases, output_shift = with_shift(last.intercepts_[1] * 127 / largest)
    numbers = {
        **{"HIDDEN": len(biases), "COLUMNS": own.shape[1], "OUTPUTS": len(output_biases)},
        **{"SHIFT": down, "BIAS_SHIFT": shift, "OUTPUT_BIAS_SHIFT": output_shift},
    }
    tables = {"weights": weights, "biases": biases, "output_weights": output_weights}
    source = kernel_source("perceptron", numbers, {**tables, "output_biases": output_biases})
    outer_wide = output_weights.astype(np.int64).T
    outer_added = output_biases.astype(np.int64) << output_shift

    def labels(encoded: Array) -> Array:
        sums = encoded.astype(np.int64) @ wide + added
        hidden = np.clip(sums >> down, 0, 127)
        return label_of(hidden @ outer_wide + outer_added)

    return Quantised(source, labels, weights.size + output_weights.size)
