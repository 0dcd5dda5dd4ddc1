"""Every target gives the same integers, and the same doubles of raw rows."""

import importlib
import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from dsgec.engine.module import load_module
from dsgec.export.fixed.evaluate import evaluate_integers, quantise
from dsgec.export.targets.running import given_rows
from dsgec.export.targets.target import TARGETS
from dsgec.network.model import unnamed_model
from dsgec.network.parse import parse
from tests.export.fixed.made import POSITIVE, RANGE, fixed_artefact, random_artefact, trying_rows
from tests.support.artefacts import COMPILERS
from tests.support.javascript import MODULES, NODE
from tests.support.models import EVERY_KIND, FIXED_DTYPES, seven_neurons


def expected(artefact, rows):
    """The integers of rows, and what comes of them as integers and as doubles."""
    program = artefact.number_format.fixed.program
    wholes = quantise(program, rows)
    results = evaluate_integers(program, wholes)
    return wholes, results, results * 2.0**-program.fraction


def allowed(artefact, rows):
    """Rows without missing values that nothing stands for, which are refused."""
    required = [c for c, column in enumerate(artefact.model.columns) if column.fill is None]
    return rows[~np.isnan(rows[:, required]).any(axis=1)]


def used(artefact):
    """The columns that are read: of others the modules give no integers."""
    return sorted({n.column for n in artefact.network.nodes if hasattr(n, "column")})


def check_module(module, artefact, rows, wholes, results, doubles):
    assert module.selftest() is True
    table = given_rows(artefact, rows)
    predict = module.predict_proba if artefact.model.is_classifier else module.predict
    found = np.array(predict(table), float).reshape(doubles.shape)
    assert (found == doubles).all()
    read = used(artefact)
    assert (np.array(module.quantise(table))[:, read] == wholes[:, read]).all()
    assert (np.array(module.evaluate_integers(wholes.tolist())) == results).all()


def check_python(artefact, rows):
    for target in ("python", "numpy"):
        module = load_module(TARGETS[target].emit(artefact)[0].text, "net")
        check_module(module, artefact, rows, *expected(artefact, rows))


SCRIPT = """
import { readFileSync, writeFileSync } from "node:fs";
const net = await import(process.argv[2]);
const text = readFileSync("rows.json", "utf8").replace(/Infinity/g, "1e999");
const { rows, wholes } = JSON.parse(text);
writeFileSync("answer.json", JSON.stringify({
  selftest: net.selftest(),
  doubles: (net.predictProbaBatch ?? net.predictBatch)(rows),
  wholes: rows.map(net.quantise),
  results: wholes.map(net.evaluateIntegers),
}));
"""


def check_javascript(artefact, rows, folder, target="js"):
    wholes, results, doubles = expected(artefact, rows)
    for file in TARGETS[target].emit(artefact):
        data = file.text if isinstance(file.text, bytes) else file.text.encode()
        (folder / file.name).write_bytes(data)
    (folder / "run.mjs").write_text(SCRIPT)
    given = {"rows": given_rows(artefact, rows), "wholes": wholes.tolist()}
    (folder / "rows.json").write_text(json.dumps(given))
    subprocess.run([NODE, "run.mjs", f"./net{MODULES[target]}"], cwd=folder, check=True)
    answer = json.loads((folder / "answer.json").read_text())
    read = used(artefact)
    assert answer["selftest"] is True
    assert (np.array(answer["doubles"]).reshape(doubles.shape) == doubles).all()
    assert (np.array(answer["wholes"])[:, read] == wholes[:, read]).all()
    assert (np.array(answer["results"]).reshape(results.shape) == results).all()


