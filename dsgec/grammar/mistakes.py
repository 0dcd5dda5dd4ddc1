"""Tokens that only a mistake makes to the faults that they are."""

import re

from lark import Token

from dsgec.grammar.draft import Draft
from dsgec.grammar.source import shorten
from dsgec.grammar.syntax import scan_symbols

_NAME = re.compile(r"\w[\w.-]*")


def report_token(draft: Draft, token: Token) -> None:
    """Turns a token that only a mistake makes into its fault."""
    match token.type:
        case "BROKEN_NAME":
            report_name(draft, token, token.rstrip())
        case "LOOSE_DEFINE":
            report_define(draft, token)
        case _:
            other = "'" if token[0] == '"' else '"'
            message = f"the quote `{token[0]}` is not closed on this line"
            advice = f"Close it, or write `{other}{token[0]}{other}` for the text."
            draft.report(message, advice, draft.span(token, 0, len(token.rstrip())))


def report_define(draft: Draft, token: Token) -> None:
    """A `::=` in the middle of things; what stands before it counts as defined."""
    span = draft.span(token, 0, 3)
    line = draft.source.lines[span.line - 1]
    before = line[max(0, span.column - 100) : span.column - 1].split()
    draft.known.update(word.strip("<>") for word in before[-1:])
    message = "`::=` does not follow a `<name>` at the start of a line"
    advice = 'Start each rule on its own line with `<name> ::=`; for the text, write `"::="`.'
    draft.report(message, advice, span)


def report_name(draft: Draft, token: Token, written: str) -> None:
    """A `<` and a letter that do not continue as a name; `written` is that part of the token."""
    at = token.index("<")
    if written.endswith(">"):
        message = f"`{shorten(written)}` is not a name"
        advice = "A name has letters, digits, `_`, `-`, `.` and single spaces; "
        advice += 'for the text, write `"<"`.'
        draft.report(message, advice, draft.span(token, at, len(written)))
        return
    match = _NAME.match(written, 1)
    name = match.group() if match else ""
    message = f"`<{shorten(name)}` is not closed"
    advice = f'Write `<{shorten(name)}>`, or `"<"` if you mean the text.'
    draft.report(message, advice, draft.span(token, at, len(name) + 1))


def report_strays(draft: Draft, body: list[Token], *, after_directive: bool) -> None:
    """Text that no rule opens: the `::=` in it, or else its first word."""
    body = [token for token in body if token.strip()]
    defines = [token for token in body if token.type == "LOOSE_DEFINE"]
    for token in defines:
        report_define(draft, token)
    if body and not defines:
        advice = "Write `<name> ::=` before it, or `#` if it is a comment."
        if after_directive:
            advice = "A directive ends the rule above it: move the directive out of the rule."
        blank = len(body[0]) - len(body[0].lstrip())
        span = draft.span(body[0], blank, len(body[0].split()[0]))
        draft.report("this text belongs to no rule", advice, span)


def report_code_block(draft: Draft, token: Token) -> bool:
    """Whether there is a code block in the token; quoted ones are text."""
    for match in scan_symbols(token):
        at = match.group().find("{:") if match.lastgroup == "TEXT" else -1
        if at >= 0:
            message = "`{:` opens a code block of PonyGE2's `.pybnf`, which is not supported"
            advice = 'Only expressions can be evolved. For the text, quote it: `"{:"`.'
            draft.report(message, advice, draft.span(token, match.start() + at, 2))
            return True
    return False
