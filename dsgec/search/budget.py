"""A budget: the most flash, RAM and cycles that a network may take of a chip."""

import re
from dataclasses import dataclass, replace
from typing import Any, Protocol

from dsgec.errors import mention, setting_error
from dsgec.network.cost.chips import CHIPS, Cost
from dsgec.setting import setting

FLASH, RAM, CYCLES = AMOUNTS = "flash", "ram", "cycles"

FIXED_POINT = ("q15", "q7")
"""The number types whose cost depends on the ranges of a network's values."""

_HELP = {
    FLASH: "at most so many bytes of flash on the chip, such as 1KB. The run chooses among the"
    " networks that fit, and exports the C of the number type",
    RAM: "at most so many bytes of RAM on the chip: the stack, and of a signal a stream",
    CYCLES: "at most so many cycles a row on the chip, of a signal a window with its last sample",
}
_NUMBER = r"(\d{1,9}(?:\.\d{1,9})?) ?"
_PATTERNS = {
    FLASH: re.compile(_NUMBER + r"(?:([kKM])i?)?B?", re.ASCII),
    RAM: re.compile(_NUMBER + r"(?:([kKM])i?)?B?", re.ASCII),
    CYCLES: re.compile(_NUMBER + r"([kKM])?", re.ASCII),
}


def budget_setting(name: str) -> Any:
    """Return the field of a setting that limits an amount."""
    metavar = "N" if name == CYCLES else "BYTES"
    return setting("", f"Budget: {_HELP[name]}.", metavar=metavar, recorded_with=name)


class BudgetSettings(Protocol):
    """The settings that make a budget."""

    @property
    def chip(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def flash(self) -> str: ...
    @property
    def ram(self) -> str: ...
    @property
    def cycles(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a network may take of a chip, as C of a number type; None: no limit."""

    chip: str
    dtype: str
    flash: int | None
    ram: int | None
    cycles: int | None

    def in_time(self, rate: float | None) -> "Budget":
        """Return the budget of a signal with so many samples in a second.

        Without a limit of cycles of its own, a row takes at most the time between two samples, at
        the clock of the chip.
        """
        if not rate or self.cycles is not None:
            return self
        return replace(self, cycles=int(CHIPS[self.chip].megahertz * 1e6 / rate))

    def allows(self, cost: Cost) -> bool:
        """Return whether a cost is within the budget."""
        pairs = ((cost.flash, self.flash), (cost.ram, self.ram), (cost.longest, self.cycles))
        return all(most is None or value <= most for value, most in pairs)


def parse_amount(value: str, of: str) -> int | None:
    """Parse a number of bytes, where K is 1,024, or of cycles, where K is 1,000.

    Return None if it is neither.
    """
    parts = _PATTERNS[of].fullmatch(value.strip())
    if parts is None:
        return None
    thousand = 1000 if of == CYCLES else 1024
    times = {"": 1, "k": thousand, "m": thousand**2}
    return int(float(parts[1]) * times[(parts[2] or "").lower()])


def make_budget(settings: BudgetSettings) -> Budget | None:
    """Return the budget of a run, or None if it has none; refuse what is no amount."""
    amounts: dict[str, int | None] = {}
    for name in AMOUNTS:
        given = getattr(settings, name)
        amounts[name] = parse_amount(given, name) if given else None
        if given and not amounts[name]:
            unit, example = ("cycles", "2000") if name == CYCLES else ("bytes", "1KB")
            raise setting_error(
                name, f"is `{given}`, not a number of {unit}", f"Use {mention(name, example)}."
            )
    if not any(amounts.values()):
        return None
    return Budget(settings.chip, settings.dtype, **amounts)


def check_budget(settings: BudgetSettings) -> None:
    """Raise an error if amounts are none, or if a type of fixed point has no budget."""
    if make_budget(settings) is None and settings.dtype in FIXED_POINT:
        raise setting_error(
            "dtype",
            f"is {settings.dtype}, which a search has only for a budget",
            f"Use {mention('flash', '1KB')}, or export the network in that type.",
        )
