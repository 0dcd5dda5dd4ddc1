"""Emit an artefact as a WebAssembly module: the network, functions of many rows and a self-test.

Memory starts with the rows and expected results of the self-test, followed by working memory, and
is free from the address `heap` on. The exported functions are those of the C:

- `predict_proba(rows, n, out)`, or `regress` for a network without classes: write the results of n
  rows, given addresses; NaN for a row with a missing value that is not filled. Return the number of
  such rows.
- `predict(rows, n, out)`: write the number of each row's class as an i32, or -1.
- `selftest()`: return 0, or the number (from 1) of a row with wrong results.
"""

from collections.abc import Sequence

import numpy as np

from dsgec.arithmetic.ir import Dtype
from dsgec.export.integers import integer_functions
from dsgec.export.statements import JAVASCRIPT, functions_used
from dsgec.export.targets.wasm.arithmetic import TYPES, add_arithmetic
from dsgec.export.targets.wasm.binary import (
    PAGE,
    Locals,
    Module,
    const,
    load,
    op,
    repeat,
    store,
    when,
)
from dsgec.export.targets.wasm.network import (
    DOUBLE,
    FLOAT,
    IntegerTypes,
    ValueTypes,
    add_network,
    add_program,
    integer_types,
)
from dsgec.export.view import TemplateView
from dsgec.literals import js_data

SECTION = "dsgec"
"""The name of the section with the metadata, as JSON."""

_MANY = {"x": "i32", "n": "i32", "out": "i32"}
_ALIGNED = 16


