"""Flash and cycles of both layouts of fixed-point C: `python -m benchmarks.layouts`.

    pip install unicorn

Random networks with one hidden layer are linked for chips with `predict` alone, and run in
simulators (see `benchmarks.chips`).
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.chips.measure import lacking, measure
from dsgec.export.artefact import LAYOUTS, QUICK, Artefact
from dsgec.export.targets.c.image import COMPILERS, link
from dsgec.network.model import Model, plain_columns
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify

SHAPES = {
    # connections: columns, hidden neurons, inputs of each, classes
    20: (8, 4, 4, 2),
    50: (12, 6, 5, 3),
    100: (16, 8, 8, 4),
    200: (64, 10, 10, 10),
    400: (64, 16, 15, 10),
    1600: (64, 32, 40, 10),
}
"""The shapes of the networks by their connections."""

CHIPS = ("cortex-m0plus", "cortex-m4f", "avr", "rv32imc")
DTYPES = ("q7", "q15")


def layered(shape: tuple[int, int, int, int], activation: str, seed: int = 1) -> Model:
    """Return a network of one hidden layer with random inputs and weights; outputs read all."""
    columns, hidden, inputs, classes = shape
    rng = np.random.default_rng(seed)

    def total(names: list[str]) -> str:
        terms = [f"{rng.normal():.3f} * {name}" for name in names]
        return " + ".join([*terms, f"{rng.normal():.3f}"])

    lines = [f"inputs = {columns}"]
    for number in range(1, hidden + 1):
        chosen = sorted(rng.choice(columns, inputs, replace=False) + 1)
        lines.append(f"h_1_{number} = {activation}({total([f'x_{c}' for c in chosen])})")
    neurons = [f"h_1_{number}" for number in range(1, hidden + 1)]
    if classes == 2:
        lines.append(f"y_1 = sig({total(neurons)})")
    else:
        names = ", ".join(f"y_{number}" for number in range(1, classes + 1))
        lines.append(f"{names} = softmax({', '.join(total(neurons) for _ in range(classes))})")
    names_of_columns = tuple(f"c{number}" for number in range(columns))
    labels = tuple(f"k{number}" for number in range(classes))
    return Model(simplify(parse("\n".join(lines))), plain_columns(names_of_columns), labels)


def cells(flat: Artefact, packed: Artefact, chip: str) -> list[str]:
    """Return flash and cycles of both layouts; cycles only if this machine can simulate the chip.

    What the simulated chip computes in both layouts must be the same.
    """
    if lacking(chip):
        with tempfile.TemporaryDirectory() as folder:
            sizes = [link(each, chip, Path(folder)).flash for each in (flat, packed)]
        return [f"{sizes[0]:,}", "–", f"{sizes[1]:,}", "–"]
    rows = np.random.default_rng(2).uniform(-1, 1, (20, len(flat.model.columns)))
    first, second = (measure(each, chip, rows) for each in (flat, packed))
    assert first.numbers == second.numbers
    assert (first.results == second.results).all()
    found = (first.flash, first.cycles, second.flash, second.cycles)
    return [f"{round(number):,}" for number in found]


def table(dtype: str, chip: str, activation: str) -> Iterator[str]:
    """Yield the rows of a table of one type and chip."""
    for connections, shape in SHAPES.items():
        model = layered(shape, activation)
        ranges = ((-1.0, 1.0),) * shape[0]
        flat, packed = (
            Artefact(model, "net", dtype, selftest=QUICK, ranges=ranges, layout=layout)
            for layout in LAYOUTS
        )
        yield f"| {connections:,} | {shape[3]} | {' | '.join(cells(flat, packed, chip))} |"


def main() -> None:
    """Print all tables as Markdown."""
    for activation in ("relu", "sig"):
        for chip in CHIPS:
            if COMPILERS[chip].path is None:
                print(f"\n{chip}: install {COMPILERS[chip].package}")
                continue
            for dtype in DTYPES:
                print(f"\n{chip}, {dtype}, {activation}\n")
                print("| connections | classes | flat flash | cycles | packed flash | cycles |")
                print("|---|---|---|---|---|---|")
                for row in table(dtype, chip, activation):
                    print(row, flush=True)


if __name__ == "__main__":
    main()
