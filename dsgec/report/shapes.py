"""Values of a stranger's JSON: what they must be like before anything is done with them."""

from pathlib import Path
from typing import Any

from dsgec.errors import DsgecError


def expect(holds: bool, path: Path, what: str) -> None:
    """Refuse a file that is not what its name says."""
    if not holds:
        raise DsgecError(f"{path} is not {what}", "`dsgec evolve` writes it anew.")


def is_figure(value: Any) -> bool:
    """A finite number, or nothing."""
    if value is None:
        return True
    return is_number(value)


def is_number(value: Any) -> bool:
    """A finite number that a double holds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= 1.7976931348623157e308


def is_count(value: Any) -> bool:
    """A number of things."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def is_list(value: Any, test: Any, length: int | None = None) -> bool:
    """A list of what the test holds for."""
    return isinstance(value, list) and length in (None, len(value)) and all(map(test, value))


def is_text(value: Any) -> bool:
    """A text that a file can hold."""
    return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)
