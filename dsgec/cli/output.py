"""What people and programs read: results to standard output, messages to standard error."""

import sys
from contextlib import suppress

import click

from dsgec.errors import printable

EXIT_MISTAKE, EXIT_INTERRUPTED = 1, 130


def complain(text: str) -> None:
    """To standard error, if there is one, and without anything that drives a terminal."""
    if sys.stderr is not None:
        with suppress(OSError):  # whoever read it has gone, which is no reason to stop
            click.echo(printable(text), err=True)


def say(text: str) -> None:
    """To standard output: as it is for a program, without what drives a terminal for a person."""
    if sys.stdout is not None:
        is_terminal = sys.stdout.isatty()
        click.echo(printable(text) if is_terminal else text, color=True)
        sys.stdout.flush()
