"""Keywords to Settings and a Plan: numbers as they come from anywhere, mistakes told by name."""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from dsgec.data.plan import CONSTANT_WAYS, MISSING_WAYS, SCALES, TASKS, Plan
from dsgec.errors import DsgecError
from dsgec.evolution.settings import Settings

BACKENDS = ("auto", "engine", "c", "numpy", "reference")
_KINDS = {field.name: type(field.default) for field in fields(Settings)}


def make_settings(max_depth: Mapping[str, int] | None = None, **given: Any) -> Settings:
    """The settings; numpy's numbers are numbers, too, and a text in the place of one is told."""
    try:
        asked = dict(max_depth or {})
    except (TypeError, ValueError) as error:
        raise DsgecError(
            f"max_depth is {max_depth!r}", 'It is a dictionary, such as {"sum": 4}.'
        ) from error
    limits = sorted(
        (str(symbol).strip("<>"), _whole("max_depth", depth)) for symbol, depth in asked.items()
    )
    return Settings(
        max_depth=tuple(limits), **{name: _as(name, value) for name, value in given.items()}
    )


def make_plan(
    ignore: str | Sequence[str] = (),
    task: str | None = None,
    missing: str = "error",
    scale: str = "none",
    constant: str = "drop",
) -> Plan:
    """What is asked of the columns."""
    for name, value, allowed in (
        ("task", task or TASKS[0], TASKS),
        ("missing", missing, MISSING_WAYS),
        ("scale", scale, SCALES),
        ("constant", constant, CONSTANT_WAYS),
    ):
        one_of(name, value, allowed)
    ignored = (ignore,) if isinstance(ignore, str) else tuple(map(str, ignore))
    return Plan(ignored, task or "", missing, scale, constant)


def one_of(name: str, value: Any, allowed: Sequence[str]) -> None:
    """A choice that is none is told with those that there are."""
    if value not in allowed:
        raise DsgecError(f"{name} is {value!r}", f"There is {', '.join(allowed)}.")


def is_text(name: str, value: Any) -> None:
    """What is no text where one is needed is told."""
    if not isinstance(value, str):
        raise DsgecError(f"{name} is {value!r}", "It must be a text.")


def whole_threads(threads: Any) -> int | None:
    """A number of threads, or None."""
    count = None if threads is None else _whole("threads", threads)
    if count is not None and not 1 <= count <= 256:
        raise DsgecError(f"threads is {count}", "It must lie between 1 and 256.")
    return count


def _as(name: str, value: Any) -> Any:
    """The value as the setting of that name has it."""
    if value is None and name == "stop_at":
        return None
    kind = float if name == "stop_at" else _KINDS[name]
    if kind is int:
        return _whole(name, value)
    if kind is float:
        return _number(name, value)
    is_text(name, value)
    return value


def _whole(name: str, value: Any) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError as error:
        raise DsgecError(f"{name} is {value!r}", "It must be a whole number.") from error


def _number(name: str, value: Any) -> float:
    try:
        if isinstance(value, bool | str):
            raise TypeError
        return float(value)
    except (TypeError, ValueError) as error:
        raise DsgecError(f"{name} is {value!r}", "It must be a number.") from error
