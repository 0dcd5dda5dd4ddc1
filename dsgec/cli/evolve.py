"""`dsgec evolve`."""

import re
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from dsgec.cli.options import Migration, max_depth_option, warn
from dsgec.cli.session import SessionOptions, session_options
from dsgec.cli.tables import TableOptions, table_options
from dsgec.errors import DsgecError
from dsgec.evolution.settings import CONNECTIONS
from dsgec.genome.ir import ENGINES
from dsgec.native.processors import processors

_SHARE = 0.3
_PERCENTS = re.compile(r"([0-9]{1,3}(?:\.[0-9]+)?) ?%")


def share_or_table(test: str | None, folds: int | None, runs: int) -> tuple[float, str | None]:
    """What `--test` says: a share of the rows, or a table."""
    if folds and (test is not None or runs > 1):
        raise DsgecError(
            "--cv goes with neither --runs nor --test", "It tests with every row of DATA once."
        )
    if test is None:
        return _SHARE, None
    try:
        return float(test), None
    except ValueError:
        pass
    percents = _PERCENTS.fullmatch(test)
    if percents and not Path(test).exists():
        raise DsgecError(
            f"--test takes a share or a table, and `{test}` is neither",
            f"Write --test {float(percents[1]) / 100:g}.",
        )
    return 0.0, test


@click.command()
@click.argument("grammar")
@click.argument("data")
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="dsge",
    show_default=True,
    help="How individuals are written; grammars with layers need DSGE.",
)
@click.option("--codons", type=int, default=200, show_default=True, help="Of a GE individual.")
@click.option(
    "--wraps", type=int, default=0, show_default=True, help="How often GE may read them again."
)
@click.option("--population", type=int, default=100, show_default=True)
@click.option("--generations", type=int, default=500, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@max_depth_option
@click.option(
    "--connect",
    type=click.Choice(CONNECTIONS),
    default="all",
    show_default=True,
    help="What a neuron may read: all layers before its own, or the previous one.",
)
@click.option(
    "--objective",
    default="",
    metavar="NAME",
    help="exp-rmse, log-loss or accuracy of classes; r2 of a quantity; rmse, mse or mae of either;"
    " default: exp-rmse, rmse.",
)
@click.option(
    "--test",
    show_default=str(_SHARE),
    metavar="SHARE|FILE",
    help="The share of the rows to keep aside, or a table of its own.",
)
@click.option(
    "--cv",
    "folds",
    type=click.IntRange(2),
    metavar="K",
    help="Cross-validate: K runs, each with another K-th of the rows to test with.",
)
@click.option("--split-seed", type=int, default=1, show_default=True, help="Draws those rows.")
@click.option(
    "--stop-at",
    type=float,
    metavar="SCORE",
    help="End when the best score of the objective is as good as this.",
)
@click.option(
    "--patience",
    type=int,
    default=0,
    metavar="N",
    help="End after N generations without a better best; default: never.",
)
@click.option(
    "--islands",
    type=int,
    default=1,
    show_default=True,
    metavar="K",
    help="So many populations, each of the size of --population, which exchange their best.",
)
@click.option(
    "--migrate",
    type=Migration(),
    default="25:2",
    show_default=True,
    metavar="EVERY:COUNT",
    help="After every so many generations, so many individuals go to the next island.",
)
@click.option(
    "--runs",
    type=click.IntRange(1, 100_000),
    default=1,
    show_default=True,
    help="Runs with seeds that follow on, each in a folder of its own.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 256), help="Runs side by side; default: one a processor."
)
@click.option("--out", type=click.Path(path_type=Path), help="Where runs go; default: ./build.")
@click.option("--name", default="", help="The name of the run's folder.")
@click.option("--overwrite", is_flag=True, help="Write over another run of that name.")
@session_options
@table_options
def evolve(
    grammar: str,
    data: str,
    test: str | None,
    folds: int | None,
    runs: int,
    jobs: int | None,
    out: Path | None,
    name: str,
    overwrite: bool,
    max_depth: tuple[tuple[str, int], ...],
    migrate: tuple[int, int],
    table: TableOptions,
    session: SessionOptions,
    **settings: Any,
) -> None:
    """Evolve a network with GRAMMAR on DATA and write it, with all that belongs to it, to a folder.

    GRAMMAR is a BNF file or the name of a shipped grammar. DATA is a table: a CSV, TSV, ARFF or
    Parquet file, packed with gzip or not, `-` for standard input, or the name of a shipped one.

    A run that was interrupted, or killed, goes on when it is started again in the same way.
    """
    share, test_table = share_or_table(test, folds, runs)
    count = folds or runs
    crew = None
    with ExitStack() as held:
        if count > 1:  # processes start while this one imports and reads
            from dsgec.workers.crew import Crew

            crew = Crew(min(jobs or processors(), count), "dsgec.pipeline")
            held.callback(crew.close)
        from dsgec.bnf.load import load_grammar
        from dsgec.cli.start import reference, start, start_many
        from dsgec.evolution.settings import Settings
        from dsgec.pipeline import cross_validated, prepare, refuse_other, seeded

        chosen = Settings(
            max_depth=tuple(sorted(dict(max_depth).items())),
            test=share,
            migrate_every=migrate[0],
            migrants=migrate[1],
            **settings,
        )
        file = load_grammar(grammar)
        dataset = table.dataset(data, test_table)
        job = prepare(file, dataset, chosen, out=out, name=name)
        each = [partial(seeded, job, chosen.seed + number) for number in range(runs)]
        if folds:
            each = [partial(cross_validated, job, dataset, folds, fold) for fold in range(folds)]
            job = each[0]()
        for make in each:  # every mistake is told before a run begins
            single = make() if crew else job
            if not overwrite:
                refuse_other(single)
        warn(job.grammar)
        arguments = {
            "grammar": reference(grammar),
            "data": reference(data),
            "test": reference(test_table) if test_table else None,
            "table": asdict(table),
        }
        if crew:
            start_many(each, job, session, arguments, crew, overwrite=overwrite, folds=bool(folds))
        else:
            start(job, session, arguments, overwrite=overwrite)
