"""Local variation: a change of one place of a derivation tree leaves everything else as it is.

In DSGE's own mutation, an integer that changes the structure shifts the meaning of all that is read
after it from the same lists. Here the integers of a part that goes leave their places in the lists,
and those of a part that comes enter at theirs. A reference to a hidden neuron follows that neuron.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from dsgec.grammar.genome.growth import LATER, SPREAD, grow_choice
from dsgec.grammar.genome.ir import Genotype
from dsgec.grammar.genome.neurons import Neurons, rename
from dsgec.grammar.genome.numbers import gaussian, nearest
from dsgec.grammar.genome.tables import NONE, Tables
from dsgec.grammar.genome.tree import (
    Node,
    child_positions,
    children,
    gather,
    grow,
    plant,
    with_ends,
)
from dsgec.random import Stream

CHANGES_NUMBER = 0.1
"""Probability that a mutation changes a number, and not the structure."""

IS_NEW = 1.0 / 3.0
"""Probability that a number that changes is drawn again; otherwise it moves."""

LEAST_MOVE, RELATIVE_MOVE = 0.3, 0.3
"""Standard deviation of a move: the greater of the first, and the second times the number."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A genotype; `origins` has for each of its numbers which of the parents' it is, or NONE.

    The father's numbers count from behind the mother's.
    """

    genotype: Genotype
    origins: tuple[int, ...]


def mutate(tables: Tables, neurons: Neurons | None, genotype: Genotype, stream: Stream) -> Edited:
    """Change one number, or the structure at one place."""
    nodes = plant(tables, genotype)
    edited = _mutated(tables, nodes, stream)
    return _edited(tables, neurons, nodes, (), edited)


def exchange(
    tables: Tables, neurons: Neurons | None, mother: Genotype, father: Genotype, stream: Stream
) -> Edited:
    """The mother with a part of the father in the place of one of her own, where it fits."""
    nodes, others = plant(tables, mother), plant(tables, father)
    edited = _exchanged(tables, nodes, others, stream)
    return _edited(tables, neurons, nodes, others, edited)


def _edited(
    tables: Tables,
    neurons: Neurons | None,
    mother: Sequence[Node],
    father: Sequence[Node],
    edited: Sequence[Node],
) -> Edited:
    if neurons is not None:
        edited = rename(tables, neurons, mother, with_ends(tables, edited))
    ordinals = [*accumulate(tables.is_number(node.rule) for node in (*mother, *father))]
    origins = tuple(
        NONE if node.origin == NONE else ordinals[node.origin] - 1
        for node in edited
        if tables.is_number(node.rule)
    )
    return Edited(gather(tables, edited), origins)


def _mutated(tables: Tables, nodes: list[Node], stream: Stream) -> list[Node]:
    numbers = [at for at, node in enumerate(nodes) if tables.is_number(node.rule)]
    rules = _changeable(tables, nodes)
    if numbers and (not rules or stream.chance(CHANGES_NUMBER)):
        at = numbers[stream.below(len(numbers))]
        return _with_part(nodes, at, [_moved(tables, nodes[at], stream)])
    if not rules:
        return nodes
    rule = rules[stream.below(len(rules))]
    at = _draw_place(nodes, rule, stream)
    if tables.has_dynamic_rules and rule == tables.features:
        return _with_part(nodes, at, [nodes[at]._replace(choice=NONE)])
    ways = [way for way in (_Other, _Wrap, _Hoist) if way(tables, nodes, at).options]
    if not ways:
        return nodes
    way = ways[stream.below(len(ways))](tables, nodes, at)
    return _with_part(nodes, at, way.apply(stream))


def hoistable(tables: Tables, nodes: Sequence[Node]) -> list[int]:
    """The nodes of a tree that a child of their own symbol can take the place of."""
    return [at for at in range(len(nodes)) if _Hoist(tables, nodes, at).options]


def hoist(
    tables: Tables, neurons: Neurons | None, genotype: Genotype, at: int, stream: Stream
) -> Edited:
    """A child of its own symbol in the place of a node."""
    nodes = plant(tables, genotype)
    edited = _with_part(nodes, at, _Hoist(tables, nodes, at).apply(stream))
    return _edited(tables, neurons, nodes, (), edited)


def _exchanged(
    tables: Tables, nodes: list[Node], others: Sequence[Node], stream: Stream
) -> list[Node]:
    """The father's nodes count from behind the mother's."""
    shared = sorted(set(_changeable(tables, nodes)) & set(_changeable(tables, others)))
    if not shared:
        return nodes
    rule = shared[stream.below(len(shared))]
    at, other = (_draw_place(tree, rule, stream) for tree in (nodes, others))
    if not _fits(tables, others, other, nodes[at].depth - others[other].depth):
        return nodes
    part = others[other : others[other].end]
    return _with_part(nodes, at, [node._replace(origin=node.origin + len(nodes)) for node in part])


def _with_part(nodes: Sequence[Node], at: int, part: Sequence[Node]) -> list[Node]:
    """The tree with a part in the place of what is at a node."""
    return [*nodes[:at], *part, *nodes[nodes[at].end :]]


def _changeable(tables: Tables, nodes: Sequence[Node]) -> list[int]:
    """The rules of a tree that have a choice and are not numbers, in order."""
    return [
        rule
        for rule in sorted({node.rule for node in nodes})
        if len(tables.productions[rule]) > 1 and not tables.is_number(rule)
    ]


def _draw_place(nodes: Sequence[Node], rule: int, stream: Stream) -> int:
    """The position of one of the nodes of a rule."""
    places = [at for at, node in enumerate(nodes) if node.rule == rule]
    return places[stream.below(len(places))]


def _moved(tables: Tables, node: Node, stream: Stream) -> Node:
    """Another number: near, or a new one."""
    values = tables.numbers[node.rule]
    if stream.chance(IS_NEW):
        return node._replace(choice=nearest(values, SPREAD * gaussian(stream)), origin=NONE)
    value, move = values[node.choice], gaussian(stream)
    spread = max(LEAST_MOVE, RELATIVE_MOVE * abs(value))
    rank = nearest(values, value + spread * move)
    if rank == node.choice:  # too small a move for these numerals
        rank = min(max(rank + (1 if move > 0.0 else -1), 0), len(values) - 1)
    return node._replace(choice=rank)


def _fits(tables: Tables, nodes: Sequence[Node], at: int, deeper: int) -> bool:
    """Whether a part can stand so much deeper in the recursion of its symbol."""
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


class _Other:
    """Another alternative; children whose symbols match in order are kept."""

    def __init__(self, tables: Tables, nodes: Sequence[Node], at: int) -> None:
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
        choice = grow_choice(self.tables, node.rule, self.options, LATER, stream)
        kept = child_positions(self.tables, self.nodes, self.at)

        def child(rule: int, depth: int) -> list[Node]:
            for number, position in enumerate(kept):
                if self.nodes[position].rule == rule:
                    del kept[: number + 1]
                    return [*self.nodes[position : self.nodes[position].end]]
            return grow(self.tables, rule, depth, LATER, stream)

        return _with_children(self.tables, node, choice, child)


class _Wrap:
    """An alternative that has the symbol itself, with what was there as that child."""

    def __init__(self, tables: Tables, nodes: Sequence[Node], at: int) -> None:
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
            return grow(self.tables, rule, depth, LATER, stream)

        return _with_children(self.tables, node, choice, child)


class _Hoist:
    """A child of the same symbol, in the place of what was there; it counts as the same node."""

    def __init__(self, tables: Tables, nodes: Sequence[Node], at: int) -> None:
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
    tables: Tables, node: Node, choice: int, child: Callable[[int, int], list[Node]]
) -> list[Node]:
    """A node with another choice; its children are made in their order."""
    made = [node._replace(choice=choice)]
    for symbol in children(tables, node.rule, choice):
        made += child(symbol.rule, node.depth + 1 if symbol.deeper else 0)
    return made
