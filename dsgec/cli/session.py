"""Options that say how a run is gone on with, the same for `evolve` and `resume`."""

import math
from dataclasses import dataclass

import click

from dsgec.cli.options import Command, backend_option, collecting
from dsgec.errors import DsgecError

_SAVE_EVERY = 30.0
_OPTIONS = (
    backend_option,
    click.option(
        "--threads",
        type=click.IntRange(1, 256),
        help="Of the engine; default: by the table's size.",
    ),
    click.option(
        "--max-seconds",
        type=click.FloatRange(0),
        metavar="SECONDS",
        help="End after so long, in good order: `dsgec resume` goes on.",
    ),
    click.option(
        "--save-every",
        type=click.FloatRange(0),
        default=_SAVE_EVERY,
        show_default=True,
        metavar="SECONDS",
        help="Between checkpoints, which a killed run goes on from.",
    ),
    click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Evolve the islands on a dask cluster, whose scheduler has this address.",
    ),
    click.option("--quiet", is_flag=True, help="Only errors."),
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
)


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """What a user said about it."""

    backend: str = "auto"
    threads: int | None = None
    max_seconds: float | None = None
    save_every: float = _SAVE_EVERY
    cluster: str | None = None
    quiet: bool = False
    as_json: bool = False

    def __post_init__(self) -> None:
        for name in ("max_seconds", "save_every"):
            value = getattr(self, name)
            if value is not None and math.isnan(value):
                raise DsgecError(f"--{name.replace('_', '-')} is not a number")


def session_options(function: Command) -> Command:
    """`--backend`, `--max-seconds` and their like; the command gets them as `session`."""
    return collecting(function, "session", SessionOptions, _OPTIONS)
