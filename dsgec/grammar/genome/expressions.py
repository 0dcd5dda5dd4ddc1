"""Split a production into words, with its symbols as operands and parentheses as groups."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dsgec.grammar.genome.rule_tables import NONE, Child, Production, RuleTables

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])
    | (?P<feature>x(?:_?\d+|\[\s*(?::\s*,\s*)?\d+\s*\])(?![\w\[.]))
    | (?P<name>[A-Za-z_][\w.]*)
    | (?P<sign>--|\*\*|[-+*/^(),])
    | (?P<other>\S)
    )""",
    re.VERBOSE | re.ASCII,
)
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Item:
    """A word of a production: its text, or the number and the rule of a child."""

    text: str = ""
    child: int = NONE
    rule: int = NONE

    @property
    def feature(self) -> int:
        """Return the feature that it names, or NONE."""
        return NONE if self.child != NONE else feature_of((self.text,))

    @property
    def is_value(self) -> bool:
        """Return whether it is a number or a feature."""
        return self.feature != NONE or self.text[0] in ".0123456789"

    @property
    def calls(self) -> bool:
        """Return whether it is the name of a function, which may be a symbol."""
        if self.child != NONE:
            return self.text == "name"
        return (self.text[0].isalpha() or self.text[0] == "_") and self.feature == NONE


@dataclass(frozen=True, slots=True)
class Group:
    """The parts in parentheses, split at commas; it may be the arguments of a call."""

    is_call: bool
    parts: tuple[tuple["Item | Group", ...], ...]


Part = Item | Group


_DEEPEST = 100  # parentheses inside each other; others walk them by recursion


class NoExpressionError(Exception):
    """A production that is not an expression on its own."""


def read_production(production: Production, named: Sequence[bool]) -> tuple[Part, ...]:
    """Return the words and groups of a production; `named` rules derive names of functions."""
    return _group_parentheses([*_items(production, named)])


def _items(production: Production, named: Sequence[bool]) -> Iterator[Item]:
    child = 0
    for symbol in _join_texts(production):
        if isinstance(symbol, Child):
            yield Item("name" if named[symbol.rule] else "", child, symbol.rule)
            child += 1
            continue
        at = 0
        while (match := _TOKEN.match(symbol, at)) is not None:  # or only blanks are left
            if match["other"]:
                raise NoExpressionError
            yield Item(match[0].strip())
            at = match.end()


def text_of(production: Sequence[str | Child]) -> str:
    """Return the text of a production, with `<>` in the place of symbols."""
    return "".join(symbol if isinstance(symbol, str) else "<>" for symbol in production).strip()


def _join_texts(production: Production) -> Iterator[str | Child]:
    """Yield the symbols, with adjacent texts joined."""
    text = ""
    for symbol in production:
        if isinstance(symbol, str):
            text += symbol
            continue
        if text:
            yield text
        text = ""
        yield symbol
    if text:
        yield text


def feature_of(production: Sequence[str | Child]) -> int:
    """Return the number of the feature that a production names, or NONE."""
    match = _TOKEN.fullmatch(text_of(production))
    if match is None or not match["feature"]:
        return NONE
    (number,) = _DIGITS.findall(match["feature"])
    return int(number) + ("[" in match["feature"])  # x[0] is x_1


def only_child(production: Production) -> int | None:
    """Return the rule of the symbol that is the whole production, or None."""
    children = [symbol for symbol in production if isinstance(symbol, Child)]
    blank = all(not symbol.strip() for symbol in production if isinstance(symbol, str))
    return children[0].rule if blank and len(children) == 1 else None


def _group_parentheses(items: Sequence[Item]) -> tuple[Part, ...]:
    """Return the words with those in parentheses as groups.

    Raise a NoExpressionError for parentheses that do not match, or are deeper than is sensible.
    """
    levels: list[tuple[bool, list[list[Part]]]] = [(False, [[]])]
    for item in items:
        inner = levels[-1][1]
        if item.text == "(":
            last = inner[-1][-1] if inner[-1] else None
            is_call = isinstance(last, Item) and last.calls
            if is_call:
                inner[-1].pop()
            levels.append((is_call, [[]]))
            if len(levels) > _DEEPEST:
                raise NoExpressionError
        elif item.text == ")":
            is_call, parts = levels.pop()
            if not levels:
                raise NoExpressionError
            levels[-1][1][-1].append(Group(is_call, tuple(map(tuple, parts))))
        elif item.text == ",":
            if len(levels) == 1 or not levels[-1][0]:
                raise NoExpressionError
            inner.append([])
        else:
            inner[-1].append(item)
    if len(levels) > 1:
        raise NoExpressionError
    return tuple(levels[0][1][0])


def is_plain(part: Part) -> bool:
    """Return whether a part is a group that is not a call."""
    return isinstance(part, Group) and not part.is_call


def outside_parentheses(tables: RuleTables) -> set[int]:
    """Return the rules that occur outside parentheses, where `-` separates neurons."""
    found, todo = {tables.start}, [tables.start]
    for rule in todo:
        for production in () if tables.is_constant(rule) else tables.productions[rule]:
            depth = 0
            for symbol in production:
                if isinstance(symbol, str):
                    depth += symbol.count("(") - symbol.count(")")
                elif depth <= 0 and symbol.rule not in found:
                    found.add(symbol.rule)
                    todo.append(symbol.rule)
    return found
