"""Options for one session of a run, the same for `evolve` and `resume`."""

from dataclasses import dataclass

from dsgec.cli.options import Command, collecting, options_of
from dsgec.evolution.settings import Execution
from dsgec.setting import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions(Execution):
    """What a user said about it."""

    max_seconds: float | None = setting(
        None, "Stop after so long, in good order; `dsgec resume` continues.", 0.0, metavar="SECONDS"
    )
    save_every: float = setting(
        30.0, "Between checkpoints, which resume a killed run.", 0.0, metavar="SECONDS"
    )
    cluster: str | None = setting(
        None,
        "Evolve the islands on a dask cluster, whose scheduler has this address.",
        metavar="ADDRESS",
    )
    quiet: bool = setting(False, "Only errors.")
    as_json: bool = setting(False, "Print the result as JSON.", option="json")


def session_options(function: Command) -> Command:
    """`--backend`, `--max-seconds` and their like; the command gets them as `session`."""
    options = options_of(SessionOptions)
    return collecting(function, "session", lambda given: SessionOptions(**given), options)
