"""Errors for users: a place, the line, a caret, what is wrong and what to do.

A message names a setting by `mention("missing", "drop")`, and each surface writes that in its own
words: `--missing drop` on the command line, `missing="drop"` in Python.
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
    """A stretch of one line of a source; line and column count from 1."""

    source: str
    line: int
    column: int
    length: int = 1

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"


# In characters for private use: what a message has until a surface writes it.
_MENTION = re.compile("\ue000([a-z_]+) ([^\ue000\ue001]*)\ue001")


def mention(name: str, *values: Any) -> str:
    """A setting in an advice, with the values that it can be given there, if any."""
    return f"\ue000{name} {json.dumps(values)}\ue001"


class Words:
    """How a surface writes settings. This is Python's way."""

    def name(self, setting: str) -> str:
        """A setting that is wrong."""
        return setting

    def advice(self, setting: str, values: list[Any]) -> str:
        """A setting that should be given, as one of these values if there are any."""
        texts = (json.dumps(value) if isinstance(value, str) else repr(value) for value in values)
        return f"{setting}={' or '.join(texts)}"

    def write(self, text: str) -> str:
        """The text with all its settings written."""
        return _MENTION.sub(self._written, text)

    def _written(self, match: re.Match[str]) -> str:
        try:
            values = json.loads(match[2])
        except (ValueError, RecursionError):
            values = match[2]
        if isinstance(values, list):
            return self.advice(match[1], values)
        return self.name(match[1]) if values is None else match[0]  # a user's text, by chance


PYTHON = Words()


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong, of a `setting` or not. `advice` says what to do about it."""

    message: str
    advice: str = ""
    span: Span | None = None
    line_text: str = ""
    warning: bool = False
    setting: str = ""

    def __str__(self) -> str:
        return self.rendered(PYTHON)

    def at(self, place: str, words: Words | None = None) -> "Fault":
        """The same, at one place among several; with `words`, written for good."""
        write = words.write if words else str
        message = f"{place}: {self.message}" if place else self.message
        return replace(self, message=write(message), advice=write(self.advice))

    def rendered(self, words: Words) -> str:
        """All of it in the words of a surface."""
        message, advice = words.write(self.message), words.write(self.advice)
        kind = "warning: " if self.warning else "error: "
        # A line of the message that an input brought along is not to look like one of ours.
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
    """A mistake of the user's: shown without a traceback, with exit code 1.

    :param faults: What is wrong: one message, or all that was found.
    :param advice: What to do about it.
    """

    def __init__(self, faults: Fault | str | Iterable[Fault], advice: str = "") -> None:
        if isinstance(faults, str):
            faults = Fault(faults, advice)
        self.faults = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__(self.rendered(PYTHON))

    def rendered(self, words: Words) -> str:
        """All that is wrong, in the words of a surface.

        :param words: How that surface names settings.
        """
        shown = at_most_three(self.faults, lambda fault: (fault.message, fault.warning))
        return "\n".join(one if isinstance(one, str) else one.rendered(words) for one in shown)

    def of(self, which: str) -> "DsgecError":
        """The same error, as that of one among several.

        :param which: Which one, in words.
        """
        return DsgecError(fault.at(which) for fault in self.faults)

    def __reduce__(self) -> tuple[Any, ...]:
        # As it comes from another process: what exceptions do by themselves is to call the class
        # with the text, which is not what it takes.
        return _again, (type(self), self.faults, self.__dict__)


def _again(kind: type[DsgecError], faults: tuple[Fault, ...], state: dict[str, Any]) -> DsgecError:
    error = kind.__new__(kind)
    DsgecError.__init__(error, faults)
    error.__dict__.update(state)
    return error


def wrong(setting: str, message: str, advice: str = "") -> DsgecError:
    """What is wrong with a setting: the message goes on from its name, as "is 1" does."""
    return DsgecError(Fault(f"\ue000{setting} null\ue001 {message}", advice, setting=setting))


def reason(error: Exception) -> str:
    """What an error of the system's says, without its number."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


MOST_ALIKE = 3
"""How often a message is printed."""


def and_more(count: int) -> str:
    """What stands in the place of further messages of the same kind."""
    return f"… and {count:,} more like this"


def at_most_three(items: Iterable[Item], kind: Callable[[Item], Hashable]) -> Iterator[Item | str]:
    """Give the first three items of each kind, and behind them how many more of it there are."""
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
    """Return a message without its names and numbers, which differ among messages of a kind."""
    return _PARTICULARS.sub("…", text)


_PARTICULARS = re.compile(r"`[^`]*`|\d[\d.,]*")


def counted(count: int, noun: str, nouns: str = "") -> str:
    """A number of things: `1 layer`, `2 layers`."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def listed(names: Sequence[str], most: int = 20) -> str:
    """Names side by side, the first of many."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


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
