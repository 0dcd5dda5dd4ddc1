"""Find the sums of decision trees of a network, for code that walks trees.

A tree consists of `if` with tests `column <= number`. The sums of all classes share their trees if
these differ in their leaves only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dsgec.export.sums import ONE, Terms, network_sums
from dsgec.network.ir import Apply, Constant, Input, Network
from dsgec.network.trees import Forest, Tree

_MOST_LEVELS = 60  # of a tree that is walked: deeper ones stay networks
_MOST_COPIES = 4  # of a split in the mean: trees that share more stay networks
_NOTHING = -0.0  # adding it changes no number


@dataclass(frozen=True, slots=True)
class FoundForest:
    """The forest of a network; `sums` has the nodes that are its sums."""

    forest: Forest
    sums: tuple[int, ...]


def find_forest(network: Network) -> FoundForest | None:
    """Return the sums of trees over columns that a network has, or None."""
    trees = _tree_nodes(network)
    roots = _roots(network, trees)
    if not roots:
        return None
    found: dict[int, Terms] = {}
    for position, terms in network_sums(network).items():
        own = terms[terms[0][1] == ONE : len(terms) - (terms[-1][1] == ONE)]
        if own and all(source in roots and abs(weight) == 1.0 for weight, source in own):
            found[position] = terms
    inside = {source for terms in found.values() for _, source in terms}
    for root in roots - inside:
        found[root] = ((1.0, root),)
    read_elsewhere = inside & _read_outside(network, found)
    for root in read_elsewhere:
        found[root] = ((1.0, root),)
    positions = tuple(sorted(found))
    sums = [_Sum.of(found[position]) for position in positions]
    reader = _TreeReader(network)
    merged = _merge(reader, sums)
    made = _make_trees(reader, sums) if merged is None else merged
    if made is None:
        return None
    forest = Forest(made, tuple(s.first for s in sums), tuple(s.last for s in sums))
    return FoundForest(forest, positions)


def needed_nodes(network: Network, found: FoundForest) -> list[int]:
    """Return the functions that are still computed one by one, in their order."""
    needed = {*network.outputs}
    sums = {*found.sums}
    for position in range(len(network.nodes) - 1, -1, -1):
        node = network.nodes[position]
        if position in needed and position not in sums and isinstance(node, Apply):
            needed.update(node.arguments)
    return sorted(p for p in needed - sums if isinstance(network.nodes[p], Apply))


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum of weighted trees between its first and its last constant."""

    first: float
    terms: Terms
    last: float

    @classmethod
    def of(cls, terms: Terms) -> "_Sum":
        first = terms[0][0] if terms[0][1] == ONE else _NOTHING
        last = terms[-1][0] if len(terms) > 1 and terms[-1][1] == ONE else _NOTHING
        return cls(first, tuple(term for term in terms if term[1] != ONE), last)


def _tree_nodes(network: Network) -> set[int]:
    """Return the nodes that are trees over columns, or parts of such trees."""
    found: dict[int, int] = {}  # their levels
    for position, node in enumerate(network.nodes):
        match node:
            case Apply("if", (test, yes, no)) if _test(network, test) is not None:
                levels = [_levels(network, found, branch) for branch in (yes, no)]
                if None not in levels:
                    level = 1 + max(level or 0 for level in levels)
                    if level <= _MOST_LEVELS:
                        found[position] = level
    return {*found}


def _levels(network: Network, found: Mapping[int, int], branch: int) -> int | None:
    return 0 if isinstance(network.nodes[branch], Constant) else found.get(branch)


def _test(network: Network, position: int) -> tuple[int, float] | None:
    """Return the column and the threshold of a test, or None."""
    match network.nodes[position]:
        case Apply("le", (left, right)):
            column, threshold = network.nodes[left], network.nodes[right]
            if isinstance(column, Input) and isinstance(threshold, Constant):
                return column.column, threshold.value
    return None


def _roots(network: Network, trees: set[int]) -> set[int]:
    """Return the trees that are no branches of trees only."""
    found = trees.intersection(network.outputs)
    for position, node in enumerate(network.nodes):
        if isinstance(node, Apply):
            read = node.arguments[:1] if position in trees else node.arguments
            found |= trees.intersection(read)
    return found


def _read_outside(network: Network, sums: Mapping[int, Terms]) -> set[int]:
    """Return the nodes that are read by something else than sums of trees."""
    found = {*network.outputs} - sums.keys()
    cut = {*sums}
    needed = {*network.outputs}
    for position in range(len(network.nodes) - 1, -1, -1):
        node = network.nodes[position]
        if position in needed and position not in cut and isinstance(node, Apply):
            needed.update(node.arguments)
            found.update(node.arguments)
    return found - sums.keys()


