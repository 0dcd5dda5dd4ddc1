"""Options for the runs of a command, and for one session of a run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import click

from dsgec.cli.options import Command, collecting, option, options_of
from dsgec.search.settings import Execution
from dsgec.setting import setting, settings_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How many runs `evolve` makes, and where they go."""

    GROUP: ClassVar = "output"

    runs: int = setting(
        1, "Runs with seeds that follow on, each in a folder of its own.", 1, 100_000
    )
    jobs: int | None = setting(
        None, "Runs side by side; default: one per processor.", 1, 256, group="machine"
    )
    out: str | None = setting(None, "Where runs go; default: ./build.", metavar="FOLDER")
    name: str = setting("", "The name of the run's folder.")
    overwrite: bool = setting(False, "Write over another run of that name.")


_OTHERWISE: dict[str, dict[str, Any]] = {
    "out": {"type": click.Path(path_type=Path)},
    "name": {"default": ""},
}


def run_options(function: Command) -> Command:
    """`--runs`, `--out` and their like; the command gets them one by one."""
    for one in reversed(settings_of(RunOptions)):
        more = _OTHERWISE.get(one.name, {})
        if one.kind is int:
            more = {"type": click.IntRange(int(one.low), int(one.high))}
        function = option(one, **more)(function)
    return function


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions(Execution):
    """What a user said about it."""

    max_seconds: float | None = setting(
        None,
        "Stop cleanly after this many seconds; `dsgec resume` continues.",
        0.0,
        metavar="SECONDS",
    )
    save_every: float = setting(
        30.0, "Between checkpoints, which resume a killed run.", 0.0, metavar="SECONDS"
    )
    cluster: str | None = setting(
        None,
        "Evolve the islands on a dask cluster, whose scheduler has this address.",
        metavar="ADDRESS",
    )
    quiet: bool = setting(False, "Only errors.", group="output")
    as_json: bool = setting(False, "Print the result as JSON.", option="json", group="output")


def session_options(function: Command) -> Command:
    """`--backend`, `--max-seconds` and their like; the command gets them as `session`."""
    options = options_of(SessionOptions)
    return collecting(function, "session", lambda given: SessionOptions(**given), options)
