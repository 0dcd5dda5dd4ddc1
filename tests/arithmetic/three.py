"""The three implementations behind one call each: name and arrays in, list of result arrays out."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cffi import FFI

from dsgec.arithmetic import scalar
from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.arithmetic.printed import vector
from dsgec.arithmetic.source import c_source

# One name for each program: cc is mostly gcc or clang by another name.
COMPILERS = tuple(
    {
        Path(path).resolve(): name
        for name in ("clang", "gcc", "cc")
        if (path := shutil.which(name))
    }.values()
)


def builds(levels, rare=()):
    """Each compiler with each list of flags.

    The rare ones are for the campaign, and for clang beside gcc most.
    """
    return [
        pytest.param(
            *(compiler, flags),
            id=f"{compiler}-{' '.join(flags)}",
            marks=[pytest.mark.campaign]
            * (flags in rare or (compiler == "clang" and flags != ("-O2",))),
        )
        for compiler in COMPILERS or ["none"]
        for flags in levels
    ]


WARNINGS = ("-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wdouble-promotion", "-Werror")

Call = Callable[..., list[np.ndarray]]

UNARY = """
void loop_{0}(double *y, const double *x, int n) {{
    for (int i = 0; i < n; i++) y[i] = dsgec_{0}(x[i]);
}}
"""
BINARY = """
void loop_{0}(double *y, const double *a, const double *b, int n) {{
    for (int i = 0; i < n; i++) y[i] = dsgec_{0}(a[i], b[i]);
}}
"""
SOFTMAX = """
void loop_softmax(double *z, int rows, int n) {
    for (int i = 0; i < rows; i++) dsgec_softmax(z + (long)i * n, n);
}
"""
SYMBOLS = tuple(function.symbol for function in ALL_FUNCTIONS.values())


def in_numpy(name: str, *arguments: np.ndarray) -> list[np.ndarray]:
    with np.errstate(all="ignore"):
        got = getattr(vector, ALL_FUNCTIONS[name].symbol)(*arguments)
    return got if name == "softmax" else [got]


def in_python(name: str, *arguments: np.ndarray) -> list[np.ndarray]:
    function = getattr(scalar, ALL_FUNCTIONS[name].symbol)
    rows = zip(*(a.tolist() for a in arguments), strict=True)
    got = [function(*row) for row in rows]
    return list(np.array(got).T) if name == "softmax" else [np.array(got)]


def c_text() -> str:
    """All of the C with a loop over arrays for each function of the table."""
    loops = [
        {1: UNARY, 2: BINARY}[function.arity].format(function.symbol)
        for function in ALL_FUNCTIONS.values()
        if function.arity
    ]
    return c_source(SYMBOLS) + "".join(loops) + SOFTMAX


def compile_c(folder: Path, compiler: str, flags: tuple[str, ...]) -> Call:
    """The functions of the table as this compiler makes them with these flags."""
    source, library = folder / "all.c", folder / "all.so"
    source.write_text(c_text())
    made = folder / "all.o"
    subprocess.run([compiler, *flags, "-fPIC", "-c", source, "-o", made], check=True)
    # Linked without the flags: with some, gcc adds code that changes how the process computes.
    subprocess.run([compiler, "-shared", made, "-o", library], check=True)
    ffi = FFI()
    for function in ALL_FUNCTIONS.values():
        inputs = ", double *" * (function.arity or 0)
        tail = ", int);" if function.arity else ", int, int);"
        ffi.cdef(f"void loop_{function.symbol}(double *{inputs}{tail}")
    loaded = ffi.dlopen(str(library))

    def pointer(array: np.ndarray):
        return ffi.cast("double *", ffi.from_buffer(array))

    def call(name: str, *arguments: np.ndarray) -> list[np.ndarray]:
        loop = getattr(loaded, f"loop_{ALL_FUNCTIONS[name].symbol}")
        if name == "softmax":
            z = np.stack(arguments, axis=1).copy()
            loop(pointer(z), *z.shape)
            return list(z.T)
        inputs = [np.ascontiguousarray(a) for a in arguments]
        out = np.empty_like(inputs[0])
        loop(pointer(out), *map(pointer, inputs), len(out))
        return [out]

    return call
