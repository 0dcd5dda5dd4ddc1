"""Merge the terms of a sum that have the same source.

`0.3 * x_1 + 0.2 * x_2 - 0.1 * x_1` becomes `0.2 * x_1 + 0.2 * x_2`: one term gets the numeral that
is nearest to the sum of the weights, and the other is removed by replacing its parent with its
sibling. So a repeated source costs no less than one connection with the same effect, whatever the
penalties are. Constants alone, such as biases, have the same source, too. Two terms stay as they
are if neither can be removed, or if the remaining one would have no weight.
templates/engine/merge.c does the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.grammar.genome.constants import nearest_rank
from dsgec.grammar.genome.genotype import Genotype
from dsgec.grammar.genome.rule_tables import NONE, RuleTables
from dsgec.grammar.genome.sums import ADDS, BINDS, MULTIPLIES, OWN, Role, Shape, Sums
from dsgec.grammar.genome.tree import Node, build_tree, child_positions, collect_genes

_CONSTANT = 0
"""The source of a constant alone. Those of features are positive, those of neurons negative."""


@dataclass(frozen=True, slots=True)
class MergeResult:
    """A genotype with merged terms, and which of the parent's constants it `kept`, in order."""

    genotype: Genotype
    kept: tuple[int, ...]


def merge_repeated_terms(tables: RuleTables, sums: Sums, genotype: Genotype) -> MergeResult | None:
    """Merge the repeated terms of an individual, or return None if there are none."""
    nodes = build_tree(tables, genotype)
    merger = _TermMerger(tables, sums, nodes)
    if not merger.removes:
        return None
    left = [at for at in range(len(nodes)) if not merger.gone[at]]
    constants = [at for at in range(len(nodes)) if tables.is_constant(nodes[at].rule)]
    edited = [nodes[at]._replace(choice=merger.choices[at]) for at in left]
    kept = tuple(ordinal for ordinal, at in enumerate(constants) if not merger.gone[at])
    return MergeResult(collect_genes(tables, edited), kept)


@dataclass(slots=True)
class _Place:
    """The place of a node: its parent, its number as a child, its sum and its sign in that.

    A node without a sum may begin one if it is all in parentheses.
    """

    parent: int = NONE
    child: int = NONE
    sum: int = NONE
    sign: int = 1
    may_begin: bool = False


@dataclass(frozen=True, slots=True)
class _Term:
    """The node of the weight, or NONE; the sign; and the node of the whole term, or NONE."""

    weight: int
    sign: int
    top: int