def check_c(artefact, rows, folder, compiler, *flags):
    """The self-test, and the results of rows in a batch, as a program reads and writes them."""
    wholes, results, _ = expected(artefact, rows)
    program = artefact.number_format.fixed.program
    kind = f"int{program.bits}"
    for file in TARGETS["c"].emit(artefact):
        (folder / file.name).write_text(file.text)
    row = "predict_proba" if artefact.model.is_classifier else "regress"
    width = max(wholes.shape[1], 1)
    (folder / "main.c").write_text(f"""
#include "net.h"
#include <stdio.h>
int main(void) {{
    static net_number x[{len(rows)}][{width}];
    static net_result y[{len(rows)}][{results.shape[1]}];
    size_t bad;
    if (fread(x, sizeof x, 1, stdin) != 1) return 1;
    bad = net_{row}_batch(&x[0][0], {len(rows)}, &y[0][0]);
    fwrite(y, sizeof y, 1, stdout);
    return bad != 0 || net_selftest() != 0;
}}""")
    command = [compiler, "-std=c99", *flags, "main.c", "net.c", "net_selftest.c", "-o", "main"]
    subprocess.run(command, cwd=folder, check=True)
    given = wholes.astype(kind).tobytes() or bytes(len(rows) * program.bits // 8)
    answer = subprocess.run(["./main"], cwd=folder, input=given, check=True, capture_output=True)
    assert answer.stderr == b""
    found = np.frombuffer(answer.stdout, np.int16).reshape(results.shape)
    assert (found == results).all()


UNDEFINED = ("-g", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_python_and_numpy_give_the_integers_of_the_interpreter(dtype):
    artefact = fixed_artefact(seven_neurons(), dtype)
    rows = trying_rows(artefact, 1, 60, RANGE)
    check_python(artefact, rows)


@pytest.mark.needs_cc
@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_c_gives_the_integers_of_the_interpreter_and_nothing_is_undefined(dtype, tmp_path):
    artefact = fixed_artefact(seven_neurons(), dtype)
    rows = trying_rows(artefact, 1, 1000, RANGE)
    check_c(artefact, rows, tmp_path, COMPILERS[0], *UNDEFINED)


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.parametrize("target", MODULES)
@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_javascript_and_wasm_give_the_integers_of_the_interpreter(dtype, target, tmp_path):
    artefact = fixed_artefact(seven_neurons(), dtype)
    check_javascript(artefact, trying_rows(artefact, 1, 300, RANGE), tmp_path, target)


@pytest.mark.needs_cc
@pytest.mark.parametrize("seed", [2, 7])
def test_targets_agree_on_random_networks(seed, tmp_path):
    artefact = random_artefact(seed, FIXED_DTYPES[seed % 2], POSITIVE)
    rows = allowed(artefact, trying_rows(artefact, seed, 100, POSITIVE))
    check_python(artefact, rows)
    check_c(artefact, rows, tmp_path, COMPILERS[-1], *UNDEFINED)
    for target in MODULES if NODE else ():
        check_javascript(artefact, rows, tmp_path, target)


@pytest.mark.needs_cc
def test_targets_agree_on_columns_of_every_kind(tmp_path):
    artefact = fixed_artefact(EVERY_KIND, "q7", (-2.0, 1002.0))
    rows = allowed(artefact, trying_rows(artefact, 5, 100, (-2.0, 1002.0)))
    check_python(artefact, rows)
    check_c(artefact, rows, tmp_path, COMPILERS[0], *UNDEFINED)


@pytest.mark.needs_cc
def test_targets_agree_on_a_network_without_columns(tmp_path):
    artefact = fixed_artefact(unnamed_model(parse("0.25", inputs=0)))
    check_python(artefact, np.zeros((2, 0)))
    check_c(artefact, np.zeros((2, 0)), tmp_path, COMPILERS[0])


@pytest.mark.needs_cc
@pytest.mark.campaign
def test_the_compiled_package_gives_the_integers_of_the_interpreter(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    for number, dtype in enumerate(FIXED_DTYPES):
        artefact = fixed_artefact(EVERY_KIND, dtype, (-2.0, 1002.0), name=f"columns{number}")
        folder = tmp_path / artefact.name
        folder.mkdir()
        for file in TARGETS["cffi"].make(artefact):
            data = file.text if isinstance(file.text, bytes) else file.text.encode()
            (tmp_path / file.name).write_bytes(data)
        module = importlib.import_module(artefact.name)
        rows = allowed(artefact, trying_rows(artefact, 5, 500, (-2.0, 1002.0)))
        check_module(module, artefact, rows, *expected(artefact, rows))
        sys.modules.pop(artefact.name)


@pytest.mark.needs_cc
@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("start", range(5000, 5900, 100))
def test_targets_agree_on_more_than_300_random_networks(start, tmp_path):
    tried = 0
    for seed in range(start, start + 100):
        dtype = FIXED_DTYPES[seed % 2]
        range_ = POSITIVE if seed % 4 < 2 else RANGE
        artefact = random_artefact(seed, dtype, range_)
        if artefact is None:
            continue
        tried += 1
        folder = tmp_path / str(seed)
        folder.mkdir()
        rows = allowed(artefact, trying_rows(artefact, seed, 100_000, range_))
        compiler = COMPILERS[seed // 4 % len(COMPILERS)]
        level = ("-O0",), ("-O2",), ("-O3",), ("-Os",), UNDEFINED
        check_c(artefact, rows, folder, compiler, *level[seed // 2 % len(level)])
        check_python(artefact, rows[::500])
        numpy = load_module(TARGETS["numpy"].emit(artefact)[0].text, "net")
        wholes, results, _ = expected(artefact, rows)
        assert (numpy.evaluate_integers(wholes) == results).all()
        for target in MODULES if NODE else ():
            check_javascript(artefact, rows[::10], folder, target)
        shutil.rmtree(folder)
    print(f"{tried} networks, 100,000 rows each in C and numpy")
    assert tried > 25
