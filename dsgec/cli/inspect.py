"""`dsgec inspect` and `dsgec verify`: what an exported file is, and whether it is that."""

from pathlib import Path

import click

from dsgec.cli.output import say


@click.command("inspect")
@click.argument("path", type=click.Path(path_type=Path))
def inspect_(path: Path) -> None:
    """Tell what PATH is and what it costs: an exported file, a folder of them, or a run."""
    from dsgec.run.inspect import inspect_artefact

    for line in inspect_artefact(path):
        say(line)


@click.command()
@click.argument("artefact", type=click.Path(path_type=Path))
@click.option("--data", metavar="FILE", help="Run it on this table, too, and compare bits.")
def verify(artefact: Path, data: str | None) -> None:
    """Rebuild ARTEFACT, an exported file or a folder of them, and compare.

    An artefact carries the model that it was made of; it is read as text. Code is run only with
    --data, and only if it is, byte for byte, what dsgec makes of that model.
    """
    from dsgec.data.table import read_table
    from dsgec.run.verify import verify as prove

    for line in prove(artefact, None if data is None else read_table(data)):
        say(line)
