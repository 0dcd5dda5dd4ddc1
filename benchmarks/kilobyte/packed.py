"""Tables of integers as C, and weights as bytes."""

import math
from collections.abc import Mapping

import numpy as np

from benchmarks.kilobyte.candidate import Source
from benchmarks.kilobyte.case import Array


def kernel_source(kernel: str, numbers: Mapping[str, int], tables: Mapping[str, Array]) -> Source:
    """Return the C of a kernel in `c/` with its numbers and its tables, which takes bytes."""
    lines = [f"#define {name} {number}" for name, number in numbers.items()]
    lines.append('#include "kernel.h"')
    for name, table in tables.items():
        wholes = ", ".join(str(int(value)) for value in table.ravel())
        type_ = f"{table.dtype}_t"
        lines.append(f"static const {type_} {name}[] PROGMEM = {{{wholes}}};")
    lines.append(f'#include "{kernel}.h"\n')
    return Source({"net.c": "\n".join(lines)}, "int8")


def as_bytes(values: Array, most: float) -> Array:
    """Return values, of which the largest is `most`, as bytes."""
    return np.clip(np.rint(values * (127 / max(most, 1e-12))), -127, 127).astype(np.int8)


def with_shift(values: Array) -> tuple[Array, int]:
    """Return values as integers of 16 bits, and the bits that these have to be shifted left."""
    most = float(np.abs(values).max(initial=0.0))
    shift = max(0, math.ceil(math.log2(max(most, 1.0) / 32767)))
    return np.rint(values / 2.0**shift).astype(np.int16), shift
