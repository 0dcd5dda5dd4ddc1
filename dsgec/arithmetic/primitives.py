"""The operations that the arithmetic uses besides + − × ÷, in plain Python."""

import struct
from collections.abc import Iterable
from typing import TypeVar

Number = TypeVar("Number", int, float, tuple[float, ...])
Wide = int


def number(double: Number, single: Number) -> Number:
    """Return the double-precision value of a constant; only the printers read the single one."""
    return double


def horner(x: float, coefficients: tuple[float, ...]) -> float:
    """Evaluate a polynomial whose constant term comes first; printed as one line per term."""
    *rest, value = coefficients
    for coefficient in reversed(rest):
        value = coefficient + x * value
    return value


def bits(x: float) -> int:
    """The 64 bits of a double."""
    return int.from_bytes(struct.pack("<d", x), "little")


def from_bits(n: int) -> float:
    """The double that has the low 64 of these bits."""
    return float(struct.unpack("<d", (n & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "little"))[0])


def signed(n: Wide) -> float:
    """Return the double nearest to 64 bits read as a two's complement integer."""
    return float(n - ((n >> 63 & 1) << 64))


def sequential_sum(values: Iterable[float]) -> float:
    """Add floats from left to right, rounding each addition; `sum` does so before 3.12 only."""
    total = 0.0
    for value in values:
        total += value
    return total
