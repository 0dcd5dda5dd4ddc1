"""`dsgec resume`."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dsgec.cli.help import GroupedCommand
from dsgec.cli.session import SessionOptions, session_options
from dsgec.cli.tables import TableOptions
from dsgec.errors import DsgecError

if TYPE_CHECKING:
    from dsgec.run.checkpoint import Checkpoint
    from dsgec.run.job import Job


@click.command(cls=GroupedCommand)
@click.argument("run", type=click.Path(path_type=Path))
@session_options
def resume(run: Path, session: SessionOptions) -> None:
    """Resume the run in the folder RUN, which was interrupted.

    It ends with the same bytes as one that never was. `dsgec evolve` with the same arguments as
    before does the same.
    """
    from dsgec.cli.start import start
    from dsgec.folder import open_folder
    from dsgec.run.checkpoint import has_checkpoint, read_checkpoint, refuse_other_version
    from dsgec.run.folder import read_record
    from dsgec.search.evolver import ENDS

    with open_folder(run) as folder:
        if not has_checkpoint(folder):
            if read_record(folder).result.ended in ENDS:
                raise DsgecError(f"the run in {run} has ended: there is nothing to resume")
            raise DsgecError(
                f"{run} has no checkpoint to resume from",
                "Start the run again with `dsgec evolve`.",
            )
        checkpoint = read_checkpoint(folder)
        refuse_other_version(folder, checkpoint)
    job = _job(run, checkpoint)
    start(job, session, checkpoint.arguments)


def _job(run: Path, checkpoint: "Checkpoint") -> "Job":
    """The job of the checkpoint, with its grammar and table read again."""
    from dsgec.grammar.load import load_grammar
    from dsgec.pipeline import prepare
    from dsgec.run.config import Inputs
    from dsgec.run.record import identity
    from dsgec.search.settings import Settings

    said = checkpoint.arguments
    grammar, data, test = (said.get(name) for name in ("grammar", "data", "test"))
    if not isinstance(grammar, str) or not isinstance(data, str) or "-" in (data, test):
        raise DsgecError(
            f"the checkpoint in {run} does not say where its table is",
            "Start the run again as it was started, with the same arguments: that resumes it.",
        )
    settings = Settings.from_json(checkpoint.asked.get("settings", {}))
    file = load_grammar(grammar)
    dataset = _options(said.get("table")).dataset(data, test if isinstance(test, str) else None)
    inputs = Inputs.read(said.get("inputs"))
    job = replace(prepare(file, dataset, settings, inputs=inputs), named=run)
    now = identity(file, job.problem.dataset, settings)
    for what, name in (("grammar", grammar), ("data", data)):
        then = checkpoint.asked.get(what)
        if not isinstance(then, dict) or then.get("sha256") != now[what]["sha256"]:
            raise DsgecError(
                f"{name} has changed since the run in {run} began",
                "Put back what it was, or start from scratch with `dsgec evolve`.",
            )
    return job


def _options(said: Any) -> TableOptions:
    try:
        return TableOptions.make(said if isinstance(said, dict) else {})
    except DsgecError as error:
        raise DsgecError("the checkpoint does not say how its table was read") from error
