"""Flash and cycles of both layouts of C, beside emlearn's: `python -m benchmarks.layouts`.

    pip install unicorn emlearn

Random networks with one hidden layer are linked for chips with `predict` alone, and run in
simulators (see `benchmarks.chips`). The tables are written to docs/reference/layouts.md.
"""

import importlib.util
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.chips.measure import lacking, measure, run_image
from benchmarks.chips.page import write_between
from dsgec.export.artefact import FLAT, LAYOUTS, QUICK, Artefact
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.targets.c.image import COMPILERS, image_bytes, link
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

CHIPS = {
    "cortex-m0plus": "Cortex-M0+",
    "cortex-m4f": "Cortex-M4F",
    "avr": "ATmega328",
    "rv32imc": "RV32IMC",
}
KINDS = (*((dtype, layout) for dtype in STORED_BITS for layout in LAYOUTS), ("float", FLAT))
ROWS = 20
PAGE = Path(__file__).parents[1] / "docs/reference/layouts.md"
_PLACES = {"flash": 0x10000, "flash_size": 0x40000, "ram": 0x80000, "ram_size": 0x10000}
_LIBRARIES = {
    "rv32imc": (
        "--specs=picolibc.specs",
        *(f"-Wl,--defsym=__{name}={place}" for name, place in _PLACES.items()),
    )
}
"""The options for a C library, and where it lets a simulator have memory."""
_FLASH_OF_ATMEGA, _RAM_OF_ATMEGA = 32768, 2048
_ACTIVATIONS = {"sig": "logistic", "relu": "relu", "tanh": "tanh"}


