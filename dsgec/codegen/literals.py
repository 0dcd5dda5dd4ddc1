"""Numbers and strings to literals that C and Python read back as the same value."""

import math


def number(value: float | int) -> str:
    """A literal that reads back bit for bit, in C and in Python."""
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} has no literal")
    return repr(value)


def c_string(text: str) -> str:
    """A C string literal of UTF-8 bytes; everything but plain characters is an octal escape.

    Octal escapes end after three digits, whatever follows; `?` is escaped because of trigraphs.
    """
    pieces = []
    for byte in text.encode("utf-8", "surrogatepass"):
        character = chr(byte)
        plain = character.isascii() and (character.isalnum() or character in " _-+=.,:;()[]<>/")
        pieces.append(character if plain else f"\\{byte:03o}")
    return '"' + "".join(pieces) + '"'


def python_string(value: str | int) -> str:
    """A Python literal of a string or a whole number, in ASCII."""
    if not isinstance(value, str | int):
        raise TypeError(f"{value!r} is no string and no whole number")
    return ascii(value)
