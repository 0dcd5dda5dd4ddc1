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
_NAMES = (
    *_VALUES,
    *("target", "ignore", "constant", "objective", "test", "split-seed", "seed", "max-depth"),
    *("codons", "wraps", "connect", "engine", "name", "out", "overwrite", "threads"),
)
# Only these: what two dashes stand for in a grammar's texts is another thing.
_OPTION = re.compile(rf"`?--({'|'.join(_NAMES)})\b(?: ([a-z]+)\b(?: or ([a-z]+)\b)?)?`?")

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
            faults = tuple(replace(f, advice=in_python(f.advice)) for f in error.faults)
            error.faults = faults
            error.args = ("\n".join(map(str, faults)),)
            raise

    return told


def in_python(text: str) -> str:
    """The text with arguments in the place of options."""

    def argument(match: re.Match[str]) -> str:
        name, values = match[1].replace("-", "_"), _VALUES.get(match[1], ())
        if match[2] not in values:
            return match[0].replace(f"--{match[1]}", f"{name}=").strip("`")
        other = f' or "{match[3]}"' if match[3] in values else ""
        rest = f" or {match[3]}" if match[3] and not other else ""
        return f'{name}="{match[2]}"{other}{rest}'

    return _OPTION.sub(argument, text)
