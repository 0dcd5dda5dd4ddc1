"""What people and programs read: results to standard output, messages to standard error."""

import sys
from contextlib import suppress

import click

from dsgec.errors import DsgecError, printable
from dsgec.search.settings import OPTIONS

EXIT_MISTAKE, EXIT_INTERRUPTED = 1, 130


def complain(text: str) -> None:
    """To standard error, if there is one, and without anything that drives a terminal."""
    if sys.stderr is not None:
        with suppress(OSError):  # whoever read it has gone, which is no reason to stop
            click.echo(printable(OPTIONS.write(text)), err=True)


def refuse(error: DsgecError) -> None:
    """A user's mistake, in the words of the command line."""
    complain(error.rendered(OPTIONS))


def say(text: str) -> None:
    """To standard output, without what drives a terminal: a pager behind a pipe shows it, too."""
    _put(printable(OPTIONS.write(text).expandtabs()))


def hand_over(text: str) -> None:
    """To standard output, for a program: as it is, unless a person sits there."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    _put(printable(text) if is_terminal else text)


def _put(text: str) -> None:
    if sys.stdout is not None:
        click.echo(text, color=True)
        sys.stdout.flush()
