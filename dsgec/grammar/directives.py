"""Read the `%` lines of a grammar file, and complete them with defaults."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from lark import Token

from dsgec.errors import Fault, Span
from dsgec.grammar.ir import LINEAR, Directives
from dsgec.grammar.source import GrammarSource, NameSuggester, shorten

ROLES = ("layer", "features", "output-layer")
CHOICES = {"blanks": ("keep", "drop"), "indent": ("python", "none")}
"""The directives of grammars whose phenotypes are any text, and their values."""
WORDS = ("start", "max-depth", *ROLES, "output", *CHOICES)
OUTPUTS = ("sigmoid", LINEAR, "none")
DEEPEST = 10_000  # a tree of this depth can have 2 to its power leaves; more cannot even be counted

_LINE = re.compile(r"\s*%(?P<word>[\w-]+)\s*")
_NAME = r"<[^<>]*>|[\w.-]+(?: [\w.-]+)*"
_DEPTH = re.compile(rf"(?P<name>{_NAME})\s*=\s*(?P<depth>\S*)\s*")


@dataclass(frozen=True, slots=True)
class DirectiveValue:
    """A value that a directive states, empty for `none`, and its place."""

    value: str
    span: Span


@dataclass(slots=True)
class DirectiveLines:
    """The values that the directives of a file state by word, the depths by symbol, and faults."""

    words: dict[str, DirectiveValue] = field(default_factory=dict)
    depths: dict[str, DirectiveValue] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def read_directives(source: GrammarSource, lines: list[Token]) -> DirectiveLines:
    """Return the values of the directives, and every fault of their syntax."""
    stated = DirectiveLines()
    for line in lines:
        match = _LINE.match(line)
        word = match["word"] if match else ""
        at = (match.end() if match else len(line)) + (line.column or 1)
        rest = line[at - (line.column or 1) :].rstrip()
        span = source.span(line.line or 1, (line.column or 1) + line.index("%"), len(word) + 1)
        if word not in WORDS:
            known = " ".join(f"`%{each}`" for each in WORDS)
            advice = NameSuggester(WORDS).advice(word, f"Use one of {known}.", "`%{}`")
            message = f"`%{word}` is not a directive"
            stated.faults.append(source.fault(message, advice, span))
        elif not rest:
            form = "sum=3" if word == "max-depth" else "sigmoid" if word == "output" else "name"
            form = CHOICES[word][0] if word in CHOICES else form
            advice = f"Write for example `%{word} {form}`."
            stated.faults.append(source.fault(f"`%{word}` needs a value", advice, span))
        elif word == "max-depth":
            _read_depths(source, stated, rest, source.span(span.line, at, len(rest)))
        else:
            _read_word(source, stated, word, rest, source.span(span.line, at, len(rest)))
    return stated


def _read_word(
    source: GrammarSource, stated: DirectiveLines, word: str, value: str, span: Span
) -> None:
    if word in CHOICES and value not in CHOICES[word]:
        advice = f"Write `%{word} {CHOICES[word][0]}`, or leave it out."
        message = f"`{shorten(value)}` is not a value of `%{word}`"
        stated.faults.append(source.fault(message, advice, span))
        return
    off = value == "none" and word != "start"
    if word == "output" and value not in OUTPUTS:
        advice = NameSuggester(OUTPUTS).advice(
            value, "Write `sigmoid`, `linear` or `none`.", "`{}`"
        )
        stated.faults.append(
            source.fault(f"`{shorten(value)}` is not an output function", advice, span)
        )
        return
    found = DirectiveValue("" if off else _strip_brackets(value), span)
    _add_value(source, stated, stated.words, word, f"%{word}", found)


def _read_depths(source: GrammarSource, stated: DirectiveLines, rest: str, span: Span) -> None:
    at = 0
    while at < len(rest):
        match = _DEPTH.match(rest, at)
        if match is None:
            word = rest[at:].split()[0]
            place = source.span(span.line, span.column + at, len(word))
            message = f"`{shorten(word)}` is not of the form `symbol=number`"
            advice = "Write `%max-depth symbol=number`, for example `%max-depth sum=3`."
            stated.faults.append(source.fault(message, advice, place))
            return
        depth, name = match["depth"], _strip_brackets(match["name"])
        place = source.span(span.line, span.column + match.start("depth"), len(depth))
        if not re.fullmatch("[0-9]{1,9}", depth) or int(depth) > DEEPEST:
            message = f"`{shorten(depth)}` is not a whole number from 0 to {DEEPEST}"
            advice = f"Write for example `{name}=3`."
            stated.faults.append(source.fault(message, advice, place))
        else:
            place = source.span(span.line, span.column + match.start(), len(match.group().rstrip()))
            found = DirectiveValue(str(int(depth)), place)
            _add_value(source, stated, stated.depths, name, f"%max-depth {name}", found)
        at = match.end()


def _add_value(
    source: GrammarSource,
    stated: DirectiveLines,
    where: dict[str, DirectiveValue],
    key: str,
    shown: str,
    found: DirectiveValue,
) -> None:
    first = where.setdefault(key, found)
    if first.value != found.value:
        message = (
            f"`{shown}` is `{found.value or 'none'}` here, but `{first.value or 'none'}` before"
        )
        advice = f"The first is in line {first.span.line}. Remove one of them."
        stated.faults.append(source.fault(message, advice, found.span))


def _strip_brackets(name: str) -> str:
    return name[1:-1].strip() if name.startswith("<") and name.endswith(">") else name


def complete_roles(rules: Collection[str], stated: Mapping[str, str]) -> dict[str, str]:
    """Return the roles as stated, or by the paper's names if there are layers and features."""
    roles = {role: stated.get(role, role if role in rules else "") for role in ROLES}
    if roles["layer"] and roles["features"]:
        return roles
    return {role: stated.get(role, "") for role in ROLES}


def complete_directives(rules: Collection[str], first: str, stated: DirectiveLines) -> Directives:
    """Return the directives of a grammar with these rules, of which `first` is the first."""
    words = {word: found.value for word, found in stated.words.items()}
    roles = complete_roles(rules, words)
    return Directives(
        start=words.get("start", first),
        layer=roles["layer"],
        features=roles["features"],
        output_layer=roles["output-layer"],
        output=words.get("output", ""),
        indent=words.get("indent", ""),
        max_depth=tuple((name, int(found.value)) for name, found in stated.depths.items()),
    )
