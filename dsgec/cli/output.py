"""Print results to standard output and messages to standard error."""

import sys
from contextlib import suppress

import click

from dsgec.errors import DsgecError, printable
from dsgec.search.settings import OPTIONS

EXIT_MISTAKE, EXIT_INTERRUPTED = 1, 130


def print_message(text: str) -> None:
    """Print to standard error, if there is one, without control characters."""
    if sys.stderr is not None:
        with suppress(OSError):  # the reader has gone, which is no reason to stop
            click.echo(printable(OPTIONS.write(text)), err=True)


def print_error(error: DsgecError) -> None:
    """Print a user's mistake to standard error; settings are named as options."""
    print_message(error.rendered(OPTIONS))


def print_result(text: str) -> None:
    """Print to standard output without control characters: a pager behind a pipe obeys them too."""
    _print(printable(OPTIONS.write(text).expandtabs()))


def print_data(text: str) -> None:
    """Print text for other programs; on a terminal, control characters are replaced."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    _print(printable(text) if is_terminal else text)


def _print(text: str) -> None:
    if sys.stdout is not None:
        click.echo(text, color=True)
        sys.stdout.flush()
