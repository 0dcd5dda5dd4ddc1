"""`python -m benchmarks.chips.families`: estimates and choices for packed networks never fitted.

Families are an activation, two or more classes, and a type. For each network the estimates of the
packed layout are compared with what is linked and simulated, and the flash of the layout that
`auto` takes with that of the smaller one.
"""

import argparse
import random
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.chips.measure import lacking, measure
from benchmarks.layouts import Layered
from dsgec.export.artefact import LAYOUTS, Artefact, with_smaller_layout
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.targets.c.image import COMPILERS, link

ACTIVATIONS = ("relu", "sig", "tanh")
CLASSES = ("2 classes", "more classes")
_FLASH, _CYCLES, _AUTO = 0.10, 0.20, 0.03


def family(activation: str, classes: str, dtype: str, count: int) -> Iterator[Artefact]:
    """Yield random networks of a family, of some ten to a thousand connections."""
    rng = random.Random(f"{activation} {classes} {dtype}")  # noqa: S311
    for _ in range(count):
        columns = rng.choice((4, 7, 12, 25, 60, 120))
        shape = (
            columns,
            rng.choice((2, 3, 5, 8, 14, 24)),
            min(columns, rng.choice((2, 4, 8, 16, 40))),
            2 if classes == CLASSES[0] else rng.choice((3, 4, 6, 10)),
        )
        yield Layered(shape, activation, rng.randrange(10**6)).artefact(dtype)


def compare(flat: Artefact, chip: str, *, cycles: bool) -> tuple[float, float, float]:
    """Return how far the estimates of flash and cycles are off, and what auto takes too much."""
    sizes = {}
    for layout in LAYOUTS:
        with tempfile.TemporaryDirectory() as folder:
            sizes[layout] = link(flat.with_layout(layout), chip, Path(folder)).flash
    packed = flat.with_layout(LAYOUTS[1])
    cost = packed.cost(chip)
    chosen = with_smaller_layout(flat, chip).layout
    slow = 0.0
    if cycles:
        rows = np.random.default_rng(3).uniform(-1, 1, (4, len(flat.model.columns)))
        slow = abs(cost.cycles / measure(packed, chip, rows).cycles - 1)
    over = sizes[chosen] / min(sizes.values()) - 1
    return abs(cost.flash / sizes[packed.layout] - 1), slow, over


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=int, default=50, help="of each family")
    parser.add_argument("--chip", action="append", choices=[*COMPILERS])
    parser.add_argument("--no-cycles", action="store_true")
    given = parser.parse_args()
    print(
        "| chip | family | networks | flash > 10 % | worst | cycles > 20 % | worst | auto > 3 % |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for chip in given.chip or COMPILERS:
        if missing := lacking(chip):
            raise SystemExit(f"{chip}: {missing}")
        for dtype, activation, classes in product(STORED_BITS, ACTIVATIONS, CLASSES):
            networks = family(activation, classes, dtype, given.networks)
            found = np.array([compare(each, chip, cycles=not given.no_cycles) for each in networks])
            beyond = (found > (_FLASH, _CYCLES, _AUTO)).sum(axis=0)
            worst = found.max(axis=0)
            cells = (
                *(chip, f"{dtype}, {activation}, {classes}", len(found)),
                *(beyond[0], f"{worst[0]:.1%}", beyond[1], f"{worst[1]:.1%}", beyond[2]),
            )
            print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