def wasm_module(m: TemplateView) -> bytes:
    """Return the module of an artefact."""
    module, types = Module(), _value_types(m)
    data, places = _data(m, types)
    tables = _tables(m, len(data))
    data += b"".join(tables.values())
    scratch = _aligned(len(data))
    free = scratch + m.results * types.size
    free += _add_outputs(module, m, types, list(tables), free)
    _Entries(module, m, types, scratch).add(places)
    heap = _aligned(free)
    row = _aligned(m.inputs * types.input_size) + m.results * types.size
    pages = -(-(heap + max(row, PAGE)) // PAGE)
    exported = {"heap": heap, "columns": m.inputs, "results": m.results}
    return module.encode((SECTION, js_data(m.metadata).encode("ascii")), pages, data, exported)


def _value_types(m: TemplateView) -> ValueTypes:
    if m.fixed:
        return integer_types(m.fixed.bits, m.fixed.missing)
    return FLOAT if m.artefact.dtype == "float" else DOUBLE


def _add_outputs(
    module: Module, m: TemplateView, types: ValueTypes, tables: list[int], memory: int
) -> int:
    """Add `outputs` and all that it calls; return how many bytes of memory it needs."""
    network = m.artefact.network
    if m.fixed:
        assert isinstance(types, IntegerTypes)
        add_arithmetic(module, integer_functions(m.fixed.program), "whole")
        return add_program(module, m.fixed.program, types, tables, memory)
    dtype: Dtype = "float" if types == FLOAT else "double"
    add_arithmetic(module, functions_used(network, JAVASCRIPT), dtype)
    return add_network(module, network, TYPES[dtype], memory)


def _tables(m: TemplateView, start: int) -> dict[int, bytes]:
    """Return the tables of fixed point by address."""
    found: dict[int, bytes] = {}
    for table in m.fixed.tables if m.fixed else ():
        found[start] = np.array(table.entries, "<i2").tobytes()
        start += len(found[start])
    return found


def _aligned(address: int) -> int:
    return -(-address // _ALIGNED) * _ALIGNED


def _data(m: TemplateView, types: ValueTypes) -> tuple[bytes, tuple[int, int, int]]:
    """Return the rows, results and classes of the self-test, and where each of these starts."""
    golden = m.golden
    rows: Sequence[Sequence[float]] = golden.rows
    results: Sequence[Sequence[float]] = golden.results
    if m.fixed:
        rows, results = m.fixed.golden_rows(golden), m.fixed.golden_results(golden)
    tables = [
        _bytes(rows, f"<{types.input[0]}{types.input_size}"),
        _bytes(results, f"<{types.output[0]}{types.size}"),
        np.array(golden.classes, "<i4").tobytes(),
    ]
    starts = (0, len(tables[0]), len(tables[0]) + len(tables[1]))
    return b"".join(tables), starts


def _bytes(rows: Sequence[Sequence[float]], type_: str) -> bytes:
    """Return the bytes of a table; all NaNs get the same bits, because machines differ."""
    table = np.array(rows, type_)
    if table.dtype.kind == "f":
        table[np.isnan(table)] = np.nan
    return table.tobytes()


class _Entries:
    """Adds the functions around the network to a module."""

    def __init__(self, module: Module, m: TemplateView, types: ValueTypes, scratch: int) -> None:
        self.module, self.m, self.types = module, m, types
        self.scratch = const("i32", scratch)  # the address of one row's results
        self.row = const("i32", m.inputs * types.input_size)
        self.results = const("i32", m.results * types.size)

    def add(self, places: tuple[int, int, int]) -> None:
        self.add_results()
        if self.m.required:
            self.add_lacks()
        self.add_checked()
        if self.m.classes:
            self.add_choose()
            self.add_predict()
        self.add_many("predict_proba" if self.m.classes else "regress")
        self.add_selftest(*places)

    def add_results(self) -> None:
        """Add `results`, which computes the probabilities or values of a row."""
        v = Locals({"x": "i32", "y": "i32"})
        output, size = self.types.output, self.types.size
        y = v.get("y")
        if self.m.classes and self.m.outputs == 1:
            code = v.get("x") + y + const("i32", size) + op("i32.add") + self.module.call("outputs")
            other = const(output, 1.0) + load(output, y, size) + op(f"{output}.sub")
            code += store(output, y, other)
        else:
            code = v.get("x") + y + self.module.call("outputs")
        self.module.add("results", v, code)

    def add_lacks(self) -> None:
        """Add `lacks`, which tests for a missing value in a required column."""
        v = Locals({"x": "i32"})
        code = const("i32", 0)
        for column in self.m.required:
            value = load(self.types.input, v.get("x"), column * self.types.input_size)
            code += self.types.is_missing(value) + op("i32.or")
        self.module.add("lacks", v, code, "i32")

    def add_checked(self) -> None:
        """Add `checked`, which computes the results of a row, or returns 1 if it lacks a value."""
        v = Locals({"x": "i32", "y": "i32"})
        output, size = self.types.output, self.types.size
        code = b""
        if self.m.required:
            nothing = b"".join(
                store(
                    output, v.get("y"), const(self.types.value, self.types.nothing), number * size
                )
                for number in range(self.m.results)
            )
            lacks = v.get("x") + self.module.call("lacks")
            code = when(lacks, nothing + const("i32", 1) + op("return"))
        code += v.get("x") + v.get("y") + self.module.call("results") + const("i32", 0)
        self.module.add("checked", v, code, "i32")

    def add_choose(self) -> None:
        """Add `choose`, which returns the number of the class, or -1 if its value is NaN.

        NaN is never larger than minus infinity.
        """
        v = Locals({"p": "i32"})
        output, size = self.types.output, self.types.size
        value = self.types.value
        if self.m.by_sums:
            return self.add_choose_by_sums(v)
        if self.m.has_threshold:
            best = load(output, v.get("p"), size)
            chosen = best + const(value, self.threshold) + self.types.compare("ge")
            code = b""
        else:
            v.add("i", "i32")
            v.add("chosen", "i32")
            code = v.set("best", value, const(value, self.types.lowest))
            take = v.set("best", value, self.element(v, "i")) + v.set("chosen", "i32", v.get("i"))
            better = self.element(v, "i") + v.get("best") + self.types.compare("gt")
            while_ = v.get("i") + const("i32", self.m.outputs) + op("i32.lt_u")
            code += repeat(while_, when(better, take) + v.increase("i", const("i32", 1)))
            best, chosen = self.element(v, "chosen"), v.get("chosen")
        code += chosen + const("i32", -1) + self.types.is_number(best) + op("select")
        self.module.add("choose", v, code, "i32")

    def add_choose_by_sums(self, v: Locals) -> None:
        """Add `choose` for sums: it returns -1 if one is NaN or the largest is infinite."""
        value = self.types.value
        for name in ("i", "chosen"):
            v.add(name, "i32")
        code = v.set("best", value, const(value, self.types.lowest))
        one, best = self.element(v, "i"), v.get("best")
        no_number = self.types.is_number(one) + op("i32.eqz")
        code_of_one = when(no_number, const("i32", -1) + op("return"))
        take = v.set("best", value, one) + v.set("chosen", "i32", v.get("i"))
        code_of_one += when(one + best + self.types.compare("gt"), take)
        while_ = v.get("i") + const("i32", self.m.outputs) + op("i32.lt_u")
        code += repeat(while_, code_of_one + v.increase("i", const("i32", 1)))
        is_finite = self.types.is_number(best + best + op(f"{value}.sub"))
        code += v.get("chosen") + const("i32", -1) + is_finite + op("select")
        self.module.add("choose", v, code, "i32")

    @property
    def threshold(self) -> float:
        return self.m.fixed.threshold if self.m.fixed else self.m.threshold

    def chosen(self, row: bytes) -> bytes:
        """Return the code that pushes the class of a row, whose results are at `scratch`."""
        sums = row + self.scratch + self.module.call("sums") if self.m.by_sums else b""
        return sums + self.scratch + self.module.call("choose")

    def element(self, v: Locals, index: str) -> bytes:
        """Return the code that pushes `p[index]`; `p` and `index` are local variables."""
        place = v.get(index) + const("i32", self.types.size) + op("i32.mul")
        return load(self.types.output, v.get("p") + place + op("i32.add"))

    def add_many(self, name: str) -> None:
        v = Locals(_MANY)
        one = v.get("x") + v.get("out") + self.module.call("checked")
        self.add_loop(name, v, one, self.results)

    def add_predict(self) -> None:
        v = Locals(_MANY)
        chosen = self.chosen(v.get("x"))
        if self.m.by_sums:
            lacks = v.get("x") + self.module.call("lacks") if self.m.required else const("i32", 0)
            one = store("i32", v.get("out"), const("i32", -1) + chosen + lacks + op("select"))
            one += lacks
        else:
            one = v.get("x") + self.scratch + self.module.call("checked")
            one += store("i32", v.get("out"), chosen)
        self.add_loop("predict", v, one, const("i32", 4))

    def add_loop(self, name: str, v: Locals, one: bytes, step: bytes) -> None:
        """Add an exported function of n rows; `one` pushes whether a row lacks a value."""
        v.add("lacking", "i32")
        code = repeat(
            v.get("n"),
            v.increase("lacking", one)
            + v.increase("x", self.row)
            + v.increase("out", step)
            + v.increase("n", const("i32", -1)),
        )
        self.module.add(name, v, code + v.get("lacking"), "i32", exported=True)

    def add_selftest(self, rows: int, results: int, classes: int) -> None:
        """Add `selftest`, which compares bits, except those of NaN."""
        v = Locals({})
        for name in ("number", "offset"):
            v.add(name, "i32")
        code = v.set("x", "i32", const("i32", rows)) + v.set("y", "i32", const("i32", results))
        code += v.set("class", "i32", const("i32", classes))
        pair = [address + v.get("offset") + op("i32.add") for address in (self.scratch, v.get("y"))]
        fail = v.get("number") + op("return")
        other = when(self.types.differ(pair[0], pair[1]), fail)
        one = v.increase("number", const("i32", 1))
        one += v.get("x") + self.scratch + self.module.call("results")
        one += v.set("offset", "i32", const("i32", 0))
        one += repeat(
            v.get("offset") + self.results + op("i32.lt_u"),
            other + v.increase("offset", const("i32", self.types.size)),
        )
        if self.m.classes:
            chosen = self.chosen(v.get("x"))
            one += when(chosen + load("i32", v.get("class")) + op("i32.ne"), fail)
        one += v.increase("x", self.row) + v.increase("y", self.results)
        one += v.increase("class", const("i32", 4))
        while_ = v.get("number") + const("i32", len(self.m.golden.rows)) + op("i32.lt_u")
        code += repeat(while_, one) + const("i32", 0)
        self.module.add("selftest", v, code, "i32", exported=True)
