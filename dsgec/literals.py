"""Literals of numbers and strings that other languages read back as the same value."""

import json
import math
import re
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_LONGEST_STRING = 4000  # C99 promises 4095 characters
_LONGEST_PIECE = 10_000  # characters of a Java literal; it has at most 65,535 bytes, 3 for each
_LONGEST_NOTE = 60  # characters of a name in a comment
_ON_A_LINE = 14  # numbers of an array
_PLAIN = frozenset(" _-+=.,:;()[]<>/")


def number(value: float | int) -> str:
    """Return a literal that reads back bit for bit, in C, Python and JavaScript."""
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} has no literal")
    return repr(value)


def number_lines(
    values: Sequence[float | int], literal: Callable[[float | int], str] = number
) -> list[str]:
    """Return the elements of an array as lines of readable length."""
    return [
        ", ".join(map(literal, values[start : start + _ON_A_LINE]))
        for start in range(0, len(values), _ON_A_LINE)
    ]


def c_numbers(values: Sequence[float | int]) -> str:
    """Return the elements of an array in C, line by line."""
    return ",\n    ".join(number_lines(values))


def c_rows(rows: Sequence[Sequence[float | int]]) -> str:
    """Return the elements of a C array of structures of numbers."""
    return ",\n    ".join(f"{{{c_numbers(row)}}}" for row in rows)


def single_number(value: float) -> str:
    """Return digits that read back as the nearest single-precision number."""
    nearest = np.float32(value)
    if not np.isfinite(nearest):
        raise ValueError(f"{value} has no literal in single precision")
    return str(nearest)


def float_number(value: float) -> str:
    """Return a single-precision literal of C and Java."""
    return f"{single_number(value)}f"


def c_characters(text: str, width: int) -> str:
    """Return the initialiser of an array of characters; a list if C99 allows no string so long."""
    if width <= _LONGEST_STRING:
        return c_string(text)
    data = text.encode("utf-8", "surrogatepass")
    return "{ " + ", ".join(f"'\\{byte:03o}'" for byte in data[:width] or b"\0") + " }"


def c_string(text: str) -> str:
    """Return a C string literal of UTF-8 bytes; all but plain characters are octal escapes.

    Octal escapes end after three digits, whatever follows; `?` is escaped because of trigraphs.
    """
    data = text.encode("utf-8", "surrogatepass")
    return '"' + data.decode("latin-1").translate(_OCTAL) + '"'


def comment_text(text: str) -> str:
    """Return user text for a comment in any language: one short line of plain ASCII.

    Letters, digits and a few signs stay; any other character becomes `_`. There is no `*`, `\\`,
    `?`, quote, line end, control or direction character: nothing that could end a comment, continue
    it in the next line or be a trigraph. It is empty if nothing readable is left.
    """
    short = text[:_LONGEST_NOTE] + (".." if len(text) > _LONGEST_NOTE else "")
    kept = "".join(c if _is_plain(c) else "_" for c in short).strip()
    return kept if any(c.isalnum() for c in kept) else ""


def go_string(text: str) -> str:
    """Return a Go string literal of UTF-8 bytes; all but plain characters are escaped."""
    data = text.encode("utf-8", "surrogatepass")
    return '"' + "".join(_escape(chr(byte), "\\x{:02x}") for byte in data) + '"'


def rust_string(text: str) -> str:
    """Return a Rust string literal in ASCII; half a surrogate pair becomes U+FFFD."""
    legal = re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)
    return '"' + "".join(_escape(character, "\\u{{{:x}}}") for character in legal) + '"'


def java_string(text: str) -> str:
    r"""Return a Java expression of a string, in ASCII: a literal, or several that are joined.

    Java turns `\u0022` into a quote before it parses strings, so characters of eight bits are octal
    escapes, which end after three digits.
    """
    data = text.encode("utf-16-be", "surrogatepass")
    units = [chr(high << 8 | low) for high, low in zip(data[::2], data[1::2], strict=True)]
    written = [_escape(u, "\\{:03o}" if u < "\u0100" else "\\u{:04x}") for u in units]
    starts = range(0, max(len(written), 1), _LONGEST_PIECE)
    pieces = ['"' + "".join(written[i : i + _LONGEST_PIECE]) + '"' for i in starts]
    return pieces[0] if len(pieces) == 1 else f'String.join("", {", ".join(pieces)})'


def raw_json(value: Any) -> str:
    """Return plain data as JSON in ASCII that a raw string of Rust or Go can contain."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    # Characters that could end such a string occur only in strings of JSON.
    return re.sub(r"[#`]", lambda found: f"\\u{ord(found[0]):04x}", text)


def _is_plain(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character in _PLAIN)


_OCTAL = {byte: f"\\{byte:03o}" for byte in range(256) if not _is_plain(chr(byte))}


def _escape(character: str, escape: str) -> str:
    return character if _is_plain(character) else escape.format(ord(character))


def number_bits(value: float, dtype: str) -> int:
    """Return the bits of a double- or single-precision number; all NaNs have the same bits."""
    format_, nan = (">d", 0x7FF8 << 48) if dtype == "double" else (">f", 0x7FC0 << 16)
    return nan if value != value else int.from_bytes(struct.pack(format_, value), "big")


def python_string(value: str | int) -> str:
    """Return a Python literal of a string or a whole number, in ASCII."""
    if not isinstance(value, str | int):
        raise TypeError(f"{value!r} is no string and no whole number")
    return ascii(value)


def js_number(value: float | int) -> str:
    """Return a JavaScript literal that reads back bit for bit, even if it is not finite."""
    if math.isfinite(value):
        return number(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def js_data(value: Any) -> str:
    """Return a JavaScript literal of plain data in ASCII that is safe in HTML and comments.

    Whole numbers that JavaScript cannot represent become strings.
    """
    text = json.dumps(_large_to_text(value), ensure_ascii=True, allow_nan=False)
    # In JSON such characters occur only in strings.
    return re.sub(r"[<>&'`*/]", lambda found: f"\\u{ord(found[0]):04x}", text)


def _large_to_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _large_to_text(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_large_to_text(item) for item in value]
    return str(value) if isinstance(value, int) and abs(value) > 2**53 - 1 else value


def python_data(value: object, indent: int = 0) -> str:
    """Return a Python literal of plain data in ASCII, one item or line of text per line."""
    pad = " " * (indent + 4)
    lines: list[str]
    match value:
        case dict() if value and indent < _DEEPEST:
            items = value.items()
            lines = [f"{key!a}: {python_data(item, indent + 4)}," for key, item in items]
        case list() | tuple() if any(isinstance(item, dict) for item in value):
            lines = [f"{python_data(item, indent + 4)}," for item in value]
        case str() if value.count("\n") > 1:
            lines = [ascii(line) for line in value.splitlines(keepends=True)]
        case None | bool() | int() | str() | dict():
            return ascii(value)
        case float() if math.isfinite(value):
            return repr(value)
        case list() | tuple():
            return "[" + ", ".join(python_data(item, indent) for item in value) + "]"
        case _:
            raise TypeError(f"{value!r:.60} is no plain data")
    start, end = {str: ("(", ")"), dict: ("{", "}")}.get(type(value), ("[", "]"))
    return "\n".join([start, *(pad + line for line in lines), " " * indent + end])


_DEEPEST = 4  # spaces of indentation; a dictionary below that is written on one line


def dot_string(text: str) -> str:
    """Return a quoted string of Graphviz that is drawn literally, without escapes or entities."""
    legal = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    escaped = legal.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return f'"{escaped}"'
