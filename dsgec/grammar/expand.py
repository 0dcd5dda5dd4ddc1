"""Expand the short forms of a grammar, such as `x_1 | ... | x_n`, for data of given sizes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from dsgec.errors import DsgecError, Fault, Span
from dsgec.grammar.ir import Alternative, Dots, Grammar, NonTerminal, Rule, Symbol, Terminal

MOST_ALTERNATIVES = 250_000  # more than twice the columns that a table can have
REPEAT_ADVICE = (
    "Write `<a> , ... , <a>`, with the same symbol and separator on both sides, or the ends of a"
    " range: `<a> * x_1 + ... + <a> * x_n`."
)
GE_OUTPUTS = ("dataset_n_is", "dataset_n_os")
"""Sizes of PonyGE2's GE_RANGE that only grammars of any text have: values, counted as outputs."""
GE_RANGE = re.compile(rf"GE_RANGE:(?P<size>dataset_n_vars|{'|'.join(GE_OUTPUTS)}|[0-9]{{1,18}})")

_SIGNED = re.compile(r"-?[0-9]{1,18}")
_DIGITS = re.compile(r"[0-9]+")
_END = re.compile(r"[0-9]{1,18}|[nm](?:-1)?")
_LETTER = re.compile(r"[a-z]|[A-Z]")
_LONGEST_TERM = 32


@dataclass(frozen=True, slots=True)
class Range:
    """Alternatives that differ in one number or letter of one terminal.

    `end` is a number or one of n, n-1 (features), m, m-1 (outputs). `width` is the least number of
    digits; for letters it is 0, and `start` and `end` are their codes.
    """

    pattern: Alternative
    position: int
    prefix: str
    suffix: str
    start: int
    end: int | str
    width: int

    def last(self, features: int, outputs: int) -> int:
        """Return the last value of the range for these sizes."""
        if isinstance(self.end, int):
            return self.end
        return (features if self.end[0] == "n" else outputs) - self.end.endswith("-1")

    def text(self, value: int) -> str:
        """Return the terminal that has `value` where the ends differ."""
        return self.prefix + (f"{value:0{self.width}}" if self.width else chr(value)) + self.suffix

    def alternatives(self, values: range, span: Span | None) -> Iterator[Alternative]:
        """Yield, for each value, the alternative that has it where the ends differ."""
        symbols, at = self.pattern.symbols, self.position
        before, place, after = symbols[:at], symbols[at].span, symbols[at + 1 :]
        for value in values:
            yield Alternative((*before, Terminal(self.text(value), place), *after), span)


@dataclass(frozen=True, slots=True)
class Repetition:
    """A short form of terms in a sequence, from the symbol `first` to before the symbol `last`.

    The terms are copies of one symbol, one for each output, or the terms of a range.
    """

    first: int
    last: int
    separator: Terminal
    term: Symbol | Range

    def count(self, features: int, outputs: int) -> int:
        """Return the number of terms for these sizes, 0 if the range runs backwards."""
        if isinstance(self.term, Range):
            return max(self.term.last(features, outputs) - self.term.start + 1, 0)
        return outputs

    def symbols(self, features: int, outputs: int) -> list[Symbol]:
        """Return all terms with the separator between them."""
        count = self.count(features, outputs)
        if isinstance(self.term, Range):
            start = self.term.start
            terms = [a.symbols for a in self.term.alternatives(range(start, start + count), None)]
        else:
            terms = [(self.term,)] * count
        rest = (symbol for term in terms[1:] for symbol in (self.separator, *term))
        return [*terms[0], *rest]


def find_range(first: Alternative, last: Alternative) -> Range | None:
    """Return the range between two alternatives, or None if they are no ends of a range."""
    if len(first.symbols) != len(last.symbols):
        return None
    pairs = list(enumerate(zip(first.symbols, last.symbols, strict=True)))
    different = [pair for pair in pairs if pair[1][0] != pair[1][1]]
    if len(different) != 1 and not (not different and len(pairs) == 1):
        return None
    position, (one, other) = (different or pairs)[0]
    if not isinstance(one, Terminal) or not isinstance(other, Terminal):
        return None
    return _find_text_range(first, position, one.text, other.text)


def _find_text_range(pattern: Alternative, at: int, first: str, last: str) -> Range | None:
    if _SIGNED.fullmatch(first) and _SIGNED.fullmatch(last):
        return Range(pattern, at, "", "", int(first), int(last), _width(first))
    for digits in _DIGITS.finditer(first):
        prefix, suffix = first[: digits.start()], first[digits.end() :]
        end = _middle(last, prefix, suffix)
        if len(digits.group()) <= 18 and end is not None and _END.fullmatch(end):
            stop = int(end) if end.isdigit() else end
            start = int(digits.group())
            return Range(pattern, at, prefix, suffix, start, stop, _width(digits.group()))
    same = 0
    while same < min(len(first), len(last)) - 1 and first[same] == last[same]:
        same += 1
    prefix, suffix = first[:same], first[same + 1 :]
    letter = first[same : same + 1]
    end = _middle(last, prefix, suffix)
    letters = _LETTER.fullmatch(letter) and end and _LETTER.fullmatch(end)
    if letters and end and letter.isupper() == end.isupper():
        return Range(pattern, at, prefix, suffix, ord(letter), ord(end), 0)
    return None


