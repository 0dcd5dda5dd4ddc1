"""The derivation tree of an individual, as people look at it."""

from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.grammar.genome.genotype import Derivation
from dsgec.grammar.genome.rule_tables import Child, RuleTables


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A symbol with what it was replaced by: the number of the alternative, and its symbols.

    :param symbol: The symbol, without angle brackets.
    :param alternative: The number of the alternative that replaced it.
    :param children: The nodes and texts that replaced it, from left to right.
    """

    symbol: str
    alternative: int
    children: tuple["TreeNode | str", ...]

    @property
    def text(self) -> str:
        """The text that the node derives."""
        pieces: list[str] = []
        todo: list[TreeNode | str] = [self]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                pieces.append(item)
            else:
                todo += reversed(item.children)
        return "".join(pieces)

    @property
    def size(self) -> int:
        """The number of nodes, without texts."""
        count, todo = 0, [self]
        while todo:
            node = todo.pop()
            count += 1
            todo += [child for child in node.children if isinstance(child, TreeNode)]
        return count

    @property
    def depth(self) -> int:
        """The number of nodes on the longest way from this node down."""
        deepest, todo = 0, [(self, 1)]
        while todo:
            node, depth = todo.pop()
            deepest = max(deepest, depth)
            todo += [(child, depth + 1) for child in node.children if isinstance(child, TreeNode)]
        return deepest

    def lines(self, most: int = 1000) -> list[str]:
        """Return the tree as indented lines.

        :param most: The most lines; what is left out is one more, `…`.
        """
        found: list[str] = []
        todo: list[tuple[TreeNode | str, int]] = [(self, 0)]
        while todo and len(found) < most:
            item, depth = todo.pop()
            if isinstance(item, str):
                found.append(f"{'  ' * depth}{item!r}")
            else:
                found.append(f"{'  ' * depth}<{item.symbol}>")
                todo += [(child, depth + 1) for child in reversed(item.children)]
        return [*found, "…"] if todo else found


def make_tree(tables: RuleTables, derivation: Derivation) -> TreeNode:
    """Return the tree of a derivation that has a phenotype; it has no layers."""
    return _build(tables, derivation.expansions)


def _build(tables: RuleTables, expansions: Sequence[tuple[int, int]]) -> TreeNode:
    # From the last node to the first, each takes its children from the top of the stack.
    done: list[TreeNode] = []
    for rule, choice in reversed(expansions):
        children: list[TreeNode | str] = []
        for symbol in tables.productions[rule][choice]:
            children.append(done.pop() if isinstance(symbol, Child) else symbol)
        done.append(TreeNode(tables.names[rule], choice, tuple(children)))
    return done[-1]
