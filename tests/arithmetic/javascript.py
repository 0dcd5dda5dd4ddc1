"""The arithmetic in JavaScript behind the call of `three.py`, run by node."""

import shutil
import subprocess
from pathlib import Path

import numpy as np

from dsgec.arithmetic.source import js_source
from dsgec.arithmetic.table import DEFINED

from .three import SYMBOLS

NODE = shutil.which("node")

# Arguments and results are files of little-endian doubles, so that no text rounds them.
DRIVER = """
import { readFileSync, writeFileSync } from "node:fs";
const [symbol, arity, source, target] = process.argv.slice(2);
const bytes = readFileSync(source);
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const rows = view.byteLength / 8 / Number(arity);
const results = [];
for (let row = 0; row < rows; row++) {
  const x = [];
  for (let i = 0; i < arity; i++) x.push(view.getFloat64((row * arity + i) * 8, true));
  results.push([functions[symbol](...x)].flat());
}
const out = new DataView(new ArrayBuffer(results.flat().length * 8));
results.flat().forEach((value, i) => out.setFloat64(i * 8, value, true));
writeFileSync(target, out);
"""


def js_text() -> str:
    """All of the JavaScript, and a driver that runs one of its functions over a file."""
    return f"{js_source(SYMBOLS)}\nconst functions = {{{', '.join(SYMBOLS)}}};\n{DRIVER}"


def in_javascript(folder: Path, name: str, *arguments: np.ndarray) -> list[np.ndarray]:
    driver, source, target = (folder / file for file in ("all.mjs", "in", "out"))
    driver.write_text(js_text(), encoding="utf-8")
    np.stack(arguments, axis=1).astype("<f8").tofile(source)
    symbol = DEFINED[name].symbol
    command = [NODE, driver, symbol, str(len(arguments)), source, target]
    subprocess.run(command, check=True)
    return list(np.fromfile(target, "<f8").reshape(len(arguments[0]), -1).T.copy())
