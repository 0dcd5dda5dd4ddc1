"""A genotype of DSGE as the derivation tree that it stands for, and back: two views of one thing.

A tree is its nodes in the order in which the mapping reads them, each before its children. So the
gene of a symbol is what the tree's nodes of that symbol have chosen, in their order.
"""

from collections.abc import Sequence
from typing import NamedTuple

from dsgec.grammar.genome.growth import grow_choice
from dsgec.grammar.genome.ir import Gene, Genotype
from dsgec.grammar.genome.tables import NONE, Child, Tables
from dsgec.random import Stream


class Node(NamedTuple):
    """A symbol and the alternative that was taken, at a depth of its recursion.

    `end` is the position behind the last node below it. `origin` is the position that a node has
    in the parent that it is kept from, or NONE.
    """

    rule: int
    choice: int
    depth: int
    end: int
    origin: int


def plant(tables: Tables, genotype: Genotype) -> list[Node]:
    """The tree of a genotype that has all that the mapping reads."""
    read: dict[Gene, int] = {}
    found: list[Node] = []
    layers = _Layers(tables)
    todo = [(tables.start, 0)]
    while todo:
        rule, depth = todo.pop()
        gene = layers.gene(rule)
        index = read.get(gene, 0)
        read[gene] = index + 1
        choice = genotype[gene][index]
        found.append(Node(rule, choice, depth, NONE, len(found)))
        below = children(tables, rule, choice)
        layers.look(len(below))
        todo += [(child.rule, depth + 1 if child.deeper else 0) for child in reversed(below)]
    return with_ends(tables, found)


def gather(tables: Tables, nodes: Sequence[Node]) -> dict[Gene, tuple[int, ...]]:
    """The genotype of a tree, in the order of its genes."""
    genes: dict[Gene, list[int]] = {}
    layers = _Layers(tables)
    for node in nodes:
        genes.setdefault(layers.gene(node.rule), []).append(node.choice)
        layers.look(len(children(tables, node.rule, node.choice)))
    return {gene: tuple(genes[gene]) for gene in sorted(genes)}


def grow(tables: Tables, rule: int, depth: int, growth: float, stream: Stream) -> list[Node]:
    """A new tree below a symbol. What a neuron reads is left open: the mapping draws it."""
    found: list[Node] = []
    todo = [(rule, depth)]
    while todo:
        rule, depth = todo.pop()
        if tables.has_dynamic_rules and rule == tables.features:
            choice = NONE
        else:
            choice = grow_choice(tables, rule, tables.options(rule, depth), growth, stream)
        found.append(Node(rule, choice, depth, NONE, NONE))
        below = reversed(children(tables, rule, choice))
        todo += [(child.rule, depth + 1 if child.deeper else 0) for child in below]
    return with_ends(tables, found)


def children(tables: Tables, rule: int, choice: int) -> list[Child]:
    """The symbols of an alternative; a connection to a neuron, or an open one, has none."""
    if not 0 <= choice < len(tables.productions[rule]):
        return []
    return [symbol for symbol in tables.productions[rule][choice] if isinstance(symbol, Child)]


def child_positions(tables: Tables, nodes: Sequence[Node], position: int) -> list[int]:
    """Where the children of a node stand."""
    found = []
    at = position + 1
    for _ in children(tables, nodes[position].rule, nodes[position].choice):
        found.append(at)
        at = nodes[at].end
    return found


def with_ends(tables: Tables, nodes: Sequence[Node]) -> list[Node]:
    """The same nodes; each knows where it ends."""
    made = [*nodes]
    for position in range(len(made) - 1, -1, -1):
        end = position + 1
        for _ in children(tables, made[position].rule, made[position].choice):
            end = made[end].end
        made[position] = made[position]._replace(end=end)
    return made


class _Layers:
    """Looks at the nodes of a tree in order: which layer's gene is `<features>` read from?"""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.hidden = 0  # layers that are whole
        self.role = NONE  # the rule of the layer that is open
        self.height = 0  # of the layer's node
        self.open: list[int] = []  # for each node above the next: how many children are to come

    def gene(self, rule: int) -> Gene:
        """The gene of a node that comes next."""
        if self.role == NONE and rule in (self.tables.layer, self.tables.output_layer):
            self.role, self.height = rule, len(self.open)
        in_layer = rule == self.tables.features and self.role != NONE
        return (rule, self.hidden + 1 if in_layer else 0)

    def look(self, below: int) -> None:
        """Take note of the node, and of all nodes that end with it."""
        if below:
            self.open.append(below)
            return
        while True:
            if self.role != NONE and len(self.open) == self.height:
                self.hidden += self.role == self.tables.layer
                self.role = NONE
            if not self.open:
                return
            self.open[-1] -= 1
            if self.open[-1]:
                return
            self.open.pop()
