"""`dsgec evolve`."""

import os
import sys
from pathlib import Path
from typing import Any

import click

from dsgec.cli.options import max_depth_option, warn
from dsgec.cli.output import EXIT_INTERRUPTED, complain, say
from dsgec.evolution.settings import CONNECTIONS
from dsgec.genome.ir import ENGINES


@click.command()
@click.argument("grammar")
@click.argument("data")
@click.option("--target", metavar="COLUMN", help="The target, by name or number; default: last.")
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
    "--test", type=float, default=0.3, show_default=True, help="Share of the rows kept aside."
)
@click.option("--split-seed", type=int, default=1, show_default=True, help="Draws that share.")
@click.option(
    "--backend",
    type=click.Choice(["auto", "engine", "c", "numpy", "reference"]),
    default="auto",
    show_default=True,
    help="What runs the generations; all give the same run.",
)
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
def evolve(
    grammar: str,
    data: str,
    target: str | None,
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
    **settings: Any,
) -> None:
    """Evolve a network with GRAMMAR on DATA and write it, with all that belongs to it, to a folder.

    GRAMMAR is a BNF file or the name of a shipped grammar, DATA a CSV file or a shipped table.
    """
    from dsgec.evolution.choose import choose, sensible_threads
    from dsgec.evolution.settings import Settings
    from dsgec.pipeline import prepare, refuse_other_run, run, run_many, seeded
    from dsgec.run.display import Progress, result_lines, summary_lines
    from dsgec.run.record import to_json

    chosen = Settings(max_depth=tuple(sorted(dict(max_depth).items())), **settings)
    job = prepare(grammar, data, chosen, target=target, out=out, name=name)
    each = [job] if runs == 1 else [seeded(job, chosen.seed + number) for number in range(runs)]
    if not overwrite:
        for single in each:
            refuse_other_run(single)
    warn(job.grammar)
    if threads is None:
        threads = sensible_threads(job.problem) if runs == 1 else 1
    evolver = choose(job.problem, chosen, backend, threads)
    for remark in (job.problem.remark, evolver.remark):
        if remark and not quiet:
            complain(f"note: {remark}")
    progress = Progress(job, evolver.description, quiet=quiet or as_json)
    if runs == 1:
        finished = [run(job, evolver, progress)]
        progress.close()
    else:
        finished = run_many(
            each,
            jobs or os.cpu_count() or 1,
            lambda single: choose(single.problem, single.settings, evolver.name, threads),
            progress.run_ended,
        )
    if as_json:
        records = [{**one.record, "timing": one.timing} for one in finished]
        say(to_json(records[0] if runs == 1 else records).removesuffix("\n"))
    elif not quiet:
        lines = result_lines(finished[0]) if runs == 1 else summary_lines(finished)
        say("\n".join(lines))
    if any(one.interrupted for one in finished):
        complain("interrupted: what was reached by then is written")
        sys.exit(EXIT_INTERRUPTED)
