"""Measurements to lines of a file, and back; what was measured before is not measured again."""

import functools
import itertools
import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.chips.measure import Measured, lacking, measure
from benchmarks.chips.networks import layered_model, random_model, random_ranges, random_rows
from benchmarks.chips.probes import fixed_probes, probe_ranges, probes
from dsgec.errors import DsgecError
from dsgec.export.artefact import PACKED, QUICK, Artefact
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.golden import classes_of, classes_of_results
from dsgec.export.number_format import REALS
from dsgec.export.targets.c.image import COMPILERS
from dsgec.network.cost.chips import packed_list
from dsgec.network.model import Model
from dsgec.network.ranges import Range

LEARNED, CHECKED = (*range(1000, 1100), *range(5000, 5050)), range(6000, 6050)
"""Seeds of the networks that the coefficients are fitted to, and of those they are checked on."""

_FIXED_LEARNED, _FIXED_CHECKED = ((10_000, 220), (20_000, 50), (30_000, 90)), (40_000, 50)
_SMALL, _FEW = range(30_000, 40_000), 10
"""Seeds of networks of few connections: what fixed point takes of them varies most."""

PACKED_LEARNED = (*range(50_000, 50_015), *range(55_000, 55_040))
PACKED_CHECKED = (*range(90_000, 90_015), *range(95_000, 95_035))
_LAYERED = 5_000
"""Seeds for the packed layout; of each ten thousand, those from here on are of layered networks."""

_ROWS, _PACKED_ROWS = 8, 4
PACKED_TYPES = {packed_list(dtype): dtype for dtype in STORED_BITS}
TYPES = (*REALS[::-1], *STORED_BITS, *PACKED_TYPES)
_IMPOSSIBLE = [("avr", "double")]  # its compiler has no double of 64 bits
KINDS = [kind for kind in itertools.product(COMPILERS, TYPES) if kind not in _IMPOSSIBLE]
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


def learned(dtype: str) -> tuple[int, ...]:
    """Seeds of the random networks that the coefficients of a type are fitted to."""
    if dtype in PACKED_TYPES:
        return PACKED_LEARNED
    if dtype not in STORED_BITS:
        return LEARNED
    return tuple(seed for seeds in _FIXED_LEARNED for seed in _possible(*seeds))


def checked(dtype: str) -> tuple[int, ...]:
    """Seeds of those that they are checked on."""
    if dtype in PACKED_TYPES:
        return PACKED_CHECKED
    return _possible(*_FIXED_CHECKED) if dtype in STORED_BITS else tuple(CHECKED)


@functools.cache
def _possible(first: int, count: int) -> tuple[int, ...]:
    """So many seeds from the first on whose networks have a fixed point, of every type."""
    seeds = (seed for seed in itertools.count(first) if all(map(partial(_has, seed), STORED_BITS)))
    return tuple(itertools.islice(seeds, count))


def _has(seed: int, dtype: str) -> bool:
    try:
        random_artefact(seed, dtype)
    except DsgecError:
        return False
    return True


@functools.cache
def random_artefact(seed: int, dtype: str) -> Artefact:
    """A random network as numbers of a type."""
    if dtype in PACKED_TYPES:
        return _packed_artefact(seed, PACKED_TYPES[dtype])
    model = random_model(seed, _FEW) if seed in _SMALL else random_model(seed)
    return artefact_of(model, dtype, random_ranges(model, seed))


def artefact_of(model: Model, dtype: str, ranges: tuple[Range | None, ...]) -> Artefact:
    known = ranges if dtype in STORED_BITS else ()
    return Artefact(model, "net", dtype, selftest=QUICK, ranges=known)


def _packed_artefact(seed: int, dtype: str) -> Artefact:
    """A network in the packed layout; raises a DsgecError if it has none."""
    if seed % 10_000 >= _LAYERED:
        model = layered_model(seed)
    else:
        model = random_model(seed, _FEW) if seed % 4 == 0 else random_model(seed)
    own = replace(artefact_of(model, dtype, random_ranges(model, seed)), layout=PACKED)
    if own.packed is None:
        raise DsgecError(f"network {seed} has no neurons")
    return own


def artefacts(dtype: str) -> Iterator[tuple[str, Artefact]]:
    """All networks of a type by their names, but those that the type cannot hold."""
    known = fixed_probes() if dtype in STORED_BITS else probes()
    for name, model in known.items() if dtype not in PACKED_TYPES else ():
        with suppress(DsgecError):
            yield name, artefact_of(model, dtype, probe_ranges(name, model))
    for seed in sorted((*learned(dtype), *checked(dtype)), key=lambda seed: seed % _LAYERED):
        with suppress(DsgecError):  # of numbers that are too large for a float
            yield f"random {seed}", random_artefact(seed, dtype)


def same_as_interpreter(artefact: Artefact, measured: Measured, rows: np.ndarray) -> bool:
    """Whether the chip has the interpreter's results, bit for bit, and its classes."""
    results, given = artefact.number_format.results(rows), measured.results
    if fixed := artefact.number_format.fixed:
        missing = given == np.iinfo(given.dtype).min
        given = np.where(missing, np.nan, given * 2.0**-fixed.program.fraction)
    word = np.uint32 if results.dtype == np.float32 else np.uint64
    equal = given.view(word) == np.ascontiguousarray(results).view(word)
    equal |= np.isnan(given) & np.isnan(results)
    equal |= not measured.has_results
    classes = (
        classes_of_results(artefact.model, results)
        if artefact.number_format.fixed
        else classes_of(artefact.model, artefact.network, rows)
    )
    return bool(equal.all()) and list(measured.numbers) == classes


def measure_line(name: str, artefact: Artefact, chip: str) -> Line:
    """Measure one network on one chip, on rows that its name decides."""
    seed, numbers = int(name.split()[-1]), artefact.number_format
    is_packed = artefact.layout == PACKED
    count = _PACKED_ROWS if is_packed else _ROWS
    rows = random_rows(artefact.model, seed, count).astype(numbers.row_type)
    measured = measure(artefact, chip, rows, classes_only=is_packed and seed % 4 > 0)
    return Line(
        *(chip, artefact.price_list, name, measured.flash, measured.stack, measured.cycles),
        *(measured.routines, not same_as_interpreter(artefact, measured, rows)),
    )


def read_lines(path: Path) -> list[Line]:
    if not path.exists():
        return []
    return [Line(**json.loads(line)) for line in path.read_text().splitlines()]


def measure_all(path: Path, dtype: str) -> dict[str, Counter[str]]:
    """Measure every network of a type on every chip whose tools are here; gives their work.

    Each line is written when it is there.
    """
    known = {(line.chip, line.dtype, line.network) for line in read_lines(path)}
    chips = [chip for chip in COMPILERS if (chip, dtype) in KINDS and not lacking(chip)]
    counts = {}
    with path.open("a") as file:
        for name, artefact in artefacts(dtype):
            counts[name] = artefact.work
            for chip in chips:
                if (chip, dtype, name) not in known:
                    line = measure_line(name, artefact, chip)
                    file.write(json.dumps(asdict(line)) + "\n")
                    file.flush()
                    print(f"{chip} {dtype} {name}: {line.flash} bytes", file=sys.stderr)
    return counts
