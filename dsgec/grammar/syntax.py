"""Split the text of a grammar file into statements and tokens, by lark and `bnf.lark`."""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from lark import Lark, Token, Tree


@cache
def _lark() -> Lark:
    grammar = files(__package__).joinpath("bnf.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", start=["start", "symbol"])


@cache
def _symbol_pattern() -> re.Pattern[str]:
    """Return a pattern of the terminals inside SYMBOLS, each as a named group."""
    kinds = ("NAME", "QUOTED", "TEXT", "BAR")
    patterns = ((kind, _lark().get_terminal(kind).pattern.to_regexp()) for kind in kinds)
    return re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in patterns))


def read_statements(text: str) -> Iterator[tuple[Token | None, list[Token]]]:
    """Yield the opening token and the body of each statement; the text before any has None."""
    opening: list[Token] = []
    statements: list[tuple[Token, list[Token]]] = []
    for child in _lark().parse(text, start="start").children:
        if isinstance(child, Tree):
            head, *body = (token for token in child.children if isinstance(token, Token))
            statements.append((head, body))
        else:
            opening.append(child)
    yield None, opening
    yield from statements


def scan_symbols(token: str) -> Iterator[re.Match[str]]:
    """Return the symbols of a SYMBOLS token; the `lastgroup` of each is its kind."""
    return _symbol_pattern().finditer(token)
