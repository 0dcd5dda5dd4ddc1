"""What the one arithmetic uses beside + − × ÷, as Python has it."""

import struct
from typing import TypeVar

Number = TypeVar("Number", int, float, tuple[float, ...])
Wide = int


def number(double: Number, single: Number) -> Number:
    """A number of the arithmetic; what it is in single precision, only printers read."""
    return double


def horner(x: float, coefficients: tuple[float, ...]) -> float:
    """A polynomial, its constant term first; printed as one line for each term."""
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
    """The nearest double to 64 bits that are a whole number with a sign."""
    return float(n - ((n >> 63 & 1) << 64))
