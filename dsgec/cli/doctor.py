"""`dsgec doctor`: what this machine can do."""

import click

from dsgec.cli.help import GroupedCommand
from dsgec.cli.output import say


@click.command(cls=GroupedCommand)
def doctor() -> None:
    """Show and test the compiler and the backend used here."""
    from dsgec.cli.terminal.diagnosis import diagnosis

    for line in diagnosis():
        say(line)
