"""Flash and RAM of compiled scikit-learn models on a Cortex-M0+, beside emlearn's and m2cgen's.

    pip install emlearn m2cgen
    python -m benchmarks.compiled_size

A program that predicts one row and does nothing else is linked with newlib-nano by
arm-none-eabi-gcc -Os; the figures are those of the whole image, the C library's part included.
"""

import subprocess
import tempfile
import warnings
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

import dsgec

COMPILER = ("arm-none-eabi-gcc", "-std=c99", "-Os", "-mcpu=cortex-m0plus", "-mthumb")
LINKED = ("-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections")
LIBRARY = ("--specs=nano.specs", "--specs=nosys.specs", "-lm")
MAIN = """
{include}
volatile {real} row[{columns}];
volatile int found;
int main(void) {{ found = {call}; return 0; }}
"""


def models() -> dict[str, tuple[Any, Any]]:
    """Names, and models with the tables that they learn."""

    def perceptron(*shape: int, activation: str = "relu") -> MLPClassifier:
        return MLPClassifier(shape, activation=activation, max_iter=30, random_state=1)

    return {
        "logistic regression, 30-1": (LogisticRegression(), load_breast_cancer),
        "iris 4-7-3, relu": (perceptron(7), load_iris),
        "iris 4-7-3, tanh": (perceptron(7, activation="tanh"), load_iris),
        "wdbc 30-10-1, logistic": (perceptron(10, activation="logistic"), load_breast_cancer),
        "digits 64-16-10, relu": (perceptron(16), load_digits),
        "digits 64-100-10, relu": (perceptron(100), load_digits),
    }


def linked(folder: Path, main: str, *sources: str, flags: tuple[str, ...] = ()) -> tuple[int, int]:
    """Bytes of flash and of RAM of a program."""
    folder.joinpath("main.c").write_text(main, encoding="utf-8")
    image = str(folder / "image")
    command = [*COMPILER, *flags, *LINKED, f"-I{folder}", str(folder / "main.c")]
    command += [*(str(folder / source) for source in sources), *LIBRARY, "-o", image]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    size = ["arm-none-eabi-size", image]
    printed = subprocess.run(size, check=True, capture_output=True, text=True)  # noqa: S603
    text, data, bss = map(int, printed.stdout.splitlines()[1].split()[:3])
    return text + data, data + bss


def with_dsgec(dtype: str) -> Callable[[Any, int, Path], tuple[int, int]]:
    def measure(model: Any, columns: int, folder: Path) -> tuple[int, int]:
        dsgec.compile(model, name="net").export("c", folder, dtype=dtype)
        call = f"net_predict((const {dtype} *)row)"
        main = MAIN.format(include='#include "net.h"', real=dtype, columns=columns, call=call)
        return linked(folder, main, "net.c", flags=("-DNET_NO_BATCH", "-DNET_NO_NAMES"))

    return measure


def with_emlearn(model: Any, columns: int, folder: Path) -> tuple[int, int]:
    import emlearn

    with chdir(folder):  # it leaves files where it runs
        converted = emlearn.convert(model, method="inline", dtype="float")
    converted.save(file=str(folder / "net.h"), name="net")
    call = f"net_predict((const float *)row, {columns})"
    main = MAIN.format(include='#include "net.h"', real="float", columns=columns, call=call)
    return linked(folder, main, flags=(f"-I{Path(emlearn.__file__).parent}",))


def with_m2cgen(model: Any, columns: int, folder: Path) -> tuple[int, int]:
    import m2cgen

    code = m2cgen.export_to_c(model)
    lone = "double score(" in code
    call = "score((double *)row) > 0.0" if lone else "(score((double *)row, out), (int)out[0])"
    include = code + ("" if lone else "\ndouble out[64];")
    return linked(folder, MAIN.format(include=include, real="double", columns=columns, call=call))


TOOLS = {
    "dsgec, float": with_dsgec("float"),
    "dsgec, double": with_dsgec("double"),
    "emlearn, float": with_emlearn,
    "m2cgen, double": with_m2cgen,
}


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        nothing = linked(Path(folder), "int main(void) { return 0; }")
    print(f"an empty program: {nothing[0]:,} bytes of flash, {nothing[1]:,} of RAM\n")
    print("| model | weights |", " | ".join(TOOLS), "|")
    print("|---|---|" + "---|" * len(TOOLS))
    for name, (model, load) in models().items():
        x, y = load(return_X_y=True)
        model.fit(x, y)
        weights = sum(w.size for w in getattr(model, "coefs_", [getattr(model, "coef_", None)]))
        cells = []
        for tool in TOOLS.values():
            with tempfile.TemporaryDirectory() as folder:
                try:
                    flash, ram = tool(model, x.shape[1], Path(folder))
                    cells.append(f"{flash:,} + {ram:,}")
                except Exception as error:
                    cells.append(f"no ({type(error).__name__})")
        print(f"| {name} | {weights:,} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
