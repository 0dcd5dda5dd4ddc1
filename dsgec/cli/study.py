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
    from dsgec.study.definition import cells, shorten
    from dsgec.study.parse import load_study
    from dsgec.study.prepare import prepare, remarks
    from dsgec.study.statistics import require_libraries
    from dsgec.study.work import open_session, start_workers

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
        workers = start_workers(address, jobs)
        exits.callback(workers.close)
        how = f"over {workers}" if address is None else f"on the cluster {workers}"
        tasks = prepare(list(cells(planned)))
        for remark in () if quiet else remarks(tasks):
            print_message(remark)
        started = time.monotonic()
        session = exits.enter_context(open_session(planned, tasks, path))
        if not quiet:
            print_message(
                f"{planned.name}: {len(tasks)} runs, {session.finished} of them finished before;"
                f" {how}, in {path}"
            )
        progress = StudyDisplay(
            session.todo, session.finished, max(workers.threads, 1), quiet=quiet
        )
        interrupts = exits.enter_context(Interrupts())
        try:
            session.work(workers, backend, progress.note, progress.run_ended)
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
        text, files = session.write()
    if not quiet:
        print_result(text.removesuffix("\n"))
        print_result(f"written to {path}: {' '.join(files)}")
        if session.todo:
            print_message(f"{len(session.todo)} runs in {duration(time.monotonic() - started)}")
