"""The two ends of `x_1 | ... | x_n` to the range between them, and the other short forms."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dsgec.errors import Span
from dsgec.grammar.ir import Alternative, Dots, NonTerminal, Symbol, Terminal

MOST_ALTERNATIVES = 250_000  # more than twice the columns that a table can have
REPEAT_ADVICE = (
    "Write `<a> , ... , <a>`, with the same symbol and separator on both sides, or the ends of a"
    " range: `<a> * x_1 + ... + <a> * x_n`."
)
GE_RANGE = re.compile(r"GE_RANGE:(?P<size>dataset_n_vars|[0-9]{1,18})")

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
        """The number at the end, when the sizes are known."""
        if isinstance(self.end, int):
            return self.end
        return (features if self.end[0] == "n" else outputs) - self.end.endswith("-1")

    def text(self, value: int) -> str:
        """The terminal that has `value` where the ends differ."""
        return self.prefix + (f"{value:0{self.width}}" if self.width else chr(value)) + self.suffix

    def alternatives(self, values: range, span: Span | None) -> Iterator[Alternative]:
        """For each value the alternative that has it where the ends differ; `span` is theirs."""
        symbols, at = self.pattern.symbols, self.position
        before, place, after = symbols[:at], symbols[at].span, symbols[at + 1 :]
        for value in values:
            yield Alternative((*before, Terminal(self.text(value), place), *after), span)


@dataclass(frozen=True, slots=True)
class Repeat:
    """The symbols from `first` to before `last` of a sequence, which are short for others.

    They are copies of one symbol, one for each output, or the terms of a range, once each.
    """

    first: int
    last: int
    separator: Terminal
    term: Symbol | Range

    def count(self, features: int, outputs: int) -> int:
        """How many terms it has, when the sizes are known; 0 of a range that runs backwards."""
        if isinstance(self.term, Range):
            return max(self.term.last(features, outputs) - self.term.start + 1, 0)
        return outputs

    def symbols(self, features: int, outputs: int) -> list[Symbol]:
        """All terms, and the separator between them."""
        count = self.count(features, outputs)
        if isinstance(self.term, Range):
            start = self.term.start
            terms = [a.symbols for a in self.term.alternatives(range(start, start + count), None)]
        else:
            terms = [(self.term,)] * count
        rest = (symbol for term in terms[1:] for symbol in (self.separator, *term))
        return [*terms[0], *rest]


def find_range(first: Alternative, last: Alternative) -> Range | None:
    """The range from `first` to `last`, or None if nothing leads from one to the other."""
    if len(first.symbols) != len(last.symbols):
        return None
    pairs = list(enumerate(zip(first.symbols, last.symbols, strict=True)))
    different = [pair for pair in pairs if pair[1][0] != pair[1][1]]
    if len(different) != 1 and not (not different and len(pairs) == 1):
        return None
    position, (one, other) = (different or pairs)[0]
    if not isinstance(one, Terminal) or not isinstance(other, Terminal):
        return None
    return _between(first, position, one.text, other.text)


def _between(pattern: Alternative, at: int, first: str, last: str) -> Range | None:
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
    """`007` keeps its zeros; a plain number has no least width to speak of."""
    return len(digits) if digits.startswith("0") else 1


def read_ge_range(alternative: Alternative) -> str:
    """The size that an alternative of PonyGE2's GE_RANGE states, or "" for any other."""
    if len(alternative.symbols) == 1 and isinstance(alternative.symbols[0], Terminal):
        match = GE_RANGE.fullmatch(alternative.symbols[0].text)
        return match["size"] if match else ""
    return ""


def is_dots(alternative: Alternative) -> bool:
    """Whether the alternative is only `...`."""
    return len(alternative.symbols) == 1 and isinstance(alternative.symbols[0], Dots)


def _find_repeat(symbols: tuple[Symbol, ...], at: int) -> Repeat | None:
    """What `A sep ... sep B` stands for, whose dots are at `at`.

    A and B are the same symbol, or the ends of a range: as few symbols as make one.
    """
    if at < 2 or at + 2 >= len(symbols):
        return None
    one, separator, other, again = (symbols[at + step] for step in (-2, -1, 1, 2))
    if separator != other or not isinstance(separator, Terminal):
        return None
    if one == again and isinstance(one, Terminal | NonTerminal):
        return Repeat(at - 2, at + 3, separator, one)
    for length in range(1, min(_LONGEST_TERM, at - 1, len(symbols) - at - 2) + 1):
        first, last = at - 1 - length, at + 2 + length
        left, right = Alternative(symbols[first : at - 1]), Alternative(symbols[at + 2 : last])
        if any(isinstance(symbol, Dots) for symbol in (*left.symbols, *right.symbols)):
            return None
        found = find_range(left, right)
        if found is not None:
            return Repeat(first, last, separator, found)
    return None


def find_repeats(alternative: Alternative) -> Iterator[tuple[Symbol, Repeat | None]]:
    """The dots of a sequence, and what each stands for; None for dots that make no sense."""
    free = 0
    for at, symbol in enumerate(alternative.symbols):
        if isinstance(symbol, Dots):
            found = _find_repeat(alternative.symbols, at)
            yield symbol, found if found and found.first >= free else None
            free = found.last if found else at + 1
