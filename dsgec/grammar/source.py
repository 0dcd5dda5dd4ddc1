"""Bytes or text of a grammar file to clean lines that faults can point into."""

from dataclasses import dataclass

from dsgec.errors import DsgecError, Fault, Span

MOST_FAULTS = 1000


@dataclass(frozen=True, slots=True)
class GrammarSource:
    """A text with a name: no BOM, no NUL, and lines that end in one newline."""

    name: str
    text: str
    lines: tuple[str, ...]

    def span(self, line: int, column: int, length: int = 1) -> Span:
        return Span(self.name, line, column, max(1, length))

    def fault(
        self, message: str, advice: str, span: Span | None, *, warning: bool = False
    ) -> Fault:
        """A fault that shows its line."""
        line = self.lines[span.line - 1] if span and span.line <= len(self.lines) else ""
        return Fault(message, advice, span, line, warning)


def read(text: str | bytes, name: str) -> GrammarSource:
    """The source that `text` is; DsgecError where it is not text."""
    if isinstance(text, bytes):
        text = _decode(text, name)
    else:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            source = _lines(text[: error.start], name)
            raise DsgecError(_at_end(source, "this character is not text", "Remove it.")) from None
    source = _lines(text.removeprefix("\ufeff"), name)
    if (nul := source.text.find("\0")) >= 0:
        head = _lines(source.text[:nul], name)
        advice = "Save the grammar as plain UTF-8 text."
        raise DsgecError(_at_end(head, "a NUL byte is in the file", advice))
    return source


def shorten(words: str, width: int = 60) -> str:
    """Words for a message, which should stay readable whatever the file has."""
    return words if len(words) <= width else words[: width - 1] + "…"


def in_order(faults: list[Fault]) -> tuple[Fault, ...]:
    """The faults in the order of the file: a thousand of them, warnings only if there is room."""
    left = len(faults) - MOST_FAULTS
    if left > 0:
        faults = sorted(faults, key=lambda fault: (fault.warning, _place(fault)))
        only_warnings = faults[0].warning
        cut = faults[MOST_FAULTS]
        faults = sorted(faults[:MOST_FAULTS], key=_place)
        message, advice = f"{left} more faults are not shown", "Mend the faults above first."
        return (*faults, Fault(message, advice, cut.span, cut.line_text, only_warnings))
    return tuple(sorted(faults, key=_place))


def _place(fault: Fault) -> tuple[int, int]:
    return (fault.span.line, fault.span.column) if fault.span else (0, 0)


def _decode(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        head = _lines(data[: error.start].decode("utf-8").removeprefix("\ufeff"), name)
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise DsgecError(_at_end(head, message, "Save the grammar as UTF-8 text.")) from None


def _lines(text: str, name: str) -> GrammarSource:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return GrammarSource(name, text, tuple(text.split("\n")))


def _at_end(head: GrammarSource, message: str, advice: str) -> Fault:
    """A fault at what follows `head`, the good part of a file."""
    span = head.span(len(head.lines), len(head.lines[-1]) + 1)
    return head.fault(message, advice, span)
