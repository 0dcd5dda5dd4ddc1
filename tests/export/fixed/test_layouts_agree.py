"""Both layouts of random networks give the same results, classes and refusals as C.

The networks are made here, not by the benchmarks, and their rows have extremes and missing values.
Both layouts are linked into one program, which calls them on every row and compares; the results
of the flat layout are compared with the interpreter.
"""

import random
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.export.fixed.evaluate import evaluate_integers
from dsgec.export.targets.c.emit import emit_module
from dsgec.network.model import Column, Model
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify

pytestmark = pytest.mark.needs_cc

NEURONS = ("relu", "relu", "sig", "tanh", "abs", "sin", "cos", "sqrt", "exp", "log", "")
COMMANDS = [
    command
    for command in (
        ("cc", "-O2", "-Wall", "-Wextra", "-Werror"),
        ("clang", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"),
    )
    if shutil.which(command[0])
]
MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "flat.h"
#include "tight.h"
int main(void)
{
    flat_number *x = malloc(COLUMNS * sizeof *x);
    flat_result *one = malloc(RESULTS * sizeof *one), *other = malloc(RESULTS * sizeof *other);
    long row = 0;
    for (; fread(x, sizeof *x, COLUMNS, stdin) == COLUMNS; row++) {
        int first, second;
        memset(one, 1, RESULTS * sizeof *one);
        memset(other, 2, RESULTS * sizeof *other);
        first = flat_ROW(x, one);
        second = tight_ROW(x, other);
        if (first != second || memcmp(one, other, RESULTS * sizeof *one)) {
            fprintf(stderr, "row %ld: %d %d, %d %d\\n", row, first, second, one[0], other[0]);
            return 1;
        }
#ifdef CLASSES
        if (flat_predict(x) != tight_predict(x)) {
            fprintf(stderr, "row %ld: class %d %d\\n", row, flat_predict(x), tight_predict(x));
            return 2;
        }
#endif
        fwrite(one, sizeof *one, RESULTS, stdout);
    }
    free(x), free(one), free(other);
    return 0;
}
"""


def random_columns(rng, count):
    """Return columns of all kinds; in half of the models all are plain numbers."""
    if rng.random() < 0.5:
        return [Column(f"c{number}") for number in range(count)]
    found = []
    for number in range(count):
        fill = rng.choice((None, None, 0.0, 1.0))
        if rng.random() < 0.15:
            found.append(Column(f"c{number}", "category", ("a", "b", "c"), fill))
        else:
            around = rng.choice(((0.0, 1.0), (rng.gauss(0, 3), rng.uniform(0.1, 4))))
            marked = fill is not None and rng.random() < 0.2
            found.append(Column(f"c{number}", "number", (), fill, *around, marked))
    return found


def random_model(seed):
    """Return a network of layers, in which some neurons read columns or all neurons before."""
    rng = random.Random(seed)
    columns = random_columns(rng, rng.choice((1, 2, 3, 5, 8, 13, 30, 80, 300)))
    features = [f"x_{i + 1}" for i in range(sum(len(column.features) for column in columns))]
    steepness = 10 ** rng.uniform(-2, 1.3)
    kinds = rng.choice((("relu",), ("sig",), ("tanh",), NEURONS))

    def total(sources, size):
        chosen = rng.sample(sources, min(len(sources), size))
        if rng.random() < 0.4:
            first = rng.randrange(len(sources) - len(chosen) + 1)
            chosen = sources[first : first + len(chosen)]
        weights = [
            rng.choice((rng.gauss(0, steepness), rng.gauss(0, 1), 1.0, -1.0)) for _ in chosen
        ]
        terms = [f"({w:.4f}) * {name}" for w, name in zip(weights, chosen, strict=True)]
        return " + ".join([*terms, f"({rng.gauss(0, 1):.3f})"][: rng.choice((None, None, -1))])

    lines, sources = [f"inputs = {len(features)}"], features
    for layer in range(1, rng.choice((0, 1, 1, 1, 2, 3)) + 1):
        made = []
        for number in range(1, rng.choice((1, 2, 4, 9, 25)) + 1):
            size = rng.choice((1, 2, 4, 10, 40, 300))
            made.append(f"h_{layer}_{number}")
            lines.append(f"{made[-1]} = {rng.choice(kinds)}({total(sources, size)})")
        sources = made + (features if rng.random() < 0.2 else [])
    classes = rng.choice((0, 0, 2, 2, 3, 4, 10))
    outputs = [total(sources, rng.choice((2, 10, 40))) for _ in range(max(1, classes))]
    threshold = 0.5
    if classes > 2 or (classes == 2 and rng.random() < 0.3):
        names = ", ".join(f"y_{number}" for number in range(1, classes + 1))
        lines.append(f"{names} = softmax({', '.join(outputs)})")
    elif classes == 2:
        lines.append(f"y_1 = sig({outputs[0]})")
        threshold = rng.choice((0.5, 0.5, 0.3, 0.9))
    else:
        lines += [f"y_{k} = {each}" for k, each in enumerate(outputs * rng.choice((1, 2)), 1)]
    labels = tuple(f"k{number}" for number in range(classes))
    return Model(simplify(parse("\n".join(lines))), tuple(columns), labels, "y", threshold)


def random_artefact(seed, dtype):
    """Return the flat layout of a random network, or None if fixed point refuses it."""
    rng = random.Random(seed + 1)
    model = random_model(seed)
    width = 10 ** rng.uniform(-1, 1.5)
    ranges = tuple(
        None if column.categories else (column.center - width, column.center + rng.random() * width)
        for column in model.columns
    )
    try:
        return Artefact(model, "flat", dtype, selftest="quick", ranges=ranges)
    except DsgecError:
        return None


def integer_rows(artefact, seed, count):
    """Return rows of integers: random ones, the least, the greatest, and missing values."""
    program = artefact.number_format.fixed.program
    most = -program.missing - 1
    rng = np.random.default_rng(seed)
    rows = rng.integers(-most, most + 1, (count, len(program.columns)))
    rows[0], rows[1], rows[2, ::2], rows[3, ::2] = most, -most, most, -most
    rows[4 : count // 2] = rows[4 : count // 2] // 8
    rows[count // 2 :: 3][rng.random(rows[count // 2 :: 3].shape) < 0.05] = program.missing
    rows[-1] = program.missing
    for number, column in enumerate(artefact.model.columns):
        if column.categories:
            texts = rng.integers(0, len(column.categories), count)
            format_ = program.columns[number]
            texts = texts * 2**format_.fraction - format_.zero
            rows[:, number] = np.where(rows[:, number] == program.missing, program.missing, texts)
    return rows


def compare(seed, dtype, folder, count):
    """Compare both layouts of one network; return False if it has only one."""
    flat = random_artefact(seed, dtype)
    tight = flat and replace(flat, name="tight", layout="packed")
    if not tight or tight.packed is None:
        return False
    for artefact in (flat, tight):
        for file in emit_module(artefact):
            folder.joinpath(file.name).write_text(file.text)
    rows = integer_rows(flat, seed, count)
    program = flat.number_format.fixed.program
    given = rows.astype(np.int8 if dtype == "q7" else np.int16).tobytes()
    is_classifier = bool(flat.model.classes)
    main = MAIN.replace("ROW", "predict_proba" if is_classifier else "regress")
    results = len(flat.model.classes) or len(flat.model.network.outputs)
    head = f"#define COLUMNS {rows.shape[1]}\n#define RESULTS {results}\n"
    head += "#define CLASSES\n" if is_classifier else ""
    folder.joinpath("main.c").write_text(head + main)
    for command in COMMANDS:
        build = [*command, "-std=c99", "main.c", "flat.c", "tight.c", "-o", "main"]
        built = subprocess.run(build, cwd=folder, capture_output=True, text=True)
        assert built.returncode == 0, (seed, dtype, built.stderr)
        ran = subprocess.run(["./main"], cwd=folder, input=given, capture_output=True)
        assert ran.returncode == 0, (seed, dtype, command[0], ran.stderr.decode())
        found = np.frombuffer(ran.stdout, np.int16).reshape(count, -1)
        whole = (rows != program.missing).all(axis=1)
        wanted = evaluate_integers(program, rows[whole].astype(np.int32))
        assert (found[whole] == wanted).all(), (seed, dtype, command[0])
    return True


def test_both_layouts_of_some_networks_agree(tmp_path):
    assert sum(compare(seed, "q7", tmp_path, 200) for seed in range(6)) >= 3
    assert sum(compare(seed, "q15", tmp_path, 200) for seed in range(6, 12)) >= 3


@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("dtype", ["q7", "q15"])
@pytest.mark.parametrize("start", range(1000, 1400, 50))
def test_both_layouts_of_many_networks_agree(start, dtype, tmp_path):
    compared = sum(compare(seed, dtype, tmp_path, 1_000) for seed in range(start, start + 50))
    print(f"{compared} networks of {dtype} in both layouts, 1,000 rows each")
    assert compared >= 25
