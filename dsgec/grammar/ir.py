"""A grammar: rules, alternatives and symbols, with their places in the file."""

from dataclasses import dataclass, field

from dsgec.errors import Fault, Span


@dataclass(frozen=True, slots=True)
class Terminal:
    """A text that becomes part of the phenotype."""

    text: str
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class NonTerminal:
    """A reference to a rule by its name (without the angle brackets)."""

    name: str
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Dots:
    """The `...` between the ends of a range or a repetition, which `expand` replaces."""

    span: Span | None = field(default=None, compare=False)


LINEAR = "linear"
"""The value of the directive `%output` for numeric targets."""

Symbol = Terminal | NonTerminal | Dots


@dataclass(frozen=True, slots=True)
class Alternative:
    """A sequence of symbols that may replace a symbol; without symbols, the empty text."""

    symbols: tuple[Symbol, ...]
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Rule:
    """A symbol and its alternatives in the order of the file, including repeated ones."""

    name: str
    alternatives: tuple[Alternative, ...]
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Directives:
    """The directives of a grammar; an empty name means that there is none.

    `layer`, `features` and `output_layer` are the symbols that have the paper's roles. `output` is
    the function of a network's single output: "", "sigmoid", or "linear" for the least-squares
    line. With `indent` "python", `{:` and `:}` in a phenotype stand for indented lines.
    """

    start: str
    layer: str = ""
    features: str = ""
    output_layer: str = ""
    output: str = ""
    max_depth: tuple[tuple[str, int], ...] = ()
    indent: str = ""


@dataclass(frozen=True, slots=True)
class Grammar:
    """The rules in the order of the file, and the directives.

    `lines` is the text that was parsed, kept so that a later fault can show its line.
    """

    rules: tuple[Rule, ...]
    directives: Directives
    lines: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def rule(self, name: str) -> Rule:
        """Return the rule that defines `name`."""
        return next(rule for rule in self.rules if rule.name == name)

    def fault(self, message: str, advice: str, span: Span | None) -> Fault:
        """Return a fault at a place of this grammar, with its line."""
        known = span is not None and span.line <= len(self.lines)
        return Fault(message, advice, span, self.lines[span.line - 1] if span and known else "")