class _TreeReader:
    """Reads trees of a network; several that have the same tests become one with more outputs."""

    def __init__(self, network: Network) -> None:
        self.network = network

    def read(self, roots: Sequence[int], weights: Sequence[float]) -> Tree | None:
        """Return the trees of these nodes as one, or None if it has more splits than all of them.

        One of several may lack a split where both of its branches are the same. Equal subtrees are
        one node of a network, but are written out in a tree, unless that makes it far larger.
        """
        splits = self._splits(roots)
        most = min(sum(splits.get(root, 0) for root in {*roots}), _MOST_COPIES * len(splits))
        columns: list[int] = []
        thresholds: list[float] = []
        lefts: list[int] = []
        rights: list[int] = []
        leaves: list[tuple[float, ...]] = []
        numbers: dict[tuple[str, ...], int] = {}
        # Each entry: the nodes of a subtree, and where its number goes.
        todo: list[tuple[tuple[int, ...], list[int] | None, int]] = [((*roots,), None, 0)]
        while todo:
            nodes, place, at = todo.pop()
            test = self._test(nodes, splits)
            if test is None:
                leaf = tuple(
                    weight * self._value(node) for weight, node in zip(weights, nodes, strict=True)
                )
                key = tuple(value.hex() for value in leaf)
                number = numbers.setdefault(key, len(leaves))
                if number == len(leaves):
                    leaves.append(leaf)
                child = ~number
            else:
                known = _test(self.network, test)
                assert known is not None
                child = len(columns)
                if child >= most:
                    return None
                columns.append(known[0])
                thresholds.append(known[1])
                lefts.append(0)
                rights.append(0)
                todo.append((self._branches(nodes, test, 2), rights, child))
                todo.append((self._branches(nodes, test, 1), lefts, child))
            if place is not None:
                place[at] = child
        return Tree(
            *((*columns,), (*thresholds,), (*lefts,), (*rights,), (*leaves,)),
            tuple(range(len(roots))),
        )

    def _splits(self, roots: Sequence[int]) -> dict[int, int]:
        """Return how many splits there are below each split of these trees, itself included."""
        found: dict[int, int] = {}
        todo = [*roots]
        while todo:
            node = self.network.nodes[todo[-1]]
            if todo[-1] in found or not isinstance(node, Apply):
                todo.pop()
                continue
            inner = [a for a in node.arguments[1:] if isinstance(self.network.nodes[a], Apply)]
            if missing := [branch for branch in inner if branch not in found]:
                todo += missing
            else:
                found[todo.pop()] = 1 + sum(found[branch] for branch in inner)
        return found

    def _test(self, nodes: Sequence[int], splits: Mapping[int, int]) -> int | None:
        """Return the test of the largest of some trees, or None if all are leaves."""
        largest = max(nodes, key=lambda position: splits.get(position, 0))
        node = self.network.nodes[largest]
        return node.arguments[0] if isinstance(node, Apply) else None

    def _branches(self, nodes: Sequence[int], test: int, side: int) -> tuple[int, ...]:
        found = []
        for position in nodes:
            node = self.network.nodes[position]
            if isinstance(node, Apply) and node.arguments[0] == test:
                position = node.arguments[side]
            found.append(position)
        return tuple(found)

    def _value(self, position: int) -> float:
        node = self.network.nodes[position]
        assert isinstance(node, Constant)
        return node.value


def _merge(reader: _TreeReader, sums: Sequence[_Sum]) -> tuple[Tree, ...] | None:
    """Return trees with a value for each sum, or None if the sums have different trees."""
    if len(sums) < 2 or len({len(s.terms) for s in sums}) > 1:
        return None
    found = []
    for terms in zip(*(s.terms for s in sums), strict=True):
        tree = reader.read([source for _, source in terms], [weight for weight, _ in terms])
        if tree is None:
            return None
        found.append(tree)
    return tuple(found)


def _make_trees(reader: _TreeReader, sums: Sequence[_Sum]) -> tuple[Tree, ...] | None:
    """Return the trees of all sums, the first ones first, or None if one is too large."""
    found: list[tuple[int, int, Tree]] = []
    for output, one in enumerate(sums):
        for place, (weight, source) in enumerate(one.terms):
            tree = reader.read([source], [weight])
            if tree is None:
                return None
            found.append((place, output, replace(tree, outputs=(output,))))
    return tuple(tree for _, _, tree in sorted(found, key=lambda each: each[:2]))
