"""A grammar and the sizes of the data to the same grammar without dots and ranges."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from dsgec.bnf.ir import Alternative, Dots, Grammar, Rule, Symbol, Terminal
from dsgec.bnf.ranges import (
    MOST_ALTERNATIVES,
    Range,
    find_range,
    find_repeat,
    is_dots,
    read_ge_range,
)
from dsgec.errors import DsgecError, Fault, Span

Part = Alternative | Range | str | None


@dataclass(slots=True)
class _Expansion:
    """The sizes that ranges refer to, and what was found wrong."""

    grammar: Grammar
    features: int
    outputs: int
    faults: list[Fault] = field(default_factory=list)

    def report(self, message: str, span: Span | None, advice: str = "") -> None:
        sizes = f"The data have {self.features} features (n) and {self.outputs} outputs (m)."
        self.faults.append(self.grammar.fault(message, advice or sizes, span))


def expand(grammar: Grammar, features: int, outputs: int) -> Grammar:
    """The grammar for data of so many features and outputs; DsgecError for a senseless range."""
    expansion = _Expansion(grammar, features, outputs)
    sizes = [_size(expansion, rule) for rule in grammar.rules]
    if sum(sizes) > MOST_ALTERNATIVES:
        largest = grammar.rules[sizes.index(max(sizes))]
        message = f"the grammar has more than {MOST_ALTERNATIVES} alternatives in total"
        expansion.report(message, largest.span)
        raise DsgecError(expansion.faults)
    rules = tuple(
        replace(rule, alternatives=tuple(_expand_rule(expansion, rule))) for rule in grammar.rules
    )
    if expansion.faults:
        raise DsgecError(expansion.faults)
    return replace(grammar, rules=rules)


def needs_features(grammar: Grammar) -> bool:
    """Whether the number of features changes what the grammar expands to."""
    return any(
        part == "dataset_n_vars" or _refers_to(part, "n")
        for rule in grammar.rules
        for part, _ in _parts(rule)
    )


def needs_outputs(grammar: Grammar) -> bool:
    """Whether the number of outputs changes what the grammar expands to."""
    return any(
        _refers_to(part, "m") or (isinstance(part, Alternative) and _dots(part))
        for rule in grammar.rules
        for part, _ in _parts(rule)
    )


def _refers_to(part: Part, size: str) -> bool:
    return isinstance(part, Range) and isinstance(part.end, str) and part.end.startswith(size)


def _dots(alternative: Alternative) -> int:
    return sum(isinstance(symbol, Dots) for symbol in alternative.symbols)


def _parts(rule: Rule) -> Iterator[tuple[Part, Span | None]]:
    """The alternatives as they are, but dots and their right end as a Range, GE_RANGE as its size.

    None stands for dots that make no range.
    """
    ends_range = False
    for index, alternative in enumerate(rule.alternatives):
        if ends_range:
            ends_range = False
        elif is_dots(alternative):
            ends = rule.alternatives[max(0, index - 1) : index + 2]
            yield find_range(ends[0], ends[2]) if len(ends) == 3 else None, alternative.span
            ends_range = True
        else:
            yield read_ge_range(alternative) or alternative, alternative.span


def _size(expansion: _Expansion, rule: Rule) -> int:
    """How many alternatives a rule comes to; the symbols that a repetition makes count as well."""
    size = 0
    for part, _ in _parts(rule):
        match part:
            case Range():
                size += part.last(expansion.features, expansion.outputs) - part.start
            case str():
                size += _ge_size(expansion, part)
            case Alternative():
                size += 1 + _dots(part) * expansion.outputs
    return size


def _ge_size(expansion: _Expansion, size: str) -> int:
    return expansion.features if size == "dataset_n_vars" else int(size)


def _expand_rule(expansion: _Expansion, rule: Rule) -> Iterator[Alternative]:
    for part, span in _parts(rule):
        match part:
            case Alternative():
                yield _expand_sequence(expansion, part)
            case Range():
                last = part.last(expansion.features, expansion.outputs)
                if last < part.start:
                    ends = f"{part.text(part.start)} | ... | {part.text(last)}"
                    expansion.report(f"`{ends}` runs backwards", span)
                yield from part.alternatives(range(part.start + 1, last + 1), span)
            case str():
                size = _ge_size(expansion, part)
                if size < 1:
                    expansion.report("this range has no alternatives", span)
                for value in range(size):
                    yield Alternative((Terminal(str(value), span),), span)
            case None:
                advice = "Write both ends, for example `x_1 | ... | x_n`."
                expansion.report("`...` stands between no ends of a range", span, advice)


def _expand_sequence(expansion: _Expansion, alternative: Alternative) -> Alternative:
    symbols = alternative.symbols
    if not _dots(alternative):
        return alternative
    expanded: list[Symbol] = []
    done = 0
    for at, symbol in enumerate(symbols):
        if not isinstance(symbol, Dots):
            continue
        found = find_repeat(symbols, at)
        if found is None or at - 2 < done:
            advice = "Write `<a> , ... , <a>`, with the same symbol and separator on both sides."
            expansion.report("`...` stands between no two equal symbols", symbol.span, advice)
            continue
        one, separator = found
        expanded += [*symbols[done : at - 2], one]
        expanded += [separator, one] * (expansion.outputs - 1)
        done = at + 3
    return replace(alternative, symbols=(*expanded, *symbols[done:]))
