"""Flash and cycles of both layouts of C, beside emlearn's: `python -m benchmarks.layouts`.

    pip install unicorn emlearn

Random networks with one hidden layer are linked for chips with `predict` alone, and run in
simulators (see `benchmarks.chips`). The tables are written to docs/reference/layouts.md.

What was measured is kept in build/layouts.json by the digest of its C, so that the command can be
interrupted, and measures only what has changed when it is called again.
"""

import hashlib
import importlib.util
import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.chips.measure import lacking, measure, run_image
from benchmarks.chips.page import write_between
from dsgec.export.artefact import FLAT, LAYOUTS, QUICK, Artefact
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.targets.c.emit import emit_module
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
KINDS = tuple((dtype, layout) for dtype in (*STORED_BITS, "float") for layout in LAYOUTS)
ROWS = 10
KEPT = Path("build/layouts.json")
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


class Cells:
    """Cells of the tables, by the digests of what they were measured of; kept in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[str, list[str]] = json.loads(path.read_text()) if path.exists() else {}

    def get(self, text: str, measured: Callable[[], list[str]]) -> list[str]:
        """Return a cell and what tells it from others, measured if they are not known."""
        key = hashlib.sha256(text.encode()).hexdigest()[:16]
        if key not in self.known:
            self.known[key] = measured()
            self.path.parent.mkdir(exist_ok=True)
            self.path.write_text(json.dumps(self.known, indent=0))
        return self.known[key]


@cache
def emitted(network: Layered, dtype: str, layout: str) -> tuple[Artefact, str]:
    """Return a network as an artefact, and its C, which is the same for all chips."""
    artefact = network.artefact(dtype, layout)
    return artefact, "".join(str(file.text) for file in emit_module(artefact))


def own_cells(network: Layered, chip: str, cells: Cells) -> Iterator[str]:
    """Yield flash and cycles of all types and layouts.

    What the simulated chip computes in both layouts of a type must be the same.
    """
    before: dict[str, str] = {}
    for dtype, layout in KINDS:
        artefact, text = emitted(network, dtype, layout)
        cell, digest = cells.get(f"{chip} {text}", partial(own_cell, artefact, chip, network))
        if digest:
            assert digest == before.setdefault(dtype, digest), (chip, dtype, network)
        yield cell


def own_cell(artefact: Artefact, chip: str, network: Layered) -> list[str]:
    """Return flash and cycles of an artefact, and a digest of what the chip computes."""
    with tempfile.TemporaryDirectory() as folder:
        flash = link(artefact, chip, Path(folder)).flash
    if chip == "avr" and flash > _FLASH_OF_ATMEGA:
        return [f"{flash:,} / too little flash", ""]
    found = measure(artefact, chip, network.rows)
    computed = found.results.tobytes() + repr(found.numbers).encode()
    return [f"{found.flash:,} / {found.cycles:,.0f}", hashlib.sha256(computed).hexdigest()[:16]]


def emlearn_cell(network: Layered, chip: str) -> str:
    """Return flash and cycles of emlearn's C for the same network with dense weights, in float.

    The classes must be those that numpy computes, but for a row or two.
    """
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


def table(chip: str, activation: str, cells: Cells) -> Iterator[str]:
    """Yield the lines of the table of a chip and an activation."""
    heads = [*(f"{dtype} {layout}" for dtype, layout in KINDS), "emlearn float"]
    yield f"| connections | classes | {' | '.join(heads)} |"
    yield f"|---|---|{'---|' * len(heads)}"
    for connections, shape in SHAPES.items():
        network = Layered(shape, activation)
        row = [*own_cells(network, chip, cells), other_cell(network, chip, cells)]
        yield f"| {connections:,} | {shape[3]} | {' | '.join(row)} |"


def other_cell(network: Layered, chip: str, cells: Cells) -> str:
    """Return flash and cycles of emlearn's C, or a dash if it is not installed."""
    if importlib.util.find_spec("emlearn") is None:
        return "–"
    what = f"emlearn {version('emlearn')} {chip} {network}"
    return cells.get(what, lambda: [emlearn_cell(network, chip), ""])[0]


def main() -> None:
    """Measure all networks on all chips, and write the tables to the page."""
    lines: list[str] = []
    cells = Cells(KEPT)
    for chip, name in CHIPS.items():
        if missing := lacking(chip):
            raise SystemExit(f"{chip}: {missing}")
        for activation in ("relu", "sig"):
            lines += [f"## {name}, {activation}", ""]
            for row in table(chip, activation, cells):
                print(row, flush=True)
                lines.append(row)
            lines.append("")
    write_between(PAGE, "\n".join(lines), "python -m benchmarks.layouts")


if __name__ == "__main__":
    main()
