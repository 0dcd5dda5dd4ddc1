"""Model to golden rows: few rows whose outputs tell the network from all that are almost it.

Mutants of the network (a bit of a number flipped, a term of a sum dropped, two columns swapped) are
evaluated beside it on many candidate rows, and rows are chosen until every mutant that some
candidate gives away is given away.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.network.evaluate import Change, evaluate, evaluate_block
from dsgec.network.ir import Apply, Constant, Input, Network
from dsgec.network.model import Column, Model

Array = NDArray[Any]

_CANDIDATES = 2048
_AT_ONCE = 192  # of the candidates; later ones are for the mutants that the first ones miss
_MOST_ROWS = 24
_LIMITS = {
    "double": (-0.0, 1.0, -1.0, 1e300, -1e300, 5e-324, -5e-324, 1e-300, 709.5, -745.0, 1e30),
    "float": (-0.0, 1.0, -1.0, 1e30, -1e30, 1e-45, -1e-45, 1e-37, 88.5, -103.5, 1e20),
}
_TYPES = {"double": np.float64, "float": np.float32}
_WORDS = {"double": ("<d", "<Q"), "float": ("<f", "<I")}
_MOST_WORK = 6_000_000  # nodes times mutants times rows
# Bits of a number: of its last digits, its size, its sign.
_BITS = {"double": (0, 20, 51, 52, 62, 63), "float": (0, 9, 22, 23, 30, 31)}


@dataclass(frozen=True, slots=True)
class Golden:
    """Raw rows of numbers (NaN is a missing one) and, for each, what the network gives.

    `results` are probabilities or values; `classes` the numbers of the predicted classes, -1 where
    there is none because the output is not a number.
    """

    rows: tuple[tuple[float, ...], ...]
    results: tuple[tuple[float, ...], ...]
    classes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """The greatest difference to double precision on so many rows, and classes that differ.

    Of probabilities the difference itself; of values that are greater than 1 a share of them.
    """

    rows: int
    worst: float
    flips: int


@dataclass(frozen=True, slots=True)
class _Mutant:
    """The node at `position` has another value: a number, or that of one of its arguments."""

    position: int
    number: float | None = None
    argument: int = 0


def golden(model: Model, network: Network, dtype: str = "double") -> Golden:
    """The golden rows of a model whose composed network is `network`."""
    candidates = _candidates(model.columns, _affordable(network), _LIMITS[dtype], dtype)
    outputs = evaluate(network, candidates)
    chosen = _choose(network, candidates, outputs, dtype)
    rows, outputs = candidates[chosen], outputs[chosen]
    return Golden(
        tuple(map(tuple, rows.tolist())),
        tuple(map(tuple, _results(model, outputs).tolist())),
        tuple(_classes(model, outputs)),
    )


def loss(model: Model, network: Network) -> Loss:
    """What single precision changes, on rows of ordinary sizes."""
    rows = _candidates(model.columns, _affordable(network), (0.0,), "float")
    exact, outputs = evaluate(network, rows.astype(np.float64)), evaluate(network, rows)
    told = np.isfinite(exact).all(axis=1) & np.isfinite(outputs).all(axis=1)
    exact, outputs = exact[told], outputs[told]
    difference = np.abs(_results(model, exact) - _results(model, outputs).astype(np.float64))
    if not model.is_classifier:
        difference = difference / np.maximum(1.0, np.abs(exact))
    flips = np.not_equal(_classes(model, exact), _classes(model, outputs)).sum()
    return Loss(len(exact), _rounded_up(float(difference.max(initial=0.0))), int(flips))


def _rounded_up(value: float) -> float:
    """To two digits, and never below the value."""
    return float(Context(prec=2, rounding=ROUND_CEILING).create_decimal(value))


def _affordable(network: Network) -> int:
    return min(_CANDIDATES, _MOST_WORK // len(network.nodes))


def _results(model: Model, outputs: Array) -> Array:
    return np.hstack([1 - outputs, outputs]) if _is_single(model) else outputs


def _is_single(model: Model) -> bool:
    return model.is_classifier and len(model.network.outputs) == 1


def _classes(model: Model, outputs: Array) -> list[int]:
    if not model.is_classifier:
        return []
    if _is_single(model):
        numbers, chosen = (outputs[:, 0] >= 0.5).astype(int), outputs[:, 0]
    else:
        numbers = np.where(np.isnan(outputs), -np.inf, outputs).argmax(axis=1)
        chosen = outputs[np.arange(len(outputs)), numbers]
    return [int(number) for number in np.where(np.isnan(chosen), -1, numbers)]


def _candidates(
    columns: Sequence[Column], count: int, limits: Sequence[float], dtype: str
) -> Array:
    """Rows of many sizes, some of them mostly zeros, with every category and missing values."""
    # The generator whose numbers numpy promises never to change.
    random = np.random.RandomState(len(columns))
    shape = (count, len(columns))
    a_row = (count, 1)

    def value(below: int) -> NDArray[np.int_]:
        return random.randint(0, below, shape)

    mixed = random.randint(0, 3, a_row) == 0
    sizes = np.where(mixed, value(24) - 10, random.randint(0, 17, a_row) - 6)
    rows: Array = np.ldexp(value(511) - 255.0, sizes - 8)
    rows[value(4) < np.array([0, 0, 1, 3])[random.randint(0, 4, a_row)]] = 0.0
    extreme = (random.randint(0, 4, a_row) == 0) & (value(4) == 0)
    ends = np.array(limits)[value(len(limits))]
    missing = value(8) == 0
    for index, column in enumerate(columns):
        if column.kind == "number":
            # Few digits, so that the value is the same in every type, and short in the source.
            scaled = np.float32(column.center + column.scale * rows[:, index])
            rows[:, index] = np.where(extreme[:, index], ends[:, index], scaled)
        else:
            rows[:, index] = random.randint(-1, len(column.categories), count)
        if column.fill is not None:
            rows[missing[:, index], index] = np.nan
    return rows.astype(_TYPES[dtype])


def _choose(network: Network, candidates: Array, outputs: Array, dtype: str) -> list[int]:
    numbers, drops = _mutants(network, dtype)
    chosen: list[int] = []
    differs = partial(_differs, network, outputs, candidates)
    for group in (numbers[0], drops, *numbers[1:]):
        _cover(chosen, len(network.nodes), len(candidates), differs, group)
    swapped = partial(_swapped, network, outputs, candidates)
    _cover(chosen, len(network.nodes), len(candidates), swapped, _swaps(network))
    return sorted(chosen) or [0]


def _cover(
    chosen: list[int], nodes: int, candidates: int, differs: Any, mutants: list[Any]
) -> None:
    """Choose further rows until all of the mutants are given away that can be."""
    mutants = _some(mutants, _MOST_WORK // (nodes * _MOST_ROWS + 1))
    if chosen and mutants:
        caught = differs(np.array(chosen), mutants).any(axis=1)
        mutants = [mutant for mutant, seen in zip(mutants, caught, strict=True) if not seen]
    for start in range(0, candidates, _AT_ONCE):
        if not mutants or len(chosen) == _MOST_ROWS:
            return
        rows = np.arange(start, min(start + _AT_ONCE, candidates))
        mutants = _some(mutants, _MOST_WORK // (nodes * len(rows) + 1))
        caught = differs(rows, mutants)
        mutants = [m for m, seen in zip(mutants, caught.any(axis=1), strict=True) if not seen]
        while len(chosen) < _MOST_ROWS and caught.any():
            best = int(caught.sum(axis=0).argmax())
            chosen.append(start + best)
            caught = caught[~caught[:, best]]


def _some(mutants: list[Any], most: int) -> list[Any]:
    """At most so many, evenly spread."""
    step = -(-len(mutants) // max(most, 1))
    return mutants[:: max(step, 1)]


def _mutants(network: Network, dtype: str) -> tuple[list[list[_Mutant]], list[_Mutant]]:
    """For each bit the numbers that have it flipped, and the sums with a term dropped."""
    exponents = {
        n.arguments[1] for n in network.nodes if isinstance(n, Apply) and n.function == "pow"
    }
    flipped: list[list[_Mutant]] = [[] for _ in _BITS[dtype]]
    drops = []
    for position, node in enumerate(network.nodes):
        if isinstance(node, Constant) and position not in exponents:
            for group, bit in zip(flipped, _BITS[dtype], strict=True):
                group.append(_Mutant(position, _flip(node.value, bit, dtype)))
        elif isinstance(node, Apply) and node.function in ("add", "sub"):
            drops += [_Mutant(position, None, argument) for argument in node.arguments]
    return flipped, drops


def _flip(value: float, bit: int, dtype: str) -> float:
    number, word = _WORDS[dtype]
    (bits,) = struct.unpack(word, struct.pack(number, value))
    result: float = struct.unpack(number, struct.pack(word, bits ^ 1 << bit))[0]
    return result


def _differs(
    network: Network,
    outputs: Array,
    candidates: Array,
    rows: NDArray[np.intp],
    mutants: list[_Mutant],
) -> NDArray[np.bool_]:
    """For each mutant and row, whether the outputs differ: all in one pass over the nodes."""
    count = len(rows)
    touched: dict[int, list[tuple[slice, _Mutant]]] = {}
    for number, mutant in enumerate(mutants):
        part = slice(number * count, (number + 1) * count)
        touched.setdefault(mutant.position, []).append((part, mutant))

    def change(position: int, values: list[Any]) -> Any:
        if position not in touched:
            return values[position]
        value = np.array(np.broadcast_to(values[position], (len(mutants) * count,)))
        for part, mutant in touched[position]:
            if mutant.number is not None:
                value[part] = mutant.number
            else:
                value[part] = np.broadcast_to(values[mutant.argument], value.shape)[part]
        return value

    table = np.tile(candidates[rows], (len(mutants), 1))
    return _compare(network, table, change, outputs[rows], len(mutants))


def _swaps(network: Network) -> list[tuple[int, int]]:
    """Pairs of columns of which the network reads one at least."""
    used = [node.column for node in network.nodes if isinstance(node, Input)]
    place = {column: number for number, column in enumerate(used)}
    return [
        (a, b)
        for number, a in enumerate(used)
        for b in range(network.inputs)
        if place.get(b, len(used)) > number
    ]


def _swapped(
    network: Network,
    outputs: Array,
    candidates: Array,
    rows: NDArray[np.intp],
    pairs: list[tuple[int, int]],
) -> NDArray[np.bool_]:
    tables = []
    for a, b in pairs:
        table = candidates[rows].copy()
        table[:, [a, b]] = table[:, [b, a]]
        tables.append(table)
    return _compare(network, np.vstack(tables), None, outputs[rows], len(pairs))


def _compare(
    network: Network, table: Array, change: Change | None, expected: Array, mutants: int
) -> NDArray[np.bool_]:
    found = evaluate_block(network, table, change)
    wanted = np.tile(expected, (mutants, 1))
    same = (found == wanted) & (np.signbit(found) == np.signbit(wanted))
    same |= np.isnan(found) & np.isnan(wanted)  # one NaN is as good as another
    differs: NDArray[np.bool_] = (~same).any(axis=1).reshape(mutants, len(expected))
    return differs
