"""Derivation trees to the places of their neurons, so that a reference stays with its neuron.

A connection names a hidden neuron by its layer and its place there. An edit that adds or removes
neurons moves those behind it; here their names are found before and after. A neuron is known by
its anchor: the first node of the tree that makes nothing but text of this neuron.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.grammar.genome.connections import STRIDE
from dsgec.grammar.genome.tables import NONE, Child, Production, Tables
from dsgec.grammar.genome.tree import Node, child_positions
from dsgec.network.syntax import split_layers

_BLANKS = " \t\n\r\f\v"
_OPERATORS = "+-*/^,("  # a `-` behind one of these is a sign
_CHILD = "0"  # in the place of a symbol: with it `<digit>e-<digit>` has an exponent


@dataclass(frozen=True, slots=True)
class Gaps:
    """The separators of a production: `before` each child, since the one before it, and `after`.

    `hidden` has for each child whether it stands in parentheses, so that its own do not count.
    """

    before: tuple[int, ...]
    hidden: tuple[bool, ...]
    after: int


@dataclass(frozen=True, slots=True)
class Neurons:
    """The gaps by rule and alternative, and whether all texts of a rule lie within one neuron."""

    gaps: tuple[tuple[Gaps, ...], ...]
    within_one: tuple[bool, ...]


_NO_GAPS = Gaps((), (), 0)


def find_neurons(tables: Tables) -> Neurons | None:
    """How the grammar separates neurons; None if it has no layers or its symbols do not tell.

    They do not where a text can begin with a sign, end in an operator, be empty or leave a
    parenthesis open: then a `-` beside it separates neurons in one place and not in another. Nor do
    they where `<features>` has separators, because what a new connection reads is drawn later.
    """
    if tables.layer == NONE or tables.features == NONE:
        return None
    gaps = tuple(
        (_NO_GAPS,) * len(productions) if tables.is_number(rule) else tuple(map(_gaps, productions))
        for rule, productions in enumerate(tables.productions)
    )
    visible = _visible(tables, gaps)
    for rule in visible:
        if not tables.is_number(rule) and not all(map(_is_clear, tables.productions[rule])):
            return None
    within_one = _within_one(tables, gaps, visible)
    return Neurons(gaps, within_one) if within_one[tables.features] else None


def anchors(tables: Tables, neurons: Neurons, nodes: Sequence[Node]) -> dict[int, int]:
    """The code of each hidden neuron of a tree that has an anchor, and where that is."""
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


def rename(
    tables: Tables, neurons: Neurons, mother: Sequence[Node], edited: Sequence[Node]
) -> list[Node]:
    """The edited tree, in which the mother's references name the neurons that they named in her.

    One whose neuron is gone is left open. A neuron without an anchor has no name but its place.
    """
    before = anchors(tables, neurons, mother)
    after = {edited[at].origin: code for code, at in anchors(tables, neurons, edited).items()}
    return [
        node._replace(choice=after.get(before[node.choice], NONE))
        if node.rule == tables.features and 0 <= node.origin < len(mother) and node.choice in before
        else node
        for node in edited
    ]


def _layer_anchors(
    tables: Tables, neurons: Neurons, nodes: Sequence[Node], layer: int
) -> dict[int, int]:
    """Of the neurons of a layer, by their place in it, where their anchors are."""
    found: dict[int, int] = {}
    place = 0
    todo = [(layer, 0, False)]  # a node, or NONE; the separators before it; if it is hidden
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
    """Whether the separators around its text, and in it, can be seen in the productions alone."""
    text = _text(production).strip(_BLANKS)
    if not text or text[0] == "-" or text[-1] in _OPERATORS:
        return False
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def _visible(tables: Tables, gaps: Sequence[Sequence[Gaps]]) -> list[int]:
    """The rules that a layer is made of outside parentheses."""
    found = [tables.layer]
    seen = {tables.layer}
    for rule in found:
        for production, own in zip(tables.productions[rule], gaps[rule], strict=True):
            for child in _outside(production, own):
                if child not in seen:
                    seen.add(child)
                    found.append(child)
    return found


def _outside(production: Production, gaps: Gaps) -> list[int]:
    """The rules of the children that do not stand in parentheses."""
    children = [symbol.rule for symbol in production if isinstance(symbol, Child)]
    return [rule for rule, hidden in zip(children, gaps.hidden, strict=True) if not hidden]


def _within_one(
    tables: Tables, gaps: Sequence[Sequence[Gaps]], visible: Sequence[int]
) -> tuple[bool, ...]:
    parents: dict[int, list[int]] = {rule: [] for rule in visible}
    for rule in visible:
        for production, own in zip(tables.productions[rule], gaps[rule], strict=True):
            for child in _outside(production, own):
                parents[child].append(rule)
    todo = [rule for rule in visible if any(own.after or any(own.before) for own in gaps[rule])]
    many = set(todo)
    for rule in todo:
        for parent in parents[rule]:
            if parent not in many:
                many.add(parent)
                todo.append(parent)
    return tuple(rule not in many for rule in range(len(tables.names)))
