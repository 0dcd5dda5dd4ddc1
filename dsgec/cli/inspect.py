"""`dsgec inspect`: what is in a table."""

import click

from dsgec.cli.output import say
from dsgec.cli.tables import TableOptions, table_options


@click.command()
@click.argument("data")
@table_options
def inspect(data: str, table: TableOptions) -> None:
    """Tell what is in DATA: its columns and their kinds, the task, and which grammars fit."""
    from dsgec.data.ir import Dataset
    from dsgec.errors import DsgecError
    from dsgec.run.inspect_table import inspect_table

    read = table.read(data)
    try:
        found: Dataset | DsgecError = table.make(read)
    except DsgecError as error:
        found = error
    say("\n".join(inspect_table(read, found)))
