"""Print the tables of a grammar as the constants of its engine: `variant.h` and `grammar.c`."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from dsgec.engine.sum_tables import SumLists
from dsgec.grammar.genome import constants, edit, psge, rates
from dsgec.grammar.genome.constants import is_recursive
from dsgec.grammar.genome.genotype import STRIDE
from dsgec.grammar.genome.neurons import find_neurons
from dsgec.grammar.genome.rule_tables import NONE, Child, Production, RuleTables
from dsgec.grammar.genome.sge import gene_sizes
from dsgec.grammar.ir import LINEAR
from dsgec.rendering import render

_SLACK = 64  # bytes beyond the text of a production: a neuron's name, and whole heads
_DEEPER, _PLAIN, _FLAT, _RULE_SHIFT = 1, 2, 4, 3  # see `grammar.h`
_LONGEST_FLAT = 12  # symbols
_LONGEST_INLINE = 100  # symbols; single alternatives of single alternatives could be very many
_FEW_RULES = 32  # grammars of so many rules or fewer share an engine
_HEAD = 16  # bytes that are kept beside a piece's length
_CONSTANTS = {
    "HEAD": _HEAD,
    "STRIDE": STRIDE,
    "DEEPER": _DEEPER,
    "PLAIN": _PLAIN,
    "FLAT": _FLAT,
    "RULE_SHIFT": _RULE_SHIFT,
}
_RATES = {
    "SPREAD": constants.NEW_CONSTANT_DEVIATION,
    "AT_FIRST": constants.FIRST_GROWTH,
    "LATER": constants.LATER_GROWTH,
    "CHANGES_NUMBER": edit.CONSTANT_MUTATION,
    "IS_NEW": edit.CONSTANT_REDRAW,
    "LEAST_MOVE": edit.LEAST_MOVE,
    "RELATIVE_MOVE": edit.RELATIVE_MOVE,
    "CODON_DEVIATION": psge.CODON_DEVIATION,
    "FIRST_STEP": rates.FIRST_STEP,
    "LEAST_STEP": rates.LEAST_STEP,
    "LARGEST_STEP": rates.LARGEST_STEP,
    "FASTER": rates.FASTER,
    "SLOWER": rates.SLOWER,
}
_DIGITS = re.compile(r"[0-9]+")
_NAME = re.compile(r"[A-DF-Za-df-z_][A-DF-Za-df-z_0-9]*[0-9]")  # and no exponent in it


@dataclass(frozen=True, slots=True)
class _Piece:
    """A terminal of a production; `head` holds it if it is short."""

    length: int
    head: str
    text: str


class _Production(NamedTuple):
    """A production; see `grammar.h`. A leaf is one short terminal."""

    head: str
    kind: str
    leaf: int
    head_length: int
    cost: int
    first_symbol: int
    symbols: int
    most: int
    choices: int


@dataclass(frozen=True, slots=True)
class _FlatProduction:
    """The symbols of a production, and bounds of its text and choices including flat rules."""

    symbols: tuple[int, ...]
    most: int
    choices: int


class _Rule(NamedTuple):
    first_production: int
    productions: int
    limit: int
    first_room: int
    rooms: int


class _Branch(NamedTuple):
    """See `grammar.h`."""

    first_child: int
    children: int
    twin: int
    deeper: int


class _Numerals(NamedTuple):
    first: int
    size: int


class _Room(NamedTuple):
    first_option: int
    options: int


class _UnrolledRule(NamedTuple):
    rule: int
    depth: int
    size: int
    room: int


class _Depths(NamedTuple):
    size: int
    before: int


def emit_variant(
    tables: RuleTables,
    representation: str,
    layered: bool,
    output: str,
    learning: bool,
    trees: bool,
    weighted: bool,
    minimises: bool,
    external: bool,
) -> str:
    """Print the macros that distinguish engines, which many grammars share."""
    has_layers = tables.layer != NONE or tables.output_layer != NONE
    return render(
        "engine/variant.h.j2",
        layered=int(layered),
        dynamic=int(tables.features != NONE and has_layers),
        renames=int(trees and not external and find_neurons(tables) is not None),
        external=int(external),
        learning=int(learning),
        trees=int(trees),
        linear=int(output == LINEAR),
        minimises=int(minimises),
        weighted=int(weighted),
        by_depth=int(representation == "sge"),
        by_codon=int(representation == "ge"),
        probabilistic=int(representation in ("psge", "copsge")),
        most_rules=max(_FEW_RULES, 1 << (len(tables.names) - 1).bit_length()),
        constants=_CONSTANTS,
        rates=_RATES,
    )


def emit_grammar(
    tables: RuleTables, representation: str, output: str, trees: bool, external: bool = False
) -> str:
    """Print the rules of a grammar as flat lists; external phenotypes are not networks."""
    lists = _Lists(tables)
    branches, children = _branches(tables)
    gaps, within_one = _neurons(tables) if trees and not external else ([], [])
    sums = SumLists(tables, merges=trees and not external)
    numeral_lists, numeral_values = _numerals(tables)
    unrolled = _unroll(lists) if representation == "sge" else []
    depths = _depths(len(tables.names), unrolled)
    grammar = {
        "rules": len(tables.names),
        "start": tables.start,
        "layer": tables.layer,
        "features": tables.features,
        "output_layer": tables.output_layer,
        "inputs": len(tables.productions[tables.features]) if tables.features != NONE else 0,
        "sigmoid": int(output == "sigmoid"),
        "top": len(lists.productions) - 2,
        "unrolled": len(unrolled),
        "depths": sum(d.size for d in depths),
        "has_sums": sums.has_sums,
        "first_is_sum": sums.first_is_sum,
    }
    return render(
        "engine/grammar.c.j2",
        grammar=grammar,
        unrolled=unrolled,
        depths=depths,
        pieces=[_piece(text) for text in lists.pieces],
        symbols=lists.symbols,
        productions=lists.productions,
        opens=lists.opens,
        rules=lists.rules,
        rooms=lists.rooms,
        options=lists.options,
        branches=branches,
        children=children,
        gaps=gaps,
        within_one=within_one,
        sums=sums,
        numeral_lists=numeral_lists,
        numeral_values=numeral_values,
    )


def _branches(tables: RuleTables) -> tuple[list[_Branch], list[int]]:
    branches: list[_Branch] = []
    children: list[int] = []
    for productions in tables.productions:
        twins: dict[Production, int] = {}
        for number, production in enumerate(productions):
            own = [2 * s.rule + s.deeper for s in production if isinstance(s, Child)]
            twin, deeper = twins.setdefault(production, number), int(is_recursive(production))
            branches.append(_Branch(len(children), len(own), twin, deeper))
            children += own
    return branches, children


def _neurons(tables: RuleTables) -> tuple[list[int], list[int]]:
    """Return `gaps` and `within_one` of `grammar.h`; empty if references do not follow neurons."""
    neurons = find_neurons(tables)
    if neurons is None:
        return [], []
    gaps: list[int] = []
    for alternatives in neurons.gaps:
        for own in alternatives:
            gaps += [2 * gap + hidden for gap, hidden in zip(own.before, own.hidden, strict=True)]
            gaps.append(2 * own.after)
    return gaps, [*map(int, neurons.within_one)]


def _numerals(tables: RuleTables) -> tuple[list[_Numerals], list[float]]:
    lists: list[_Numerals] = []
    values: list[float] = []
    for own in tables.constants or [()] * len(tables.names):
        lists.append(_Numerals(len(values), len(own)))
        values += own
    return lists, values


def _unroll(lists: "_Lists") -> list[_UnrolledRule]:
    unrolled = []
    for (number, depth), size in gene_sizes(lists.tables).items():
        rule = lists.rules[number]
        room = rule.first_room + min(max(rule.limit - depth, 0), rule.rooms - 1)
        unrolled.append(_UnrolledRule(number, depth, size, room))
    return unrolled


def _depths(rules: int, unrolled: list[_UnrolledRule]) -> list[_Depths]:
    """Return the greatest depth of each rule, and the sum of those of the rules before it."""
    counts = [0] * rules
    for gene in unrolled:
        counts[gene.rule] = max(counts[gene.rule], gene.depth)
    return [_Depths(count, sum(counts[:rule])) for rule, count in enumerate(counts)]


class _Lists:
    """The tables as flat lists that refer to one another by index."""

    def __init__(self, tables: RuleTables) -> None:
        self.tables = tables
        self.roles = (tables.layer, tables.features, tables.output_layer)
        self.plain = [self.is_plain(rule) for rule in range(len(tables.names))]
        self.single = [self.is_single(rule) for rule in range(len(tables.names))]
        self.flat = [self.is_flat(rule) for rule in range(len(tables.names))]
        self.most: dict[int, tuple[int, int]] = {}
        self.pieces: dict[str, int] = {}
        self.symbols: list[int] = []
        self.productions: list[_Production] = []
        self.opens: list[int] = []
        self.rules: list[_Rule] = []
        self.rooms: list[_Room] = []
        self.options: list[int] = []
        for number in range(len(tables.names)):
            self.add_rule(number)
        self.add_production((Child(tables.start, False),), 0)
        self.add_production((), 0)

    def add_rule(self, number: int) -> None:
        alternatives, allowed = self.tables.productions[number], self.tables.allowed[number]
        self.rules.append(
            _Rule(
                len(self.productions),
                len(alternatives),
                self.tables.limits[number],
                len(self.rooms),
                len(allowed),
            )
        )
        opens = [0] * len(alternatives)
        for room in range(len(allowed) - 1, -1, -1):
            for alternative in allowed[room]:
                opens[alternative] = room
        self.opens += opens
        for room_options in allowed:
            self.rooms.append(_Room(len(self.options), len(room_options)))
            self.options += room_options
        for production, cost in zip(alternatives, self.tables.cost[number], strict=True):
            self.add_production(production, cost)

    def add_production(self, production: Production, cost: int) -> None:
        flat = self.flatten(production)
        leaf = _is_leaf(production)
        head = "".join(symbol for symbol in production if isinstance(symbol, str)) if leaf else ""
        self.productions.append(
            _Production(
                head,
                _kind(head) if leaf else "ANY_TEXT",
                int(leaf),
                _length(head),
                cost,
                len(self.symbols),
                len(flat.symbols),
                flat.most + _SLACK,
                flat.choices + 1,
            )
        )
        self.symbols += flat.symbols

    def flatten(self, production: Production) -> _FlatProduction:
        """Return the production with single rules replaced by their symbols."""
        symbols: list[int] = []
        text, most, choices = "", 0, 0
        todo = [*reversed(production)]
        while todo or text:
            symbol = todo.pop() if todo else None
            if isinstance(symbol, str):
                text += symbol
                continue
            if text:
                symbols.append(-1 - self.pieces.setdefault(text, len(self.pieces)))
                most += _length(text)
                text = ""
            if symbol is None:
                continue
            kind = _DEEPER if symbol.deeper else 0
            if self.plain[symbol.rule]:
                kind, most, choices = _PLAIN, most + _HEAD, choices + 1
            elif self.single[symbol.rule] and len(symbols) < _LONGEST_INLINE:
                kind = _PLAIN
                todo += reversed(self.tables.productions[symbol.rule][0])
            elif self.flat[symbol.rule]:
                inner_most, inner_choices = self.most_of(symbol.rule)
                kind, most, choices = _PLAIN + _FLAT, most + inner_most, choices + 1 + inner_choices
            symbols.append((symbol.rule << _RULE_SHIFT) + kind)
        return _FlatProduction(tuple(symbols), most, choices)

    def most_of(self, rule: int) -> tuple[int, int]:
        """Return the bounds of the text and the choices of a flat rule, computed once."""
        if rule not in self.most:
            inner = [self.flatten(p) for p in self.tables.productions[rule]]
            self.most[rule] = max(f.most for f in inner), max(f.choices for f in inner)
        return self.most[rule]

    def is_plain(self, rule: int) -> bool:
        """Return whether all alternatives of a rule are leaves; then it is not recursive."""
        return rule not in self.roles and all(map(_is_leaf, self.tables.productions[rule]))

    def is_single(self, rule: int) -> bool:
        """Return whether a rule has one alternative, without recursion."""
        alternatives = self.tables.productions[rule]
        deeper = any(isinstance(symbol, Child) and symbol.deeper for symbol in alternatives[0])
        return rule not in self.roles and len(alternatives) == 1 and not deeper

    def is_flat(self, rule: int) -> bool:
        """Return whether the alternatives of a rule consist of a few terminals and plain rules."""
        return rule not in self.roles and all(
            len(production) <= _LONGEST_FLAT
            and all(isinstance(s, str) or self.plain[s.rule] for s in production)
            for production in self.tables.productions[rule]
        )


def _length(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _is_leaf(production: Production) -> bool:
    return all(isinstance(symbol, str) for symbol in production) and (
        _length("".join(symbol for symbol in production if isinstance(symbol, str))) <= _HEAD
    )


def _kind(text: str) -> str:
    """Return the name of the kind of a text; see `grammar.h`."""
    if _DIGITS.fullmatch(text):
        return "ALL_DIGITS"
    return "A_NAME" if _NAME.fullmatch(text) else "ANY_TEXT"


def _piece(text: str) -> _Piece:
    length = _length(text)
    short = length <= _HEAD
    return _Piece(length, text if short else "", "" if short else text)
