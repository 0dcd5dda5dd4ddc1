"""The text of a grammar file to its syntax tree, by lark and `bnf.lark`."""

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
def _symbol() -> re.Pattern[str]:
    """The terminals that are inside SYMBOLS, each as a group of its name."""
    kinds = ("NAME", "QUOTED", "TEXT", "BAR")
    patterns = ((kind, _lark().get_terminal(kind).pattern.to_regexp()) for kind in kinds)
    return re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in patterns))


def read_statements(text: str) -> Iterator[tuple[Token | None, list[Token]]]:
    """The statements: the token that opens one (None for what stands before any) and its body."""
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
    """The symbols of a SYMBOLS token; `lastgroup` is the kind."""
    return _symbol().finditer(token)
