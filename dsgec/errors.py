"""Errors for users: a place, the line, a caret, what is wrong and what to do."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one line of a source; line and column count from 1."""

    source: str
    line: int
    column: int
    length: int = 1

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong. `advice` says what to do about it."""

    message: str
    advice: str = ""
    span: Span | None = None
    line_text: str = ""
    warning: bool = False

    def __str__(self) -> str:
        kind = "warning: " if self.warning else "error: "
        # A line of the message that an input brought along is not to look like one of ours.
        message = self.message.replace("\n", "\n    ")
        parts = [f"{self.span}: {kind}{message}" if self.span else kind + message]
        if self.span and self.line_text:
            line, column = _window(self.line_text, self.span.column)
            carets = "^" * max(1, min(self.span.length, len(line) - column + 1))
            parts += ["    " + line, "    " + " " * (column - 1) + carets]
        if self.advice:
            parts.append("  " + self.advice)
        return "\n".join(printable(part) for part in parts)


class DsgecError(Exception):
    """A mistake of the user's: shown without a traceback, with exit code 1."""

    def __init__(self, faults: Fault | str | Iterable[Fault], advice: str = "") -> None:
        if isinstance(faults, str):
            faults = Fault(faults, advice)
        self.faults = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))

    def of(self, which: str) -> "DsgecError":
        """The same error, as that of one among several."""
        return DsgecError(replace(f, message=f"{which}: {f.message}") for f in self.faults)

    def __reduce__(self) -> tuple[Any, ...]:
        # As it comes from another process: what exceptions do by themselves is to call the class
        # with the text, which is not what it takes.
        return _again, (type(self), self.faults, self.__dict__)


def _again(kind: type[DsgecError], faults: tuple[Fault, ...], state: dict[str, Any]) -> DsgecError:
    error = kind.__new__(kind)
    DsgecError.__init__(error, faults)
    error.__dict__.update(state)
    return error


def reason(error: Exception) -> str:
    """What an error of the system's says, without its number."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def counted(count: int, noun: str, nouns: str = "") -> str:
    """A number of things: `1 layer`, `2 layers`."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def printable(text: str) -> str:
    """Text that cannot drive a terminal: control characters, and what is not text, replaced."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)


def clean(text: str) -> str:
    """A name of the user's, or a line with one, as one line that cannot drive a terminal."""
    return printable(text.replace("\n", "�"))


def _window(line: str, column: int, width: int = 100) -> tuple[str, int]:
    """The part of a long line around `column`, and where the column is in it."""
    start = max(0, column - 1 - width // 2) if len(line) > width else 0
    return line[start : start + width].replace("\t", " "), column - start
