"""The two ends of `x_1 | ... | x_n` to the range between them, and the other short forms."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dsgec.bnf.ir import Alternative, Dots, NonTerminal, Symbol, Terminal
from dsgec.errors import Span

MOST_ALTERNATIVES = 250_000  # more than twice the columns that a table can have
GE_RANGE = re.compile(r"GE_RANGE:(?P<size>dataset_n_vars|[0-9]{1,18})")

_SIGNED = re.compile(r"-?[0-9]{1,18}")
_DIGITS = re.compile(r"[0-9]+")
_END = re.compile(r"[0-9]{1,18}|[nm](?:-1)?")
_LETTER = re.compile(r"[a-z]|[A-Z]")


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


def find_repeat(symbols: tuple[Symbol, ...], at: int) -> tuple[Symbol, Symbol] | None:
    """What is repeated and what is between in `A sep ... sep A`, whose dots are at `at`."""
    if at < 2 or at + 2 >= len(symbols):
        return None
    one, separator, other, again = (symbols[at + step] for step in (-2, -1, 1, 2))
    if one != again or separator != other or not isinstance(one, Terminal | NonTerminal):
        return None
    return (one, separator) if isinstance(separator, Terminal) else None
