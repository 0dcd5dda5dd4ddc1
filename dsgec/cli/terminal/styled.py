"""Lines of styled text: in colour on a terminal, plain in a file."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TextIO

from dsgec.report.format import shorten, text_width

# ANSI codes by style, and what is left of them without colours.
_CODES = {
    **{"": "", "title": "1", "dim": "2"},
    **{"done": "36", "best": "1;32", "plus": "94", "minus": "38;5;208"},
}
_CODES_WITHOUT_COLOURS = {**dict.fromkeys(_CODES, ""), "title": "1", "dim": "2", "best": "1"}
_RED = "91"  # instead of orange, which terminals of 16 colours do not have
_ASCII = str.maketrans("━╸╺│─└×…·", "=--|-+x~.")
_DEFAULT_SIZE = (80, 24)
_GAP = "  "


class StyledText(NamedTuple):
    """A piece of a line and its style, a key of the table of codes."""

    text: str
    style: str = ""


Line = Sequence[StyledText]

Palette = Mapping[str, tuple[str, str]]
"""For each style the escape sequences that begin and end it."""


def palette() -> Palette:
    """Return the escape sequences of the terminal; without colours if NO_COLOR is set."""
    codes = _CODES
    if os.environ.get("NO_COLOR"):
        codes = _CODES_WITHOUT_COLOURS
    elif "256" not in os.environ.get("TERM", "") and not os.environ.get("COLORTERM"):
        codes = _CODES | {"minus": _RED}
    return {
        style: (f"\x1b[{code}m", "\x1b[0m") if code else ("", "") for style, code in codes.items()
    }


def colour_line(line: Line, colours: Palette) -> str:
    """Return a line with the escape sequences of a palette."""
    pieces = []
    for text, style in line:
        before, after = colours[style]
        pieces.append(f"{before}{text}{after}" if text else "")
    return "".join(pieces)


def plain(line: Line) -> str:
    """Return the text of a line."""
    return "".join(span.text for span in line).rstrip()


def length(line: Line) -> int:
    """Return the number of columns that a line takes."""
    return sum(text_width(span.text) for span in line)


def crop(line: Line, width: int) -> Line:
    """Return a line, shortened to a width."""
    if length(line) <= width:
        return line
    kept: list[StyledText] = []
    for span in line:
        room = width - length(kept)
        kept.append(StyledText(shorten(span.text, room), span.style))
        if text_width(span.text) > room:
            break
    return kept


def flow(pieces: Iterable[Line], width: int) -> list[Line]:
    """Place pieces one after another in lines of at most a width."""
    lines: list[list[StyledText]] = []
    for piece in pieces:
        if lines and length(lines[-1]) + len(_GAP) + length(piece) <= width:
            lines[-1] += [StyledText(_GAP), *piece]
        else:
            lines.append(list(piece))
    return list(lines)


def make_encodable(text: str, stream: TextIO | None) -> str:
    """Return a text in the encoding of a stream; other characters become ASCII or escapes."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_ASCII)
        text = text.encode(encoding, "backslashreplace").decode(encoding)
    return text


def is_capable(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal with cursor movement and UTF-8."""
    if stream is None or os.environ.get("TERM", "").lower() in ("", "dumb", "unknown"):
        return False
    try:
        encoding = (getattr(stream, "encoding", "") or "").lower().replace("-", "")
        return stream.isatty() and encoding == "utf8"
    except ValueError:  # it is closed
        return False


def size_of(stream: TextIO) -> tuple[int, int]:
    """Return the columns and rows of a terminal."""
    try:
        columns, rows = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        return _DEFAULT_SIZE
    return columns or _DEFAULT_SIZE[0], rows or _DEFAULT_SIZE[1]
