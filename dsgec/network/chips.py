"""The chips that costs are estimated for."""

from dataclasses import dataclass

USUAL_CHIP = "cortex-m0plus"


@dataclass(frozen=True, slots=True)
class Chip:
    """A family of chips, the clock that its small members have, and whether its C has double."""

    title: str
    megahertz: int
    has_double: bool = True


CHIPS: dict[str, Chip] = {
    "cortex-m0plus": Chip("Arm Cortex-M0+", 48),
    "cortex-m4f": Chip("Arm Cortex-M4 with its float unit", 64),
    "avr": Chip("AVR ATmega328P", 16, has_double=False),
    "rv32imc": Chip("RISC-V RV32IMC", 48),
}
