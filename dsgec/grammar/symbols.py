"""The tokens of a rule's body to its alternatives."""

import re
from collections.abc import Iterator

from lark import Token

from dsgec.errors import Span
from dsgec.grammar.draft import Draft
from dsgec.grammar.ir import Alternative, Dots, NonTerminal, Symbol, Terminal
from dsgec.grammar.mistakes import report_code_block, report_token
from dsgec.grammar.syntax import scan_symbols

_ESCAPE = re.compile(r"\\(eb|.)")
_ESCAPES = {"\\": "\\", '"': '"', "'": "'", "n": "\n", "t": "\t", "eb": "|"}


def read_alternatives(draft: Draft, body: list[Token], place: Span) -> Iterator[Alternative]:
    """The alternatives of a rule; `place` is where an empty one is said to stand."""
    symbols: list[Symbol] = []
    code_block = False
    for token in body:
        line, column = token.line or 1, token.column or 1
        if token.type != "SYMBOLS":
            report_token(draft, token)
            continue
        if "{:" in token and not code_block:
            code_block = report_code_block(draft, token)
        for match in scan_symbols(token):
            start, end = match.span()
            span = Span(draft.source.name, line, column + start, end - start)
            match match.lastgroup:
                case "NAME":
                    symbols.append(NonTerminal(match.group()[1:-1], span))
                case "BAR":
                    yield _alternative(draft, symbols, place)
                    symbols, place = [], span
                case "QUOTED":
                    text = _unquote(draft, match.group(), span)
                    if text:
                        symbols.append(Terminal(text, span))
                case _:
                    symbols.append(_text(draft, match.group(), span, symbols))
    yield _alternative(draft, symbols, place)


def _alternative(draft: Draft, symbols: list[Symbol], place: Span) -> Alternative:
    if not symbols:
        return Alternative((), place)
    first, last = symbols[0].span, symbols[-1].span
    if first and last and len(symbols) > 1 and first.line == last.line:
        length = last.column + last.length - first.column
        first = Span(first.source, first.line, first.column, length)
    elif symbols == [Terminal("None")] and first and first.length == 4:
        message = "`None` is text here, but sge3 reads it as the empty text"
        advice = 'Write `""` for the empty text, or `"None"` for the text.'
        draft.report(message, advice, first, warning=True)
    return Alternative(tuple(symbols), first)


def _text(draft: Draft, text: str, span: Span, before: list[Symbol]) -> Terminal | Dots:
    """An unquoted run of characters."""
    if text == "...":
        return Dots(span)
    if text in ("*", "+", "?") and before and isinstance(before[-1], NonTerminal):
        name = before[-1].span
        line = draft.source.lines[span.line - 1]
        attached = name and (name.line, name.column + name.length) == (span.line, span.column)
        if attached and line[span.column : span.column + 1] in ("", " ", "\t", "|", "#"):
            message = f"`{text}` after `<{before[-1].name}>` is taken as text, not as repetition"
            advice = f'Write a rule that repeats, or `"{text}"` if you mean the text.'
            draft.report(message, advice, span, warning=True)
    elif "..." in text or "…" in text:
        message = "these dots are taken as text"
        advice = 'Put blanks around `...` for a range, or quote it: `"..."`.'
        draft.report(message, advice, span, warning=True)
    return Terminal(text.replace("\\eb", "|"), span)


def _unquote(draft: Draft, quoted: str, span: Span) -> str:
    inner = quoted[1:-1]
    if "{:" in inner:
        message = "`{:` is text here, but PonyGE2 reads it as a code block"
        advice = "Leave it if you mean the text; a network has no code blocks."
        draft.report(message, advice, span, warning=True)
    if "\\" not in inner:
        return inner
    for match in _ESCAPE.finditer(inner):
        if match.group(1) not in _ESCAPES:
            message = f"`{match.group()}` is not an escape"
            advice = "Write `\\\\` for a backslash; the others are `\\\"` `\\'` `\\n` `\\t`."
            place = draft.source.span(span.line, span.column + 1 + match.start(), 2)
            draft.report(message, advice, place)
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match.group(1), match.group()), inner)
