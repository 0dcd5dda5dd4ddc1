"""The text of a grammar file, the faults that point into it, and advice on misspelt names."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from dsgec.errors import DsgecError, Fault, Span

MOST_FAULTS = 1000
_MOST_NAMES = 2000
_MOST_LOOKUPS = 200


@dataclass(frozen=True, slots=True)
class GrammarSource:
    """The text of a grammar file, without BOM and NUL, and with newlines as line ends."""

    name: str
    text: str
    lines: tuple[str, ...]

    def span(self, line: int, column: int, length: int = 1) -> Span:
        return Span(self.name, line, column, max(1, length))

    def fault(
        self, message: str, advice: str, span: Span | None, *, warning: bool = False
    ) -> Fault:
        """Return a fault that shows its line."""
        line = self.lines[span.line - 1] if span and span.line <= len(self.lines) else ""
        return Fault(message, advice, span, line, warning)


def read_source(text: str | bytes, name: str) -> GrammarSource:
    """Return the source of a grammar, or raise a DsgecError if it is not UTF-8 text."""
    if isinstance(text, bytes):
        text = _decode(text, name)
    else:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            source = _make_source(text[: error.start], name)
            raise DsgecError(
                _fault_after(source, "this character is not text", "Remove it.")
            ) from None
    source = _make_source(text.removeprefix("\ufeff"), name)
    if (nul := source.text.find("\0")) >= 0:
        head = _make_source(source.text[:nul], name)
        advice = "Save the grammar as plain UTF-8 text."
        raise DsgecError(_fault_after(head, "a NUL byte is in the file", advice))
    return source


def shorten(words: str, width: int = 60) -> str:
    """Return words cut to a width that keeps a message readable."""
    return words if len(words) <= width else words[: width - 1] + "…"


def sort_faults(faults: list[Fault]) -> tuple[Fault, ...]:
    """Return the first thousand faults in the order of the file, errors before warnings."""
    left = len(faults) - MOST_FAULTS
    if left > 0:
        faults = sorted(faults, key=lambda fault: (fault.warning, _place(fault)))
        only_warnings = faults[0].warning
        cut = faults[MOST_FAULTS]
        faults = sorted(faults[:MOST_FAULTS], key=_place)
        message, advice = f"{left} more faults are not shown", "Fix the faults above first."
        return (*faults, Fault(message, advice, cut.span, cut.line_text, only_warnings))
    return tuple(sorted(faults, key=_place))


def _place(fault: Fault) -> tuple[int, int]:
    return (fault.span.line, fault.span.column) if fault.span else (0, 0)


def _decode(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        head = _make_source(data[: error.start].decode("utf-8").removeprefix("\ufeff"), name)
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise DsgecError(_fault_after(head, message, "Save the grammar as UTF-8 text.")) from None


def _make_source(text: str, name: str) -> GrammarSource:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return GrammarSource(name, text, tuple(text.split("\n")))


def _fault_after(head: GrammarSource, message: str, advice: str) -> Fault:
    """Return a fault at the character after `head`, the readable part of a file."""
    span = head.span(len(head.lines), len(head.lines[-1]) + 1)
    return head.fault(message, advice, span)


class NameSuggester:
    """Suggests similar names, for a limited number of words so that any file is read quickly."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(dict.fromkeys(names))
        self._left = _MOST_LOOKUPS

    def find(self, word: str) -> str | None:
        """Return the most similar name, or None if no name is similar."""
        names = self._names
        if self._left == 0 or len(word) > 200:
            return None
        self._left -= 1
        if len(names) > _MOST_NAMES:
            names = [n for n in names if n[:1] == word[:1] and abs(len(n) - len(word)) < 3]
        names = [name for name in names[:_MOST_NAMES] if len(name) <= 200]
        return next(iter(get_close_matches(word, names, n=1)), None)

    def advice(self, word: str, otherwise: str, form: str = "`<{}>`") -> str:
        """Return "Did you mean …? Otherwise …", or only `otherwise` if no name is similar."""
        similar = self.find(word)
        if similar is None:
            return otherwise
        return (
            f"Did you mean {form.format(similar)}? Otherwise {otherwise[0].lower()}{otherwise[1:]}"
        )
