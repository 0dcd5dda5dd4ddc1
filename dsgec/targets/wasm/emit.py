"""Artefact to a WebAssembly module: the network, functions of many rows, and a self-test.

Memory starts with the rows of the self-test and what must come of them, then has room to compute
in, and is free from the address `heap` on. The functions that are exported are those of the C:

- `predict_proba(rows, n, out)`, or `regress` of a network without classes: the results of n rows,
  all by their addresses; NaN for a row that lacks a value which nothing stands for. Gives how many
  rows do.
- `predict(rows, n, out)`: the number of each row's class, as an i32, or -1.
- `selftest()`: 0, or the number from 1 of a row that gives other bits than it must.
"""

from collections.abc import Sequence

import numpy as np

from dsgec.arithmetic.ir import Dtype
from dsgec.codegen.artefact import TemplateView
from dsgec.codegen.literals import js_data
from dsgec.codegen.statements import JAVASCRIPT, functions_used
from dsgec.targets.wasm.arithmetic import TYPES, Types, add_arithmetic
from dsgec.targets.wasm.binary import PAGE, Module
from dsgec.targets.wasm.code import Locals, const, load, op, repeat, store, when
from dsgec.targets.wasm.network import add_network

SECTION = "dsgec"
"""The section that has the metadata, as JSON."""

_MANY = {"x": "i32", "n": "i32", "out": "i32"}
_ALIGNED = 16


