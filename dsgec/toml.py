"""Read untrusted TOML files, and write values as TOML."""

import re
import tomllib
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from dsgec.errors import DsgecError, Fault, Span
from dsgec.resources import read_bytes

_MOST_BYTES = 1 << 20
_LONGEST_LINE = 8_000  # the time for dotted keys is quadratic
_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def read_toml(path: Path | Traversable, shown: str) -> dict[str, Any]:
    """Return the content of a TOML file."""
    data = read_bytes(path, shown, _MOST_BYTES)
    if any(len(line) > _LONGEST_LINE for line in data.split(b"\n")):
        raise DsgecError(f"{shown} has a line of more than {_LONGEST_LINE} bytes", "Break it.")
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise DsgecError(f"{shown} is not UTF-8 text", "Save it as UTF-8.") from error
    except RecursionError as error:
        raise DsgecError(f"{shown} nests too deeply") from error
    except ValueError as error:
        message = str(error)
        place = _PLACE.search(message)
        line, column = (int(place[1]), int(place[2])) if place else (data.count(b"\n") + 1, 1)
        text = _PLACE.sub("", message)
        span = Span(shown, line, column)
        raise DsgecError(Fault(f"this is not TOML: {text}", "See toml.io.", span)) from error


def to_toml(value: Any) -> str:
    """Return a value as TOML on one line, which reads back as the same value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, dict):
        pairs = (f"{_key(key)} = {to_toml(inner)}" for key, inner in value.items())
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(to_toml, value))}]"
    if isinstance(value, int | float):
        return repr(value)
    raise TypeError(f"TOML has no {type(value).__name__}")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _quote(name)


def _quote(text: str) -> str:
    return f'"{"".join(map(_escape, text))}"'


def _escape(character: str) -> str:
    """Escape a character for a TOML string; half a surrogate pair becomes U+FFFD."""
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    return "\ufffd" if "\ud800" <= character <= "\udfff" else f"\\U{ord(character):08x}"
