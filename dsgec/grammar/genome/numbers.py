"""Tables to tables in which a number is one choice: of its numerals, in the order of their values.

A number symbol is one whose texts are a finite set of numerals, such as `<digit>.<digit><digit>`.
Folded, it has one alternative for each value, so the gene of the symbol holds numbers by their rank
and a number can be changed as a number; every text is still one that the grammar derives.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product

from dsgec.arithmetic import scalar
from dsgec.grammar.genome.tables import Child, Production, Tables, production_cost
from dsgec.random import Stream

MOST_NUMERALS = 1 << 16
"""Texts of a number symbol; one with more is left as it is."""

LONGEST_NUMERAL = 16
"""Bytes; what the engine copies without a look."""

_NUMERAL = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_JOINS_LEFT = re.compile(r"[\w.\[]", re.ASCII)  # before a numeral, makes it part of another word
_JOINS_RIGHT = re.compile(r"[\w.(]", re.ASCII)
_TURN = 6.283185307179586


@lru_cache(maxsize=8)  # the folds of a cross-validation and the fits of a search ask for the same
def fold_numbers(tables: Tables) -> Tables:
    """The tables with every number symbol that stands on its own as one choice."""
    texts = _number_texts(tables)
    standing = {
        symbol.rule
        for rule, productions in enumerate(tables.productions)
        if rule not in texts
        for production in productions
        for symbol in production
        if isinstance(symbol, Child) and symbol.rule in texts
    }
    if not standing:
        return tables
    standing -= _parts_of_words(tables, standing)
    productions, costs = [*tables.productions], [*tables.cost]
    allowed = [*tables.allowed]
    values: list[tuple[float, ...]] = [()] * len(tables.names)
    for rule in sorted(standing):
        by_value: dict[float, str] = {}
        for text in sorted(texts[rule], key=lambda t: (t.startswith("-"), len(t), t)):
            by_value.setdefault(float(text) + 0.0, text)  # -0.0 is 0.0
        if len(by_value) < 2:
            continue
        values[rule] = tuple(sorted(by_value))
        productions[rule] = tuple((by_value[value],) for value in values[rule])
        costs[rule] = tuple(map(production_cost, productions[rule]))
        allowed[rule] = (tuple(range(len(values[rule]))),)
    return replace(
        tables,
        productions=tuple(productions),
        cost=tuple(costs),
        allowed=tuple(allowed),
        numbers=tuple(values),
    )


def nearest(values: Sequence[float], wanted: float) -> int:
    """The rank of the value that is nearest; of two, the lower."""
    at = bisect_left(values, wanted)
    if at == 0:
        return 0
    if at == len(values):
        return at - 1
    return at if values[at] - wanted < wanted - values[at - 1] else at - 1


def gaussian(stream: Stream) -> float:
    """A draw from the standard normal distribution (Box, Muller 1958), in the one arithmetic."""
    radius = ((stream.word() >> 11) + 1) * 2.0**-53
    angle = (stream.word() >> 11) * 2.0**-53
    return scalar.sqrt(-2.0 * scalar.log(radius)) * scalar.cos(_TURN * angle)


def _number_texts(tables: Tables) -> dict[int, set[str]]:
    """The texts of every number symbol, callees first."""
    texts: dict[int, set[str] | None] = {}
    roles = (tables.layer, tables.features, tables.output_layer)
    todo = [*range(len(tables.names))]
    opened: set[int] = set()
    while todo:
        rule = todo[-1]
        callees = {s.rule for p in tables.productions[rule] for s in p if isinstance(s, Child)}
        missing = [callee for callee in callees if callee not in texts]
        if rule in texts or (missing and rule in opened):
            texts.setdefault(rule, None)  # it leads to itself
            todo.pop()
        elif missing:
            opened.add(rule)
            todo += missing
        else:
            found = None if rule in roles else _texts(tables.productions[rule], texts)
            texts[rule] = found
            todo.pop()
    return {
        rule: found
        for rule, found in texts.items()
        if found
        and all(len(text) <= LONGEST_NUMERAL and _NUMERAL.fullmatch(text) for text in found)
    }


def _texts(productions: Sequence[Production], texts: dict[int, set[str] | None]) -> set[str] | None:
    """All texts of these productions, if they are not too many."""
    found: set[str] = set()
    for production in productions:
        parts = [{s} if isinstance(s, str) else texts[s.rule] for s in production]
        count = 1
        for part in parts:
            count *= len(part) if part else MOST_NUMERALS + 1
        if count > MOST_NUMERALS:
            return None
        found |= {"".join(each) for each in product(*(part or () for part in parts))}
        if len(found) > MOST_NUMERALS:
            return None
    return found


def _parts_of_words(tables: Tables, rules: set[int]) -> set[int]:
    """Those of the rules that can stand inside a word, as in `x_<digit>`."""
    firsts, lasts = _ends(tables, 1), _ends(tables, -1)
    before, after = _neighbours(tables, lasts, 1), _neighbours(tables, firsts, -1)
    return {
        rule
        for rule in rules
        if any(map(_JOINS_LEFT.match, before[rule])) or any(map(_JOINS_RIGHT.match, after[rule]))
    }


def _ends(tables: Tables, way: int) -> list[set[str]]:
    """The characters that a text of each rule can begin (`way` 1) or end (-1) with; "" if empty."""
    found: list[set[str]] = [set() for _ in tables.names]
    changed = True
    while changed:
        changed = False
        for rule, productions in enumerate(tables.productions):
            size = len(found[rule])
            for production in productions:
                found[rule] |= _end(production[::way], found, way)
            changed |= len(found[rule]) > size
    return found


def _end(symbols: Sequence[str | Child], found: Sequence[set[str]], way: int) -> set[str]:
    ends: set[str] = set()
    for symbol in symbols:
        own = {symbol[::way][:1]} if isinstance(symbol, str) else found[symbol.rule]
        ends |= own - {""}
        if "" not in own:
            return ends
    return ends | {""}


def _neighbours(tables: Tables, ends: Sequence[set[str]], way: int) -> list[set[str]]:
    """The characters that can stand just before (`way` 1) or just behind (-1) a text of a rule."""
    found: list[set[str]] = [set() for _ in tables.names]
    changed = True
    while changed:
        changed = False
        for rule, child, beside in _places(tables, way):
            size = len(found[child])
            near = _end(beside, ends, -way)
            found[child] |= near - {""}
            if "" in near:
                found[child] |= found[rule]
            changed |= len(found[child]) > size
    return found


def _places(tables: Tables, way: int) -> Iterator[tuple[int, int, Sequence[str | Child]]]:
    """For every place of a symbol: the rule, the symbol, what lies beside it, nearest first."""
    for rule, productions in enumerate(tables.productions):
        for production in productions:
            symbols = production[::way]
            for at, symbol in enumerate(symbols):
                if isinstance(symbol, Child):
                    yield rule, symbol.rule, symbols[:at][::-1]
