"""Estimate the flash, stack and cycles of the decision trees of an integer program.

The figures were fitted by eye to linked images of the models of `benchmarks.trees`: they decide
between the layouts, and are within about a quarter of what a linker reports.
"""

from dsgec.export.fixed.ir import IntegerProgram
from dsgec.export.node_stream import NodeStream, all_leaves, is_single, is_votes
from dsgec.network.cost.chips import Cost
from dsgec.network.trees import Forest, Tree
from dsgec.program.ir import Type

_SPLIT = {"int8": 10, "int16": 14}  # bytes of a nested choice
_WALK = {"int8": 56, "int16": 76}  # bytes of the loop over nodes
_SUMS = 40  # bytes of the sums and the choice between them
_FLAT_CYCLES, _PACKED_CYCLES = 8, 24  # for a split


def forest_cost(program: IntegerProgram, *, packed: bool) -> Cost:
    """Return the estimated cost of the trees of a program in a layout, without steps after them."""
    forest = program.forest
    assert forest is not None
    number: Type = "int8" if program.bits == 8 else "int16"
    levels = sum(_mean_level(tree) for tree in forest.trees)
    leaves, width = all_leaves(forest.trees)
    sums = 0 if is_single(forest) else _SUMS
    stack = 2 * len(forest.firsts) + 24
    table = 0 if is_votes(leaves) or is_single(forest) else len(leaves) * len(leaves[0]) * width
    if not packed:
        splits = sum(len(tree.columns) for tree in forest.trees)
        own = sum(len(tree.outputs) > 1 for tree in forest.trees) * bool(sums) * 12
        return Cost(_SPLIT[number] * splits + own + table + sums, stack, _FLAT_CYCLES * levels)
    stream = NodeStream.make(forest, number)
    if stream is None:
        return Cost(1 << 30, stack, 0)
    table = 0 if stream.is_inline else table
    roots = len(forest.trees) * (2 if len(stream.values) > 255 and not stream.has_lengths else 1)
    flash = _WALK[number] + len(stream.values) + table + roots + sums
    return Cost(flash, stack, _PACKED_CYCLES * levels)


def can_pack(forest: Forest, number: Type) -> bool:
    """Return whether trees fit the tables of the packed layout."""
    return NodeStream.make(forest, number) is not None


def _mean_level(tree: Tree) -> int:
    """Return about how many splits a row goes through."""
    return len(tree.columns).bit_length()
