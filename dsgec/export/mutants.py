"""Network to networks that are almost it, and whether rows give them away.

A mutant has one bit of one number flipped, a term of a sum dropped, or two columns swapped.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from dsgec.network.evaluate import applied, node_values, output_values
from dsgec.network.ir import Apply, Constant, Input, Network

Array = NDArray[Any]

CALL = 2_000
"""What calling numpy takes, in additions."""

_WORDS = {"double": (np.float64, np.uint64), "float": (np.float32, np.uint32)}
_INTEGERS = {np.dtype(np.float64): np.int64, np.dtype(np.float32): np.int32}
_CHEAP = {"add", "sub", "mul", "neg"}
# Of a large network only some bits: of the last digits, the size, the sign.
_BITS = {"double": range(64), "float": range(32)}
_FEW_BITS = {"double": (0, 20, 44, 51, 52, 57, 62, 63), "float": (0, 9, 18, 22, 23, 26, 30, 31)}
_MOST = 24_000
# What a function takes, in additions.
_FUNCTION = 24
_POWER = 150


@dataclass(frozen=True, slots=True)
class Flip:
    """Another number stands at the position."""

    position: int
    number: float


@dataclass(frozen=True, slots=True)
class Drop:
    """The sum at the position is one of its terms."""

    position: int
    term: int


@dataclass(frozen=True, slots=True)
class Swap:
    """Two columns are swapped."""

    columns: tuple[int, int]


Mutant = Flip | Drop | Swap


def mutants(network: Network, dtype: str) -> list[Mutant]:
    """Bits of numbers and terms of sums in the order of the nodes, then pairs of columns."""
    exponents = {
        n.arguments[1] for n in network.nodes if isinstance(n, Apply) and n.function == "pow"
    }
    numbers = [
        position
        for position, node in enumerate(network.nodes)
        if isinstance(node, Constant) and position not in exponents
    ]
    every = len(numbers) * len(_BITS[dtype]) <= _MOST
    bits = _BITS[dtype] if every else _FEW_BITS[dtype]
    sums = [
        position
        for position, node in enumerate(network.nodes)
        if isinstance(node, Apply) and node.function in ("add", "sub")
    ]
    found: list[Mutant] = []
    for position in sorted([*_thinned(numbers, _MOST // len(bits)), *_thinned(sums, _MOST // 2)]):
        match network.nodes[position]:
            case Constant(value):
                found += [Flip(position, number) for number in _flipped(value, bits, dtype)]
            case Apply(_, terms):
                found += [Drop(position, term) for term in dict.fromkeys(terms)]
    return [*found, *map(Swap, _pairs(network))]


def _thinned(items: Sequence[Any], most: int) -> Sequence[Any]:
    """At most so many, evenly spread."""
    return items[:: max(-(-len(items) // most), 1)]


def _flipped(value: float, bits: Sequence[int], dtype: str) -> list[float]:
    """The number with each of these bits flipped."""
    number, word = _WORDS[dtype]
    flipped = np.array([value], number).view(word) ^ (np.array([1], word) << np.array(bits, word))
    numbers: list[float] = flipped.view(number).tolist()
    return numbers


def _pairs(network: Network) -> Sequence[tuple[int, int]]:
    """Pairs of columns of which the network reads one at least."""
    used = [node.column for node in network.nodes if isinstance(node, Input)]
    used = list(_thinned(used, 200))
    place = {column: number for number, column in enumerate(used)}
    return _thinned(
        [
            (a, b)
            for number, a in enumerate(used)
            for b in range(network.inputs)
            if place.get(b, len(used)) > number
        ],
        _MOST,
    )


@dataclass(frozen=True, slots=True)
class Links:
    """For each node the ones that read it, and where each column is read."""

    readers: list[list[int]]
    places: dict[int, int]


def links(network: Network) -> Links:
    """Those of a network."""
    readers: list[list[int]] = [[] for _ in network.nodes]
    places = {}
    for position, node in enumerate(network.nodes):
        if isinstance(node, Input):
            places[node.column] = position
        elif isinstance(node, Apply):
            for argument in node.arguments:
                readers[argument].append(position)
    return Links(readers, places)


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Rows, with the value of every node and the outputs for them."""

    rows: Array
    values: list[Array]
    outputs: list[Array]
    links: Links


def block(network: Network, rows: Array) -> RowBlock:
    """All that the network makes of rows."""
    with np.errstate(all="ignore"):
        values = [np.asarray(value, rows.dtype) for value in node_values(network, rows)]
        outputs = output_values(network, values, rows.dtype)
    outputs = [np.broadcast_to(output, (len(rows),)) for output in outputs]
    return RowBlock(rows, values, outputs, links(network))


def part(whole: RowBlock, chosen: Array) -> RowBlock:
    """The block of some of the rows."""
    values = [value if value.size == 1 else value[chosen] for value in whole.values]
    outputs = [output[chosen] for output in whole.outputs]
    return RowBlock(whole.rows[chosen], values, outputs, whole.links)


