"""`dsgec init`: files to start from."""

import shlex
from contextlib import ExitStack
from pathlib import Path

import click

from dsgec.cli.help import GroupedCommand
from dsgec.cli.output import complain, say
from dsgec.errors import DsgecError

_ELSEWHERE = "Choose another folder: `dsgec init FOLDER`."


@click.command(cls=GroupedCommand)
@click.argument("folder", type=click.Path(path_type=Path), default=".", metavar="[FOLDER]")
def init(folder: Path) -> None:
    """Write a grammar, a configuration and a study to start from.

    network.bnf, run.toml and study.toml go to FOLDER, by default the working folder. They are
    commented and run as they are. Files that are there already are never overwritten.
    """
    from dsgec.folder import writable
    from dsgec.resources import START

    files = {file.name: file.read_bytes() for file in START.iterdir()}
    names = sorted(files)
    with ExitStack() as held:
        try:
            opened = held.enter_context(writable(folder))
        except DsgecError as error:
            raise DsgecError(error.faults[0].message, _ELSEWHERE) from error
        if there := [name for name in names if opened.has(name)]:
            raise DsgecError(f"{folder} already has {', '.join(there)}", _ELSEWHERE)
        for name in names:
            opened.write(name, files[name])
    say("\n".join(str(folder / name) for name in names))
    complain(f"try: dsgec evolve --config {shlex.quote(str(folder / 'run.toml'))}")
