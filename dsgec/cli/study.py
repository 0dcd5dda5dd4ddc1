"""`dsgec study`."""

import shlex
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import click

from dsgec.cli.options import GroupedCommand, backend_option, complete_study
from dsgec.cli.output import print_message, print_result
from dsgec.errors import DsgecError


@click.command(cls=GroupedCommand)
@click.argument("study", shell_complete=complete_study)
@click.option("--quick", is_flag=True, help="Make fewer runs of fewer generations.")
@click.option(
    "--jobs", type=click.IntRange(1, 256), help="Runs at a time; default: one per processor."
)
@click.option(
    "--cluster",
    "address",
    metavar="ADDRESS",
    help="Run on the dask cluster whose scheduler has this address (tcp://HOST:PORT).",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Output folder; default: ./build/NAME, the name of the study.",
)
@backend_option
@click.option("--quiet", is_flag=True, help="Print errors only.")
def study(
    study: str,
    quick: bool,
    jobs: int | None,
    address: str | None,
    out: Path | None,
    backend: str,
    quiet: bool,
) -> None:
    """Make many runs and compare them statistically.

    Every representation runs with every grammar on every table of STUDY, a TOML file or the name
    of a shipped study. A study can be stopped and started again at any time: finished runs are
    kept.
    """
    from dsgec.cli.jobs import Interrupts
    from dsgec.cli.terminal.progress import duration
    from dsgec.cli.terminal.study import StudyDisplay
    from dsgec.engine.processors import processors
    from dsgec.folder import open_locked, remove_if_empty
    from dsgec.study.cluster import connect
    from dsgec.study.definition import cells, shorten
    from dsgec.study.outputs import write_outputs
    from dsgec.study.page import write_page
    from dsgec.study.parse import load_study
    from dsgec.study.prepare import RUNS, prepare, remarks
    from dsgec.study.processes import Processes
    from dsgec.study.statistics import require_libraries
    from dsgec.study.work import collect, finished_results, unfinished_tasks, work

    planned = load_study(study)
    if quick:
        planned = shorten(planned)
    require_libraries()
    if address is not None and jobs is not None:
        raise click.UsageError(
            "--jobs is for this machine; on a cluster, each worker's --nthreads is the number of"
            " runs that it makes at once."
        )
    path = out or Path("build") / (f"{planned.name}-quick" if quick else planned.name)
    with ExitStack() as exits:
        workers = (
            Processes(jobs or processors(), "dsgec.study.outcome")
            if address is None
            else connect(address)
        )
        exits.callback(workers.close)
        how = f"over {workers}" if address is None else f"on the cluster {workers}"
        tasks = prepare(list(cells(planned)))
        for remark in () if quiet else remarks(tasks):
            print_message(remark)
        started = time.monotonic()
        folder = exits.enter_context(open_locked(path, "study"))
        runs = exits.enter_context(folder.below(RUNS, make=True))
        exits.callback(remove_if_empty, path / RUNS)
        runs.remove_unfinished()
        there = finished_results(tasks, runs)
        todo = unfinished_tasks(tasks, there)
        if not quiet:
            print_message(
                f"{planned.name}: {len(tasks)} runs, {len(there)} of them finished before;"
                f" {how}, in {path}"
            )
        progress = StudyDisplay(todo, len(there), max(workers.threads, 1), quiet=quiet)
        interrupts = exits.enter_context(Interrupts())
        try:
            work(todo, runs, workers, backend, progress.note, progress.run_ended)
        except KeyboardInterrupt:
            progress.close()
            command = shlex.join(["dsgec", *sys.argv[1:]])
            print_message(
                f"interrupted: {progress.done} of {len(tasks)} runs are finished and kept;"
                f" `{command}` resumes"
            )
            sys.exit(interrupts.exit_code)
        except DsgecError:
            progress.close()
            raise
        text, files = write_outputs(planned, collect(tasks, runs), folder)
        files.append(write_page(folder).name)
    if not quiet:
        print_result(text.removesuffix("\n"))
        print_result(f"written to {path}: {' '.join(files)}")
        if todo:
            print_message(f"{len(todo)} runs in {duration(time.monotonic() - started)}")
