"""What readers share."""

import json
import re
from typing import Any


def parse_json(text: str | bytes) -> Any:
    """What a text says in JSON; None if it is none, or too deep."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def search_json(pattern: re.Pattern[bytes], data: bytes) -> Any:
    """What the group of a pattern says in JSON where it first matches; None if it is none."""
    found = pattern.search(data)
    return parse_json(found[1]) if found else None
