"""Plain data to JSON text and back, and checks of what came from a file: it is untrusted."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dsgec.errors import DsgecError
from dsgec.folder import Folder

MOST_BYTES = 256 << 20
"""Of a file in a run's or a study's folder."""

_LARGEST = 1.7976931348623157e308


def to_json(value: Any) -> str:
    """JSON for people and programs: indented, and without the NaN that JSON does not have."""
    return json.dumps(_finite(value), indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_json(folder: Folder, name: str) -> Any:
    """The value in a JSON file of a run's or a study's folder."""
    try:
        return json.loads(folder.read(name, MOST_BYTES))
    except (ValueError, RecursionError) as error:
        raise DsgecError(f"cannot read {folder.path / name}: {error}") from error


def expect(holds: bool, path: Path, what: str) -> None:
    """Refuse a file that is not what its name says."""
    if not holds:
        raise DsgecError(f"{path} is not {what}", "`dsgec evolve … --overwrite` makes it again.")


def is_figure(value: Any) -> bool:
    """A finite number, or nothing."""
    return value is None or is_number(value)


def is_number(value: Any) -> bool:
    """A finite number that a double holds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= _LARGEST


def is_count(value: Any) -> bool:
    """A number of things."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def is_list(value: Any, test: Callable[[Any], bool], length: int | None = None) -> bool:
    """A list of what the test holds for."""
    return isinstance(value, list) and length in (None, len(value)) and all(map(test, value))


def is_text(value: Any) -> bool:
    """A text that a file can hold: JSON can spell halves of characters."""
    return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)
