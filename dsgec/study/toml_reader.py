"""Read checked values from a table of a TOML file; all errors are collected."""

import difflib
from collections.abc import Iterable
from typing import Any

from dsgec.errors import Fault, Words
from dsgec.toml import to_toml

_KINDS = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
    bool: "true or false",
}


class _Words(Words):
    """The spelling of settings in messages about a study file."""

    def name(self, setting: str) -> str:
        return f"`{setting}`"

    def advice(self, setting: str, values: list[Any]) -> str:
        if setting == "representation":  # of which a study has a list
            setting, values = "representations", [values] if values else []
        texts = " or ".join(map(to_toml, values))
        return f"`{setting} = {texts}`" if texts else self.name(setting)


STUDY = _Words()


class TomlReader:
    """Reads the keys of one table; `close` reports the unknown ones."""

    def __init__(self, table: dict[str, Any], place: str, faults: list[Fault]) -> None:
        self.table, self.place, self.faults = table, place, faults
        self.asked: list[str] = []

    def fault(self, key: str, message: str, advice: str) -> None:
        """Add a fault at a key."""
        self.faults.append(Fault(f"{self.place}: `{key}` {message}", advice))

    def take(self, key: str, kind: type, default: Any = None, *, needed: str = "") -> Any:
        """Return the value of `key`, or the default if it is missing or of another type.

        A key with a description in `needed` is required.
        """
        self.asked.append(key)
        if key not in self.table:
            if needed:
                self.fault(key, "is missing", f"It is {_KINDS[kind]}: {needed}.")
            return default
        value = self.table[key]
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value) if abs(value) < 2**53 else value
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.fault(key, f"is {_kind_of(value)}", f"It must be {_KINDS[kind]}.")
            return default
        texts = value if isinstance(value, list) else [value]
        if any(isinstance(text, str) and not text.isprintable() for text in texts):
            self.fault(key, "holds characters that cannot be printed", "Take them out.")
            return default
        return value

    def whole(self, key: str, lowest: int, highest: int, default: int) -> int:
        """Return a whole number between two bounds."""
        value: int = self.take(key, int, default)
        if not lowest <= value <= highest:
            self.fault(key, f"is {value}", f"It must be between {lowest} and {highest}.")
            return default
        return value

    def texts(self, key: str, *, needed: str = "", among: Iterable[str] = ()) -> tuple[str, ...]:
        """Return a list of different texts, which are `among` a few if there are any.

        A key with a description in `needed` is required and not empty.
        """
        value = self.take(key, list, [], needed=needed)
        if not all(isinstance(item, str) and item for item in value):
            self.fault(key, "holds something else than strings", 'Write it like ["a", "b"].')
            return ()
        if needed and not value and key in self.table:
            self.fault(key, "is empty", f"It is a list: {needed}.")
        if len(set(value)) < len(value):
            self.fault(key, "names something twice", "Take one of the two away.")
            return tuple(dict.fromkeys(value))
        allowed = list(among)
        return tuple(v for v in value if not allowed or self.is_among(key, v, allowed))

    def is_among(self, key: str, value: str, allowed: list[str]) -> bool:
        """Return whether a value is one of a few; add a fault if it is not."""
        if value in allowed:
            return True
        near = difflib.get_close_matches(value, allowed, 1)
        hint = f"Did you mean `{near[0]}`? " if near else ""
        self.fault(key, f"names `{value[:60]}`", f"{hint}Choose from {', '.join(allowed)}.")
        return False

    def close(self) -> None:
        """Add a fault for each key that was not read."""
        for key in self.table:
            if key not in self.asked:
                near = difflib.get_close_matches(key, self.asked, 1)
                hint = f"Did you mean `{near[0]}`? " if near else ""
                allowed = ", ".join(self.asked) or "nothing"
                self.fault(key[:60], "means nothing here", f"{hint}What can stand here: {allowed}.")


def _kind_of(value: Any) -> str:
    for kind, name in _KINDS.items():
        if type(value) is kind:
            return name
    return "a date"
