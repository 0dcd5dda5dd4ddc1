"""Local variation: change one place of a derivation tree and leave everything else as it is.

In DSGE's own mutation, an integer that changes the structure shifts the meaning of all integers
that are read after it from the same lists. Here the integers of a removed subtree are deleted from
the lists, and those of a new one are inserted. A reference to a hidden neuron follows that neuron.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from dsgec.grammar.genome.constants import (
    LATER_GROWTH,
    NEW_CONSTANT_DEVIATION,
    draw_gaussian,
    grow_choice,
    nearest_rank,
)
from dsgec.grammar.genome.genotype import Genotype
from dsgec.grammar.genome.neurons import Neurons, update_references
from dsgec.grammar.genome.rule_tables import NONE, RuleTables
from dsgec.grammar.genome.tree import (
    Node,
    build_tree,
    child_positions,
    children,
    collect_genes,
    grow_tree,
    set_ends,
)
from dsgec.random import Stream

CONSTANT_MUTATION = 0.1
"""The probability that a mutation changes a constant and not the structure."""

CONSTANT_REDRAW = 1.0 / 3.0
"""The probability that a constant that changes is drawn again; otherwise it moves."""

LEAST_MOVE, RELATIVE_MOVE = 0.3, 0.3
"""The standard deviation of a move: the first, or the second times the constant if greater."""


@dataclass(frozen=True, slots=True)
class EditResult:
    """A new genotype, and for each of its constants the number of the parents' constant, or NONE.

    The father's constants are counted after the mother's.
    """

    genotype: Genotype
    origins: tuple[int, ...]


def mutate(
    tables: RuleTables, neurons: Neurons | None, genotype: Genotype, stream: Stream
) -> EditResult:
    """Change one constant, or the structure at one place."""
    nodes = build_tree(tables, genotype)
    edited = _mutate_nodes(tables, nodes, stream)
    return _finish_edit(tables, neurons, nodes, (), edited)


def exchange_subtrees(
    tables: RuleTables, neurons: Neurons | None, mother: Genotype, father: Genotype, stream: Stream
) -> EditResult:
    """Return the mother with one subtree replaced by one of the father, if it fits."""
    nodes, others = build_tree(tables, mother), build_tree(tables, father)
    edited = _exchange_nodes(tables, nodes, others, stream)
    return _finish_edit(tables, neurons, nodes, others, edited)


def _finish_edit(
    tables: RuleTables,
    neurons: Neurons | None,
    mother: Sequence[Node],
    father: Sequence[Node],
    edited: Sequence[Node],
) -> EditResult:
    if neurons is not None:
        edited = update_references(tables, neurons, mother, set_ends(tables, edited))
    ordinals = [*accumulate(tables.is_constant(node.rule) for node in (*mother, *father))]
    origins = tuple(
        NONE if node.origin == NONE else ordinals[node.origin] - 1
        for node in edited
        if tables.is_constant(node.rule)
    )
    return EditResult(collect_genes(tables, edited), origins)


def _mutate_nodes(tables: RuleTables, nodes: list[Node], stream: Stream) -> list[Node]:
    constants = [at for at, node in enumerate(nodes) if tables.is_constant(node.rule)]
    rules = _changeable_rules(tables, nodes)
    if constants and (not rules or stream.chance(CONSTANT_MUTATION)):
        at = constants[stream.below(len(constants))]
        return _replace_subtree(nodes, at, [_change_constant(tables, nodes[at], stream)])
    if not rules:
        return nodes
    rule = rules[stream.below(len(rules))]
    at = _draw_place(nodes, rule, stream)
    if tables.has_dynamic_rules and rule == tables.features:
        return _replace_subtree(nodes, at, [nodes[at]._replace(choice=NONE)])
    ways = [way for way in (_ChangeAlternative, _Wrap, _Hoist) if way(tables, nodes, at).options]
    if not ways:
        return nodes
    way = ways[stream.below(len(ways))](tables, nodes, at)
    return _replace_subtree(nodes, at, way.apply(stream))


def hoistable_nodes(tables: RuleTables, nodes: Sequence[Node]) -> list[int]:
    """Return the positions of the nodes that a child of the same symbol can replace."""
    return [at for at in range(len(nodes)) if _Hoist(tables, nodes, at).options]


def hoist(
    tables: RuleTables, neurons: Neurons | None, genotype: Genotype, at: int, stream: Stream
) -> EditResult:
    """Replace a node by a child of the same symbol."""
    nodes = build_tree(tables, genotype)
    edited = _replace_subtree(nodes, at, _Hoist(tables, nodes, at).apply(stream))
    return _finish_edit(tables, neurons, nodes, (), edited)


def _exchange_nodes(
    tables: RuleTables, nodes: list[Node], others: Sequence[Node], stream: Stream
) -> list[Node]:
    shared = sorted(set(_changeable_rules(tables, nodes)) & set(_changeable_rules(tables, others)))
    if not shared:
        return nodes
    rule = shared[stream.below(len(shared))]
    at, other = (_draw_place(tree, rule, stream) for tree in (nodes, others))
    if not _fits(tables, others, other, nodes[at].depth - others[other].depth):
        return nodes
    part = others[other : others[other].end]
    return _replace_subtree(
        nodes, at, [node._replace(origin=node.origin + len(nodes)) for node in part]
    )


def _replace_subtree(nodes: Sequence[Node], at: int, part: Sequence[Node]) -> list[Node]:
    """Return the tree with the subtree at a node replaced."""
    return [*nodes[:at], *part, *nodes[nodes[at].end :]]


def _changeable_rules(tables: RuleTables, nodes: Sequence[Node]) -> list[int]:
    """Return the rules of a tree that have alternatives and are not constants, in order."""
    return [
        rule
        for rule in sorted({node.rule for node in nodes})
        if len(tables.productions[rule]) > 1 and not tables.is_constant(rule)
    ]


def _draw_place(nodes: Sequence[Node], rule: int, stream: Stream) -> int:
    """Draw one of the nodes of a rule, and return its position."""
    places = [at for at, node in enumerate(nodes) if node.rule == rule]
    return places[stream.below(len(places))]


def _change_constant(tables: RuleTables, node: Node, stream: Stream) -> Node:
    """Return the node with its constant moved or drawn again."""
    values = tables.constants[node.rule]
    if stream.chance(CONSTANT_REDRAW):
        return node._replace(
            choice=nearest_rank(values, NEW_CONSTANT_DEVIATION * draw_gaussian(stream)), origin=NONE
        )
    value, move = values[node.choice], draw_gaussian(stream)
    spread = max(LEAST_MOVE, RELATIVE_MOVE * abs(value))
    rank = nearest_rank(values, value + spread * move)
    if rank == node.choice:  # the move is too small for these numerals
        rank = min(max(rank + (1 if move > 0.0 else -1), 0), len(values) - 1)
    return node._replace(choice=rank)


def _fits(tables: RuleTables, nodes: Sequence[Node], at: int, deeper: int) -> bool:
    """Return whether the recursion limits allow a subtree to stand `deeper` levels lower."""
    if deeper <= 0:
        return True
    chain = [at]
    for position in chain:
        node = nodes[position]
        if node.choice not in tables.options(node.rule, node.depth + deeper):
            return False
        below = children(tables, node.rule, node.choice)
        positions = child_positions(tables, nodes, position)
        chain += [at for at, child in zip(positions, below, strict=True) if child.deeper]
    return True


class _ChangeAlternative:
    """Take another alternative; keep the children whose symbols match in order."""

    def __init__(self, tables: RuleTables, nodes: Sequence[Node], at: int) -> None:
        self.tables, self.nodes, self.at = tables, nodes, at
        node = nodes[at]
        productions = tables.productions[node.rule]
        self.options = [
            option
            for option in tables.options(node.rule, node.depth)
            if productions[option] != productions[node.choice]
        ]

    def apply(self, stream: Stream) -> list[Node]:
        node = self.nodes[self.at]
        choice = grow_choice(self.tables, node.rule, self.options, LATER_GROWTH, stream)
        kept = child_positions(self.tables, self.nodes, self.at)

        def child(rule: int, depth: int) -> list[Node]:
            for number, position in enumerate(kept):
                if self.nodes[position].rule == rule:
                    del kept[: number + 1]
                    return [*self.nodes[position : self.nodes[position].end]]
            return grow_tree(self.tables, rule, depth, LATER_GROWTH, stream)

        return _with_children(self.tables, node, choice, child)


class _Wrap:
    """Take an alternative that has the symbol itself, with the old subtree as that child."""

    def __init__(self, tables: RuleTables, nodes: Sequence[Node], at: int) -> None:
        self.tables, self.nodes, self.at = tables, nodes, at
        node = nodes[at]
        self.options = [
            option
            for option in tables.options(node.rule, node.depth)
            if any(child.rule == node.rule for child in children(tables, node.rule, option))
        ]
        if self.options and not _fits(tables, nodes, at, 1):
            self.options = []

    def apply(self, stream: Stream) -> list[Node]:
        node = self.nodes[self.at]
        choice = self.options[stream.below(len(self.options))]
        own = [child.rule == node.rule for child in children(self.tables, node.rule, choice)]
        places = [number for number, is_own in enumerate(own) if is_own]
        place = places[stream.below(len(places))]
        count = -1

        def child(rule: int, depth: int) -> list[Node]:
            nonlocal count
            count += 1
            if count == place:
                return [*self.nodes[self.at : node.end]]
            return grow_tree(self.tables, rule, depth, LATER_GROWTH, stream)

        return _with_children(self.tables, node, choice, child)


class _Hoist:
    """Replace a subtree by a child of the same symbol, which counts as the same node."""

    def __init__(self, tables: RuleTables, nodes: Sequence[Node], at: int) -> None:
        self.nodes, self.at = nodes, at
        self.options = [
            position
            for position in child_positions(tables, nodes, at)
            if nodes[position].rule == nodes[at].rule
        ]

    def apply(self, stream: Stream) -> list[Node]:
        position = self.options[stream.below(len(self.options))]
        top, *below = self.nodes[position : self.nodes[position].end]
        return [top._replace(origin=self.at), *below]


def _with_children(
    tables: RuleTables, node: Node, choice: int, child: Callable[[int, int], list[Node]]
) -> list[Node]:
    """Return a node with another choice, and its children made in their order."""
    made = [node._replace(choice=choice)]
    for symbol in children(tables, node.rule, choice):
        made += child(symbol.rule, node.depth + 1 if symbol.deeper else 0)
    return made
