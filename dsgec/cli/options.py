"""Options and arguments that several commands share, and what they name."""

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from dsgec.cli.output import complain

if TYPE_CHECKING:
    from dsgec.bnf.load import GrammarFile


Command = Callable[..., Any]


def collecting(
    function: Command,
    name: str,
    kind: type[Any],
    options: Sequence[Callable[[Command], Command]],
) -> Command:
    """The command with these options, which it gets together: as `name`, a dataclass `kind`."""

    @functools.wraps(function)
    def collected(**arguments: Any) -> Any:
        given = {field: arguments.pop(field) for field in kind.__slots__ if field in arguments}
        return function(**{name: kind(**given)}, **arguments)

    command: Command = collected
    for option in reversed(options):
        command = option(command)
    return command


class DepthLimit(click.ParamType):  # type: ignore[type-arg]  # no generic before click 8.4
    """`symbol=depth`."""

    name = "SYMBOL=DEPTH"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        symbol, _, depth = str(value).partition("=")
        if not symbol or not depth.isdecimal() or len(depth) > 6:
            self.fail(f"{value!r} is not like sum=4", param, ctx)
        return symbol.strip("<>"), int(depth)


class Migration(click.ParamType):  # type: ignore[type-arg]
    """`every:count`."""

    name = "EVERY:COUNT"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        every, _, count = str(value).partition(":")
        if not (every.isdecimal() and count.isdecimal()) or len(every + count) > 15:
            self.fail(f"{value!r} is not like 25:2", param, ctx)
        return int(every), int(count)


def max_depth_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--max-depth`, the same for every command that has it."""
    return click.option(
        "--max-depth",
        "max_depth",
        type=DepthLimit(),
        multiple=True,
        help="How deep a symbol may recurse, such as sum=4; can be given several times.",
    )(function)


def load_grammar_file(name: str) -> "GrammarFile":
    """The grammar that a user named; its warnings are told."""
    from dsgec.bnf.load import load_grammar

    file = load_grammar(name)
    warn(file)
    return file


def warn(file: "GrammarFile") -> None:
    """Tell what is odd about a grammar."""
    for warning in file.warnings:
        complain(str(warning))


def backend_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--backend`, the same for every command that has it."""
    return click.option(
        "--backend",
        type=click.Choice(["auto", "engine", "c", "numpy", "reference"]),
        default="auto",
        show_default=True,
        help="What runs the generations; all give the same results.",
    )(function)
