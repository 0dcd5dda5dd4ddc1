"""`dsgec check` and `dsgec sample`: what a grammar describes."""

import click

from dsgec.cli.complete import complete_grammar, complete_table
from dsgec.cli.help import GroupedCommand
from dsgec.cli.options import connect_option, load_grammar_file, max_depth_option
from dsgec.cli.output import say
from dsgec.cli.tables import TableOptions, table_options


@click.command(cls=GroupedCommand)
@click.argument("grammar", shell_complete=complete_grammar)
@click.option(
    "--data", shell_complete=complete_table, metavar="FILE", help="Check against this table, too."
)
@max_depth_option
@table_options
def check(
    grammar: str, data: str | None, max_depth: tuple[tuple[str, int], ...], table: TableOptions
) -> None:
    """List the errors of GRAMMAR, or describe its networks."""
    from dsgec.cli.terminal.grammar import summary

    file = load_grammar_file(grammar)
    dataset = None if data is None else table.with_defaults(learned=True).dataset(data)
    say(summary(file, dataset, dict(max_depth)))


@click.command(cls=GroupedCommand)
@click.argument("grammar", shell_complete=complete_grammar)
@click.option("-n", "count", default=5, show_default=True, type=click.IntRange(1, 1_000_000))
@click.option(
    "--data",
    shell_complete=complete_table,
    metavar="FILE",
    help="Take features and classes from this table.",
)
@click.option("--features", default=4, show_default=True, type=click.IntRange(1, 100_000))
@click.option("--classes", default=2, show_default=True, type=click.IntRange(1, 10_000))
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0, 2**64 - 1))
@connect_option
@max_depth_option
@table_options
def sample(
    grammar: str,
    count: int,
    data: str | None,
    features: int,
    classes: int,
    seed: int,
    connect: str,
    max_depth: tuple[tuple[str, int], ...],
    table: TableOptions,
) -> None:
    """Print random phenotypes of GRAMMAR."""
    from dsgec.grammar.expand import expand
    from dsgec.grammar.genome.dsge import Dsge
    from dsgec.grammar.genome.tables import tabulate
    from dsgec.random import Stream
    from dsgec.search.settings import Settings

    if data is not None:
        dataset = table.with_defaults(learned=True).dataset(data)
        features, classes = len(dataset.features), max(len(dataset.classes), 1)
    expanded = expand(load_grammar_file(grammar).grammar, features, classes)
    tables = tabulate(expanded, dict(max_depth))
    dsge = Dsge(tables, connect, Settings().max_size)
    for individual in range(count):
        derivation = dsge.express({}, Stream(seed, 0, individual))
        say(derivation.phenotype if not derivation.fault else f"# {derivation.fault}")
