"""Programs with the entry `f(x, y)`, run in Python, numpy and JavaScript."""

import subprocess

import numpy as np

from dsgec.arithmetic.source import integer_source, js_source, python_source
from dsgec.engine.module import load_module
from dsgec.program.ir import functions_called
from dsgec.program.print_js import JavaScriptPrinter
from dsgec.program.print_numpy import NumpyPrinter
from dsgec.program.print_python import PythonPrinter
from tests.support.javascript import NODE

SCRIPT = """
import { readFileSync, writeFileSync } from "node:fs";
const values = new Float64Array(new Uint8Array(readFileSync("rows")).buffer);
const found = [];
for (let i = 0; i < values.length; i += COLUMNS) {
  found.push(...ENTRY(Array.from(values.subarray(i, i + COLUMNS))));
}
if (!found.every((value) => typeof value === "number")) {
  throw new TypeError("a result is no number");
}
writeFileSync("results", new Uint8Array(Float64Array.from(found).buffer));
"""


def run_script(language, folder, program, arithmetic, rows):
    """Return the results of rows, each a row of numbers."""
    run = {"python": run_python, "numpy": run_numpy, "js": run_js}[language]
    return run(folder, program, arithmetic, rows)


def run_python(_, program, arithmetic, rows):
    module, more = ("integer", []) if arithmetic == "whole" else ("scalar", ["bits", "from_bits"])
    source = python_source(module, {*functions_called(program), *more})
    text = f"import math\n\n{source}\n\n{PythonPrinter(program, 'net').print()}"
    entry = getattr(load_module(text, "net"), f"_net_{program.entry.name}")
    return np.array([entry(row) for row in rows.tolist()], np.float64)


def run_numpy(_, program, arithmetic, rows):
    is_whole = arithmetic == "whole"
    module, more = ("vector_integer", []) if is_whole else ("vector", ["bits", "from_bits"])
    source = python_source(module, {*functions_called(program), *more}, imports=False)
    text = f"import numpy as np\n\n{source}\n\n{NumpyPrinter(program, 'net').print()}"
    entry = getattr(load_module(text, "net"), f"_net_{program.entry.name}")
    columns = rows.astype(np.int32 if is_whole else np.float64).T
    kept = columns.copy()
    with np.errstate(all="ignore"):
        found = entry(columns)
    assert np.array_equal(columns, kept, equal_nan=not is_whole), "the rows changed"
    return np.stack([np.broadcast_to(c, len(rows)).astype(np.float64) for c in found], axis=1)


def run_js(folder, program, arithmetic, rows):
    functions = functions_called(program)
    if arithmetic == "whole":
        source = integer_source("js", functions)
    else:
        source = js_source({*functions, "bits", "copysign"})
    script = SCRIPT.replace("COLUMNS", str(rows.shape[1])).replace("ENTRY", program.entry.name)
    (folder / "run.mjs").write_text(f"{source}\n{JavaScriptPrinter(program).print()}{script}")
    (folder / "rows").write_bytes(rows.astype("<f8").tobytes())
    subprocess.run([NODE, "run.mjs"], cwd=folder, check=True)
    return np.fromfile(folder / "results", "<f8").reshape(len(rows), -1)
