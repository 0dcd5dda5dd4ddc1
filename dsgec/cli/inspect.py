"""`dsgec inspect` and `dsgec verify`: what a table or an exported file is."""

from pathlib import Path

import click

from dsgec.cli.complete import complete_table
from dsgec.cli.help import GroupedCommand
from dsgec.cli.output import say
from dsgec.cli.tables import TableOptions, table_options
from dsgec.search.settings import OPTIONS


@click.command("inspect", cls=GroupedCommand)
@click.argument("what", shell_complete=complete_table)
@table_options
def inspect_(what: str, table: TableOptions) -> None:
    """Show what is in WHAT: a table, or something made from one.

    Of a table: its columns and their kinds, the task, and which grammars fit. Of an exported file,
    a folder of them, or a run: what it is, and what a row costs.
    """
    from dsgec.cli.terminal.table import inspect_table
    from dsgec.data.source import is_shipped
    from dsgec.errors import DsgecError
    from dsgec.export.read import is_exported_name
    from dsgec.run.inspect import holds_artefacts, inspect_artefact

    path = Path(what)
    is_table = path.is_dir() and is_shipped(what) and not holds_artefacts(path)
    if not is_table and (path.is_dir() or is_exported_name(path.name)):
        say("\n".join(inspect_artefact(path)))
        return
    table = table.with_defaults(learned=True)
    read = table.read(what)
    try:
        found, problem = table.of(read), ""
    except DsgecError as error:
        found, problem = None, error.rendered(OPTIONS)
    say("\n".join([*inspect_table(read, found), *problem.splitlines()]))


@click.command(cls=GroupedCommand)
@click.argument("artefact", type=click.Path(path_type=Path))
@click.option("--data", metavar="FILE", help="Run it on this table, too, and compare bits.")
def verify(artefact: Path, data: str | None) -> None:
    """Prove that exported files are what dsgec makes of their model.

    An artefact carries the model that it was made of; it is read as text. Code is run only with
    --data, and only if it is, byte for byte, what dsgec makes of that model.
    """
    from dsgec.data.read import read_table
    from dsgec.run.verify import verify as prove

    for line in prove(artefact, None if data is None else read_table(data)):
        say(line)
