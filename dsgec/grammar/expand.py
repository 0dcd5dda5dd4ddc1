"""A grammar and the sizes of the data to the same grammar without dots and ranges."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from dsgec.errors import DsgecError, Fault, Span
from dsgec.grammar.ir import Alternative, Grammar, NonTerminal, Rule, Symbol, Terminal
from dsgec.grammar.ranges import (
    MOST_ALTERNATIVES,
    REPEAT_ADVICE,
    Range,
    find_range,
    find_repeats,
    is_dots,
    read_ge_range,
)

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
    return any(_refers_to(part, "m") for rule in grammar.rules for part, _ in _parts(rule))


def _refers_to(part: Part | Symbol, size: str) -> bool:
    match part:
        case Range(end=end):
            return isinstance(end, str) and end.startswith(size)
        case Alternative():
            return any(_refers_to(repeat.term, size) for _, repeat in find_repeats(part) if repeat)
        case Terminal() | NonTerminal():  # what is repeated, for each output
            return size == "m"
        case _:
            return False


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
                size += 1 + sum(
                    repeat.count(expansion.features, expansion.outputs)
                    for _, repeat in find_repeats(part)
                    if repeat
                )
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
    expanded: list[Symbol] = []
    done = 0
    for dots, repeat in find_repeats(alternative):
        if repeat is None:
            expansion.report("`...` stands between no two equal symbols", dots.span, REPEAT_ADVICE)
            continue
        sizes = expansion.features, expansion.outputs
        expanded += alternative.symbols[done : repeat.first]
        if repeat.count(*sizes):
            expanded += repeat.symbols(*sizes)
        else:
            expansion.report("this range runs backwards", dots.span)
        done = repeat.last
    return replace(alternative, symbols=(*expanded, *alternative.symbols[done:]))
