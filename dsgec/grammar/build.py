"""The syntax tree of a grammar file to rules, lines of directives, and what is wrong."""

import re

from lark import Token

from dsgec.grammar.draft import Draft
from dsgec.grammar.ir import Rule
from dsgec.grammar.mistakes import report_name, report_strays
from dsgec.grammar.source import GrammarSource
from dsgec.grammar.symbols import read_alternatives
from dsgec.grammar.syntax import read_statements

_NAME = re.compile(r"\w[\w.-]*(?: [\w.-]+)*")
_ARROW = re.compile(r"(?:->|→|=>|:=|::?|=)$")


def build(source: GrammarSource) -> Draft:
    """Everything that the file says, and every fault of its syntax."""
    draft = Draft(source)
    statements: list[tuple[Token | None, list[Token]]] = []
    for head, body in read_statements(source.text):
        if head is not None and _continues(head, *statements[-1]):
            line = Token.new_borrow_pos("SYMBOLS", head.value, head)
            statements[-1][1].extend([line, *body])
        else:
            statements.append((head, body))
    for head, body in statements:
        if head is not None and head.type != "DIRECTIVE":
            _build_rule(draft, head, body)
            continue
        if head is not None:
            draft.directives.append(head)
        report_strays(draft, body, after_directive=head is not None)
    return draft


def _continues(head: Token, previous: Token | None, body: list[Token]) -> bool:
    """Whether `<a> = …` is not a rule with a wrong arrow but continues an open alternative."""
    if head.type != "LOOSE_HEAD" or previous is None or previous.type == "DIRECTIVE":
        return False
    arrow = _ARROW.search(head)
    if arrow is None or arrow.group() == ":=":
        return False
    last = next((token for token in reversed(body) if token.strip()), None)
    return last is None or (last.type == "SYMBOLS" and last.rstrip().endswith("|"))


def _build_rule(draft: Draft, head: Token, body: list[Token]) -> None:
    written = head.strip()
    at = head.index("<")
    match = _NAME.match(written, 1)
    name = match.group() if match else ""
    if head.type == "LOOSE_HEAD":
        if written.endswith("::="):
            report_name(draft, head, written[:-3].strip())
            name = "" if ">" in written else name
        else:
            arrow = written[len(name) + 2 :].strip()
            span = draft.span(head, at + len(written) - len(arrow), len(arrow))
            message = f"`{arrow}` stands where `::=` should"
            draft.report(message, f"Write `::=`: `<{name}> ::= …`.", span)
    before = len(draft.faults)
    empty = draft.span(head, at + len(written) - 1)
    alternatives = tuple(read_alternatives(draft, body, empty))
    if any(not fault.warning for fault in draft.faults[before:]):
        draft.broken.add(name)
    if name:
        draft.rules.append(Rule(name, alternatives, draft.span(head, at, len(name) + 2)))
