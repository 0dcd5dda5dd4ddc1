"""Messages of the command line to those of the library: `--scale none` is `scale="none"` here."""

import functools
import re
from collections.abc import Callable
from dataclasses import replace
from typing import ParamSpec, TypeVar

from dsgec.errors import DsgecError

_VALUES = {
    "missing": ("mean", "median", "drop"),
    "scale": ("none", "standard", "minmax"),
    "task": ("classification", "regression"),
    "backend": ("numpy", "engine", "c"),
}
_OPTION = re.compile(r"`?--([a-z]+(?:-[a-z]+)*)(?: ([a-z]+))?`?")

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def in_words_of_python(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The function, whose messages name arguments in the place of options."""

    @functools.wraps(function)
    def told(*arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        try:
            return function(*arguments, **named)
        except DsgecError as error:
            # The same error with other words: its kind is what a caller may ask for.
            faults = tuple(replace(f, advice=_in_python(f.advice)) for f in error.faults)
            error.faults = faults
            error.args = ("\n".join(map(str, faults)),)
            raise

    return told


def _in_python(text: str) -> str:
    def argument(match: re.Match[str]) -> str:
        name, value = match[1].replace("-", "_"), match[2]
        if value in _VALUES.get(match[1], ()):
            return f'{name}="{value}"'
        return f"{name}=" if value is None else f"{name}= {value}"

    return _OPTION.sub(argument, text)
