"""Mutants of a network, and which rows detect them.

A mutant has one bit of one constant flipped, a term of a sum dropped, or two columns swapped.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.export.candidates import LIMITS, candidates
from dsgec.export.cover import MOST_VALUES, WORK, CoverPlan, Subject, cover
from dsgec.network.evaluate import evaluate_node, node_values, output_values
from dsgec.network.ir import Apply, Constant, Input, Network
from dsgec.network.model import Column

Array = NDArray[Any]

MOST_ROWS = 128
_MOST_AT_ONCE = 4096  # candidates
_CALL = 2_000  # the work of calling numpy, in additions
_FUNCTION, _POWER = 24, 150  # the work of a function, in additions
_CHEAP = {"add", "sub", "mul", "neg"}
_WORDS = {"double": (np.float64, np.uint64), "float": (np.float32, np.uint32)}
_INTEGERS = {np.dtype(np.float64): np.int64, np.dtype(np.float32): np.int32}
_BITS = {"double": range(64), "float": range(32)}
# For a large network: some of the last digits, of the exponent, and the sign.
_FEW_BITS = {"double": (0, 20, 44, 51, 52, 57, 62, 63), "float": (0, 9, 18, 22, 23, 26, 30, 31)}
_MOST_MUTANTS = 24_000
_MOST_COLUMNS = 200


Mutant = dict[int, Constant | Input | int]
"""The nodes of a mutant by position: another constant, another column, or the value of a node."""


def cover_network(network: Network, columns: Sequence[Column], dtype: str, effort: str) -> Array:
    """Choose a few rows that detect the mutants of a network."""
    width = max(len(network.nodes), network.inputs)  # a row has every column, read or not
    most = max(min(_MOST_AT_ONCE, MOST_VALUES // width), 1)
    plan = CoverPlan(64, most, parts=64, rows=MOST_ROWS, work=WORK[effort], turns=3, sample=(1, 8))
    return cover(NetworkMutants(network, columns, dtype), plan)


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Rows, with the value of every node and the outputs for them."""

    rows: Array
    values: list[Array]
    outputs: list[Array]


class _Values(dict[int, Array]):
    """The values that differ for some mutant (mutants × rows); otherwise those of the network."""

    def __init__(self, known: list[Array]) -> None:
        super().__init__()
        self.known = known

    def __missing__(self, position: int) -> Array:
        return self.known[position]

    def moved(self, positions: Iterable[int], shape: tuple[int, int]) -> NDArray[np.bool_]:
        """Return for which mutants and rows the value of any of these nodes has other bits."""
        moved: NDArray[np.bool_] | None = None
        for position in self.keys() & set(positions):
            other = _bits(self[position]) != _bits(self.known[position])
            moved = other if moved is None else moved | other
        return np.zeros(shape, bool) if moved is None else np.broadcast_to(moved, shape)


class NetworkMutants(Subject):
    """A network with its mutants, as `cover` searches them.

    `readers` has the positions that read each node.
    """

    def __init__(self, network: Network, columns: Sequence[Column], dtype: str) -> None:
        self.network, self.columns, self.dtype = network, columns, dtype
        self.nodes = len(network.nodes)
        self.mutants = _mutants(network, dtype)
        self.groups = np.array([_group(*mutant) for mutant in enumerate(self.mutants)], int)
        self.readers: list[list[int]] = [[] for _ in network.nodes]
        for position, node in enumerate(network.nodes):
            for argument in node.arguments if isinstance(node, Apply) else ():
                self.readers[argument].append(position)

    def candidates(self, count: int, part: int) -> Array:
        return candidates(self.columns, count, LIMITS[self.dtype], self.dtype, part)

    def evaluate(self, rows: Array) -> RowBlock:
        with np.errstate(all="ignore"):
            values = [np.asarray(value, rows.dtype) for value in node_values(self.network, rows)]
            outputs = output_values(self.network, values, rows.dtype)
        return RowBlock(rows, values, [np.broadcast_to(one, (len(rows),)) for one in outputs])

    def evaluation_work(self, rows: int) -> int:
        return self.nodes * _CALL + max(self.nodes, self.network.inputs) * rows

    def detect(self, block: RowBlock, mutants: Sequence[Mutant]) -> tuple[NDArray[np.bool_], int]:
        shape = (len(mutants), len(block.rows))
        changes = self._changes(block, mutants)
        values = _Values(block.values)
        work = 0
        pending = sorted(changes)  # a heap: a node comes after all that it reads
        queued = set(pending)
        with np.errstate(all="ignore"):
            while pending:
                position = heappop(pending)
                value, additions = self._recompute(position, values, shape)
                work += additions
                if position in changes:
                    known = block.values[position] if value is None else value
                    value = np.array(np.broadcast_to(known, shape))
                    if isinstance(self.network.nodes[position], Constant):
                        numbers, others = zip(*changes[position], strict=True)
                        value[[*numbers]] = np.array(others, value.dtype)[:, None]
                    else:
                        for number, change in changes[position]:
                            value[number] = change
                if value is not None:
                    values[position] = value
                    for reader in self.readers[position]:
                        if reader not in queued:
                            queued.add(reader)
                            heappush(pending, reader)
            return self._outputs_differ(block, values, shape), work

    def _changes(
        self, block: RowBlock, mutants: Sequence[Mutant]
    ) -> dict[int, list[tuple[int, Any]]]:
        """Return for each position the mutants with another value there, and that value."""
        changes: dict[int, list[tuple[int, Any]]] = {}
        for number, mutant in enumerate(mutants):
            for position, other in mutant.items():
                match other:
                    case Constant(value):
                        change: Any = value
                    case Input(column):
                        change = block.rows[:, column]
                    case _:
                        change = block.values[other]
                changes.setdefault(position, []).append((number, change))
        return changes

    def _recompute(
        self, position: int, values: _Values, shape: tuple[int, int]
    ) -> tuple[Array | None, int]:
        """Return the value of a node if an argument has changed, and the work."""
        node = self.network.nodes[position]
        if not isinstance(node, Apply) or values.keys().isdisjoint(node.arguments):
            return None, 0
        known = values.known[position]
        if node.function in _CHEAP:
            value: Array = evaluate_node(self.network, node, values, known.dtype)
            return value, _CALL + value.size
        # A function is computed only where an argument has other bits.
        moved = values.moved(node.arguments, shape)
        count = int(np.count_nonzero(moved))
        work = 10 * _CALL + (_POWER if node.function == "power" else _FUNCTION) * count
        if not count:
            return None, work
        arguments = {
            a: v.ravel() if (v := values[a]).size == 1 else np.broadcast_to(v, shape)[moved]
            for a in node.arguments
        }
        value = np.array(np.broadcast_to(known, shape))
        value[moved] = evaluate_node(self.network, node, arguments, known.dtype)
        return value, work

    def _outputs_differ(
        self, block: RowBlock, values: _Values, shape: tuple[int, int]
    ) -> NDArray[np.bool_]:
        """Return for which mutants and rows an output differs, computed where one has moved."""
        differs = np.zeros(shape, bool)
        outputs = self.network.outputs
        moved = np.nonzero(values.moved(outputs, shape))
        rows = moved[1]
        if not len(rows):
            return differs
        results = {
            position: values[position][moved]
            if position in values
            else np.broadcast_to(values.known[position], shape[1:])[rows]
            for position in outputs
        }
        found = output_values(self.network, results, block.rows.dtype)
        left = np.arange(len(rows))  # the places where no output differs so far
        # The outputs that have moved differ most often.
        for number in sorted(range(len(found)), key=lambda n: outputs[n] not in values):
            unlike = _differ(found[number][left], block.outputs[number][rows[left]])
            differs[moved[0][left[unlike]], rows[left[unlike]]] = True
            left = left[~unlike]
        return differs


