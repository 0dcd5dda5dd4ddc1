"""Convert DSGE genotypes to derivation trees and back.

A tree is a list of nodes in the order in which the mapping reads them, each before its children. So
the gene of a symbol has the choices of the tree's nodes of that symbol, in their order.
"""

from collections.abc import Sequence
from typing import NamedTuple

from dsgec.grammar.genome.constants import grow_choice
from dsgec.grammar.genome.genotype import Gene, Genotype
from dsgec.grammar.genome.rule_tables import NONE, Child, RuleTables
from dsgec.random import Stream


class Node(NamedTuple):
    """A symbol, the alternative taken, and the depth of its recursion.

    `end` is the position after the last node below it. `origin` is the position of the node in the
    parent individual that it comes from, or NONE.
    """

    rule: int
    choice: int
    depth: int
    end: int
    origin: int


def build_tree(tables: RuleTables, genotype: Genotype) -> list[Node]:
    """Return the tree of a genotype that has all integers that the mapping reads."""
    read: dict[Gene, int] = {}
    found: list[Node] = []
    layers = _LayerTracker(tables)
    todo = [(tables.start, 0)]
    while todo:
        rule, depth = todo.pop()
        gene = layers.gene(rule)
        index = read.get(gene, 0)
        read[gene] = index + 1
        choice = genotype[gene][index]
        found.append(Node(rule, choice, depth, NONE, len(found)))
        below = children(tables, rule, choice)
        layers.enter(len(below))
        todo += [(child.rule, depth + 1 if child.deeper else 0) for child in reversed(below)]
    return set_ends(tables, found)


def collect_genes(tables: RuleTables, nodes: Sequence[Node]) -> dict[Gene, tuple[int, ...]]:
    """Return the genotype of a tree."""
    genes: dict[Gene, list[int]] = {}
    layers = _LayerTracker(tables)
    for node in nodes:
        genes.setdefault(layers.gene(node.rule), []).append(node.choice)
        layers.enter(len(children(tables, node.rule, node.choice)))
    return {gene: tuple(genes[gene]) for gene in sorted(genes)}


def grow_tree(
    tables: RuleTables, rule: int, depth: int, growth: float, stream: Stream
) -> list[Node]:
    """Draw a new tree below a symbol. Connections are left open: the mapping draws them."""
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
    return set_ends(tables, found)


def children(tables: RuleTables, rule: int, choice: int) -> list[Child]:
    """Return the symbols of an alternative; a connection to a neuron and an open one have none."""
    if not 0 <= choice < len(tables.productions[rule]):
        return []
    return [symbol for symbol in tables.productions[rule][choice] if isinstance(symbol, Child)]


def child_positions(tables: RuleTables, nodes: Sequence[Node], position: int) -> list[int]:
    """Return the positions of the children of a node."""
    found = []
    at = position + 1
    for _ in children(tables, nodes[position].rule, nodes[position].choice):
        found.append(at)
        at = nodes[at].end
    return found


def set_ends(tables: RuleTables, nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes with their `end` set."""
    made = [*nodes]
    for position in range(len(made) - 1, -1, -1):
        end = position + 1
        for _ in children(tables, made[position].rule, made[position].choice):
            end = made[end].end
        made[position] = made[position]._replace(end=end)
    return made


class _LayerTracker:
    """Visits the nodes of a tree in order, to find the layer of each `<features>`."""

    def __init__(self, tables: RuleTables) -> None:
        self.tables = tables
        self.hidden = 0  # completed hidden layers
        self.role = NONE  # the rule of the open layer
        self.height = 0  # of the open layer's node
        self.open: list[int] = []  # for each node above the next one, the children to come

    def gene(self, rule: int) -> Gene:
        """Return the gene of the next node."""
        if self.role == NONE and rule in (self.tables.layer, self.tables.output_layer):
            self.role, self.height = rule, len(self.open)
        in_layer = rule == self.tables.features and self.role != NONE
        return (rule, self.hidden + 1 if in_layer else 0)

    def enter(self, below: int) -> None:
        """Enter the next node, which has `below` children, and leave all nodes that end with it."""
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
