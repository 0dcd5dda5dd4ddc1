"""Checks of artefacts in fixed point: their bound, and the results of their targets."""

import json
import subprocess

import numpy as np

from dsgec.engine.module import load_module
from dsgec.export.fixed.evaluate import evaluate_integers, quantise
from dsgec.export.targets.running import given_rows
from dsgec.export.targets.target import TARGETS
from tests.support.fixed_models import double_results, interpret
from tests.support.javascript import MODULES, NODE

UNDEFINED = ("-g", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def check_bound(artefact, rows, interpreted=3):
    """Assert that the bound holds, results have 16 bits and no operation more than 32."""
    fixed = artefact.number_format.fixed
    wholes = quantise(fixed.program, rows)
    results = evaluate_integers(fixed.program, wholes)
    assert np.abs(results).max(initial=0) <= 32767
    found = np.abs(results * 2.0**-fixed.program.fraction - double_results(artefact, rows))
    worst = found.max(axis=0)
    assert (worst <= fixed.bounds).all(), (worst, fixed.bounds)
    step = max(len(rows) // interpreted, 1)
    for row, result in zip(wholes[::step].tolist(), results[::step].tolist(), strict=True):
        assert interpret(fixed.program, row) == result
    return worst


def expected(artefact, rows):
    """Return the integers of rows, and their results as integers and as doubles."""
    program = artefact.number_format.fixed.program
    wholes = quantise(program, rows)
    results = evaluate_integers(program, wholes)
    return wholes, results, results * 2.0**-program.fraction


def allowed(artefact, rows):
    """Return the rows that are not refused because of missing values that are not filled."""
    required = [c for c, column in enumerate(artefact.model.columns) if column.fill is None]
    return rows[~np.isnan(rows[:, required]).any(axis=1)]


def used(artefact):
    """Return the columns that are read: modules return no integers for the others."""
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
    """Run the self-test and a batch of rows in a program that reads and writes integers."""
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