class _TermMerger:
    """Visits the nodes of a tree in order, and merges each term with an earlier one."""

    def __init__(self, tables: RuleTables, sums: Sums, nodes: Sequence[Node]) -> None:
        self.tables, self.sums, self.nodes = tables, sums, nodes
        self.choices = [node.choice for node in nodes]
        self.gone = [False] * len(nodes)
        self.removes = False
        self._places = [_Place() for _ in nodes]
        self._replaced: dict[int, int] = {}  # the child that replaces a node
        self._terms: dict[tuple[int, int], _Term] = {}  # the first term of a sum and source
        self._sums = 0
        if sums.has_first:
            self._places[0].sum = self._begin()
        at = 0
        while at < len(nodes):
            at = self._visit(at)

    def _begin(self) -> int:
        self._sums += 1
        return self._sums

    def _visit(self, at: int) -> int:
        """Visit a node, and return the position of the next node to visit."""
        node, place = self.nodes[at], self._places[at]
        if self.tables.is_constant(node.rule):
            if place.sum != NONE:
                self._add(place.sum, _CONSTANT, _Term(at, place.sign, at))
            return at + 1
        if self.sums.features[node.rule]:
            if place.sum != NONE:
                self._add(place.sum, self._source(at), _Term(NONE, place.sign, at))
            return node.end
        shape = self._shape(at)
        if place.sum == NONE and place.may_begin and shape.in_parentheses:
            place.sum, place.sign = self._begin(), 1
        first, self._sums = self._sums, self._sums + shape.begun
        children = child_positions(self.tables, self.nodes, at)
        for number, (child, role) in enumerate(zip(children, shape.roles, strict=True)):
            self._place(at, number, child, role, children, first)
        for term in shape.terms:
            weight = NONE if term.weight == NONE else children[term.weight]
            source = term.feature if term.source == NONE else self._source(children[term.source])
            inside = place.sum if term.sum == OWN else first + term.sum
            sign = place.sign * term.sign if term.sum == OWN else term.sign
            if inside != NONE:
                self._add(inside, source, _Term(weight, sign, at if term.is_all else NONE))
        return at + 1

    def _place(
        self, at: int, number: int, child: int, role: Role, children: Sequence[int], first: int
    ) -> None:
        """Set the place of a child."""
        own, place = self._places[at], self._places[child]
        place.parent, place.child = at, number
        before, after = (self._operation(children, k) for k in (role.before, role.after))
        place.may_begin = role.may_begin
        if role.sum == NONE:
            return
        if BINDS in (before, after) or MULTIPLIES in (before, after):
            place.may_begin = BINDS not in (before, after)
        elif role.sum != OWN:
            place.sum, place.sign = first + role.sum, role.sign * before
        elif own.sum != NONE:
            place.sum, place.sign = own.sum, own.sign * role.sign * before

    def _operation(self, children: Sequence[int], operator: int) -> int:
        """Return what the operator beside a child does; ADDS if it is not a symbol."""
        if operator == NONE:
            return ADDS
        node = self.nodes[children[operator]]
        return self.sums.operators[node.rule][node.choice]

    def _shape(self, at: int) -> Shape:
        node = self.nodes[at]
        return self.sums.shapes[node.rule][node.choice]

    def _source(self, at: int) -> int:
        """Return the feature that a node names, or a negative number for a hidden neuron."""
        while True:
            node = self.nodes[at]
            features = self.sums.features[node.rule]
            if node.choice >= len(features):
                return -1 - node.choice
            if features[node.choice] != NONE:
                return features[node.choice]
            at += 1  # a symbol that derives features

    def _add(self, inside: int, source: int, term: _Term) -> None:
        """Merge a term with the first of its source in the same sum, if there is one."""
        key = (inside, source)
        earlier = self._terms.setdefault(key, term)
        if earlier is term:
            return
        if earlier.weight != NONE and self._remove(term.top):
            self._add_weight(earlier, term)
        elif term.weight != NONE and self._remove(earlier.top):
            self._add_weight(term, earlier)
            self._terms[key] = term

    def _add_weight(self, to: _Term, gone: _Term) -> None:
        """Add the weight of a removed term to that of the remaining one."""
        value = 1.0 if gone.weight == NONE else self._value(gone.weight)
        total = self._value(to.weight) + float(to.sign * gone.sign) * value
        self.choices[to.weight] = nearest_rank(
            self.tables.constants[self.nodes[to.weight].rule], total
        )

    def _value(self, at: int) -> float:
        return self.tables.constants[self.nodes[at].rule][self.choices[at]]

    def _remove(self, at: int) -> bool:
        """Replace the parent of a term with its sibling, and return whether that is possible."""
        while at != NONE:
            place = self._places[at]
            parent = place.parent
            if parent == NONE:
                return False
            if parent in self._replaced or self._shape(parent).is_only:
                at = parent
                continue
            shape = self._shape(parent)
            remaining = shape.roles[place.child].remaining
            if remaining == NONE:
                return False
            children = child_positions(self.tables, self.nodes, parent)
            kept = children[remaining]
            is_first = remaining > place.child
            if is_first and self._operation(children, shape.roles[remaining].before) != ADDS:
                return False
            if shape.in_parentheses and not self._is_product(kept):
                return False
            self._replaced[parent] = kept
            for other in range(parent, self.nodes[parent].end):
                inside = kept <= other < self.nodes[kept].end
                self.gone[other] = self.gone[other] or not inside
            self.removes = True
            return True
        return False

    def _is_product(self, at: int) -> bool:
        while at in self._replaced:
            at = self._replaced[at]
        node = self.nodes[at]
        return (
            self.tables.is_constant(node.rule)
            or bool(self.sums.features[node.rule])
            or self._shape(at).is_product
        )
