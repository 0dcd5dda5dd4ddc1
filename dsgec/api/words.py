"""Messages that name options of the command line to ones that name keywords of the library."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar, cast

from dsgec.api.settings import KEYWORDS
from dsgec.errors import DsgecError

_RANGE = re.compile(r"--range (?:'([^'=]*)=LO:HI'|COLUMN=LO:HI)")
_PICK = re.compile(r"--pick ([a-z]+(?:-[a-z]+)?)(?: (\d+(?:\.\d+)?[\w%]*))?")
_OPTION = re.compile(r"--([a-z][a-z0-9-]*)(?: ([a-z0-9_.]+))?")
_SETTINGS = {one.name.replace("_", "-"): one for one in KEYWORDS}
_OTHERS = {"chip", "dtype", "wheel"}

_F = TypeVar("_F", bound=Callable[..., Any])


def in_keywords(text: str) -> str:
    """Return a message with keywords of Python in the place of options."""
    text = _RANGE.sub(_range, text)
    text = _PICK.sub(_pick, text)
    return _OPTION.sub(_keyword, text)


def says_keywords(function: _F) -> _F:
    """Let the errors of a function name keywords of Python."""

    @wraps(function)
    def call(*places: Any, **names: Any) -> Any:
        try:
            return function(*places, **names)
        except DsgecError as error:
            faults = [
                replace(one, message=in_keywords(one.message), advice=in_keywords(one.advice))
                for one in error.faults
            ]
            raise DsgecError(faults) from error

    return cast("_F", call)


def _range(found: re.Match[str]) -> str:
    column = f'"{found[1]}"' if found[1] else "column"
    return f"range={{{column}: (low, high)}}"


def _pick(found: re.Match[str]) -> str:
    value = "" if found[2] is None else f", {_literal(found[2])}"
    return f'pick("{found[1]}"{value})'


def _keyword(found: re.Match[str]) -> str:
    option, word = found[1], found[2]
    one = _SETTINGS.get(option)
    rest = "" if word is None else f" {word}"
    if one is None:
        return option + rest if option in _OTHERS else found[0]
    if one.kind is bool:
        return f"{one.name}=True{rest}"
    if word is not None and (word in one.choices or word.replace(".", "", 1).isdecimal()):
        return f"{one.name}={_literal(word)}"
    return one.name + rest


def _literal(word: str) -> str:
    return word if word.replace(".", "", 1).isdecimal() else f'"{word}"'
