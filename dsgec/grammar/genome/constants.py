"""Fold the numerals of a symbol into one choice of constants, and draw new choices.

A constant symbol has texts that are a finite set of numerals, such as `<digit>.<digit><digit>`.
Folded, it has one alternative for each value in ascending order, so that the gene of the symbol
holds ranks of constants, and a constant can be changed as a number; every phenotype is still one
that the grammar derives.

A search that learns draws new constants near 0, and recursion with a given probability: uniform
draws would make most networks one neuron, and most weights so large that neurons saturate.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product

from dsgec.arithmetic import scalar
from dsgec.grammar.genome.rule_tables import Child, Production, RuleTables, production_cost
from dsgec.random import Stream

MOST_NUMERALS = 1 << 16
"""The most texts of a constant symbol; one with more is not folded."""

LONGEST_NUMERAL = 16
"""In bytes: the engine copies this many without looking at them."""

_NUMERAL = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_JOINS_LEFT = re.compile(r"[\w.\[]", re.ASCII)  # before a numeral, it makes it part of a word
_JOINS_RIGHT = re.compile(r"[\w.(]", re.ASCII)
_TURN = 6.283185307179586

NEW_CONSTANT_DEVIATION = 0.5
"""The standard deviation of a new constant."""

FIRST_GROWTH = 0.7
"""The probability of a recursive alternative in the first generation."""

LATER_GROWTH = 0.3
"""The probability of a recursive alternative in what a mutation grows."""


@lru_cache(maxsize=8)  # cross-validation and searches over settings ask for the same
def fold_constants(tables: RuleTables) -> RuleTables:
    """Return the tables with every constant symbol that stands on its own as one choice."""
    texts = _constant_texts(tables)
    folded = {
        symbol.rule
        for rule, productions in enumerate(tables.productions)
        if rule not in texts
        for production in productions
        for symbol in production
        if isinstance(symbol, Child) and symbol.rule in texts
    }
    if not folded:
        return tables
    folded -= _parts_of_words(tables, folded)
    productions, costs = [*tables.productions], [*tables.cost]
    allowed = [*tables.allowed]
    values: list[tuple[float, ...]] = [()] * len(tables.names)
    for rule in sorted(folded):
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
        constants=tuple(values),
    )


def nearest_rank(values: Sequence[float], wanted: float) -> int:
    """Return the rank of the nearest value, the lower of two equally near ones."""
    at = bisect_left(values, wanted)
    if at == 0:
        return 0
    if at == len(values):
        return at - 1
    return at if values[at] - wanted < wanted - values[at - 1] else at - 1


def draw_gaussian(stream: Stream) -> float:
    """Draw from the standard normal distribution (Box and Muller 1958) in the one arithmetic."""
    radius = ((stream.word() >> 11) + 1) * 2.0**-53
    angle = (stream.word() >> 11) * 2.0**-53
    return scalar.sqrt(-2.0 * scalar.log(radius)) * scalar.cos(_TURN * angle)


def grow_choice(
    tables: RuleTables, rule: int, options: Sequence[int], growth: float, stream: Stream
) -> int:
    """Draw a new integer for a rule: the rank of a constant, or one of the options."""
    if tables.is_constant(rule):
        return nearest_rank(tables.constants[rule], NEW_CONSTANT_DEVIATION * draw_gaussian(stream))
    deeper = [option for option in options if is_recursive(tables.productions[rule][option])]
    if 0 < len(deeper) < len(options):
        takes = stream.chance(growth)
        options = [option for option in options if (option in deeper) == takes]
    return options[stream.below(len(options))]


def is_recursive(production: Production) -> bool:
    """Return whether a production has a symbol of its rule's own recursion."""
    return any(isinstance(symbol, Child) and symbol.deeper for symbol in production)


def _constant_texts(tables: RuleTables) -> dict[int, set[str]]:
    """Return the texts of every constant symbol."""
    texts: dict[int, set[str] | None] = {}
    roles = (tables.layer, tables.features, tables.output_layer)
    todo = [*range(len(tables.names))]
    opened: set[int] = set()
    while todo:
        rule = todo[-1]
        callees = {s.rule for p in tables.productions[rule] for s in p if isinstance(s, Child)}
        missing = [callee for callee in callees if callee not in texts]
        if rule in texts or (missing and rule in opened):
            texts.setdefault(rule, None)  # it is recursive
            todo.pop()
        elif missing:
            opened.add(rule)
            todo += missing
        else:
            found = None if rule in roles else _list_texts(tables.productions[rule], texts)
            texts[rule] = found
            todo.pop()
    return {
        rule: found
        for rule, found in texts.items()
        if found
        and all(len(text) <= LONGEST_NUMERAL and _NUMERAL.fullmatch(text) for text in found)
    }


def _list_texts(
    productions: Sequence[Production], texts: dict[int, set[str] | None]
) -> set[str] | None:
    """Return all texts of these productions, or None if there are too many."""
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


def _parts_of_words(tables: RuleTables, rules: set[int]) -> set[int]:
    """Return the rules that can be part of a word, as in `x_<digit>`."""
    firsts, lasts = _ends(tables, 1), _ends(tables, -1)
    before, after = _neighbours(tables, lasts, 1), _neighbours(tables, firsts, -1)
    return {
        rule
        for rule in rules
        if any(map(_JOINS_LEFT.match, before[rule])) or any(map(_JOINS_RIGHT.match, after[rule]))
    }


def _ends(tables: RuleTables, way: int) -> list[set[str]]:
    """Return the first (`way` 1) or last (-1) characters of the texts of each rule; "" if empty."""
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


def _neighbours(tables: RuleTables, ends: Sequence[set[str]], way: int) -> list[set[str]]:
    """Return the characters that can precede (`way` 1) or follow (-1) the texts of each rule."""
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


def _places(tables: RuleTables, way: int) -> Iterator[tuple[int, int, Sequence[str | Child]]]:
    """Yield the rule, the symbol and its neighbours, nearest first, for every place of a symbol."""
    for rule, productions in enumerate(tables.productions):
        for production in productions:
            symbols = production[::way]
            for at, symbol in enumerate(symbols):
                if isinstance(symbol, Child):
                    yield rule, symbol.rule, symbols[:at][::-1]
