"""Estimate the flash, stack and cycles of the decision trees of an integer program.

The bytes of flash are least-squares fits to 94 linked images of single and of boosted trees of q7,
in either layout, on a Cortex-M0+ and an ATmega328. Half of the packed ones are within 5 %, and half
of the flat ones within 13 %. The other chips have the figures of the Cortex-M0+.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from dsgec.export.fixed.ir import IntegerProgram, TreeSum
from dsgec.export.node_stream import NodeStream, all_leaves, is_single, is_votes
from dsgec.network.cost.chips import Cost
from dsgec.network.trees import Forest, Tree
from dsgec.program.ir import Type


@dataclass(frozen=True, slots=True)
class _Bytes:
    """The bytes of code: the first ones, and those of a split or a byte of a table, and so on.

    `several` are those of the choice between several sums.
    """

    first: float
    split: float
    column: float
    tree: float = 0.0
    several: float = 0.0


_ARM: Mapping[tuple[bool, bool], _Bytes] = {
    (True, False): _Bytes(9, 6.4, 9.4),
    (True, True): _Bytes(65, 1.08, 4.5),
    (False, False): _Bytes(-16, 17.0, -4.2, 5.6, 0),
    (False, True): _Bytes(131, 0.97, 1.2, 0, 59),
}
_AVR: Mapping[tuple[bool, bool], _Bytes] = {
    (True, False): _Bytes(22, 4.1, 15.2),
    (True, True): _Bytes(96, 1.07, 3.4),
    (False, False): _Bytes(14, 9.3, 14.9, 12.6, 109),
    (False, True): _Bytes(140, 0.96, 3.3, 0, 140),
}
"""By whether there is a single tree whose leaves are classes, and whether it is packed."""
_WORDS = 1.3  # how many times as much a flat split takes with 16 bits
_PACKED_WORDS = 20  # more bytes of the loop with 16 bits
_FLAT_CYCLES, _PACKED_CYCLES = 8, 24  # for a split


def forest_cost(program: IntegerProgram, chip: str, *, packed: bool) -> Cost:
    """Return the estimated cost of the trees of a program in a layout, without steps after them."""
    forest = program.forest
    assert forest is not None
    number: Type = "int8" if program.bits == 8 else "int16"
    levels = sum(_mean_level(tree) for tree in forest.trees)
    leaves, width = all_leaves(forest.trees)
    single = is_single(forest)
    stack = 2 * len(forest.firsts) + 24
    table = 0 if is_votes(leaves) or single else len(leaves) * len(leaves[0]) * width
    own = (_AVR if chip == "avr" else _ARM)[single, packed]
    flash = own.first + own.column * len(forest.columns) + own.several * (len(forest.firsts) > 1)
    if not packed:
        splits = sum(len(tree.columns) for tree in forest.trees)
        times = 1.0 if number == "int8" else _WORDS
        flash += times * own.split * splits + own.tree * len(forest.trees) + table
        return Cost(max(round(flash), 8), stack, _FLAT_CYCLES * levels)
    stream = NodeStream.make(forest, number)
    if stream is None:
        return Cost(1 << 30, stack, 0)
    table = 0 if stream.is_inline else table
    roots = len(forest.trees) * (2 if len(stream.values) > 255 and not stream.has_lengths else 1)
    flash += own.split * (len(stream.values) + table + roots)
    flash += 0 if number == "int8" else _PACKED_WORDS
    return Cost(round(flash), stack, _PACKED_CYCLES * levels)


def is_decided_by_trees(program: IntegerProgram) -> bool:
    """Return whether the class follows from the sums of trees alone."""
    return bool(program.sums) and all(isinstance(one, TreeSum) for one in program.sums)


def can_pack(forest: Forest, number: Type) -> bool:
    """Return whether trees fit the tables of the packed layout."""
    return NodeStream.make(forest, number) is not None


def _mean_level(tree: Tree) -> int:
    """Return about how many splits a row goes through."""
    return len(tree.columns).bit_length()
