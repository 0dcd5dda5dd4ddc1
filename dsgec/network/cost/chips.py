"""The chips that costs are estimated for, and the price of each kind of work on them.

Flash, stack and cycles are linear in counts that can be read off a network, with whole
coefficients: those of `chips.toml`, which `python -m benchmarks.chips` fits to images that it links
and runs.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.errors import DsgecError, mention
from dsgec.toml import read_toml

DEFAULT_CHIP = "cortex-m0plus"

_TABLE = "chips.toml"
_PACKED = "-packed"


@dataclass(frozen=True, slots=True)
class Chip:
    """A family of chips, the clock of its small members, and whether its C has double."""

    title: str
    megahertz: int
    has_double: bool = True


CHIPS: dict[str, Chip] = {
    "cortex-m0plus": Chip("Arm Cortex-M0+", 48),
    "cortex-m4f": Chip("Arm Cortex-M4 with its float unit", 64),
    "avr": Chip("AVR ATmega328P", 16, has_double=False),
    "rv32imc": Chip("RISC-V RV32IMC", 48),
}


@dataclass(frozen=True, slots=True)
class Cost:
    """The bytes of flash (compiler's routines included), bytes of stack, and cycles for a row.

    Of a signal, a row is a window with its features, `state` are the bytes of RAM of a stream,
    which are exact, and `sample` are the cycles that each sample takes, on average.
    """

    flash: int
    stack: int
    cycles: int
    state: int | None = None
    sample: int | None = None

    @property
    def ram(self) -> int:
        """Return the bytes of RAM: the stack, and the state of a stream."""
        return self.stack + (self.state or 0)

    @property
    def longest(self) -> int:
        """Return the most cycles at a time: a row, of a signal after the last sample."""
        return self.cycles + (self.sample or 0)


@dataclass(frozen=True, slots=True)
class Prices:
    """The coefficients of a chip and a number type.

    `flash`, `cycles` and `stack` are for one of each kind of work; the kind "" is what every
    network takes. `once` has the bytes of parts that are linked once, functions and the compiler's
    routines: `needs` names those of each kind. `deepest` has the stack that the calls of each kind
    take, of which only the largest counts.
    """

    flash: Mapping[str, int]
    cycles: Mapping[str, int]
    stack: Mapping[str, int]
    deepest: Mapping[str, int]
    once: Mapping[str, int]
    needs: Mapping[str, tuple[str, ...]]

    def cost(self, counts: Mapping[str, int]) -> Cost:
        """Return the cost of a network that does this work."""
        linked = {part for kind in ("", *counts) for part in self.needs.get(kind, ())}
        return Cost(
            _sum(self.flash, counts) + sum(self.once[part] for part in linked),
            _sum(self.stack, counts) + max(self.deepest.get(kind, 0) for kind in ("", *counts)),
            _sum(self.cycles, counts),
        )

    def unpriced(self, kinds: Collection[str]) -> list[str]:
        """Return the kinds that have no price, sorted."""
        return sorted({*kinds} - self.needs.keys())


def _sum(prices: Mapping[str, int], counts: Mapping[str, int]) -> int:
    return prices[""] + sum(count * prices.get(kind, 0) for kind, count in counts.items())


@cache
def chip_prices(chip: str, dtype: str) -> Prices:
    """Return the prices of a chip and a number type; raise a DsgecError if there are none."""
    types = _tables().get(chip)
    if types is None:
        raise DsgecError(f"unknown chip `{chip}`", f"Choose from {', '.join(CHIPS)}.")
    if dtype not in types:
        raise DsgecError(
            f"there is no estimate for {dtype} on {chip}",
            f"There is one for {' and '.join(priced_dtypes(chip))}.",
        )
    own = types[dtype]
    needs = {kind: tuple(parts) for kind, parts in own["needs"].items()}
    return Prices(own["flash"], own["cycles"], own["stack"], own["deepest"], own["once"], needs)


def priced_dtypes(chip: str) -> tuple[str, ...]:
    """Return the number types that a chip has prices for."""
    return tuple(name for name in _tables()[chip] if not name.endswith(_PACKED))


def price_lists(chip: str) -> tuple[str, ...]:
    """Return the names of all lists of prices of a chip: number types, and types when packed."""
    return tuple(_tables()[chip])


def packed_list(dtype: str) -> str:
    """Return the name of the list of prices of a number type in the packed layout."""
    return f"{dtype}{_PACKED}"


def check_functions(functions: Collection[str], chip: str, dtype: str) -> None:
    """Raise a DsgecError if a function that a grammar uses has no price."""
    unknown = chip_prices(chip, dtype).unpriced({*functions} & {*FUNCTIONS})
    if unknown:
        raise DsgecError(
            f"there is no estimate of {', '.join(unknown)} on {chip}",
            f"Use {mention('minimise', 'connections')}, or a grammar without it. In a clone of the"
            " project, `python -m benchmarks.chips` measures new functions.",
        )


def type_note(minimise: str, chip: str, dtype: str) -> str:
    """Return a note for a user who expects double on a chip that has none; else ""."""
    if CHIPS[chip].has_double:
        return ""
    return (
        f"{chip} has no double: {minimise} is estimated for C with"
        f" {mention('dtype', dtype)}; export it with that, too"
    )


@cache
def _tables() -> dict[str, dict[str, dict[str, Any]]]:
    return read_toml(files("dsgec.network.cost").joinpath(_TABLE), _TABLE)