def thin_out(items: Sequence[Any], most: int) -> Sequence[Any]:
    """Return at most so many of the items, evenly spread."""
    return items[:: max(-(-len(items) // max(most, 1)), 1)]


def _mutants(network: Network, dtype: str) -> list[Mutant]:
    """Return flipped bits and dropped terms in the order of the nodes, then swapped columns."""
    applies = [(p, node) for p, node in enumerate(network.nodes) if isinstance(node, Apply)]
    exponents = {node.arguments[1] for _, node in applies if node.function == "pow"}
    sums = [position for position, node in applies if node.function in ("add", "sub")]
    constants = [
        position
        for position, node in enumerate(network.nodes)
        if isinstance(node, Constant) and position not in exponents
    ]
    is_small = len(constants) * len(_BITS[dtype]) <= _MOST_MUTANTS
    bits = _BITS[dtype] if is_small else _FEW_BITS[dtype]
    found: list[Mutant] = []
    positions = (
        *thin_out(constants, _MOST_MUTANTS // len(bits)),
        *thin_out(sums, _MOST_MUTANTS // 2),
    )
    for position in sorted(positions):
        match network.nodes[position]:
            case Constant(value):
                found += [{position: Constant(other)} for other in _flipped(value, bits, dtype)]
            case Apply(_, terms):
                found += [{position: term} for term in dict.fromkeys(terms)]
    places = {node.column: p for p, node in enumerate(network.nodes) if isinstance(node, Input)}
    for a, b in _pairs(network):
        swapped = ((a, b), (b, a))
        found.append({places[to]: Input(of) for to, of in swapped if to in places})
    return found


def _group(number: int, mutant: Mutant) -> int:
    """Return the position of a constant for its flipped bits; another number for other mutants."""
    ((position, other), *_) = mutant.items()
    return position if isinstance(other, Constant) else -1 - number


def _flipped(value: float, bits: Sequence[int], dtype: str) -> list[float]:
    """Return the number with each of these bits flipped."""
    number, word = _WORDS[dtype]
    flipped = np.array([value], number).view(word) ^ (np.array([1], word) << np.array(bits, word))
    numbers: list[float] = flipped.view(number).tolist()
    return numbers


def _pairs(network: Network) -> Sequence[tuple[int, int]]:
    """Return pairs of columns of which the network reads at least one."""
    used = [node.column for node in network.nodes if isinstance(node, Input)]
    used = list(thin_out(used, _MOST_COLUMNS))
    place = {column: number for number, column in enumerate(used)}
    return thin_out(
        [
            (a, b)
            for number, a in enumerate(used)
            for b in range(network.inputs)
            if place.get(b, len(used)) > number
        ],
        _MOST_MUTANTS,
    )


def _bits(values: Array) -> Array:
    return np.ascontiguousarray(values).view(_INTEGERS[values.dtype])


def _differ(found: Array, wanted: Array) -> NDArray[np.bool_]:
    """Return where numbers differ: in value or sign, but not if both are NaN."""
    same = (found == wanted) & (np.signbit(found) == np.signbit(wanted))
    unlike: NDArray[np.bool_] = ~(same | (np.isnan(found) & np.isnan(wanted)))
    return unlike  # one NaN is as good as another
