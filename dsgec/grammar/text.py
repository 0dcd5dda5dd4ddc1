"""Write a grammar as BNF text that parses to the same grammar."""

import re
from collections.abc import Iterator

from dsgec.grammar.directives import complete_roles
from dsgec.grammar.ir import Alternative, Dots, Grammar, NonTerminal, Symbol, Terminal

_SPECIAL = re.compile(r"[\s|#\"'\\…]|::=|<\w|\.\.\.|\{:|^None$")
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"})


def grammar_text(grammar: Grammar) -> str:
    """Return canonical BNF: directives that are not the default, and a line per alternative."""
    lines = [*_directives(grammar)]
    if lines:
        lines.append("")
    for rule in grammar.rules:
        start = f"<{rule.name}> ::= "
        for alternative in rule.alternatives:
            lines.append(start + _alternative(alternative))
            start = " " * (len(start) - 2) + "| "
    return "\n".join(lines) + "\n"


def _directives(grammar: Grammar) -> Iterator[str]:
    stated = grammar.directives
    names = {rule.name for rule in grammar.rules}
    if stated.start != grammar.rules[0].name:
        yield f"%start {stated.start}"
    roles = {
        "layer": stated.layer,
        "features": stated.features,
        "output-layer": stated.output_layer,
    }
    default = complete_roles(names, {})
    explicit = {role: name for role, name in roles.items() if name != default[role]}
    if complete_roles(names, explicit) != roles:
        explicit = roles
    for role, name in explicit.items():
        yield f"%{role} " + ("<none>" if name == "none" else name or "none")
    if stated.output:
        yield f"%output {stated.output}"
    if stated.indent:
        yield f"%indent {stated.indent}"
    if stated.max_depth:
        yield "%max-depth " + " ".join(f"{name}={depth}" for name, depth in stated.max_depth)


def _alternative(alternative: Alternative) -> str:
    return " ".join(map(_symbol, alternative.symbols)) or '""'


def _symbol(symbol: Symbol) -> str:
    match symbol:
        case Dots():
            return "..."
        case NonTerminal(name):
            return f"<{name}>"
        case Terminal(written):
            plain = written and not _SPECIAL.search(written)
            return written if plain else f'"{written.translate(_ESCAPES)}"'
