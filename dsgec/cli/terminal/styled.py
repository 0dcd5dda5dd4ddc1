"""Lines of text whose parts have meanings: to a terminal in colour, to a file without."""

import io
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TextIO

from dsgec.report.width import cells, shorten

_STYLES = {
    "": "",
    "title": "bold",
    "dim": "dim",
    "done": "cyan",
    "best": "bold green",
    "plus": "bright_blue",
    "minus": "dark_orange",
}
_PLAIN = str.maketrans("━╸╺│─└×…·", "=--|-+x~.")
_USUAL_SIZE = (80, 24)


class StyledText(NamedTuple):
    """A piece of a line, and what it is: a key of the table of styles."""

    text: str
    meaning: str = ""


Line = Sequence[StyledText]

Palette = Mapping[str, tuple[str, str]]
"""For each meaning what switches its colour on, and off again."""


def flow(pieces: Iterable[Line], width: int, gap: int = 2) -> list[Line]:
    """Pieces after one another, as many on a line as there is room for."""
    lines: list[list[StyledText]] = []
    used = 0
    for piece in pieces:
        wide = sum(cells(span.text) for span in piece)
        if lines and used + gap + wide <= width:
            lines[-1] += [StyledText(" " * gap), *piece]
            used += gap + wide
        else:
            lines.append(list(piece))
            used = wide
    return list(lines)


def plain(line: Line) -> str:
    """A line for a file."""
    return "".join(span.text for span in line).rstrip()


def encodable(text: str, stream: TextIO | None) -> str:
    """The text, with what the stream's encoding has not written in plain characters."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_PLAIN)
        text = text.encode(encoding, "backslashreplace").decode(encoding)
    return text


def length(line: Line) -> int:
    """How many columns a line takes."""
    return sum(cells(span.text) for span in line)


def crop(line: Line, width: int) -> Line:
    """The line, or what of it fits."""
    if length(line) <= width:
        return line
    kept: list[StyledText] = []
    for span in line:
        room = width - length(kept)
        kept.append(StyledText(shorten(span.text, room), span.meaning))
        if cells(span.text) > room:
            break
    return kept


def palette() -> Palette:
    """The colours of the terminal: none if it has none or NO_COLOR is set.

    rich is imported here and only here; it is asked once, as drawing has to be cheap, and writes
    nowhere.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(file=io.StringIO(), force_terminal=True, highlight=False)
    found = {}
    for meaning, style in _STYLES.items():
        with console.capture() as capture:
            console.print(Text("x", style), end="")
        before, _, after = capture.get().partition("x")
        found[meaning] = (before, after)
    return found


def coloured(line: Line, colours: Palette) -> str:
    """A line for the terminal of that palette."""
    pieces = []
    for text, meaning in line:
        before, after = colours[meaning]
        pieces.append(f"{before}{text}{after}" if text else "")
    return "".join(pieces)


def is_capable(stream: TextIO | None) -> bool:
    """Whether it is a terminal that can be drawn on, with the characters that we draw with."""
    if stream is None or os.environ.get("TERM", "").lower() in ("", "dumb", "unknown"):
        return False
    try:
        encoding = (getattr(stream, "encoding", "") or "").lower().replace("-", "")
        return stream.isatty() and encoding == "utf8"
    except ValueError:  # it is closed
        return False


def size_of(stream: TextIO) -> tuple[int, int]:
    """Columns and rows of a terminal."""
    try:
        columns, rows = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        return _USUAL_SIZE
    return columns or _USUAL_SIZE[0], rows or _USUAL_SIZE[1]
