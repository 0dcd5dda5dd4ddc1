"""What all workers have in common: calls, and the values that many calls share."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

MOST_RESTARTS = 2
"""How often a call is made again after it was lost with whoever made it."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Stands for a value that the workers hold, among the arguments of a call."""

    digest: str


@dataclass(slots=True, eq=False)
class PendingCall:
    """A call, running or ended."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    value: Any = None
    error: BaseException | None = None
    restarts: int = 0

    def result(self) -> Any:
        """What the function gave, or the error that it ended with; for a call that has ended."""
        if self.error is not None:
            raise self.error
        return self.value


class Workers(Protocol):
    """Whoever makes calls: processes here, or a cluster. For one thread."""

    @property
    def threads(self) -> int:
        """How many calls can be made at once."""

    @property
    def want(self) -> str:
        """What a user has to do before any call can be made; nothing, as a rule."""

    def share(self, value: Any) -> Shared:
        """A handle for a value that goes to each worker once, to be given as an argument."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> PendingCall:
        """Have a function of dsgec called; its arguments are data or handles."""

    def ended(self, seconds: float) -> Sequence[PendingCall]:
        """The calls that have ended since it was last asked; none if none does so in time."""

    def cancel(self, calls: Iterable[PendingCall]) -> None:
        """Give calls up."""

    def close(self) -> None:
        """Give up the unfinished calls, and let everything go."""
