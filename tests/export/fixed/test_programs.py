"""Compiled random programs agree with the interpreter, and with numpy within the bound."""

import itertools
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from dsgec.engine.module import load_module
from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.export.fixed.evaluate import evaluate_integers
from dsgec.export.fixed.ir import ColumnValue, Slot, Sum
from dsgec.export.targets.target import TARGETS
from dsgec.network.model import Column, Model, unnamed_model
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from tests.support.artefacts import COMPILERS
from tests.support.fixed_oracle import random_program, random_rows, read_header
from tests.support.models import IMPLIED_CONSTANT

pytestmark = pytest.mark.needs_cc

DTYPES = ("q15", "q7")
MOST = {"q15": 32767, "q7": 127}
STORED = {"q15": np.int16, "q7": np.int8}
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
STRICT = ("-Werror=incompatible-pointer-types", "-Werror=implicit-function-declaration")
LEVELS = ("-O0", "-O2", "-Os", "-O1")

MAIN = """
#include <stdio.h>
#include "net.h"
int main(void)
{{
    net_number x[{columns}];
    net_result y[{results}];
    while (fread(x, sizeof x[0], {columns}, stdin) == {columns}) {{
        net_{function}(x, y);
        fwrite(y, sizeof y[0], {results}, stdout);
    }}
    return net_selftest() == 0 ? 0 : 3;
}}
"""


def make_artefact(program, dtype):
    """Return the artefact of a random program, or None if fixed point refuses it."""
    columns = tuple(
        Column(
            f"c{number}",
            each.kind,
            tuple(f"text {i}" for i in range(each.categories)),
            each.fill,
            each.center,
            each.scale,
            each.marked,
        )
        for number, each in enumerate(program.columns)
    )
    classes = tuple(f"class {i}" for i in range(program.classes))
    network = simplify(parse(program.text))
    model = Model(network, columns, classes, "y", program.threshold)
    ranges = tuple(each.range for each in program.columns)
    try:
        return Artefact(model, "net", dtype, selftest="quick", ranges=ranges)
    except DsgecError:
        return None


