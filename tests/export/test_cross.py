"""The exported C on other machines: compiled by zig, run by qemu, the interpreter's bits."""

import importlib.util
import shutil
import subprocess
import sys

import numpy as np
import pytest

from dsgec.export.artefact import Artefact
from dsgec.export.targets.c.image import measure_image
from tests.support.artefacts import expected_results, random_model, random_rows
from tests.support.artefacts import write_c as write
from tests.support.models import seven_neurons
from tests.support.random_networks import same_bits

MACHINES = {
    "aarch64": "aarch64-linux-musl",
    "arm": "arm-linux-musleabi",  # soft-float
    "riscv64": "riscv64-linux-musl",
    "s390x": "s390x-linux-musl",  # big-endian
}
NETWORKS, ROWS = 12, 30

# Numbers go in and out as the digits of their bits, so that no text rounds them, and no order of
# bytes matters.
READ = """
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
typedef {real} real;
typedef {word} word;
static real number(void) {{
    {word} n = 0;
    real x;
    if (scanf("%" SCNx{bits}, &n) != 1) return 0;
    memcpy(&x, &n, sizeof x);
    return x;
}}
static void show(real x) {{
    word n;
    memcpy(&n, &x, sizeof n);
    printf("%0{digits}" PRIx{bits} "\\n", n);
}}
"""
RUN = """
static int run_{name}(void) {{
    static real x[{rows} * {columns}], out[{rows} * {width}], one[{width}];
    int i, j, bad = {name}_selftest();
    for (i = 0; i < {rows} * {columns}; i++) x[i] = number();
    {name}_{function}_batch(x, {rows}, out);
    for (i = 0; i < {rows}; i++) {{
        {name}_{function}(x + i * {columns}, one);
        for (j = 0; j < {width}; j++) {{
            bad |= memcmp(&one[j], &out[i * {width} + j], sizeof(real)) != 0 && one[j] == one[j];
            show(out[i * {width} + j]);
        }}
    }}
    return bad;
}}
"""
TYPES = {
    "double": {"real": "double", "word": "uint64_t", "bits": 64, "digits": 16},
    "float": {"real": "float", "word": "uint32_t", "bits": 32, "digits": 8},
}


def program(models, folder, dtype):
    """The files of a program that runs every model on rows from its standard input."""
    parts = [f'#include "{name}.h"' for name in models] + [READ.format(**TYPES[dtype])]
    for name, model in models.items():
        write(model, name, folder, dtype)
        parts.append(
            RUN.format(
                name=name,
                rows=ROWS,
                columns=len(model.columns),
                width=len(model.classes) or len(model.network.outputs),
                function="predict_proba" if model.is_classifier else "regress",
            )
        )
    order = "".join(f"    bad |= run_{name}();\n" for name in models)
    parts.append(f"int main(void) {{\n    int bad = 0;\n{order}    return bad;\n}}\n")
    (folder / "main.c").write_text("\n".join(parts))
    names = [f"{name}{end}.c" for name in models for end in ("", "_selftest")]
    return ["main.c", *names]


def digits(table, dtype):
    kind = np.uint64 if dtype == "double" else np.uint32
    return "\n".join(f"{word:x}" for word in table.ravel().view(kind).tolist())


def output(text, dtype):
    kind = np.uint64 if dtype == "double" else np.uint32
    words = np.array([int(word, 16) for word in text.split()], dtype=kind)
    return words.view(np.float64 if dtype == "double" else np.float32)


def run_there(machine, models, tables, folder, dtype, level):
    """The numbers that the models give on another machine."""
    files = program(models, folder, dtype)
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", MACHINES[machine], "-static"]
    flags = ["-std=c99", level, "-fno-sanitize=undefined"]
    subprocess.run([*zig, *flags, *files, "-o", "program"], cwd=folder, check=True)
    given = "\n".join(digits(table, dtype) for table in tables)
    answer = subprocess.run(
        [f"qemu-{machine}", "./program"], cwd=folder, input=given, capture_output=True, text=True
    )
    assert answer.returncode == 0, "a self-test failed, or a row differs from its batch"
    return output(answer.stdout, dtype)


@pytest.mark.campaign
@pytest.mark.parametrize("start", [5000, 5100, 5200, 5300])
@pytest.mark.parametrize("machine", MACHINES)
def test_other_machines_give_the_interpreters_bits(machine, start, tmp_path):
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("the package ziglang is not installed")
    if shutil.which(f"qemu-{machine}") is None:
        pytest.skip("Debian's qemu-user is not installed")
    models = {f"net{i}": random_model(start + i) for i in range(NETWORKS)}
    models = {name: model for name, model in models.items() if model.columns}
    tables = [random_rows(model, start, ROWS) for model in models.values()]
    expected = [
        expected_results(model, table).ravel()
        for model, table in zip(models.values(), tables, strict=True)
    ]
    level = ("-O0", "-O2", "-O3", "-Os")[(start // 100 + list(MACHINES).index(machine)) % 4]
    found = run_there(machine, models, tables, tmp_path, "double", level)
    assert same_bits(found, np.concatenate(expected)), level


def test_seven_neurons_fit_into_a_small_machine():
    image = measure_image(Artefact(seven_neurons(), "wdbc", "float"), "cortex-m4f")
    if image is None:
        pytest.skip("Debian's gcc-arm-none-eabi is not installed")

    assert image.flash <= 1536
    assert image.ram == 0
