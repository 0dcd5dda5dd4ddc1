"""The definition of a feature, of a filter, and of what is kept of the samples of a window."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

Kind = Literal["kept", "filter", "feature"]

STREAMS = ("x", "y", "z")
"""The names that functions give the samples that they are applied to."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A function of `features.py`.

    A call has `streams`, the last `optional` of which may be left out, and then `numbers`.
    """

    name: str
    kind: Kind
    about: str
    parameters: tuple[str, ...]
    streams: tuple[str, ...] = ("x",)
    numbers: tuple[str, ...] = ()
    optional: int = 0
    first_parameters: tuple[
        str, ...
    ] = ()  # of the function that gives the value at the first sample


DEFINITIONS: dict[str, Definition] = {}
"""All definitions by name: what a window keeps, filters and features."""

SHORT: dict[str, str] = {}
"""The texts that features are short for, written with the names of their arguments."""

SUMS: dict[str, str] = {}
"""Features that are sums of another feature, over the last number of its calls."""


def kept(first: Callable[..., int]) -> Callable[[Function], Function]:
    """Return a decorator for a number that is kept: `first` gives it at the first sample.

    The function gives it at each further sample.
    """
    code = first.__code__
    return _register("kept", first=code.co_varnames[: code.co_argcount])


def filtered(*numbers: str, streams: int = 1, least: int = 0) -> Callable[[Function], Function]:
    """Return a decorator for a filter, of `least` to `streams` streams; the default is as many."""
    return _register("filter", numbers, streams, least or streams)


def feature(*numbers: str, streams: int = 1) -> Callable[[Function], Function]:
    """Return a decorator for a feature."""
    return _register("feature", numbers, streams, streams)


def short(name: str, *parameters: str, text: str, about: str) -> None:
    """Define a feature of the stream x as an abbreviation: `text` is what it stands for."""
    SHORT[name] = text
    _add(Definition(name, "feature", about, (), numbers=parameters))


def summed(name: str, *numbers: str, over: str, about: str) -> None:
    """Define a feature as a sum of another one, whose last number runs from one to another."""
    SUMS[name] = over
    _add(Definition(name, "feature", about, (), numbers=numbers))


def _register(
    kind: Kind,
    numbers: tuple[str, ...] = (),
    streams: int = 1,
    least: int = 1,
    first: tuple[str, ...] = (),
) -> Callable[[Function], Function]:
    """Return a decorator that defines a function of streams, of which the first `least` must be."""

    def register(function: Function) -> Function:
        code = function.__code__
        parameters = code.co_varnames[: code.co_argcount]
        name, about = function.__name__.rstrip("_"), function.__doc__ or ""
        own = STREAMS[:streams]
        _add(Definition(name, kind, about, parameters, own, numbers, streams - least, first))
        return function

    return register


def _add(definition: Definition) -> None:
    if definition.name in DEFINITIONS:
        raise ValueError(f"{definition.name} is defined twice")
    DEFINITIONS[definition.name] = definition
