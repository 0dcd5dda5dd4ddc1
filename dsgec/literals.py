"""Numbers and strings to literals that C, Python and JavaScript read back as the same value."""

import json
import math
import re
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

_LONGEST_STRING = 4000  # C99 promises 4095 characters
_LONGEST_PIECE = 10_000  # of a Java literal, which has at most 65,535 bytes: three a character
_LONGEST_NOTE = 60  # characters of a name in a comment
_ON_A_LINE = 14  # numbers of an array
_PLAIN = frozenset(" _-+=.,:;()[]<>/")


def number(value: float | int) -> str:
    """A literal that reads back bit for bit, in C, Python and JavaScript."""
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} has no literal")
    return repr(value)


def number_lines(values: Sequence[float | int]) -> list[str]:
    """The elements of an array, as many on a line as can be read."""
    return [
        ", ".join(map(number, values[start : start + _ON_A_LINE]))
        for start in range(0, len(values), _ON_A_LINE)
    ]


def c_numbers(values: Sequence[float | int]) -> str:
    """The elements of an array in C, line by line."""
    return ",\n    ".join(number_lines(values))


def c_rows(rows: Sequence[Sequence[float | int]]) -> str:
    """The elements of an array of structures of numbers."""
    return ",\n    ".join(f"{{{c_numbers(row)}}}" for row in rows)


def single_number(value: float) -> str:
    """The digits of the nearest single-precision number, which read back as that number."""
    nearest = np.float32(value)
    if not np.isfinite(nearest):
        raise ValueError(f"{value} has no literal in single precision")
    return str(nearest)


def float_number(value: float) -> str:
    """The same as C and Java have it."""
    return f"{single_number(value)}f"


def c_characters(text: str, width: int) -> str:
    """The initialiser of an array of `width` characters; a list where C99 allows no string."""
    if width <= _LONGEST_STRING:
        return c_string(text)
    data = text.encode("utf-8", "surrogatepass")
    return "{ " + ", ".join(f"'\\{byte:03o}'" for byte in data[:width] or b"\0") + " }"


def c_string(text: str) -> str:
    """A C string literal of UTF-8 bytes; everything but plain characters is an octal escape.

    Octal escapes end after three digits, whatever follows; `?` is escaped because of trigraphs.
    """
    data = text.encode("utf-8", "surrogatepass")
    return '"' + data.decode("latin-1").translate(_OCTAL) + '"'


def comment_text(text: str) -> str:
    """What of a user's text can stand in a comment of any language: one short line of plain ASCII.

    Letters, digits and a few signs stay; any other character is a `_`. There is no `*`, `\\`, `?`,
    quote, line end, control character or one that changes the direction: nothing that could end a
    comment, go on in the next line or be a trigraph. It is empty where nothing readable is left.
    """
    short = text[:_LONGEST_NOTE] + (".." if len(text) > _LONGEST_NOTE else "")
    kept = "".join(c if _is_plain(c) else "_" for c in short).strip()
    return kept if any(c.isalnum() for c in kept) else ""


def go_string(text: str) -> str:
    """A Go string literal of UTF-8 bytes; everything but plain characters is an escape."""
    data = text.encode("utf-8", "surrogatepass")
    return '"' + "".join(_escaped(chr(byte), "\\x{:02x}") for byte in data) + '"'


def rust_string(text: str) -> str:
    """A Rust string literal in ASCII; half a surrogate pair, which Rust has not, becomes U+FFFD."""
    legal = re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)
    return '"' + "".join(_escaped(character, "\\u{{{:x}}}") for character in legal) + '"'


def java_string(text: str) -> str:
    r"""An expression of a Java string, in ASCII: a literal, or several of them joined.

    Java turns `\u0022` into a quote before it looks for strings: a character of eight bits is an
    octal escape, which ends after three digits.
    """
    data = text.encode("utf-16-be", "surrogatepass")
    units = [chr(high << 8 | low) for high, low in zip(data[::2], data[1::2], strict=True)]
    written = [_escaped(u, "\\{:03o}" if u < "\u0100" else "\\u{:04x}") for u in units]
    starts = range(0, max(len(written), 1), _LONGEST_PIECE)
    pieces = ['"' + "".join(written[i : i + _LONGEST_PIECE]) + '"' for i in starts]
    return pieces[0] if len(pieces) == 1 else f'String.join("", {", ".join(pieces)})'


def raw_json(value: Any) -> str:
    """Plain data as JSON, in ASCII, which a raw string of Rust or Go holds as it is."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    # What could end such a string stands in strings of JSON only.
    return re.sub(r"[#`]", lambda found: f"\\u{ord(found[0]):04x}", text)


def _is_plain(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character in _PLAIN)


_OCTAL = {byte: f"\\{byte:03o}" for byte in range(256) if not _is_plain(chr(byte))}


def _escaped(character: str, escape: str) -> str:
    return character if _is_plain(character) else escape.format(ord(character))


def number_bits(value: float, dtype: str) -> int:
    """The bits of a number of double or single precision; every NaN is the same one."""
    format_, nan = (">d", 0x7FF8 << 48) if dtype == "double" else (">f", 0x7FC0 << 16)
    return nan if value != value else int.from_bytes(struct.pack(format_, value), "big")


def python_string(value: str | int) -> str:
    """A Python literal of a string or a whole number, in ASCII."""
    if not isinstance(value, str | int):
        raise TypeError(f"{value!r} is no string and no whole number")
    return ascii(value)


def js_number(value: float | int) -> str:
    """A JavaScript literal that reads back bit for bit, also of what is not finite."""
    if math.isfinite(value):
        return number(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def js_data(value: Any) -> str:
    """A JavaScript literal of plain data, in ASCII; what could end HTML or a comment is escaped.

    Whole numbers that JavaScript cannot hold are texts.
    """
    text = json.dumps(_held(value), ensure_ascii=True, allow_nan=False)
    # In JSON such characters stand in strings only.
    return re.sub(r"[<>&'`*/]", lambda found: f"\\u{ord(found[0]):04x}", text)


def _held(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _held(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_held(item) for item in value]
    return str(value) if isinstance(value, int) and abs(value) > 2**53 - 1 else value


def python_data(value: object, indent: int = 0) -> str:
    """A Python literal of plain data, in ASCII: an item a line, a long text as its lines."""
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


_DEEPEST = 4  # spaces: below it, what a dictionary holds stands on one line


def dot_string(text: str) -> str:
    """A quoted string for Graphviz that is drawn as it stands, without escapes or entities.

    Quotes and backslashes are escaped for the reader, `&` for whatever looks for entities.
    """
    legal = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    escaped = legal.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return f'"{escaped}"'
