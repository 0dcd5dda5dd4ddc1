"""How many columns of a terminal a text takes, and texts cut to fit."""

import unicodedata
from functools import lru_cache


def cells(text: str) -> int:
    """How many columns of a terminal a printable text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_cells, text))


@lru_cache(1024)
def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shorten(text: str, width: int) -> str:
    """The text, or as much of it as fits, with a sign that there is more."""
    if cells(text) <= width:
        return text
    kept = ""
    room = width - 1
    for character in text:
        room -= _cells(character)
        if room < 0:
            break
        kept += character
    return kept + "…" if width > 0 else ""
