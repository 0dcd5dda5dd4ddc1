"""What `a ^ n` means for a whole number n: a fixed sequence of multiplications."""

from collections.abc import Callable
from typing import Any

LARGEST_EXPONENT = 64


def integer_exponent(value: float) -> int | None:
    """The exponent as a whole number, if powers of it are made by multiplying."""
    return int(value) if value == int(value) and abs(value) <= LARGEST_EXPONENT else None


def multiplications(exponent: int) -> list[str]:
    """From the highest bit down: "square", and "times" the base where the bit is set."""
    steps = []
    for bit in bin(abs(exponent))[3:]:
        steps.append("square")
        if bit == "1":
            steps.append("times")
    return steps


def power(base: Any, exponent: int, divide: Callable[[Any, Any], Any]) -> Any:
    """`base` to a whole power; a negative one is 1 divided (protected) by the positive one."""
    if exponent == 0:
        return 1.0
    result = base
    for step in multiplications(exponent):
        result = result * result if step == "square" else result * base
    return divide(1.0, result) if exponent < 0 else result
