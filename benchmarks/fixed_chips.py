"""Flash and cycles of seven neurons, fixed point and float: `python -m benchmarks.fixed_chips`.

    pip install unicorn emlearn

A perceptron that scikit-learn has trained on wdbc, and a sparse network as evolution makes them,
are linked for chips and run in simulators (see `benchmarks.chips`); emlearn's C of the perceptron
takes part where emlearn is installed.
"""

import importlib.util
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.neural_network import MLPClassifier

from benchmarks.chips.measure import lacking, measure, run_image
from dsgec.export.artefact import QUICK, Artefact
from dsgec.export.targets.c.image import COMPILERS
from dsgec.network.model import Model, plain_columns
from dsgec.network.parse import parse

CHIPS = ("cortex-m0plus", "avr", "rv32imc")
TYPES = ("float", "q15", "q7")
COLUMNS = tuple(f"c{i}" for i in range(30))
_FLASH = (".text", ".rodata", ".data", ".ARM.ex", ".init", ".fini")
_LIBRARIES = {
    "cortex-m0plus": ("--specs=nosys.specs", "-lm", "-lc", "-lgcc"),
    "avr": ("-nostdlib", "-Wl,--start-group", "-lm", "-lgcc", "-lc", "-Wl,--end-group"),
}


def sparse() -> Model:
    """Seven neurons of eight inputs each."""
    rng = np.random.default_rng(4)
    neurons = []
    for _ in range(7):
        columns = rng.choice(30, 8, replace=False) + 1
        terms = [f"({w:.2f}) * x_{c}" for w, c in zip(rng.uniform(-9, 9, 8), columns, strict=True)]
        neurons.append(f"({rng.uniform(-9, 9):.2f}) * sig({' + '.join(terms)} + 0.5)")
    return Model(
        parse(f"sig({' + '.join(neurons)})", inputs=30), plain_columns(COLUMNS), ("no", "yes")
    )


def perceptron() -> tuple[MLPClassifier, Any]:
    """Seven neurons that read all columns, which are standardised, and the rows."""
    x, y = load_breast_cancer(return_X_y=True)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = MLPClassifier((7,), activation="logistic", max_iter=400, random_state=1)
        return found.fit(x, y), x[:8]


def as_model(estimator: MLPClassifier) -> Model:
    """The same network as a model of dsgec."""
    (first, second), (biases, bias) = estimator.coefs_, estimator.intercepts_

    def total(weights: Any, names: list[str], constant: float) -> str:
        terms = [f"({float(w)!r}) * {name}" for w, name in zip(weights, names, strict=True)]
        return " + ".join([*terms, f"({float(constant)!r})"])

    inputs = [f"x_{i}" for i in range(1, 31)]
    hidden = [f"sig({total(first[:, j], inputs, biases[j])})" for j in range(7)]
    text = f"sig({total(second[:, 0], hidden, bias[0])})"
    return Model(parse(text, inputs=30), plain_columns(COLUMNS), ("malignant", "benign"))


def emlearn_line(estimator: MLPClassifier, chip: str, rows: Any) -> tuple[int, float]:
    """Flash and cycles of emlearn's C."""
    import emlearn

    compiler = COMPILERS[chip]
    with tempfile.TemporaryDirectory() as name, chdir(name):
        folder = Path(name)
        emlearn.convert(estimator).save(name="emnet", file="emnet.h")
        folder.joinpath("net.c").write_text(
            '#include "emnet.h"\n'
            "int net_predict(const float *x) { return (int)emnet_predict(x, 30); }\n"
        )
        command = [compiler.command, "-std=gnu99", "-Os", "-w", *compiler.flags]
        command += ["-I", emlearn.includedir, "-ffunction-sections", "-fdata-sections"]
        command += ["-nostartfiles", "net.c", "-Wl,--gc-sections", "-Wl,-e,net_predict"]
        command += ["-Wl,-u,net_predict", "-o", "net.elf", *_LIBRARIES[chip]]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
        listed = subprocess.run(  # noqa: S603
            [compiler.tool("size"), "-A", "net.elf"], check=True, capture_output=True, text=True
        ).stdout
        sections = [line.split() for line in listed.splitlines() if line.startswith(".")]
        flash = sum(int(part[1]) for part in sections if part[0].startswith(_FLASH))
        calls = run_image(chip, folder, "net_predict", np.ascontiguousarray(rows, np.float32), 8)
        return flash, float(np.mean([call[3] for call in calls]))


def lines() -> Iterator[tuple[str, str, str, int, float]]:
    """Network, what computes it, chip, flash and cycles."""
    estimator, rows = perceptron()
    models = {"perceptron": as_model(estimator), "sparse": sparse()}
    has_emlearn = importlib.util.find_spec("emlearn") is not None
    for chip in CHIPS:
        if missing := lacking(chip):
            print(f"{chip}: {missing}")
            continue
        if has_emlearn and chip in _LIBRARIES and shutil.which(COMPILERS[chip].command):
            yield "perceptron", "emlearn, float", chip, *emlearn_line(estimator, chip, rows)
        for name, model in models.items():
            for dtype in TYPES:
                ranges = ((-3.0, 5.0),) * 30 if dtype != "float" else ()
                artefact = Artefact(model, "net", dtype, selftest=QUICK, ranges=ranges)
                found = measure(artefact, chip, rows)
                yield name, dtype, chip, found.flash, found.cycles


def main() -> None:
    """Print a line for each."""
    for network, numbers, chip, flash, cycles in lines():
        print(f"{network:10} {numbers:14} {chip:14} {flash:6,} bytes {cycles:9,.0f} cycles")


if __name__ == "__main__":
    main()