@dataclass(frozen=True)
class Layered:
    """A network of one hidden layer with random inputs and weights; outputs read all neurons."""

    shape: tuple[int, int, int, int]
    activation: str
    seed: int = 1

    @cached_property
    def layers(self) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Return the weights and the biases of both layers; a weight is 0 if there is no input."""
        columns, hidden, inputs, classes = self.shape
        rng = np.random.default_rng(self.seed)
        outputs = 1 if classes == 2 else classes
        first, second = np.zeros((columns, hidden)), np.zeros((hidden, outputs))
        found = [(first, np.zeros(hidden)), (second, np.zeros(outputs))]
        for weights, biases in found:
            for number in range(len(biases)):
                read = np.arange(len(weights))
                if weights is first:
                    read = np.sort(rng.choice(columns, inputs, replace=False))
                for place in read:
                    weights[place, number] = round(rng.normal(), 3)
                biases[number] = round(rng.normal(), 3)
        return found

    @cached_property
    def model(self) -> Model:
        """Return the network as a model."""
        columns, hidden, _, classes = self.shape
        names = [f"x_{number + 1}" for number in range(columns)]
        neurons = [f"h_1_{number + 1}" for number in range(hidden)]
        sums = []
        for (weights, biases), sources in zip(self.layers, (names, neurons), strict=True):
            for own, bias in zip(weights.T, biases, strict=True):
                terms = [f"{w} * {name}" for w, name in zip(own, sources, strict=True) if w]
                sums.append(" + ".join([*terms, f"{bias}"]).replace("+ -", "- "))
        lines = [f"inputs = {columns}"]
        for name, total in zip(neurons, sums[:hidden], strict=True):
            lines.append(f"{name} = {self.activation}({total})")
        if classes == 2:
            lines.append(f"y_1 = sig({sums[-1]})")
        else:
            outputs = ", ".join(f"y_{number + 1}" for number in range(classes))
            lines.append(f"{outputs} = softmax({', '.join(sums[hidden:])})")
        names_of_columns = tuple(f"c{number}" for number in range(columns))
        labels = tuple(f"k{number}" for number in range(classes))
        return Model(simplify(parse("\n".join(lines))), plain_columns(names_of_columns), labels)

    @property
    def rows(self) -> NDArray[np.float64]:
        return np.random.default_rng(2).uniform(-1, 1, (ROWS, self.shape[0]))

    def artefact(self, dtype: str, layout: str = FLAT) -> Artefact:
        ranges = ((-1.0, 1.0),) * self.shape[0] if dtype in STORED_BITS else ()
        return Artefact(self.model, "net", dtype, selftest=QUICK, ranges=ranges, layout=layout)


def layered(shape: tuple[int, int, int, int], activation: str, seed: int = 1) -> Model:
    """Return a network of one hidden layer with random inputs and weights; outputs read all."""
    return Layered(shape, activation, seed).model


def own_cells(network: Layered, chip: str) -> Iterator[str]:
    """Yield flash and cycles of all types and layouts.

    What the simulated chip computes in both layouts of a type must be the same.
    """
    before: dict[str, Any] = {}
    for dtype, layout in KINDS:
        artefact = network.artefact(dtype, layout)
        with tempfile.TemporaryDirectory() as folder:
            flash = link(artefact, chip, Path(folder)).flash
        if chip == "avr" and flash > _FLASH_OF_ATMEGA:
            yield f"{flash:,} / too little flash"
            continue
        found = measure(artefact, chip, network.rows)
        first = before.setdefault(dtype, found)
        assert found.numbers == first.numbers
        assert (found.results == first.results).all()
        yield f"{found.flash:,} / {found.cycles:,.0f}"


def emlearn_cell(network: Layered, chip: str) -> str:
    """Return flash and cycles of emlearn's C for the same network with dense weights, in float.

    The classes must be those that numpy computes, but for a row or two.
    """
    if importlib.util.find_spec("emlearn") is None:
        return "–"
    from emlearn.net import c_generate_net_loadable

    columns, _, _, classes = network.shape
    activations = [_ACTIVATIONS[network.activation], "logistic" if classes == 2 else "softmax"]
    weights, biases = zip(*network.layers, strict=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = c_generate_net_loadable(activations, weights, biases, "net")
        text += f"int predict(const float *x) {{ return net_predict(x, {columns}); }}\n"
        folder.joinpath("net.c").write_text(text)
        _link_other(chip, folder)
        flash, ram = image_bytes(chip, folder)
        if chip == "avr" and ram + network.rows[0].size * 4 > _RAM_OF_ATMEGA:
            return f"{flash:,} / too little RAM"  # constants are in it
        calls = run_image(chip, folder, "predict", network.rows.astype(np.float32), 0)
    assert np.mean([call[0] for call in calls] == _classes(network)) >= 0.9
    return f"{flash:,} / {np.mean([call[3] for call in calls]):,.0f}"


def _classes(network: Layered) -> NDArray[np.int64]:
    """Return the classes of the rows, computed by numpy."""
    (first, start), (second, end) = network.layers
    sums = network.rows @ first + start
    functions = {
        "relu": lambda s: np.maximum(s, 0),
        "sig": lambda s: 1 / (1 + np.exp(-s)),
        "tanh": np.tanh,
    }
    outputs = functions[network.activation](sums) @ second + end
    found = (outputs[:, 0] > 0).astype(np.int64) if outputs.shape[1] == 1 else outputs.argmax(1)
    return np.asarray(found)


def _link_other(chip: str, folder: Path) -> None:
    """Link `net.c` for size into `net.elf`."""
    import emlearn

    compiler = COMPILERS[chip]
    command = [
        *(compiler.path or compiler.command, "-std=gnu99", "-Os", *compiler.flags),
        *(f"-I{emlearn.includedir}", *_LIBRARIES.get(chip, ())),
        *("-ffunction-sections", "-fdata-sections", "-nostartfiles", "net.c"),
        *("-Wl,--gc-sections", "-Wl,-e,predict", "-Wl,-u,predict", "-o", "net.elf", "-lm"),
    ]
    # A list of arguments, no shell: our own text.
    subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=True)  # noqa: S603


def table(chip: str, activation: str) -> Iterator[str]:
    """Yield the lines of the table of a chip and an activation."""
    heads = [*(f"{dtype} {layout}" for dtype, layout in KINDS), "emlearn float"]
    yield f"| connections | classes | {' | '.join(heads)} |"
    yield f"|---|---|{'---|' * len(heads)}"
    for connections, shape in SHAPES.items():
        network = Layered(shape, activation)
        cells = [*own_cells(network, chip), emlearn_cell(network, chip)]
        yield f"| {connections:,} | {shape[3]} | {' | '.join(cells)} |"


def main() -> None:
    """Measure all networks on all chips, and write the tables to the page."""
    lines: list[str] = []
    for chip, name in CHIPS.items():
        if missing := lacking(chip):
            raise SystemExit(f"{chip}: {missing}")
        for activation in ("relu", "sig"):
            lines += [f"## {name}, {activation}", ""]
            for row in table(chip, activation):
                print(row, flush=True)
                lines.append(row)
            lines.append("")
    write_between(PAGE, "\n".join(lines), "python -m benchmarks.layouts")


if __name__ == "__main__":
    main()
