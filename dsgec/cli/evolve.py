"""`dsgec evolve`."""

import os
import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from dsgec.cli.options import backend_option, max_depth_option, warn
from dsgec.cli.output import EXIT_INTERRUPTED, complain, hand_over, say
from dsgec.cli.tables import TableOptions, table_options
from dsgec.errors import DsgecError
from dsgec.evolution.settings import CONNECTIONS
from dsgec.genome.ir import ENGINES

_MOST_NOTES = 10
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
@backend_option
@click.option(
    "--threads", type=click.IntRange(1, 256), help="Of the engine; default: by the table's size."
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
@click.option("--quiet", is_flag=True, help="Only errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@table_options
def evolve(
    grammar: str,
    data: str,
    test: str | None,
    folds: int | None,
    backend: str,
    threads: int | None,
    runs: int,
    jobs: int | None,
    out: Path | None,
    name: str,
    overwrite: bool,
    quiet: bool,
    as_json: bool,
    max_depth: tuple[tuple[str, int], ...],
    table: TableOptions,
    **settings: Any,
) -> None:
    """Evolve a network with GRAMMAR on DATA and write it, with all that belongs to it, to a folder.

    GRAMMAR is a BNF file or the name of a shipped grammar. DATA is a table: a CSV, TSV, ARFF or
    Parquet file, packed with gzip or not, `-` for standard input, or the name of a shipped one.
    """
    from dsgec.bnf.load import load_grammar
    from dsgec.evolution.choose import choose, sensible_threads
    from dsgec.evolution.settings import Settings
    from dsgec.pipeline import cross_validated, prepare, refuse_other_run, run, run_many, seeded
    from dsgec.run.crossvalidation import write_scores
    from dsgec.run.display import Progress, result_lines, summary_lines
    from dsgec.run.record import to_json

    share, test_table = share_or_table(test, folds, runs)
    chosen = Settings(max_depth=tuple(sorted(dict(max_depth).items())), test=share, **settings)
    file = load_grammar(grammar)
    dataset = table.dataset(data, test_table)
    job = prepare(file, dataset, chosen, out=out, name=name)
    each = [partial(seeded, job, chosen.seed + number) for number in range(runs)]
    if folds:
        each = [partial(cross_validated, job, dataset, folds, fold) for fold in range(folds)]
        job = each[0]()
    several = len(each) > 1
    for make in each:  # every mistake is told before a run begins
        single = make() if several else job
        if not overwrite:
            refuse_other_run(single)
    warn(job.grammar)
    if threads is None:
        threads = 1 if several else sensible_threads(job.problem)
    evolver = choose(job.problem, job.settings, backend, threads)
    told = job.problem.dataset.notes
    notes = told[:_MOST_NOTES]
    if len(told) > len(notes):
        more = len(told) - len(notes)
        notes = (*notes, f"there are {more} notes more, which `dsgec inspect` tells")
    for remark in (*notes, job.problem.remark, evolver.remark):
        if remark and not quiet:
            complain(f"note: {remark}")
    progress = Progress(job, evolver.description, quiet=quiet or as_json)
    if not several:
        finished = [run(job, evolver, progress)]
        progress.close()
    else:
        finished = run_many(
            each,
            jobs or os.cpu_count() or 1,
            lambda single: choose(single.problem, single.settings, evolver.name, threads),
            progress.run_ended,
        )
    if folds:
        write_scores(finished)
    if as_json:
        records = [{**one.record, "timing": one.timing} for one in finished]
        hand_over(to_json(records if several else records[0]).removesuffix("\n"))
    elif not quiet:
        what = "folds" if folds else "runs"
        lines = summary_lines(finished, what) if several else result_lines(finished[0])
        say("\n".join(lines))
    if any(one.interrupted for one in finished):
        complain("interrupted: what was reached by then is written")
        sys.exit(EXIT_INTERRUPTED)