def _middle(text: str, prefix: str, suffix: str) -> str | None:
    fits = len(text) >= len(prefix) + len(suffix)
    if fits and text.startswith(prefix) and text.endswith(suffix):
        return text[len(prefix) : len(text) - len(suffix)]
    return None


def _width(digits: str) -> int:
    """Return the least number of digits, which keeps the leading zeros of `007`."""
    return len(digits) if digits.startswith("0") else 1


def read_ge_range(alternative: Alternative) -> str:
    """Return the size that PonyGE2's GE_RANGE states, or an empty text if it is none."""
    if len(alternative.symbols) == 1 and isinstance(alternative.symbols[0], Terminal):
        match = GE_RANGE.fullmatch(alternative.symbols[0].text)
        return match["size"] if match else ""
    return ""


def is_dots(alternative: Alternative) -> bool:
    """Return whether the alternative is only `...`."""
    return len(alternative.symbols) == 1 and isinstance(alternative.symbols[0], Dots)


def _find_repeat(symbols: tuple[Symbol, ...], at: int) -> Repetition | None:
    """Return what `A sep ... sep B` with the dots at `at` stands for, or None.

    A and B are the same symbol or the ends of a range, of as few symbols as possible.
    """
    if at < 2 or at + 2 >= len(symbols):
        return None
    one, separator, other, again = (symbols[at + step] for step in (-2, -1, 1, 2))
    if separator != other or not isinstance(separator, Terminal):
        return None
    if one == again and isinstance(one, Terminal | NonTerminal):
        return Repetition(at - 2, at + 3, separator, one)
    for length in range(1, min(_LONGEST_TERM, at - 1, len(symbols) - at - 2) + 1):
        first, last = at - 1 - length, at + 2 + length
        left, right = Alternative(symbols[first : at - 1]), Alternative(symbols[at + 2 : last])
        if any(isinstance(symbol, Dots) for symbol in (*left.symbols, *right.symbols)):
            return None
        found = find_range(left, right)
        if found is not None:
            return Repetition(first, last, separator, found)
    return None


def find_repeats(alternative: Alternative) -> Iterator[tuple[Symbol, Repetition | None]]:
    """Yield the dots of a sequence and what each stands for, None if it is nothing."""
    free = 0
    for at, symbol in enumerate(alternative.symbols):
        if isinstance(symbol, Dots):
            found = _find_repeat(alternative.symbols, at)
            yield symbol, found if found and found.first >= free else None
            free = found.last if found else at + 1


Part = Alternative | Range | str | None


@dataclass(slots=True)
class _Expansion:
    """The sizes that ranges refer to, and the faults found."""

    grammar: Grammar
    features: int
    outputs: int
    faults: list[Fault] = field(default_factory=list)

    def report(self, message: str, span: Span | None, advice: str = "") -> None:
        sizes = f"The data have {self.features} features (n) and {self.outputs} outputs (m)."
        self.faults.append(self.grammar.fault(message, advice or sizes, span))


def expand(grammar: Grammar, features: int, outputs: int) -> Grammar:
    """Return the grammar without dots and ranges, or raise a DsgecError for an invalid range."""
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
    """Return whether the expansion depends on the number of features."""
    return any(
        part == "dataset_n_vars" or _refers_to(part, "n")
        for rule in grammar.rules
        for part, _ in _parts(rule)
    )


def needs_outputs(grammar: Grammar) -> bool:
    """Return whether the expansion depends on the number of outputs."""
    return any(
        part in GE_OUTPUTS or _refers_to(part, "m")
        for rule in grammar.rules
        for part, _ in _parts(rule)
    )


def _refers_to(part: Part | Symbol, size: str) -> bool:
    match part:
        case Range(end=end):
            return isinstance(end, str) and end.startswith(size)
        case Alternative():
            return any(_refers_to(repeat.term, size) for _, repeat in find_repeats(part) if repeat)
        case Terminal() | NonTerminal():  # which is repeated for each output
            return size == "m"
        case _:
            return False


def _parts(rule: Rule) -> Iterator[tuple[Part, Span | None]]:
    """Yield the alternatives, with dots and their right end as a Range and GE_RANGE as its size.

    None stands for dots that are no range.
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
    """Return the number of alternatives of a rule, plus the symbols that repetitions make."""
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
    if size in GE_OUTPUTS:
        return expansion.outputs
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
                expansion.report("`...` is not between the ends of a range", span, advice)


def _expand_sequence(expansion: _Expansion, alternative: Alternative) -> Alternative:
    expanded: list[Symbol] = []
    done = 0
    for dots, repeat in find_repeats(alternative):
        if repeat is None:
            expansion.report("`...` is not between two equal symbols", dots.span, REPEAT_ADVICE)
            continue
        sizes = expansion.features, expansion.outputs
        expanded += alternative.symbols[done : repeat.first]
        if repeat.count(*sizes):
            expanded += repeat.symbols(*sizes)
        else:
            expansion.report("this range runs backwards", dots.span)
        done = repeat.last
    return replace(alternative, symbols=(*expanded, *alternative.symbols[done:]))
