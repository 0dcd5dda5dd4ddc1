"""What a grammar is: rules of alternatives of symbols, as values that know where they stood."""

from dataclasses import dataclass, field

from dsgec.errors import Fault, Span


@dataclass(frozen=True, slots=True)
class Terminal:
    """Text that goes into the phenotype as it is."""

    text: str
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class NonTerminal:
    """A reference to a rule by its name (without the angle brackets)."""

    name: str
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Dots:
    """`...`: stands for what lies between its neighbours; `expand` replaces it."""

    span: Span | None = field(default=None, compare=False)


Symbol = Terminal | NonTerminal | Dots


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to rewrite a symbol; no symbols at all is the empty text."""

    symbols: tuple[Symbol, ...]
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Rule:
    """A symbol and its alternatives, in the order of the file; repeated ones are kept."""

    name: str
    alternatives: tuple[Alternative, ...]
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Directives:
    """What a grammar file states besides its rules; an empty name means that there is none.

    `layer`, `features` and `output_layer` are the symbols that play the paper's roles. `output` is
    what a network's single output goes through: "", "sigmoid", or "linear" for the line of least
    squares.
    """

    start: str
    layer: str = ""
    features: str = ""
    output_layer: str = ""
    output: str = ""
    max_depth: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Grammar:
    """The rules in the order of the file, and the directives.

    `lines` is the text that was parsed, kept so that a later fault can show its line.
    """

    rules: tuple[Rule, ...]
    directives: Directives
    lines: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def rule(self, name: str) -> Rule:
        """The rule that defines `name`."""
        return next(rule for rule in self.rules if rule.name == name)

    def fault(self, message: str, advice: str, span: Span | None) -> Fault:
        """What is wrong at a place of this grammar, with the line that it is in."""
        known = span is not None and span.line <= len(self.lines)
        return Fault(message, advice, span, self.lines[span.line - 1] if span and known else "")
