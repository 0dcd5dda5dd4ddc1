"""Read the rules and directives of a grammar file, and report every fault of its syntax."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from lark import Lark, Token, Tree

from dsgec.errors import Fault, Span
from dsgec.grammar.ir import Alternative, Dots, NonTerminal, Rule, Symbol, Terminal
from dsgec.grammar.source import GrammarSource, shorten

_NAME = re.compile(r"\w[\w.-]*(?: [\w.-]+)*")
_ARROW = re.compile(r"(?:->|→|=>|:=|::?|=)$")
_WORD = re.compile(r"\w[\w.-]*")
_ESCAPE = re.compile(r"\\(eb|.)")
_ESCAPES = {"\\": "\\", '"': '"', "'": "'", "n": "\n", "t": "\t", "eb": "|"}


@dataclass(slots=True)
class Draft:
    """The rules and directive lines of a grammar file before it is checked, and its faults.

    `known` has names whose rule could not be read, so that they are not reported as undefined;
    `broken` has names of rules that lack a symbol which could not be read. With `any_text`,
    phenotypes need not be networks. With `keeps_blanks`, the blanks between two symbols are text,
    and so is the end of a line. With `indents`, `{:` and `:}` are text that stands for indentation.
    """

    source: GrammarSource
    any_text: bool = False
    keeps_blanks: bool = False
    indents: bool = False
    rules: list[Rule] = field(default_factory=list)
    directives: list[Token] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)

    def span(self, token: Token, start: int = 0, length: int = 1) -> Span:
        """Return the place of `length` characters of a token from `start`."""
        return self.source.span(token.line or 1, (token.column or 1) + start, length)

    def report(self, message: str, advice: str, span: Span, *, warning: bool = False) -> None:
        """Add a fault."""
        self.faults.append(self.source.fault(message, advice, span, warning=warning))


def read_draft(source: GrammarSource, *, any_text: bool = False) -> Draft:
    """Return the rules and directives of a file, and every fault of its syntax.

    With `any_text`, a `.pybnf` file keeps blanks and indents, as PonyGE2 and sge3 read it.
    """
    is_python = any_text and source.name.lower().endswith(".pybnf")
    draft = Draft(source, any_text, is_python, is_python)
    statements: list[tuple[Token | None, list[Token]]] = []
    for head, body in read_statements(source.text):
        if head is not None and _continues(head, *statements[-1]):
            line = Token.new_borrow_pos("SYMBOLS", head.value, head)
            statements[-1][1].extend([line, *body])
        else:
            statements.append((head, body))
    for head, _ in statements:
        words = head.split() if head is not None and head.type == "DIRECTIVE" else []
        draft.keeps_blanks = draft.keeps_blanks or words[:2] == ["%blanks", "keep"]
        draft.indents = draft.indents or words[:2] == ["%indent", "python"]
    for head, body in statements:
        if head is not None and head.type != "DIRECTIVE":
            _read_rule(draft, head, body)
            continue
        if head is not None:
            draft.directives.append(head)
        _report_strays(draft, body, after_directive=head is not None)
    return draft


def _continues(head: Token, previous: Token | None, body: list[Token]) -> bool:
    """Return whether `<a> = …` continues an open alternative and is not a misspelt rule."""
    if head.type != "LOOSE_HEAD" or previous is None or previous.type == "DIRECTIVE":
        return False
    arrow = _ARROW.search(head)
    if arrow is None or arrow.group() == ":=":
        return False
    last = next((token for token in reversed(body) if token.strip()), None)
    return last is None or (last.type == "SYMBOLS" and last.rstrip().endswith("|"))


def _read_rule(draft: Draft, head: Token, body: list[Token]) -> None:
    written = head.strip()
    at = head.index("<")
    match = _NAME.match(written, 1)
    name = match.group() if match else ""
    if head.type == "LOOSE_HEAD":
        if written.endswith("::="):
            _report_name(draft, head, written[:-3].strip())
            name = "" if ">" in written else name
        else:
            arrow = written[len(name) + 2 :].strip()
            span = draft.span(head, at + len(written) - len(arrow), len(arrow))
            message = f"expected `::=`, found `{arrow}`"
            draft.report(message, f"Write `::=`: `<{name}> ::= …`.", span)
    before = len(draft.faults)
    empty = draft.span(head, at + len(written) - 1)
    alternatives = tuple(_read_alternatives(draft, body, empty))
    if any(not fault.warning for fault in draft.faults[before:]):
        draft.broken.add(name)
    if name:
        draft.rules.append(Rule(name, alternatives, draft.span(head, at, len(name) + 2)))


def _read_alternatives(draft: Draft, body: list[Token], place: Span) -> Iterator[Alternative]:
    """Yield the alternatives of a rule; `place` is the place of an empty one."""
    symbols: list[Symbol] = []
    code_block = False
    for token in body:
        line, column = token.line or 1, token.column or 1
        if token.type != "SYMBOLS":
            _report_token(draft, token)
            continue
        if "{:" in token and not code_block and not draft.indents:
            code_block = _report_code_block(draft, token)
        for match in scan_symbols(token):
            start, end = match.span()
            span = Span(draft.source.name, line, column + start, end - start)
            if match.lastgroup == "BAR":
                yield _make_alternative(draft, symbols, place)
                symbols, place = [], span
                continue
            symbol = _read_symbol(draft, match, span, symbols)
            if draft.any_text or draft.keeps_blanks:
                _look_before(draft, symbols, span, match.group())
            if symbol is not None:
                symbols.append(symbol)
    yield _make_alternative(draft, symbols, place)


def _read_symbol(
    draft: Draft, match: re.Match[str], span: Span, before: list[Symbol]
) -> Symbol | None:
    """Return a symbol, or None for an empty text in quotes."""
    match match.lastgroup:
        case "NAME":
            return NonTerminal(match.group()[1:-1], span)
        case "QUOTED":
            text = _unquote(draft, match.group(), span)
            return Terminal(text, span) if text else None
        case _:
            return _read_text(draft, match.group(), span, before)


def _look_before(draft: Draft, symbols: list[Symbol], span: Span, written: str) -> None:
    """Add the blanks before a symbol if they are kept; warn if they would join two words."""
    last = symbols[-1] if symbols else None
    before = last.span if last else None
    if before is None or last is None:
        return
    line = draft.source.lines[span.line - 1]
    end = before.column + before.length
    blanks = line[end - 1 : span.column - 1] if before.line == span.line else "\n"
    if draft.keeps_blanks:
        if blanks:
            symbols.append(Terminal(blanks, None))
    elif blanks and isinstance(last, Terminal) and _joins_words(last.text, written):
        message = f"`{shorten(last.text, 20)}` and `{shorten(written, 20)}` are joined to one word"
        advice = (
            "Blanks between symbols are not part of the text: quote them, or keep all of them with"
            " `%blanks keep`."
        )
        draft.report(message, advice, span, warning=True)


def _joins_words(left: str, right: str) -> bool:
    return bool(re.search(r"\w\Z", left) and re.match(r"\w", right))


def _make_alternative(draft: Draft, symbols: list[Symbol], place: Span) -> Alternative:
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


def _read_text(draft: Draft, text: str, span: Span, before: list[Symbol]) -> Terminal | Dots:
    """Return the symbol of an unquoted run of characters."""
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
    text = text.replace("\\eb", "|")
    # In sge3, `\n` ends a line and keeps its indentation.
    return Terminal(text.replace("\\n", "{::}") if draft.indents else text, span)


def _unquote(draft: Draft, quoted: str, span: Span) -> str:
    inner = quoted[1:-1]
    if "{:" in inner and not draft.any_text:
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


def _report_token(draft: Draft, token: Token) -> None:
    """Report a token that only occurs by mistake."""
    match token.type:
        case "BROKEN_NAME":
            _report_name(draft, token, token.rstrip())
        case "LOOSE_DEFINE":
            _report_define(draft, token)
        case _:
            other = "'" if token[0] == '"' else '"'
            message = f"the quote `{token[0]}` is not closed on this line"
            advice = f"Close it, or write `{other}{token[0]}{other}` for the text."
            draft.report(message, advice, draft.span(token, 0, len(token.rstrip())))


def _report_define(draft: Draft, token: Token) -> None:
    """Report a `::=` that opens no rule; the word before it counts as defined."""
    span = draft.span(token, 0, 3)
    line = draft.source.lines[span.line - 1]
    before = line[max(0, span.column - 100) : span.column - 1].split()
    draft.known.update(word.strip("<>") for word in before[-1:])
    message = "`::=` does not follow a `<name>` at the start of a line"
    advice = 'Start each rule on its own line with `<name> ::=`; for the text, write `"::="`.'
    draft.report(message, advice, span)


def _report_name(draft: Draft, token: Token, written: str) -> None:
    """Report `written`, the part of a token that starts like a name but is none."""
    at = token.index("<")
    if written.endswith(">"):
        message = f"`{shorten(written)}` is not a name"
        advice = "A name has letters, digits, `_`, `-`, `.` and single spaces; "
        advice += 'for the text, write `"<"`.'
        draft.report(message, advice, draft.span(token, at, len(written)))
        return
    match = _WORD.match(written, 1)
    name = match.group() if match else ""
    message = f"`<{shorten(name)}` is not closed"
    advice = f'Write `<{shorten(name)}>`, or `"<"` if you mean the text.'
    draft.report(message, advice, draft.span(token, at, len(name) + 1))


def _report_strays(draft: Draft, body: list[Token], *, after_directive: bool) -> None:
    """Report text outside of any rule: each `::=` in it, or else its first word."""
    body = [token for token in body if token.strip()]
    defines = [token for token in body if token.type == "LOOSE_DEFINE"]
    for token in defines:
        _report_define(draft, token)
    if body and not defines:
        advice = "Write `<name> ::=` before it, or `#` if it is a comment."
        if after_directive:
            advice = "A directive ends the rule above it: move the directive out of the rule."
        blank = len(body[0]) - len(body[0].lstrip())
        span = draft.span(body[0], blank, len(body[0].split()[0]))
        draft.report("this text belongs to no rule", advice, span)


def _report_code_block(draft: Draft, token: Token) -> bool:
    """Report the first unquoted code block of a token; return whether there is one."""
    for match in scan_symbols(token):
        at = match.group().find("{:") if match.lastgroup == "TEXT" else -1
        if at >= 0:
            message = "`{:` opens a code block of PonyGE2's `.pybnf`, which is not supported"
            advice = 'Only expressions can be evolved. For the text, quote it: `"{:"`.'
            if draft.any_text:
                message = "`{:` opens a code block of PonyGE2, which only `.pybnf` files have"
                advice = 'Write `%indent python`, or for the text quote it: `"{:"`.'
            draft.report(message, advice, draft.span(token, match.start() + at, 2))
            return True
    return False


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
