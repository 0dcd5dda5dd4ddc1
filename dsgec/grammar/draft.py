"""What a grammar file says before it is checked, and what was found wrong on the way."""

from dataclasses import dataclass, field

from lark import Token

from dsgec.errors import Fault, Span
from dsgec.grammar.ir import Rule
from dsgec.grammar.source import GrammarSource


@dataclass(slots=True)
class Draft:
    """The rules and the lines of directives of a source that could be read.

    `known` are names whose rule could not be read, so that they are not reported as undefined too;
    `broken` are names of rules that miss a symbol which could not be read.
    """

    source: GrammarSource
    rules: list[Rule] = field(default_factory=list)
    directives: list[Token] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)

    def span(self, token: Token, start: int = 0, length: int = 1) -> Span:
        """The place of the characters of `token` from `start`."""
        return self.source.span(token.line or 1, (token.column or 1) + start, length)

    def report(self, message: str, advice: str, span: Span, *, warning: bool = False) -> None:
        """Adds a fault."""
        self.faults.append(self.source.fault(message, advice, span, warning=warning))
