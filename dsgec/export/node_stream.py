"""Decision trees as a list of bytes, which a loop walks, and what their leaves have."""

from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.network.trees import Forest, Tree
from dsgec.program.ir import REALS, Type, Variable

_BYTE = 256
SEVERAL = 10
"""From so many trees on, a byte for each tree is more than the code that saves it."""


@dataclass(frozen=True, slots=True)
class NodeStream:
    """The nodes of all trees as bytes, and where the trees begin.

    Bytes below `columns` are those of splits. If values are not `is_inline`, a leaf is the number
    of one of the `leaves`. Reals compare with `thresholds`, by their place.
    """

    values: tuple[int, ...]
    roots: tuple[int, ...]
    columns: int
    skip_bytes: int
    leaves: tuple[tuple[float, ...], ...]
    is_inline: bool
    value_bytes: int
    thresholds: tuple[float, ...]
    place_bytes: int

    @property
    def at(self) -> Variable:
        """Return the variable that goes through the bytes."""
        return Variable("at", "uint16" if len(self.values) < 1 << 16 else "int32")

    @property
    def lengths(self) -> list[int]:
        """Return how many bytes each tree takes."""
        ends = (*self.roots[1:], len(self.values))
        return [end - start for start, end in zip(self.roots, ends, strict=True)]

    @property
    def has_lengths(self) -> bool:
        """Return whether lengths take fewer bytes than the places where trees begin."""
        is_long = len(self.values) >= _BYTE and max(self.lengths) < _BYTE
        return is_long and len(self.roots) > SEVERAL

    @classmethod
    def make(cls, forest: Forest, number: Type) -> "NodeStream | None":
        """Return the shortest list of bytes, or None if there are too many columns."""
        columns = max(forest.columns, default=-1) + 1
        leaves, values = all_leaves(forest.trees)
        real = number in REALS
        thresholds = tuple(sorted({t for tree in forest.trees for t in tree.thresholds}))
        place_bytes = 1 if len(thresholds) <= _BYTE else 2
        single = is_single(forest)
        is_inline = False
        if not single and not real and not (len(leaves[0]) > 1 and is_votes(leaves)):
            listed = len(leaves) * len(leaves[0]) * values
            count = sum(len(_reached(tree)) for tree in forest.trees)
            is_inline = columns + len(leaves) > _BYTE or listed > count * len(leaves[0]) * values
        if columns + (1 if is_inline else len(leaves)) > _BYTE:
            return None
        width = 1 if number == "int8" else 2
        for skip_bytes in (1, 2):
            try:
                parts: list[bytes] = []
                roots: list[int] = []
                for tree in forest.trees:
                    roots.append(sum(map(len, parts)))
                    writer = _StreamWriter(
                        tree,
                        columns,
                        skip_bytes,
                        leaves,
                        is_inline,
                        values,
                        {t: at for at, t in enumerate(thresholds)} if real else None,
                        place_bytes if real else width,
                    )
                    parts.append(writer.nodes())
            except OverflowError:
                continue
            return cls(
                tuple(byte - ((byte >> 7) << 8) for part in parts for byte in part),
                tuple(roots),
                columns,
                skip_bytes,
                leaves,
                is_inline,
                values,
                thresholds,
                place_bytes,
            )
        return None


@dataclass(frozen=True, slots=True)
class _StreamWriter:
    """Writes one tree as bytes."""

    tree: Tree
    columns: int
    skip_bytes: int
    leaves: tuple[tuple[float, ...], ...]
    is_inline: bool
    value_bytes: int
    places: dict[float, int] | None
    threshold_bytes: int

    def nodes(self) -> bytes:
        """Return the bytes of the tree; raise OverflowError if a branch is too long."""
        tree = self.tree
        known: dict[int, bytes] = {}
        for number in range(len(tree.leaves)):
            known[~number] = self.leaf(tree.leaves[number])
        for split in reversed(range(len(tree.columns))):
            left, right = known[tree.lefts[split]], known[tree.rights[split]]
            threshold = tree.thresholds[split]
            if self.places is None:
                own = int(threshold).to_bytes(self.threshold_bytes, "big", signed=True)
            else:
                own = self.places[threshold].to_bytes(self.threshold_bytes, "big")
            skip = (len(left) + self.skip_bytes).to_bytes(self.skip_bytes, "big")
            known[split] = bytes([tree.columns[split]]) + own + skip + left + right
        return known[tree.root]

    def leaf(self, leaf: tuple[float, ...]) -> bytes:
        if not self.is_inline:
            return bytes([self.columns + self.leaves.index(leaf)])
        size = self.value_bytes
        values = b"".join(int(value).to_bytes(size, "big", signed=True) for value in leaf)
        return bytes([self.columns]) + values


def is_single(forest: Forest) -> bool:
    """Return whether the only tree has all sums."""
    return len(forest.trees) == 1 and len(forest.trees[0].outputs) == len(forest.firsts)


def is_votes(leaves: Sequence[tuple[float, ...]]) -> bool:
    """Return whether each leaf is a vote for the class of its number."""
    width = len(leaves[0])
    return len(leaves) == width > 1 and all(
        leaf == tuple(float(at == number) for at in range(width))
        for number, leaf in enumerate(leaves)
    )


def _reached(tree: Tree) -> list[int]:
    """Return the leaf of each branch that ends in one."""
    return [~child for child in (*tree.lefts, *tree.rights, tree.root) if child < 0]


def all_leaves(trees: Sequence[Tree]) -> tuple[tuple[tuple[float, ...], ...], int]:
    """Return the different leaves of trees, and how many bytes each of their values takes.

    If all of them are votes, a leaf has the number of its class.
    """
    found = {leaf for tree in trees for leaf in tree.leaves}
    width = len(next(iter(found)))
    votes = tuple(tuple(float(at == number) for at in range(width)) for number in range(width))
    if found <= {*votes} and width > 1:
        return votes, 1
    ordered = sorted(found, key=lambda leaf: (leaf.index(max(leaf)), leaf))
    flat = [value for leaf in ordered for value in leaf]
    return tuple(ordered), 1 if min(flat) >= -128 and max(flat) < 128 else 2


def leaf_classes(
    leaves: Sequence[tuple[float, ...]], firsts: Sequence[float], limit: int | None
) -> list[int]:
    """Return the class that each leaf decides for."""
    found = []
    for leaf in leaves:
        sums = [first + value for first, value in zip(firsts, leaf, strict=True)]
        found.append(sums.index(max(sums)) if limit is None else int(sums[0] >= limit))
    return found
