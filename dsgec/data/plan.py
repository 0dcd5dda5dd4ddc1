"""What can be asked of the columns of a table; light, as the command line lists it at its start."""

from dataclasses import dataclass

TASKS = ("classification", "regression")
MISSING_WAYS = ("error", "mean", "median", "drop")
SCALES = ("none", "standard", "minmax")
CONSTANT_WAYS = ("drop", "keep")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a user asks of the columns: some ignored, missing values dealt with, numbers scaled."""

    ignore: tuple[str, ...] = ()
    task: str = ""
    missing: str = "error"
    scale: str = "none"
    constant: str = "drop"

    @property
    def learns(self) -> bool:
        """Whether numbers are taken from the training rows."""
        return self.scale != "none" or self.missing in ("mean", "median")


DEFAULT = Plan()
"""Nothing is asked."""
