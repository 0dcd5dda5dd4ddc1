"""Procedures of programs, run in WebAssembly by Node, row by row."""

import subprocess

import numpy as np

from dsgec.arithmetic.procedures import with_library
from dsgec.program.print_wasm import add_program
from dsgec.program.wasm_module import PAGE, Module, aligned
from tests.support.javascript import NODE

TYPES = {
    **{
        "double": "<f8",
        "float": "<f4",
        "uint64": "<u8",
        "uint32": "<u4",
        "int32": "<i4",
        "int24": "<i4",
    },
    **{"uint16": "<u2", "int16": "<i2", "uint8": "<u1", "int8": "<i1", "bool": "<u1"},
    "size": "<i4",
}
# Each row has a place in a file for all arrays; what is there after the call is written back.
SCRIPT = """
import { readFileSync, writeFileSync } from "node:fs";
const [name, heap, size, ...starts] = process.argv.slice(2).map((x) => (isNaN(x) ? x : Number(x)));
const { instance } = await WebAssembly.instantiate(readFileSync("program.wasm"));
const rows = new Uint8Array(readFileSync("rows"));
const memory = new Uint8Array(instance.exports.memory.buffer);
const results = [];
for (let start = 0; start < rows.length; start += size) {
  memory.set(rows.subarray(start, start + size), heap);
  results.push(instance.exports[name](...starts.map((place) => heap + place)));
  rows.set(memory.subarray(heap, heap + size), start);
}
writeFileSync("written", rows);
writeFileSync("results", new Uint8Array(Float64Array.from(results, Number).buffer));
"""


def run_wasm(folder, program, procedure, arithmetic, **given):
    """Return the arrays that a procedure writes, a row of values for each row, and its results."""
    module = Module()
    add_program(module, with_library(program, arithmetic), (procedure.name,))
    heap, starts, size = aligned(module.end), [], 0
    for array in procedure.arrays:
        starts.append(size)
        size = aligned(size + max(array.size, 1) * np.dtype(TYPES[array.type]).itemsize)
    count = len(next(iter(given.values())))
    rows = np.zeros((count, size), np.uint8)
    for array, start in zip(procedure.arrays, starts, strict=True):
        if array.name in given:
            own = np.ascontiguousarray(given[array.name].astype(TYPES[array.type])).view(np.uint8)
            rows[:, start : start + own.shape[1]] = own
    pages = -(-(heap + size) // PAGE)
    (folder / "program.wasm").write_bytes(module.encode(("test", b""), pages, {}))
    (folder / "rows").write_bytes(rows.tobytes())
    (folder / "script.mjs").write_text(SCRIPT)
    arguments = map(str, (procedure.name, heap, size, *starts))
    subprocess.run([NODE, "script.mjs", *arguments], cwd=folder, check=True)
    after = np.fromfile(folder / "written", np.uint8).reshape(rows.shape)
    written = {
        array.name: np.ascontiguousarray(
            after[:, start : start + array.size * np.dtype(TYPES[array.type]).itemsize]
        ).view(TYPES[array.type])
        for array, start in zip(procedure.arrays, starts, strict=True)
        if array.is_written
    }
    return written, np.fromfile(folder / "results")
