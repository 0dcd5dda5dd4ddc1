"""The settings of how a run is executed."""

from dataclasses import dataclass
from typing import ClassVar

from dsgec.search.settings import BACKENDS
from dsgec.setting import check, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """The settings of how a run is executed, on which its result does not depend."""

    GROUP: ClassVar = "machine"

    backend: str = setting(
        "auto", "Backend of the evolution; all give the same results.", choices=BACKENDS
    )
    threads: int | None = setting(
        None, "Number of threads of the engine; default: chosen by the size of the table.", 1, 256
    )

    def __post_init__(self) -> None:
        check(self)
