"""Learn the networks of a front again as fixed point computes them: weights of few bits.

A network of a front has any weights. Here it becomes one whose weights are small integers times a
power of two, one for each layer, whose biases are bytes, and whose inputs are the integers of the
columns. It learns in this form, by straight-through estimation, so that fixed point (`--dtype q7`)
has no weight to round, and its tables take the bits of these integers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dsgec.export.fixed.build import column_format
from dsgec.export.fixed.ir import STORED_BITS, largest
from dsgec.network.ranges import Range, widen
from dsgec.search.problem import Problem
from dsgec.search.walk.descent import Descent
from dsgec.search.walk.front import cosine
from dsgec.search.walk.layer import Array, Numerals, SharedLayer

Rows = NDArray[np.intp]

DTYPE = "q7"
LEARNED_STEPS, LEARNED_RATE = 4000, 0.02
_DIGITS = STORED_BITS[DTYPE] - 2
"""Digits of the integers of columns: a flag of 1 is 2^6."""
_CLIP_DIGITS = STORED_BITS[DTYPE] - 3
"""Digits of hidden values, which go up to 4."""
_MOST = largest(STORED_BITS[DTYPE])
_ROOM = 1.25  # how much farther a bias may go than at the beginning
_MOST_LOSS = 0.02  # by which a share of the loss may grow where biases become bytes

WEIGHTS: dict[str, tuple[int, ...]] = {
    "nibbles": tuple(range(-7, 8)),
    "ternary": (-1, 0, 1),
    "powers": tuple(sorted({0, *(sign << place for place in range(7) for sign in (-1, 1))})),
    "bytes": tuple(range(-_MOST, _MOST + 1)),
}
"""The integers that weights may be, by the name of the set."""


@dataclass(frozen=True, slots=True, eq=False)
class IntegerColumns:
    """How columns become the integers of fixed point, for features of a network.

    A feature has the integers of `wholes`. Learned from are `scaled` ones: less their `means` in
    the training rows, and times `units`. A feature of the network is offset + factor · scaled.
    """

    problem: Problem
    ranges: tuple[Range | None, ...]
    means: Array
    units: Array
    offsets: Array
    factors: Array

    def wholes(self, rows: Rows) -> Array:
        """Return the integers of rows of the data set; those of a flag are 0 and 1."""
        return _wholes(self.problem, self.ranges, rows)

    def scaled(self, rows: Rows) -> Array:
        """Return the integers of rows as they are learned from."""
        found: Array = (self.wholes(rows) - self.means) * self.units
        return found

    def threshold(self, feature: int, limit: float) -> float:
        """Return a threshold of a feature that lies between the integers around `limit`."""
        at = (np.floor(limit) + 0.5 - self.means[feature]) * self.units[feature]
        return float(self.offsets[feature] + self.factors[feature] * at)


def column_ranges(problem: Problem) -> tuple[Range | None, ...]:
    """Return the ranges of the columns in the training rows, widened as those of an export are."""
    columns, raw = problem.dataset.inputs, _raw_rows(problem, problem.split.train)
    found: list[Range | None] = []
    for number, column in enumerate(columns):
        values = raw[:, number][~np.isnan(raw[:, number])]
        if column.categories or column.kind == "constant" or not len(values):
            found.append(None)
        else:
            found.append(widen((float(values.min()), float(values.max()))))
    return tuple(found)


def _raw_rows(problem: Problem, rows: Rows) -> Array:
    dataset = problem.dataset
    return (dataset.x if dataset.raw is None else dataset.raw)[rows]


def integer_columns(
    problem: Problem, ranges: tuple[Range | None, ...] | None = None
) -> IntegerColumns:
    """Return the integers that fixed point reads, centred on the training rows of a problem.

    The ranges are those of these rows, unless others are given.
    """
    ranges = column_ranges(problem) if ranges is None else ranges
    places = _number_columns(problem)
    wholes = _wholes(problem, ranges, problem.split.train)
    means, units = np.zeros(len(places)), np.ones(len(places))
    offsets, factors = np.zeros(len(places)), np.ones(len(places))
    for feature, number in enumerate(places):
        if number < 0:
            continue
        column = problem.dataset.inputs[number]
        format_ = column_format(column, ranges[number] or (0.0, 0.0), STORED_BITS[DTYPE])
        unit = 2.0**-format_.fraction
        means[feature] = np.rint(wholes[:, feature].mean())
        units[feature] = 2.0**-_DIGITS
        offsets[feature] = ((format_.zero + means[feature]) * unit - column.center) / column.scale
        factors[feature] = unit * 2.0**_DIGITS / column.scale
    return IntegerColumns(problem, ranges, means, units, offsets, factors)


def _number_columns(problem: Problem) -> list[int]:
    """Return the column of each feature that is a number, and -1 for flags."""
    return [
        (number if at == 0 and column.kind == "number" else -1)
        for number, column in enumerate(problem.dataset.inputs)
        for at in range(len(column.features))
    ]


def _wholes(problem: Problem, ranges: Sequence[Range | None], rows: Rows) -> Array:
    """Return the integers of the features of rows."""
    raw, found = _raw_rows(problem, rows), problem.dataset.x[rows]
    for feature, number in enumerate(_number_columns(problem)):
        if number < 0:
            continue
        column, values = problem.dataset.inputs[number], raw[:, number]
        format_ = column_format(column, ranges[number] or (0.0, 0.0), STORED_BITS[DTYPE])
        filled = np.where(np.isnan(values), 0.0 if column.fill is None else column.fill, values)
        scaled = np.rint(filled * 2.0**format_.fraction) - format_.zero
        found[:, feature] = np.clip(scaled, -_MOST, _MOST)
    return found


def as_integers(net: SharedLayer, columns: IntegerColumns) -> SharedLayer:
    """Return a network that computes the same from the integers of the columns."""
    return _transformed(net, columns.offsets, columns.factors)


def from_integers(net: SharedLayer, columns: IntegerColumns) -> SharedLayer:
    """Return a network that computes from features what another computes from integers."""
    return _transformed(net, -columns.offsets / columns.factors, 1.0 / columns.factors)


def _transformed(net: SharedLayer, offsets: Array, factors: Array) -> SharedLayer:
    """Return a network that reads v where this one reads offset + factor · v, for each input."""
    inputs = net.shape.inputs
    values = net.values.copy()
    for connection in np.flatnonzero(net.sources < inputs).tolist():
        source, neuron = net.sources[connection], net.neurons[connection]
        values[net.size + neuron] += values[connection] * offsets[source]
        values[connection] *= factors[source]
    return replace(net, values=values).restarted()


def learn(
    net: SharedLayer, integers: Sequence[int], descent: Descent, steps: int = LEARNED_STEPS
) -> SharedLayer:
    """Return a network of integers that has learned, as one that has these weights as numbers.

    `net` computes from the integers of columns, as do the rows of the descent.
    """
    survey = descent.survey(net)
    start = replace(net.restarted(), numerals=choose_numerals(net, integers, survey.deviations))
    learned = start.copy()
    if steps:
        descent.descend(learned, cosine(steps, LEARNED_RATE))
    both = [(descent.survey(one).loss, one) for one in (learned, start)]
    best = min(both, key=lambda pair: pair[0])[1]
    settled = replace(best, values=best.seen)
    kept = settled.keep(settled.weights != 0.0)  # a constant neuron goes into biases
    return replace(kept, values=kept.seen, numerals=None)


def integer_sums(net: SharedLayer, scaled: Array) -> Array:
    """Return what goes into the sigmoid or the softmax of a network of integers, for rows."""
    sums = np.tile(net.biases, (len(scaled), 1))
    rounding = Numerals((np.empty(0),) * 4, _CLIP_DIGITS, _MOST * 2.0**-_CLIP_DIGITS)
    weights = np.zeros((net.count, net.shape.inputs + net.hidden))
    weights[net.neurons, net.sources] = net.weights
    hidden = sums[:, : net.hidden] + scaled @ weights[: net.hidden, : net.shape.inputs].T
    shown = rounding.rounded(np.clip(hidden, 0.0, 4.0))
    values = np.hstack([scaled, shown])
    found: Array = sums[:, net.hidden :] + values @ weights[net.hidden :].T
    return found


def choose_numerals(net: SharedLayer, integers: Sequence[int], deviations: Array) -> Numerals:
    """Return the numerals of a network: the integers times powers of two, and biases as bytes."""
    whole = np.array(sorted(integers), np.float64)
    inputs, hidden = 2.0**-_DIGITS, 2.0**-_CLIP_DIGITS

    def of_layer(layer: int, unit: float) -> tuple[Array, Array]:
        kinds = net.kinds
        is_own = np.flatnonzero(kinds[: net.size] == 2 * layer)
        scale = _choose_scale(net.values[is_own], deviations[net.sources[is_own]], whole)
        most = np.abs(net.values[kinds == 2 * layer + 1]).max(initial=0.0) * _ROOM
        step = max(scale * unit, _power_at_least(most / _MOST))
        return whole * scale, np.arange(-_MOST, _MOST + 1.0) * step

    levels = (*of_layer(0, inputs), *of_layer(1, hidden if net.hidden else inputs))
    return Numerals(levels, _CLIP_DIGITS, _MOST * hidden)


def _choose_scale(weights: Array, deviations: Array, integers: Array) -> float:
    """Return the power of two by which the integers are nearest to the weights."""
    most = np.abs(weights).max(initial=0.0)
    if not most:
        return 1.0
    largest_scale = _power_at_least(most / integers[-1])

    def lost(scale: float) -> float:
        levels = integers * scale
        places = np.searchsorted((levels[:-1] + levels[1:]) * 0.5, weights)
        return float(np.sum(((levels[places] - weights) * deviations) ** 2))

    return min((largest_scale * 2.0**-n for n in range(4)), key=lost)


def _power_at_least(value: float) -> float:
    """Return the least power of two that is not below a positive number; 0 for 0."""
    if value <= 0.0:
        return 0.0
    mantissa, exponent = np.frexp(value)
    return float(np.ldexp(1.0, int(exponent) - (mantissa == 0.5)))


def with_short_biases(net: SharedLayer, columns: IntegerColumns, descent: Descent) -> SharedLayer:
    """Return a network of integers whose biases are bytes in the tables of fixed point.

    These biases include what the means of the columns add, and half a unit where a sum is rounded.
    They become multiples of a power of two, the same for all neurons, unless this makes the loss
    larger by more than a share.
    """
    is_hidden = np.arange(net.count) < net.hidden
    is_input = net.sources < net.shape.inputs
    moved = net.weights[is_input] * (columns.means * columns.units)[net.sources[is_input]]
    offsets = np.bincount(net.neurons[is_input], moved, net.count)
    units, results = _units_of_sums(net)
    least = np.where(is_hidden, *(units[part].min(initial=1.0) for part in (is_hidden, ~is_hidden)))
    halves = np.where(units < results, results * 0.5, 0.0)
    wholes = (net.biases - offsets + halves) / least
    step = _power_at_least(float(np.ptp(wholes)) / (2 * _MOST))
    if step <= 1.0:
        return net
    steps = np.where(units < results, step * least, np.maximum(step * least, results))
    totals = np.rint((net.biases - offsets + halves) / steps) * steps - halves
    found = replace(net, values=np.concatenate([net.weights, totals + offsets]))
    most = descent.survey(net).loss * (1.0 + _MOST_LOSS)
    return found if descent.survey(found).loss <= most else net


def _units_of_sums(net: SharedLayer) -> tuple[Array, Array]:
    """Return the unit of the sum of each neuron, and that of its result."""
    digits = np.where(net.sources < net.shape.inputs, _DIGITS, _CLIP_DIGITS)
    products = np.ldexp(net.weights, -digits)
    first = net.first
    units = np.array([_power_in(products[first[k] : first[k + 1]]) for k in range(net.count)])
    outputs = units[net.hidden :]
    most = float(outputs[np.isfinite(outputs)].max(initial=0.0)) or 1.0
    results = np.where(np.arange(net.count) < net.hidden, 2.0**-_CLIP_DIGITS, most)
    return np.minimum(units, results), results


def _power_in(values: Array) -> float:
    """Return the largest power of two of which all values are multiples; infinite for none."""
    found = math.gcd(*(int(value) for value in np.ldexp(values, 40)))
    return math.ldexp(found & -found, -40) if found else math.inf
