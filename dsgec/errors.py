"""Errors for users: the place, the line with a caret, what is wrong and what to do.

A message names a setting by `mention("missing", "drop")`, and each interface writes that in its own
syntax: `--missing drop` on the command line, `missing="drop"` in Python.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Span:
    """A part of one line of a source; line and column count from 1."""

    source: str
    line: int
    column: int
    length: int = 1

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"


# A mention in a message, between private-use characters, until an interface writes it.
_MENTION = re.compile("\ue000([a-z_]+) ([^\ue000\ue001]*)\ue001")


def mention(name: str, *values: Any) -> str:
    """Return the mention of a setting in advice, with the suggested values, if any."""
    return f"\ue000{name} {json.dumps(values)}\ue001"


class Words:
    """The syntax in which an interface names settings; this one is Python's."""

    def name(self, setting: str) -> str:
        """Return the name of a setting that is wrong."""
        return setting

    def advice(self, setting: str, values: list[Any]) -> str:
        """Return a setting that should be given, with one of these values if there are any."""
        texts = (json.dumps(value) if isinstance(value, str) else repr(value) for value in values)
        return f"{setting}={' or '.join(texts)}"

    def write(self, text: str) -> str:
        """Return a text with all its mentions written."""
        return _MENTION.sub(self._write_mention, text)

    def _write_mention(self, match: re.Match[str]) -> str:
        try:
            values = json.loads(match[2])
        except (ValueError, RecursionError):
            values = match[2]
        if isinstance(values, list):
            return self.advice(match[1], values)
        return self.name(match[1]) if values is None else match[0]  # by chance, a user's text


PYTHON = Words()


@dataclass(frozen=True, slots=True)
class Fault:
    """One mistake, perhaps of a `setting`, with advice on what to do about it."""

    message: str
    advice: str = ""
    span: Span | None = None
    line_text: str = ""
    warning: bool = False
    setting: str = ""

    def __str__(self) -> str:
        return self.rendered(PYTHON)

    def at(self, place: str, words: Words | None = None) -> "Fault":
        """Return the fault with a place before its message; with `words`, mentions are written."""
        write = words.write if words else str
        message = f"{place}: {self.message}" if place else self.message
        return replace(self, message=write(message), advice=write(self.advice))

    def rendered(self, words: Words) -> str:
        """Return the whole message in the words of an interface."""
        message, advice = words.write(self.message), words.write(self.advice)
        kind = "warning: " if self.warning else "error: "
        # Further lines come from an input and must not look like ours.
        message = message.replace("\n", "\n    ")
        parts = [f"{self.span}: {kind}{message}" if self.span else kind + message]
        if self.span and self.line_text:
            line, column = _window(self.line_text, self.span.column)
            carets = "^" * max(1, min(self.span.length, len(line) - column + 1))
            parts += ["    " + line, "    " + " " * (column - 1) + carets]
        if advice:
            parts.append("  " + advice)
        return "\n".join(printable(part) for part in parts)


class DsgecError(Exception):
    """A mistake of the user, shown without a traceback and with exit code 1.

    :param faults: The message, or all faults that were found.
    :param advice: What to do about it.
    """

    def __init__(self, faults: Fault | str | Iterable[Fault], advice: str = "") -> None:
        if isinstance(faults, str):
            faults = Fault(faults, advice)
        self.faults = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__(self.rendered(PYTHON))

    def rendered(self, words: Words) -> str:
        """Return the messages of all faults in the words of an interface.

        :param words: The syntax in which the interface names settings.
        """
        shown = at_most_three(self.faults, lambda fault: (fault.message, fault.warning))
        return "\n".join(one if isinstance(one, str) else one.rendered(words) for one in shown)

    def of(self, which: str) -> "DsgecError":
        """Return the error with the name of the thing that it concerns, one among several.

        :param which: The name of the thing.
        """
        return DsgecError(fault.at(which) for fault in self.faults)

    def __reduce__(self) -> tuple[Any, ...]:
        # For errors from other processes: by default, pickle would call the class with the text.
        return _rebuild_error, (type(self), self.faults, self.__dict__)


def _rebuild_error(
    kind: type[DsgecError], faults: tuple[Fault, ...], state: dict[str, Any]
) -> DsgecError:
    error = kind.__new__(kind)
    DsgecError.__init__(error, faults)
    error.__dict__.update(state)
    return error


def setting_error(setting: str, message: str, advice: str = "") -> DsgecError:
    """Return the error of a setting; the message continues its name, as "is 1" does."""
    return DsgecError(Fault(f"\ue000{setting} null\ue001 {message}", advice, setting=setting))


def reason(error: Exception) -> str:
    """Return the message of a system error, without its number."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


MOST_ALIKE = 3
"""The most messages of one kind that are printed."""


def and_more(count: int) -> str:
    """Return the line that replaces further messages of the same kind."""
    return f"… and {count:,} more like this"


def at_most_three(items: Iterable[Item], kind: Callable[[Item], Hashable]) -> Iterator[Item | str]:
    """Yield the first three items of each kind, followed by the number of further ones."""
    found = list(items)
    counts = Counter(map(kind, found))
    given: Counter[Hashable] = Counter()
    for item in found:
        given[kind(item)] += 1
        if given[kind(item)] <= MOST_ALIKE:
            yield item
        more = counts[kind(item)] - MOST_ALIKE
        if given[kind(item)] == MOST_ALIKE and more > 0:
            yield and_more(more)


def message_kind(text: str) -> str:
    """Return a message without names and numbers, which differ among messages of one kind."""
    return _PARTICULARS.sub("…", text)


_PARTICULARS = re.compile(r"`[^`]*`|\d[\d.,]*")


def counted(count: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun: `1 layer`, `2 layers`."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def join_names(names: Sequence[str], most: int = 20) -> str:
    """Join names with commas; of many, only the first."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def printable(text: str) -> str:
    """Replace control characters and others that could drive a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)


def clean(text: str) -> str:
    """Return text of the user as one line that cannot drive a terminal."""
    return printable(text.replace("\n", "�"))


def _window(line: str, column: int, width: int = 100) -> tuple[str, int]:
    """Return the part of a long line around a column, and the place of the column in it."""
    start = max(0, column - 1 - width // 2) if len(line) > width else 0
    return line[start : start + width].replace("\t", " "), column - start