def run_c(folder, compiler, level, wholes):
    """Compile the files of a folder with sanitizers, and return the results of rows."""
    command = [compiler, "-std=c99", *STRICT, level, *SANITIZE, "main.c", "net.c", "net_selftest.c"]
    built = subprocess.run([*command, "-o", "main"], cwd=folder, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    answer = subprocess.run(["./main"], cwd=folder, input=wholes.tobytes(), capture_output=True)
    assert answer.returncode == 0, (compiler, answer.returncode, answer.stderr.decode())
    return np.frombuffer(answer.stdout, np.int16)


def check_program(seed, dtype, folder, *, compilers, count):
    """Compare one random program in every way; return False if fixed point refuses it."""
    program = random_program(seed)
    artefact = make_artefact(program, dtype)
    if artefact is None:
        return False
    for file in TARGETS["c"].emit(artefact):
        (folder / file.name).write_text(file.text)
    header = read_header((folder / "net.h").read_text())
    stored, most = STORED[dtype], MOST[dtype]
    rows = random_rows(program, seed, count)
    wholes = header.quantised(rows, most).astype(stored)
    anything = np.random.default_rng(seed).integers(-most, most + 1, wholes.shape).astype(stored)
    for number, column in enumerate(program.columns):
        if column.categories:  # what else such a column has is no text at all
            anything[:, number] = wholes[:, number]
    wholes = np.vstack([wholes, anything])
    wanted = evaluate_integers(artefact.number_format.fixed.program, wholes.astype(np.int32))

    function = "predict_proba" if program.classes else "regress"
    main = MAIN.format(columns=wholes.shape[1], results=wanted.shape[1], function=function)
    (folder / "main.c").write_text(main)
    required = [n for n in header.formats if program.columns[n].fill is None]
    lacking = (wholes[:, required] == header.missing).any(axis=1)
    assert not lacking.any()
    for number, compiler in enumerate(compilers):
        level = LEVELS[(seed + number) % len(LEVELS)]
        found = run_c(folder, compiler, level, wholes).reshape(wanted.shape)
        assert (found == wanted).all(), (seed, dtype, compiler, level)

    packed = replace(artefact, layout="packed")
    if packed.packed:
        for file in TARGETS["c"].emit(packed):
            (folder / file.name).write_text(file.text)
        found = run_c(folder, compilers[seed % len(compilers)], LEVELS[seed % 4], wholes)
        assert (found.reshape(wanted.shape) == wanted).all(), (seed, dtype, "packed")

    module = load_module(str(TARGETS["python"].emit(artefact)[0].text), "net")
    few = wholes[:: max(len(wholes) // 20, 1)]
    again = np.array(module.evaluate_integers(few.tolist()))
    assert (again == wanted[:: max(len(wholes) // 20, 1)]).all(), (seed, dtype, "python")

    exact = program.results(header.saturated(wholes))
    off = np.abs(wanted * 2.0**-header.fraction - exact)
    allowed = header.bound * (1 + 1e-9) + 1e-12 * np.maximum(1, np.abs(exact))
    assert (off <= allowed).all(), (seed, dtype, off.max(), header.bound)
    return True


def check_programs(seeds, wanted, folder, *, compilers, count):
    """Check programs until so many were not refused, and return how many were refused."""
    tried = 0
    for seed, dtype in itertools.product(seeds, DTYPES):
        own = folder / f"{seed}{dtype}"
        own.mkdir()
        tried += check_program(seed, dtype, own, compilers=compilers, count=count)
        if tried == wanted:
            break
    return tried


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_term_that_the_ranges_make_constant_is_not_lost(dtype, tmp_path):
    model = unnamed_model(parse(IMPLIED_CONSTANT))
    artefact = Artefact(model, "net", dtype, selftest="quick", ranges=((-1.0, 1.0),) * 3)
    for file in TARGETS["c"].emit(artefact):
        (tmp_path / file.name).write_text(file.text)
    main = MAIN.format(columns=3, results=1, function="regress")
    (tmp_path / "main.c").write_text(main)
    rows = np.zeros((1, 3), STORED[dtype])
    header = read_header((tmp_path / "net.h").read_text())

    found = run_c(tmp_path, COMPILERS[0], "-O1", rows)[0] * 2.0**-header.fraction

    h = 3.0 / (1 + np.exp(-3.0)) - 1.602
    assert abs(found - 1 / (1 + np.exp(1.748 * h - 1.0))) <= header.bound


def test_sums_have_no_term_that_is_the_same_in_every_row():
    """Constant terms are in the bias, so no writer of sums can forget them."""
    seen = 0
    for seed, dtype in itertools.product(range(40), DTYPES):
        artefact = make_artefact(random_program(seed), dtype)
        steps = artefact.number_format.fixed.program.steps if artefact else ()
        sums = [step for step in steps if isinstance(step, Sum)]
        assert all(isinstance(o, ColumnValue | Slot) for sum_ in sums for o, _ in sum_.terms)
        seen += len(sums)
    assert seen > 50


def test_compiled_programs_agree_with_the_interpreter_and_with_numpy(tmp_path):
    tried = check_programs(range(20), 8, tmp_path, compilers=COMPILERS[:1], count=200)
    assert tried == 8


@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("start", range(0, 20_000, 1_000))
def test_a_thousand_compiled_programs_agree_with_the_interpreter_and_with_numpy(start, tmp_path):
    seeds = range(10_000 + start, 11_000 + start)
    tried = check_programs(seeds, 50, tmp_path, compilers=COMPILERS, count=2_000)
    print(f"{tried} programs, {', '.join(COMPILERS)}, 4,000 rows each")
    assert tried == 50


def test_packed_values_of_more_than_16_bits_keep_their_type(tmp_path):
    artefact = make_artefact(random_program(100060), "q15")
    packed = replace(artefact, layout="packed").packed

    assert packed.sums.type == "int32"
    assert not packed.decides
    assert check_program(100060, "q15", tmp_path, compilers=COMPILERS, count=200)
