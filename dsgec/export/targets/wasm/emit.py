"""Emit an artefact as a WebAssembly module: the network, functions of many rows and a self-test.

Memory starts with tables and the rows and expected results of the self-test, followed by working
memory, and is free from the address `heap` on. The exported functions are those of the C:

- `predict_proba(rows, n, out)`, or `regress` for a network without classes: write the results of n
  rows, given addresses; NaN for a row with a missing value that is not filled. Return the number of
  such rows.
- `predict(rows, n, out)`: write the number of each row's class as an i32, or -1.
- `selftest()`: return 0, or the number (from 1) of a row with wrong results.

The procedures of the stream of a signal are exported, too; they take the addresses of arrays, for
which there is memory from the address `stream` on.
"""

from dsgec.arithmetic.procedures import Arithmetic, with_library
from dsgec.export.entries import entry_program
from dsgec.export.view import TemplateView
from dsgec.literals import js_data
from dsgec.program.ir import Procedure, Program
from dsgec.program.print_wasm import STORED, add_program
from dsgec.program.wasm_module import PAGE, SIZES, Locals, Module, aligned, const, repeat, store

SECTION = "dsgec"
"""The name of the section with the metadata, as JSON."""

_ARITHMETIC: dict[str, Arithmetic] = {"double": "double", "float": "float"}
_MANY = {"x": "i32", "n": "i32", "out": "i32"}  # the addresses of rows and results, and a count


def wasm_module(m: TemplateView) -> bytes:
    """Return the module of an artefact."""
    program = with_library(entry_program(m), _ARITHMETIC.get(m.artefact.dtype, "whole"))
    module = Module()
    called = ["selftest"]
    if m.stream:
        stream = m.stream.program_of_features
        tables = (*program.tables, *stream.tables)
        program = Program(tables, (*program.procedures, *stream.procedures))
        called += [procedure.name for procedure in stream.procedures]
    add_program(module, program, called)
    place = module.reserve(m.stream.memory_bytes) if m.stream else 0
    checked = next(p for p in program.procedures if p.name == "checked")
    row, results = _array_bytes(checked)
    x, out = (Locals(_MANY).get(name) for name in ("x", "out"))
    if m.classes:
        chosen = store("i32", out, x + module.call("class_number"))
        _add_many(module, "predict", chosen + x + module.call("lacks"), row, 4)
    name = "predict_proba" if m.classes else "regress"
    _add_many(module, name, x + out + module.call("checked"), row, results)
    heap = aligned(module.end)
    pages = -(-(heap + max(aligned(row) + results, PAGE)) // PAGE)
    exported = {"heap": heap, "columns": m.inputs, "results": m.results}
    exported |= {"stream": place} if m.stream else {}
    return module.encode((SECTION, js_data(m.metadata).encode("ascii")), pages, exported)


def _array_bytes(procedure: Procedure) -> list[int]:
    """Return the bytes of each array of a procedure."""
    return [array.size * SIZES[STORED[array.type]] for array in procedure.arrays]


def _add_many(module: Module, name: str, one: bytes, row: int, result: int) -> None:
    """Add an exported function of n rows.

    `one` writes the result of the row at `x`, and pushes whether it lacks a value.
    """
    v = Locals(_MANY)
    v.add("lacking", "i32")
    code = repeat(
        v.get("n"),
        v.increase("lacking", one)
        + v.increase("x", const("i32", row))
        + v.increase("out", const("i32", result))
        + v.increase("n", const("i32", -1)),
    )
    module.add(name, v, code + v.get("lacking"), "i32", exported=True)
