"""The descent in native code: the bits of `PlainDescent`, hundreds of times as fast."""

from functools import cache
from typing import Any

import numpy as np

from dsgec.arithmetic.source import arithmetic_header
from dsgec.engine.library import Library, load, resolve_includes, without_directives
from dsgec.engine.toolchain import CompileError, Toolchain
from dsgec.resources import TEMPLATES
from dsgec.search.walk.descent import (
    BATCH,
    BATCH_STRIDE,
    PARTIALS,
    Survey,
    WalkTable,
    input_deviations,
    make_survey,
)
from dsgec.search.walk.layer import ACTIVATIONS, Array, Numerals, SharedLayer, middles

FLAGS = ("-O3", "-fno-trapping-math")
_NATIVE = "-march=native"
_OWN = ("descent.c", "descent.h")
_NEEDED = (
    "exp_down",
    "log",
    "sqrt",
    *ACTIVATIONS,
    *(f"{name}_derivative" for name in ACTIVATIONS),
)
_EMPTY = np.empty(0)


def arithmetic() -> str:
    """Return the functions of the arithmetic that the descent uses, in C."""
    return arithmetic_header(_NEEDED)


def descent_source() -> str:
    """Return the C source of the descent."""
    return resolve_includes("descent.c", _read, set())


def _read(name: str) -> str:
    if name == "arithmetic.h":
        return arithmetic()
    folder = "walk" if name in _OWN else "engine"
    return TEMPLATES.joinpath(f"{folder}/{name}").read_text(encoding="utf-8")


@cache
def load_descent(toolchain: Toolchain) -> Library:
    """Return the descent, compiled now or before, for this processor if the compiler can."""
    source, header = descent_source(), without_directives(_read("descent.h"))
    try:
        library = load(source, header, toolchain, (*FLAGS, _NATIVE))
    except CompileError:
        library = load(source, header, toolchain, FLAGS)
    library.expect(BATCH=BATCH, BATCH_STRIDE=BATCH_STRIDE, PARTIALS=PARTIALS)
    return library


def _aligned(count: int) -> Array:
    """Return an array that begins at a cache line."""
    memory = np.empty(count + PARTIALS)
    start = -(memory.ctypes.data // memory.itemsize) % PARTIALS
    return memory[start : start + count]


_NO_LEVELS = (np.empty(0), np.empty(0), np.empty(0, np.int32))


def _level_arrays(numerals: Numerals | None) -> tuple[Any, ...]:
    """Return all levels, the middles behind each of them, and where those of each kind begin.

    Without numerals they are empty.
    """
    if numerals is None:
        return _NO_LEVELS
    levels = numerals.levels
    starts = np.cumsum([0, *map(len, levels)]).astype(np.int32)
    return np.concatenate(levels), np.concatenate([*map(middles, levels)]), starts


class NativeDescent:
    """The descent in native code; one of them may be used by several threads."""

    def __init__(self, table: WalkTable, library: Library) -> None:
        self.table, self.library = table, library
        self._inputs = input_deviations(table)
        self._table = library.struct(
            "dsgec_walk_table",
            inputs=len(table.columns),
            outputs=len(table.targets),
            rows=table.rows,
            surveyed=table.surveyed,
            stride=table.columns.shape[1],
            columns=table.columns,
            targets=table.targets,
            row_weights=table.row_weights,
        )

    def descend(self, net: SharedLayer, rates: Array) -> None:
        gradient = np.empty_like(net.values)
        given, scratch, kept = self._network(net, gradient, all_inputs=False)
        self.library.functions.dsgec_walk_descend(
            self._table,
            given,
            self._pointer(rates),
            len(rates),
            net.steps,
            self._pointer(net.powers),
            self._pointer(scratch),
        )
        net.steps += len(rates)
        del kept

    def survey(self, net: SharedLayer, *, absent: bool = False) -> Survey:
        sums = np.zeros((2, net.hidden))
        shape = (net.count, net.shape.inputs + net.hidden)
        found = np.zeros(shape) if absent else None
        given, scratch, kept = self._network(net, _EMPTY, all_inputs=absent)
        loss = self.library.functions.dsgec_walk_survey(
            self._table,
            given,
            self._pointer(sums),
            self.library.ffi.NULL if found is None else self._pointer(found),
            self._pointer(scratch),
        )
        del kept
        return make_survey(self.table, self._inputs, loss, sums, found)

    def _network(
        self, net: SharedLayer, gradient: Array, *, all_inputs: bool
    ) -> tuple[Any, Array, Any]:
        """Return a network as C reads it, its scratch, and the arrays that must live as long."""
        first, (least, most) = net.first, net.bounds()
        inputs = net.shape.inputs
        is_used = np.full(inputs, all_inputs)
        is_used[net.sources[net.sources < inputs]] = True
        used = np.flatnonzero(is_used).astype(np.int32)
        places = np.concatenate([np.cumsum(is_used) - 1, len(used) + np.arange(net.hidden)])
        sources = places[net.sources].astype(np.int32)
        numerals = net.numerals
        seen = np.empty_like(net.values) if numerals else net.values
        levels = _level_arrays(numerals)
        given = self.library.struct(
            "dsgec_walk_network",
            inputs=len(used),
            hidden=net.hidden,
            connections=net.size,
            activation=ACTIVATIONS.index(net.shape.activation),
            used=used,
            first=first,
            sources=sources,
            values=net.values,
            momentum=net.momentum,
            square=net.square,
            gradient=gradient,
            least=least,
            most=most,
            penalty=net.shape.penalty,
            seen=seen,
            has_levels=numerals is not None,
            levels=levels[0],
            middles=levels[1],
            first_level=levels[2],
            units=2.0**numerals.digits if numerals else 0.0,
            unit=2.0**-numerals.digits if numerals else 0.0,
            top=numerals.top if numerals else 0.0,
        )
        kept = (used, first, sources, least, most, seen, *levels)
        scratch = _aligned(BATCH * (len(used) + 3 * net.count))
        return given, scratch, kept

    def _pointer(self, values: Array) -> Any:
        return self.library.ffi.cast("double *", values.ctypes.data)
