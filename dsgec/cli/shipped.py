"""`dsgec grammars` and `dsgec tables`: what is shipped."""

import sys
from collections.abc import Iterator

import click

from dsgec.cli.help import GroupedCommand
from dsgec.cli.output import say


@click.command(cls=GroupedCommand)
def grammars() -> None:
    """List the shipped grammars and the tables that they fit."""
    from dsgec.cli.terminal.shipped import grammars as shipped

    _list(shipped())


@click.command(cls=GroupedCommand)
def tables() -> None:
    """List the tables that come with dsgec, with their sizes."""
    from dsgec.cli.terminal.shipped import tables as shipped

    _list(shipped())


def _list(entries: Iterator[tuple[str, str]]) -> None:
    from dsgec.cli.terminal.shipped import lines
    from dsgec.cli.terminal.styled import encodable, size_of

    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    columns = size_of(sys.stdout)[0] if is_terminal else None
    say(encodable("\n".join(lines(entries, columns)), sys.stdout))
