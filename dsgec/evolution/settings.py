"""Every number that a run depends on."""

import math
from dataclasses import asdict, dataclass
from typing import Any

from dsgec.errors import DsgecError
from dsgec.genome.ir import ENGINES

CONNECTIONS = ("all", "previous")
"""What a neuron may read: all layers before its own, or the one before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The paper's parameters as defaults. `elites` is a number of individuals; `codons` and `wraps`
    are GE's, `connect` is DSGE's.

    With `folds`, the rows to test with are those of one of so many folds, numbered from 0. A run
    ends early at a score as good as `stop_at`, or after `patience` generations without a better
    one. With `islands`, there are so many populations, which exchange their `migrants` best.
    """

    engine: str = "dsge"
    population: int = 100
    generations: int = 500
    seed: int = 1
    tournament: int = 3
    crossover: float = 0.95
    mutation: float = 0.95
    elites: int = 1
    connect: str = "all"
    max_depth: tuple[tuple[str, int], ...] = ()
    max_size: int = 250_000
    codons: int = 200
    wraps: int = 0
    test: float = 0.3
    split_seed: int = 1
    objective: str = ""
    folds: int = 0
    fold: int = 0
    stop_at: float | None = None
    patience: int = 0
    islands: int = 1
    migrate_every: int = 25
    migrants: int = 2

    def __post_init__(self) -> None:
        for name, allowed in (("engine", ENGINES), ("connect", CONNECTIONS)):
            if getattr(self, name) not in allowed:
                raise DsgecError(
                    f"{name} is `{getattr(self, name)}`", f"There is {', '.join(allowed)}."
                )
        for name, lowest, highest in (
            ("population", 2, 1_000_000),
            ("generations", 0, 100_000_000),
            ("seed", 0, 2**64 - 1),
            ("split_seed", 0, 2**64 - 1),
            ("tournament", 1, 1_000_000),
            ("crossover", 0.0, 1.0),
            ("mutation", 0.0, 1.0),
            ("elites", 0, self.population - 1),
            ("max_size", 1, 10_000_000),
            ("codons", 1, 1_000_000),
            ("wraps", 0, 1_000),
            ("test", 0.0, 0.9),
            ("folds", 0, 1_000_000),
            ("fold", 0, max(self.folds - 1, 0)),
            ("patience", 0, 100_000_000),
            ("islands", 1, 1_000),
            ("migrate_every", 1, 100_000_000),
            ("migrants", 0, self.population - 1 if self.islands > 1 else 1_000_000),
        ):
            value = getattr(self, name)
            if not lowest <= value <= highest:
                raise DsgecError(
                    f"{name.replace('_', '-')} is {value}",
                    f"It must lie between {lowest} and {highest}.",
                )

        if self.stop_at is not None and not math.isfinite(self.stop_at):
            raise DsgecError(f"stop-at is {self.stop_at}", "It must be a number.")

    def as_json(self) -> dict[str, Any]:
        """The settings as plain values; of early ends and islands, only if they are asked for."""
        values = asdict(self) | {"max_depth": dict(self.max_depth)}
        if self.stop_at is None:
            del values["stop_at"]
        if not self.patience:
            del values["patience"]
        if self.islands == 1:
            for name in ("islands", "migrate_every", "migrants"):
                del values[name]
        return values

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "Settings":
        """The settings that `as_json` gave; a DsgecError where they are none."""
        try:
            settings = cls(**values | {"max_depth": tuple(sorted(values["max_depth"].items()))})
        except (TypeError, KeyError, AttributeError) as error:
            raise DsgecError("these are not the settings of a run") from error
        same = settings.as_json()
        if same != values or any(type(same[name]) is not type(values[name]) for name in same):
            raise DsgecError("these are not the settings of a run")
        return settings
