"""What readers share."""

import json
from typing import Any


def parse_json(text: str | bytes) -> Any:
    """What a text says in JSON; None if it is none, or too deep."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