def wasm_module(m: TemplateView) -> bytes:
    """The module of an artefact."""
    artefact = m.artefact
    dtype: Dtype = "float" if artefact.dtype == "float" else "double"
    types = TYPES[dtype]
    data, places = _data(m, types)
    scratch = _aligned(len(data))
    free = scratch + m.results * types.size
    module = Module()
    add_arithmetic(module, functions_used(artefact.network, JAVASCRIPT), dtype)
    free += add_network(module, artefact.network, types, free)
    _Entries(module, m, types, scratch).add(places)
    heap = _aligned(free)
    row = (m.inputs + m.results) * types.size
    pages = -(-(heap + max(row, PAGE)) // PAGE)
    numbers = {"heap": heap, "columns": m.inputs, "results": m.results}
    return module.encode((SECTION, js_data(m.metadata).encode("ascii")), pages, data, numbers)


def _aligned(address: int) -> int:
    return -(-address // _ALIGNED) * _ALIGNED


def _data(m: TemplateView, types: Types) -> tuple[bytes, tuple[int, int, int]]:
    """The rows of the self-test, their results and classes, and where each of these starts."""
    real = f"<f{types.size}"
    tables = [
        _bytes(m.golden.rows, real),
        _bytes(m.golden.results, real),
        np.array(m.golden.classes, "<i4").tobytes(),
    ]
    starts = (0, len(tables[0]), len(tables[0]) + len(tables[1]))
    return b"".join(tables), starts


def _bytes(rows: Sequence[Sequence[float]], type_: str) -> bytes:
    """One bit pattern for all that is not a number: machines do not agree on one."""
    table = np.array(rows, type_)
    table[np.isnan(table)] = np.nan
    return table.tobytes()


class _Entries:
    """Adds what a module does with its network."""

    def __init__(self, module: Module, m: TemplateView, types: Types, scratch: int) -> None:
        self.module, self.m, self.types = module, m, types
        self.scratch = const("i32", scratch)  # the address of one row's results
        self.row = const("i32", m.inputs * types.size)
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
        """What comes of a row of numbers: probabilities, or values."""
        v = Locals({"x": "i32", "y": "i32"})
        real, size = self.types.real, self.types.size
        y = v.get("y")
        if self.m.classes and self.m.outputs == 1:
            code = v.get("x") + y + const("i32", size) + op("i32.add") + self.module.call("outputs")
            other = const(real, 1.0) + load(real, y, size) + op(f"{real}.sub")
            code += store(real, y, other)
        else:
            code = v.get("x") + y + self.module.call("outputs")
        self.module.add("results", v, code)

    def add_lacks(self) -> None:
        """Whether a value is missing that the network reads and that nothing stands for."""
        v = Locals({"x": "i32"})
        code = const("i32", 0)
        for column in self.m.required:
            value = load(self.types.real, v.get("x"), column * self.types.size)
            code += value + value + op(f"{self.types.real}.ne") + op("i32.or")
        self.module.add("lacks", v, code, "i32")

    def add_checked(self) -> None:
        """The results of a row, and whether it lacks a value."""
        v = Locals({"x": "i32", "y": "i32"})
        real, size = self.types.real, self.types.size
        code = b""
        if self.m.required:
            nothing = b"".join(
                store(real, v.get("y"), const(real, float("nan")), number * size)
                for number in range(self.m.results)
            )
            lacks = v.get("x") + self.module.call("lacks")
            code = when(lacks, nothing + const("i32", 1) + op("return"))
        code += v.get("x") + v.get("y") + self.module.call("results") + const("i32", 0)
        self.module.add("checked", v, code, "i32")

    def add_choose(self) -> None:
        """The number of the predicted class; -1 where there is none.

        What is not a number is no larger than minus infinity; a class it is not.
        """
        v = Locals({"p": "i32"})
        real, size = self.types.real, self.types.size
        if self.m.has_threshold:
            best = load(real, v.get("p"), size)
            chosen = best + const(real, self.m.threshold) + op(f"{real}.ge")
            code = b""
        else:
            v.add("i", "i32")
            v.add("chosen", "i32")
            code = v.set("best", real, const(real, float("-inf")))
            take = v.set("best", real, self.element(v, "i")) + v.set("chosen", "i32", v.get("i"))
            more = when(self.element(v, "i") + v.get("best") + op(f"{real}.gt"), take)
            while_ = v.get("i") + const("i32", self.m.outputs) + op("i32.lt_u")
            code += repeat(while_, more + v.increase("i", const("i32", 1)))
            best, chosen = self.element(v, "chosen"), v.get("chosen")
        code += chosen + const("i32", -1) + best + best + op(f"{real}.eq") + op("select")
        self.module.add("choose", v, code, "i32")

    def element(self, v: Locals, index: str) -> bytes:
        """What `p` has at an index."""
        place = v.get(index) + const("i32", self.types.size) + op("i32.mul")
        return load(self.types.real, v.get("p") + place + op("i32.add"))

    def add_many(self, name: str) -> None:
        v = Locals(_MANY)
        one = v.get("x") + v.get("out") + self.module.call("checked")
        self.add_loop(name, v, one, self.results)

    def add_predict(self) -> None:
        v = Locals(_MANY)
        one = v.get("x") + self.scratch + self.module.call("checked")
        one += store("i32", v.get("out"), self.scratch + self.module.call("choose"))
        self.add_loop("predict", v, one, const("i32", 4))

    def add_loop(self, name: str, v: Locals, one: bytes, step: bytes) -> None:
        """An exported function of n rows; `one` leaves whether a row lacks a value."""
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
        """Bits are compared, but for those of what is not a number."""
        v = Locals({})
        real, word = self.types.real, self.types.word
        for name in ("number", "offset"):
            v.add(name, "i32")
        code = v.set("x", "i32", const("i32", rows)) + v.set("y", "i32", const("i32", results))
        code += v.set("class", "i32", const("i32", classes))
        pair = [address + v.get("offset") + op("i32.add") for address in (self.scratch, v.get("y"))]
        found, wanted = (load(real, address) for address in pair)
        differ = b"".join(load(word, address) for address in pair) + op(f"{word}.ne")
        is_number = found + found + op(f"{real}.eq") + wanted + wanted + op(f"{real}.eq")
        fail = v.get("number") + op("return")
        other = when(differ + is_number + op("i32.or") + op("i32.and"), fail)
        one = v.increase("number", const("i32", 1))
        one += v.get("x") + self.scratch + self.module.call("results")
        one += v.set("offset", "i32", const("i32", 0))
        one += repeat(
            v.get("offset") + self.results + op("i32.lt_u"),
            other + v.increase("offset", const("i32", self.types.size)),
        )
        if self.m.classes:
            chosen = self.scratch + self.module.call("choose")
            one += when(chosen + load("i32", v.get("class")) + op("i32.ne"), fail)
        one += v.increase("x", self.row) + v.increase("y", self.results)
        one += v.increase("class", const("i32", 4))
        while_ = v.get("number") + const("i32", len(self.m.golden.rows)) + op("i32.lt_u")
        code += repeat(while_, one) + const("i32", 0)
        self.module.add("selftest", v, code, "i32", exported=True)