class _Values:
    """The value of a node: where it can be another for some mutant, for each mutant and row."""

    def __init__(self, block: RowBlock, changed: dict[int, Array]) -> None:
        self.known, self.changed = block.values, changed

    def __getitem__(self, position: int) -> Array:
        value = self.changed.get(position)
        return self.known[position] if value is None else value


def differences(
    network: Network, block: RowBlock, mutants: Sequence[Mutant]
) -> tuple[NDArray[np.bool_], int]:
    """For each mutant and row whether any output differs, and what that took, in additions."""
    shape = (len(mutants), len(block.rows))
    dtype = block.rows.dtype
    changes = _changes(block, mutants)
    values = _Values(block, {})
    work = 0
    pending = sorted(changes)  # a heap: a node comes after all that it reads
    queued = set(pending)
    with np.errstate(all="ignore"):
        while pending:
            position = heappop(pending)
            node = network.nodes[position]
            value = None
            if isinstance(node, Apply) and not values.changed.keys().isdisjoint(node.arguments):
                if node.function in _CHEAP:
                    value = applied(network, node, values, dtype)
                    work += CALL + value.size
                else:
                    value, moved = _where_moved(network, node, position, values, shape)
                    each = _POWER if node.function == "power" else _FUNCTION
                    work += 10 * CALL + each * moved
            if position in changes:
                known = block.values[position] if value is None else value
                value = np.array(np.broadcast_to(known, shape))
                if isinstance(node, Constant):
                    numbers, others = zip(*changes[position], strict=True)
                    value[[*numbers]] = np.array(others, dtype)[:, None]
                else:
                    for number, change in changes[position]:
                        value[number] = change
            if value is not None:
                values.changed[position] = value
                for reader in block.links.readers[position]:
                    if reader not in queued:
                        queued.add(reader)
                        heappush(pending, reader)
        return _outputs_differ(network, block, values, shape), work


def _outputs_differ(
    network: Network, block: RowBlock, values: _Values, shape: tuple[int, int]
) -> NDArray[np.bool_]:
    """For each mutant and row whether any output differs: looked at where one has moved."""
    differs = np.zeros(shape, bool)
    moved = np.nonzero(_moved(values, network.outputs, shape))
    rows = moved[1]
    if not len(rows):
        return differs
    results = {
        position: values.changed[position][moved]
        if position in values.changed
        else np.broadcast_to(values.known[position], shape[1:])[rows]
        for position in network.outputs
    }
    found = output_values(network, results, block.rows.dtype)
    left = np.arange(len(rows))  # the places that no output has given away yet
    # The outputs that have moved give most away.
    order = sorted(range(len(found)), key=lambda n: network.outputs[n] not in values.changed)
    for number in order:
        unlike = _unlike(found[number][left], block.outputs[number][rows[left]])
        differs[moved[0][left[unlike]], rows[left[unlike]]] = True
        left = left[~unlike]
    return differs


def _moved(values: _Values, positions: Iterable[int], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """For each mutant and row whether the value of any of these nodes has other bits."""
    moved: NDArray[np.bool_] | None = None
    for position in values.changed.keys() & set(positions):
        other = _bits(values.changed[position]) != _bits(values.known[position])
        moved = other if moved is None else moved | other
    return np.zeros(shape, bool) if moved is None else np.broadcast_to(moved, shape)


def _changes(block: RowBlock, mutants: Sequence[Mutant]) -> dict[int, list[tuple[int, Any]]]:
    """For each position the mutants that have something else there, and what."""
    place = block.links.places
    changes: dict[int, list[tuple[int, Any]]] = {}
    for number, mutant in enumerate(mutants):
        match mutant:
            case Flip(position, other):
                changes.setdefault(position, []).append((number, other))
            case Drop(position, term):
                changes.setdefault(position, []).append((number, block.values[term]))
            case Swap((a, b)):
                for to, of in ((a, b), (b, a)):
                    if to in place:
                        changes.setdefault(place[to], []).append((number, block.rows[:, of]))
            case _:
                assert_never(mutant)
    return changes


def _where_moved(
    network: Network, node: Apply, position: int, values: _Values, shape: tuple[int, int]
) -> tuple[Array | None, int]:
    """The value of a function, computed where an argument has moved, and in how many places."""
    dtype = values.known[position].dtype
    moved = _moved(values, node.arguments, shape)
    count = int(np.count_nonzero(moved))
    if not count:
        return None, 0
    arguments = {
        a: v.ravel() if (v := values[a]).size == 1 else np.broadcast_to(v, shape)[moved]
        for a in node.arguments
    }
    value = np.array(np.broadcast_to(values.known[position], shape))
    value[moved] = applied(network, node, arguments, dtype)
    return value, count


def _bits(values: Array) -> Array:
    return np.ascontiguousarray(values).view(_INTEGERS[values.dtype])


def _unlike(found: Array, wanted: Array) -> NDArray[np.bool_]:
    same = (found == wanted) & (np.signbit(found) == np.signbit(wanted))
    unlike: NDArray[np.bool_] = ~(same | (np.isnan(found) & np.isnan(wanted)))
    return unlike  # one NaN is as good as another
