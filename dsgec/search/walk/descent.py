"""Mini-batch Adam (Kingma, Ba 2015) for networks with one shared hidden layer.

This is the reference of templates/walk/descent.c, with the same bits: sums over sources are in the
order of the sources, and sums over rows in `PARTIALS` partial sums. A batch is a window of rows
that were shuffled before, so that no row has to be copied.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.arithmetic.printed import vector
from dsgec.search.walk.layer import Array, SharedLayer

BATCH = 64
"""Rows of a step."""
BATCH_STRIDE = 61
"""How many rows later the next step begins; no divisor of most tables, so that batches differ."""
PARTIALS = 8
MOST_SURVEYED = 8192
"""Rows by which networks are compared: enough to tell which one is better."""
MOMENTUM, NEW_MOMENTUM = 0.9, 0.1
SQUARE, NEW_SQUARE = 0.99, 0.01
LEAST_ROOT = 1e-8
LEAST_CHANCE = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class WalkTable:
    """The rows of a walk, column by column, and again the first BATCH of them at the end.

    With one output, `targets` has the probability of the second class; otherwise it has a column
    for each class.
    """

    columns: Array
    targets: Array
    row_weights: Array
    rows: int

    @property
    def surveyed(self) -> int:
        """The number of rows by which networks are compared, the first ones."""
        return min(self.rows, MOST_SURVEYED)


def make_walk_table(columns: Array, targets: Array, row_weights: Array) -> WalkTable:
    """Return the table of some rows, each column of which is a row of `columns`."""
    rows = columns.shape[1]
    again = np.arange(rows + BATCH) % rows
    return WalkTable(
        np.ascontiguousarray(columns[:, again]),
        np.ascontiguousarray(targets[:, again]),
        np.ascontiguousarray(row_weights[again]),
        rows,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """The mean loss of the surveyed rows, without the penalty, and the deviation of each source.

    If asked for, `absent` has for each neuron the gradient by the weight of each source that it may
    have, whether or not it is connected, and 0 elsewhere.
    """

    loss: float
    deviations: Array
    absent: Array | None


class Descent(Protocol):
    """Learns the weights of networks from the rows of a table."""

    def descend(self, net: SharedLayer, rates: Array) -> None:
        """Take a step for each rate, and change the values of a network."""

    def survey(self, net: SharedLayer, *, absent: bool = False) -> Survey:
        """Evaluate a network on the rows by which networks are compared."""


def make_survey(
    table: WalkTable, inputs: Array, loss: float, sums: Array, absent: Array | None
) -> Survey:
    """Return a survey, given the deviations of the inputs and the sums of neurons and squares."""
    means, squares = sums / table.surveyed
    deviations = np.sqrt(np.maximum(squares - means * means, 0.0))
    return Survey(loss, np.concatenate([inputs, deviations]), absent)


def input_deviations(table: WalkTable) -> Array:
    """Return the standard deviation of each input."""
    values = table.columns[:, : table.rows]
    means = np.add.accumulate(values, axis=1)[:, -1] / table.rows
    squares = (values - means[:, None]) ** 2
    found: Array = np.sqrt(np.add.accumulate(squares, axis=1)[:, -1] / table.rows)
    return found


class PlainDescent:
    """The descent in numpy: the reference, and the fallback without a compiler."""

    def __init__(self, table: WalkTable) -> None:
        self.table = table
        self._inputs = input_deviations(table)

    @standard_arithmetic()
    @np.errstate(all="ignore")
    def descend(self, net: SharedLayer, rates: Array) -> None:
        least, most = net.bounds()
        order = _ranks(net)
        decay = 2.0 * net.shape.penalty
        for rate in rates.tolist():
            row = net.steps * BATCH_STRIDE % self.table.rows
            seen = net.seen
            before, after = self._forward(net, order, row, seen)
            gradients = self._backward(net, before, after, row, BATCH, seen)
            own = self._sum_gradients(net, after, gradients, row) + decay * net.values
            net.powers[:] = net.powers * np.array([MOMENTUM, SQUARE])
            step, scale = rate / (1.0 - net.powers[0]), 1.0 / (1.0 - net.powers[1])
            net.momentum[:] = MOMENTUM * net.momentum + NEW_MOMENTUM * own
            net.square[:] = SQUARE * net.square + NEW_SQUARE * (own * own)
            moved = net.values - step * net.momentum / (np.sqrt(net.square * scale) + LEAST_ROOT)
            moved = np.where(moved < least, least, moved)
            net.values[:] = np.where(moved > most, most, moved)
            net.steps += 1

    @standard_arithmetic()
    @np.errstate(all="ignore")
    def survey(self, net: SharedLayer, *, absent: bool = False) -> Survey:
        table, hidden = self.table, net.hidden
        sources = net.shape.inputs + hidden
        order = _ranks(net)
        lanes = np.zeros(PARTIALS)
        sums = np.zeros((2, hidden))
        found = np.zeros((net.count, sources)) if absent else None
        seen = net.seen
        for row in range(0, table.surveyed, BATCH):
            count = min(table.surveyed - row, BATCH)
            before, after = self._forward(net, order, row, seen)
            for r, loss in enumerate(self._log_probabilities(net, after, row, count).tolist()):
                lanes[r % PARTIALS] -= loss
            if found is not None:
                gradients = self._backward(net, before, after, row, count, seen)
                values = self._values(after, row, hidden)
                for neuron in range(net.count):
                    own = net.allowed_sources(neuron)
                    found[neuron, own] += _sum_rows(gradients[neuron] * values[own])
            shown = after[:hidden].copy()
            shown[:, count:] = 0.0
            sums[0] += _sum_rows(shown)
            sums[1] += _sum_rows(shown * shown)
        loss = float(_add_lanes(lanes)) / table.surveyed
        return make_survey(table, self._inputs, loss, sums, found)

    def _values(self, after: Array, row: int, hidden: int) -> Array:
        """Return the values of all sources in a batch."""
        return np.concatenate([self.table.columns[:, row : row + BATCH], after[:hidden]])

    def _forward(
        self, net: SharedLayer, order: "_Ranks", row: int, seen: Array
    ) -> tuple[Array, Array]:
        """Return the values of each neuron before and after its function."""
        inputs, hidden = net.shape.inputs, net.hidden
        before = np.empty((net.count, BATCH))
        before[:] = seen[net.size :, None]
        after = np.empty_like(before)
        values = self._values(after, row, hidden)
        for connections in order.hidden:
            terms = seen[connections][:, None] * values[net.sources[connections]]
            before[net.neurons[connections]] += terms
        after[:hidden] = getattr(vector, net.shape.activation)(before[:hidden])
        if net.numerals:
            after[:hidden] = net.numerals.rounded(after[:hidden])
        values[inputs:] = after[:hidden]
        for connections in order.outputs:
            terms = seen[connections][:, None] * values[net.sources[connections]]
            before[net.neurons[connections]] += terms
        if net.shape.outputs == 1:
            after[hidden] = vector.sig(before[hidden])
        else:
            after[hidden:] = vector.softmax(*before[hidden:])
        return before, after

    def _backward(
        self, net: SharedLayer, before: Array, after: Array, row: int, count: int, seen: Array
    ) -> Array:
        """Return the gradient of each row by what goes into each neuron."""
        table, inputs, hidden = self.table, net.shape.inputs, net.hidden
        rows = slice(row, row + BATCH)
        found = np.zeros_like(before)
        found[hidden:] = (after[hidden:] - table.targets[:, rows]) * table.row_weights[rows]
        found[:, count:] = 0.0
        inner = np.flatnonzero(net.sources >= inputs)
        for output in range(hidden, net.count):
            own = inner[net.neurons[inner] == output]
            terms = found[output] * seen[own][:, None]
            found[net.sources[own] - inputs] += terms
        derivative = getattr(vector, f"{net.shape.activation}_derivative")
        found[:hidden] = found[:hidden] * derivative(before[:hidden], after[:hidden])
        return found

    def _sum_gradients(self, net: SharedLayer, after: Array, gradients: Array, row: int) -> Array:
        values = self._values(after, row, net.hidden)
        weights = _sum_rows(gradients[net.neurons] * values[net.sources])
        return np.concatenate([weights, _sum_rows(gradients)]) * (1.0 / BATCH)

    def _log_probabilities(self, net: SharedLayer, after: Array, row: int, count: int) -> Array:
        """Return the log-probability of the right class, times the weight, of each row."""
        wanted = self.table.targets[:, row : row + count] > 0.5
        outputs = after[net.hidden :, :count]
        if net.shape.outputs == 1:
            chances = np.where(wanted[0], outputs[0], 1.0 - outputs[0])
        else:
            chances = outputs[np.argmax(wanted, axis=0), np.arange(count)]
        chances = np.where(chances < LEAST_CHANCE, LEAST_CHANCE, chances)
        losses: Array = vector.log(chances) * self.table.row_weights[row : row + count]
        return losses


@dataclass(frozen=True, slots=True)
class _Ranks:
    """The first connections of all hidden neurons and outputs, the second, and so on."""

    hidden: list[NDArray[np.intp]]
    outputs: list[NDArray[np.intp]]


def _ranks(net: SharedLayer) -> _Ranks:
    """Return the connections of a network, grouped by their place in their neuron."""
    ranks = np.arange(net.size) - net.first[net.neurons]
    is_hidden = net.neurons < net.hidden

    def group(chosen: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
        most = int(ranks[chosen].max(initial=-1)) + 1
        return [np.flatnonzero(chosen & (ranks == rank)) for rank in range(most)]

    return _Ranks(group(is_hidden), group(~is_hidden))


def _sum_rows(values: Array) -> Array:
    """Add the rows of a batch, the last axis, in PARTIALS partial sums."""
    blocks = values.reshape(*values.shape[:-1], BATCH // PARTIALS, PARTIALS)
    lanes = np.zeros((*values.shape[:-1], PARTIALS))
    for number in range(BATCH // PARTIALS):
        lanes = lanes + blocks[..., number, :]
    return _add_lanes(lanes)


def _add_lanes(lanes: Array) -> Array:
    half = lanes[..., :4] + lanes[..., 4:]
    quarter = half[..., :2] + half[..., 2:]
    found: Array = quarter[..., 0] + quarter[..., 1]
    return found
