"""The arithmetic in JavaScript behind the call of `three.py`, run by node."""

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.arithmetic.source import js_source

from .three import SYMBOLS

NODE = shutil.which("node")

# Arguments and results are files of little-endian doubles, so that no text rounds them.
DRIVER = """
import { readFileSync, writeFileSync } from "node:fs";
for (const [symbol, arity, source, target] of JSON.parse(process.argv[2])) {
  const bytes = readFileSync(source);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rows = view.byteLength / 8 / arity;
  const results = [];
  for (let row = 0; row < rows; row++) {
    const x = [];
    for (let i = 0; i < arity; i++) x.push(view.getFloat64((row * arity + i) * 8, true));
    results.push([functions[symbol](...x)].flat());
  }
  const out = new DataView(new ArrayBuffer(results.flat().length * 8));
  results.flat().forEach((value, i) => out.setFloat64(i * 8, value, true));
  writeFileSync(target, out);
}
"""


def js_text() -> str:
    """All of the JavaScript, and a driver that runs its functions over files."""
    return f"{js_source(SYMBOLS)}\nconst functions = {{{', '.join(SYMBOLS)}}};\n{DRIVER}"


def in_javascript(
    folder: Path, arguments: Mapping[str, tuple[np.ndarray, ...]]
) -> dict[str, list[np.ndarray]]:
    """What each function gives at its arguments; one process of node runs them all."""
    driver = folder / "all.mjs"
    driver.write_text(js_text(), encoding="utf-8")
    calls = []
    for name, columns in arguments.items():
        source, target = folder / f"{name}.in", folder / f"{name}.out"
        np.stack(columns, axis=1).astype("<f8").tofile(source)
        calls.append([ALL_FUNCTIONS[name].symbol, len(columns), str(source), str(target)])
    subprocess.run([NODE, driver, json.dumps(calls)], check=True)
    return {
        name: list(np.fromfile(folder / f"{name}.out", "<f8").reshape(len(columns[0]), -1).T.copy())
        for name, columns in arguments.items()
    }
