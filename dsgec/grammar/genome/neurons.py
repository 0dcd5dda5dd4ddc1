"""Find the neurons of derivation trees, so that a reference follows its neuron.

A connection names a hidden neuron by its layer and its place there. An edit that adds or removes
neurons moves those after it; this module finds their names before and after. A neuron is identified
by its anchor: the first node of the tree that derives only text of this neuron.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.grammar.genome.genotype import STRIDE
from dsgec.grammar.genome.rule_tables import NONE, Child, Production, RuleTables
from dsgec.grammar.genome.tree import Node, child_positions
from dsgec.network.syntax import split_layers

_BLANKS = " \t\n\r\f\v"
_OPERATORS = "+-*/^,("  # a `-` after one of these is a sign
_CHILD = "0"  # in the place of a symbol: with it `<digit>e-<digit>` has an exponent


@dataclass(frozen=True, slots=True)
class Gaps:
    """The number of separators of a production `before` each child and `after` the last.

    `hidden` tells which children are in parentheses, so that their own separators do not count.
    """

    before: tuple[int, ...]
    hidden: tuple[bool, ...]
    after: int


@dataclass(frozen=True, slots=True)
class Neurons:
    """The gaps by rule and alternative, and whether the texts of a rule are within one neuron."""

    gaps: tuple[tuple[Gaps, ...], ...]
    within_one: tuple[bool, ...]


_NO_GAPS = Gaps((), (), 0)


def find_neurons(tables: RuleTables) -> Neurons | None:
    """Return how the grammar separates neurons, or None if its symbols do not tell.

    They do not if there are no layers; if a text can begin with a sign, end in an operator, be
    empty or leave a parenthesis open, because a `-` beside it separates neurons only sometimes; or
    if `<features>` has separators, because a new connection is drawn later.
    """
    if tables.layer == NONE or tables.features == NONE:
        return None
    gaps = tuple(
        (_NO_GAPS,) * len(productions)
        if tables.is_constant(rule)
        else tuple(map(_gaps, productions))
        for rule, productions in enumerate(tables.productions)
    )
    visible = _visible_rules(tables, gaps)
    for rule in visible:
        if not tables.is_constant(rule) and not all(map(_is_clear, tables.productions[rule])):
            return None
    within_one = _within_one(tables, gaps, visible)
    return Neurons(gaps, within_one) if within_one[tables.features] else None


def find_anchors(tables: RuleTables, neurons: Neurons, nodes: Sequence[Node]) -> dict[int, int]:
    """Return the position of the anchor of each hidden neuron, by its code."""
    found: dict[int, int] = {}
    inputs = len(tables.productions[tables.features])
    hidden = at = 0
    while at < len(nodes):
        if nodes[at].rule == tables.layer:
            for place, anchor in _layer_anchors(tables, neurons, nodes, at).items():
                if place < STRIDE:
                    found[inputs + hidden * STRIDE + place] = anchor
            hidden += 1
        if nodes[at].rule in (tables.layer, tables.output_layer):
            at = nodes[at].end
        else:
            at += 1
    return found


def update_references(
    tables: RuleTables, neurons: Neurons, mother: Sequence[Node], edited: Sequence[Node]
) -> list[Node]:
    """Return the edited tree with the mother's references to the same neurons as before.

    A reference to a neuron that is gone is left open. A neuron without an anchor keeps its place.
    """
    before = find_anchors(tables, neurons, mother)
    after = {edited[at].origin: code for code, at in find_anchors(tables, neurons, edited).items()}
    return [
        node._replace(choice=after.get(before[node.choice], NONE))
        if node.rule == tables.features and 0 <= node.origin < len(mother) and node.choice in before
        else node
        for node in edited
    ]


def _layer_anchors(
    tables: RuleTables, neurons: Neurons, nodes: Sequence[Node], layer: int
) -> dict[int, int]:
    """Return the positions of the anchors of a layer's neurons, by the neurons' places."""
    found: dict[int, int] = {}
    place = 0
    todo = [(layer, 0, False)]  # a node or NONE, the separators before it, and whether it is hidden
    while todo:
        at, gap, hidden = todo.pop()
        place += gap
        if at == NONE:
            continue
        if hidden or neurons.within_one[nodes[at].rule]:
            found.setdefault(place, at)
            continue
        gaps = neurons.gaps[nodes[at].rule][nodes[at].choice]
        positions = child_positions(tables, nodes, at)
        todo.append((NONE, gaps.after, False))
        todo += [*zip(positions, gaps.before, gaps.hidden, strict=True)][::-1]
    return found


def _text(production: Production) -> str:
    return "".join(symbol if isinstance(symbol, str) else _CHILD for symbol in production)


def _gaps(production: Production) -> Gaps:
    ends = [end for layer in split_layers(_text(production)) for _, end in layer][:-1]
    before: list[int] = []
    hidden: list[bool] = []
    at = depth = passed = 0
    for symbol in production:
        if isinstance(symbol, str):
            depth += symbol.count("(") - symbol.count(")")
            at += len(symbol)
            continue
        count = passed
        while count < len(ends) and ends[count] < at:
            count += 1
        before.append(count - passed)
        hidden.append(depth > 0)
        passed = count
        at += len(_CHILD)
    return Gaps(tuple(before), tuple(hidden), len(ends) - passed)


def _is_clear(production: Production) -> bool:
    """Return whether the separators in and around a text are visible in its production."""
    text = _text(production).strip(_BLANKS)
    if not text or text[0] == "-" or text[-1] in _OPERATORS:
        return False
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def _visible_rules(tables: RuleTables, gaps: Sequence[Sequence[Gaps]]) -> list[int]:
    """Return the rules of a layer that occur outside parentheses."""
    found = [tables.layer]
    seen = {tables.layer}
    for rule in found:
        for production, own in zip(tables.productions[rule], gaps[rule], strict=True):
            for child in _children_outside(production, own):
                if child not in seen:
                    seen.add(child)
                    found.append(child)
    return found


def _children_outside(production: Production, gaps: Gaps) -> list[int]:
    """Return the rules of the children that are not in parentheses."""
    children = [symbol.rule for symbol in production if isinstance(symbol, Child)]
    return [rule for rule, hidden in zip(children, gaps.hidden, strict=True) if not hidden]


def _within_one(
    tables: RuleTables, gaps: Sequence[Sequence[Gaps]], visible: Sequence[int]
) -> tuple[bool, ...]:
    """Return which rules have no separators outside parentheses, in themselves or below."""
    parents: dict[int, list[int]] = {rule: [] for rule in visible}
    for rule in visible:
        for production, own in zip(tables.productions[rule], gaps[rule], strict=True):
            for child in _children_outside(production, own):
                parents[child].append(rule)
    todo = [rule for rule in visible if any(own.after or any(own.before) for own in gaps[rule])]
    many = set(todo)
    for rule in todo:
        for parent in parents[rule]:
            if parent not in many:
                many.add(parent)
                todo.append(parent)
    return tuple(rule not in many for rule in range(len(tables.names)))
