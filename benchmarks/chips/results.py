"""Measurements to lines of a file, and back; what was measured before is not measured again."""

import itertools
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.chips.measure import Measured, lacking, measure
from benchmarks.chips.networks import random_model, random_rows
from benchmarks.chips.probes import probes
from dsgec.codegen.artefact import Artefact
from dsgec.errors import DsgecError
from dsgec.network.decide import chosen_classes
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Model, composed
from dsgec.targets.c.build import COMPILERS

LEARNED, CHECKED = (*range(1000, 1100), *range(5000, 5050)), range(6000, 6050)
"""Seeds of the networks that the coefficients are fitted to, and of those they are checked on."""

_ROWS = 8
_TYPES = {"float": np.float32, "double": np.float64}
_IMPOSSIBLE = [("avr", "double")]  # its compiler has no double of 64 bits
KINDS = [kind for kind in itertools.product(COMPILERS, _TYPES) if kind not in _IMPOSSIBLE]
"""The chips and types to measure."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one network takes of one chip; `differs`: its bits are not the interpreter's."""

    chip: str
    dtype: str
    network: str
    flash: int
    stack: int
    cycles: float
    routines: dict[str, int]
    differs: bool


def models() -> dict[str, Model]:
    """All networks by their names."""
    return probes() | {f"random {seed}": random_model(seed) for seed in (*LEARNED, *CHECKED)}


def same_as_interpreter(model: Model, measured: Measured, rows: np.ndarray) -> bool:
    """Whether the chip has the interpreter's bits, and its classes."""
    outputs = evaluate(composed(model), rows)
    results = outputs
    if model.is_classifier and outputs.shape[1] == 1:
        results = np.hstack([rows.dtype.type(1) - outputs, outputs])
    word = np.uint32 if rows.dtype == np.float32 else np.uint64
    equal = measured.results.view(word) == np.ascontiguousarray(results).view(word)
    equal |= np.isnan(measured.results) & np.isnan(results)
    if not model.is_classifier:
        return bool(equal.all())
    numbers, none = chosen_classes(outputs, model.threshold)
    return bool(equal.all()) and measured.numbers == tuple(np.where(none, -1, numbers).tolist())


def measure_line(name: str, model: Model, chip: str, dtype: str) -> Line:
    """Measure one network on one chip, on rows that its name decides."""
    seed = int(name.split()[-1])
    rows = random_rows(model, seed, _ROWS).astype(_TYPES[dtype])
    measured = measure(Artefact(model, "net", dtype), chip, rows)
    return Line(
        *(chip, dtype, name, measured.flash, measured.stack, measured.cycles, measured.routines),
        not same_as_interpreter(model, measured, rows),
    )


def read_lines(path: Path) -> list[Line]:
    if not path.exists():
        return []
    return [Line(**json.loads(line)) for line in path.read_text().splitlines()]


def measure_all(path: Path) -> Iterator[Line]:
    """Every network on every chip whose tools are here; each line is written when it is there."""
    known = {(line.chip, line.dtype, line.network) for line in read_lines(path)}
    for chip in COMPILERS:
        if missing := lacking(chip):
            print(f"{chip}: {missing}", file=sys.stderr)
    kinds = [kind for kind in KINDS if not lacking(kind[0])]
    with path.open("a") as file:
        for name, model in models().items():
            for chip, dtype in kinds:
                if (chip, dtype, name) in known:
                    continue
                try:
                    line = measure_line(name, model, chip, dtype)
                except DsgecError:
                    continue  # of numbers that are too large for a float
                file.write(json.dumps(asdict(line)) + "\n")
                file.flush()
                yield line
