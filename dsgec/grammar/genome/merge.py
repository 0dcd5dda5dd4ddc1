"""A derivation tree to one in which no sum has two terms of the same source, where that can be.

`0.3 * x_1 + 0.2 * x_2 - 0.1 * x_1` is `0.2 * x_1 + 0.2 * x_2`: one term gets the sum of the
numbers, as the numeral that is nearest, and the other goes, its sibling in the place of their
parent. So a repeated source costs no less than one connection with the same effect, whatever the
penalties are. Numbers alone, such as biases, are terms of the same source, too. Two terms of which
neither can go, or of which the one that stays would have no number, stay as they are.
templates/engine/merge.c does the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.grammar.genome.ir import Genotype
from dsgec.grammar.genome.numbers import nearest
from dsgec.grammar.genome.sums import ADDS, BINDS, MULTIPLIES, OWN, Role, Shape, Sums
from dsgec.grammar.genome.tables import NONE, Tables
from dsgec.grammar.genome.tree import Node, child_positions, gather, plant

_CONSTANT = 0
"""The source of a number that stands alone. Those of features are positive, of neurons negative."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A genotype without repeats; `kept` says which of the parent's numbers it has, in order."""

    genotype: Genotype
    kept: tuple[int, ...]


def merge(tables: Tables, sums: Sums, genotype: Genotype) -> Merged | None:
    """Merge the repeated terms of an individual; None if there are none that can be."""
    nodes = plant(tables, genotype)
    walk = _Walk(tables, sums, nodes)
    if not walk.removes:
        return None
    left = [at for at in range(len(nodes)) if not walk.gone[at]]
    numbers = [at for at in range(len(nodes)) if tables.is_number(nodes[at].rule)]
    edited = [nodes[at]._replace(choice=walk.choices[at]) for at in left]
    kept = tuple(ordinal for ordinal, at in enumerate(numbers) if not walk.gone[at])
    return Merged(gather(tables, edited), kept)


@dataclass(slots=True)
class _Place:
    """Where a node stands: its parent, its number among the children, its sum and its sign there.

    One without a sum may begin one, if it is all in parentheses.
    """

    parent: int = NONE
    child: int = NONE
    sum: int = NONE
    sign: int = 1
    may_begin: bool = False


@dataclass(frozen=True, slots=True)
class _Term:
    """The node of its number, or NONE; its sign; and the node that is all of it, or NONE."""

    number: int
    sign: int
    top: int


class _Walk:
    """Looks at the nodes of a tree in order, and merges each term with an earlier one."""

    def __init__(self, tables: Tables, sums: Sums, nodes: Sequence[Node]) -> None:
        self.tables, self.sums, self.nodes = tables, sums, nodes
        self.choices = [node.choice for node in nodes]
        self.gone = [False] * len(nodes)
        self.removes = False
        self._places = [_Place() for _ in nodes]
        self._replaced: dict[int, int] = {}  # by which of its children a node is
        self._terms: dict[tuple[int, int], _Term] = {}  # the first by sum and source
        self._sums = 0
        if sums.has_first:
            self._places[0].sum = self._begin()
        at = 0
        while at < len(nodes):
            at = self._look(at)

    def _begin(self) -> int:
        self._sums += 1
        return self._sums

    def _look(self, at: int) -> int:
        """Take note of a node, and return the position of the next to look at."""
        node, place = self.nodes[at], self._places[at]
        if self.tables.is_number(node.rule):
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
            number = NONE if term.number == NONE else children[term.number]
            source = term.feature if term.source == NONE else self._source(children[term.source])
            inside = place.sum if term.sum == OWN else first + term.sum
            sign = place.sign * term.sign if term.sum == OWN else term.sign
            if inside != NONE:
                self._add(inside, source, _Term(number, sign, at if term.is_all else NONE))
        return at + 1

    def _place(
        self, at: int, number: int, child: int, role: Role, children: Sequence[int], first: int
    ) -> None:
        """Say where a child stands."""
        own, place = self._places[at], self._places[child]
        place.parent, place.child = at, number
        before, after = (self._deed(children, k) for k in (role.before, role.after))
        place.may_begin = role.may_begin
        if role.sum == NONE:
            return
        if BINDS in (before, after) or MULTIPLIES in (before, after):
            place.may_begin = BINDS not in (before, after)
        elif role.sum != OWN:
            place.sum, place.sign = first + role.sum, role.sign * before
        elif own.sum != NONE:
            place.sum, place.sign = own.sum, own.sign * role.sign * before

    def _deed(self, children: Sequence[int], operator: int) -> int:
        """Return what the operator beside a child does; ADDS if it is not a symbol."""
        if operator == NONE:
            return ADDS
        node = self.nodes[children[operator]]
        return self.sums.operators[node.rule][node.choice]

    def _shape(self, at: int) -> Shape:
        node = self.nodes[at]
        return self.sums.shapes[node.rule][node.choice]

    def _source(self, at: int) -> int:
        """The feature that a node names, or the hidden neuron."""
        while True:
            node = self.nodes[at]
            features = self.sums.features[node.rule]
            if node.choice >= len(features):
                return -1 - node.choice
            if features[node.choice] != NONE:
                return features[node.choice]
            at += 1  # a symbol that makes features

    def _add(self, inside: int, source: int, term: _Term) -> None:
        """Merge a term with the first of its source in the same sum, if there is one."""
        key = (inside, source)
        earlier = self._terms.setdefault(key, term)
        if earlier is term:
            return
        if earlier.number != NONE and self._remove(term.top):
            self._move(earlier, term)
        elif term.number != NONE and self._remove(earlier.top):
            self._move(term, earlier)
            self._terms[key] = term

    def _move(self, to: _Term, gone: _Term) -> None:
        """Add what has gone to the number of a term that stays."""
        value = 1.0 if gone.number == NONE else self._value(gone.number)
        total = self._value(to.number) + float(to.sign * gone.sign) * value
        self.choices[to.number] = nearest(self.tables.numbers[self.nodes[to.number].rule], total)

    def _value(self, at: int) -> float:
        return self.tables.numbers[self.nodes[at].rule][self.choices[at]]

    def _remove(self, at: int) -> bool:
        """Let what is beside a term take the place of both, if it can."""
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
            if is_first and self._deed(children, shape.roles[remaining].before) != ADDS:
                return False
            if shape.in_parentheses and not self._is_close(kept):
                return False
            self._replaced[parent] = kept
            for other in range(parent, self.nodes[parent].end):
                inside = kept <= other < self.nodes[kept].end
                self.gone[other] = self.gone[other] or not inside
            self.removes = True
            return True
        return False

    def _is_close(self, at: int) -> bool:
        while at in self._replaced:
            at = self._replaced[at]
        node = self.nodes[at]
        return (
            self.tables.is_number(node.rule)
            or bool(self.sums.features[node.rule])
            or self._shape(at).is_close
        )
