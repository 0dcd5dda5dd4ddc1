"""The arithmetic in Python, numpy, C and JavaScript, behind one call each, and arguments for it.

A call takes the name of a function and arrays, and returns a list of result arrays.
"""

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from cffi import FFI

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.arithmetic.printed import vector
from dsgec.arithmetic.source import c_source, js_source
from tests.support.exact_functions import EDGES, common, points_of, spread

# One name for each program: cc is mostly gcc or clang by another name.
COMPILERS = tuple(
    {
        Path(path).resolve(): name
        for name in ("clang", "gcc", "cc")
        if (path := shutil.which(name))
    }.values()
)


def builds(levels, rare=()):
    """Return parameters of each compiler with each list of flags.

    The rare ones, and most of clang, are for the campaign.
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
TERNARY = """
void loop_{0}(double *y, const double *a, const double *b, const double *c, int n) {{
    for (int i = 0; i < n; i++) y[i] = dsgec_{0}(a[i], b[i], c[i]);
}}
"""
LOOPS = {1: UNARY, 2: BINARY, 3: TERNARY}
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
    function = ALL_FUNCTIONS[name].compute
    rows = zip(*(a.tolist() for a in arguments), strict=True)
    got = [function(*row) for row in rows]
    return list(np.array(got).T) if name == "softmax" else [np.array(got)]


def c_text() -> str:
    """Return all of the C, with a loop over arrays for each function."""
    loops = [
        LOOPS[function.arity].format(function.symbol)
        for function in ALL_FUNCTIONS.values()
        if function.arity
    ]
    return c_source(SYMBOLS) + "".join(loops) + SOFTMAX


def compile_c(folder: Path, compiler: str, flags: tuple[str, ...]) -> Call:
    """Compile all functions with these flags, and return a call of them."""
    source, library = folder / "all.c", folder / "all.so"
    source.write_text(c_text())
    made = folder / "all.o"
    subprocess.run([compiler, *flags, "-fPIC", "-c", source, "-o", made], check=True)
    # Linked without the flags: with some, gcc adds code that changes the floating-point settings.
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
    """Return all of the JavaScript, with a driver that runs its functions over files."""
    return f"{js_source(SYMBOLS)}\nconst functions = {{{', '.join(SYMBOLS)}}};\n{DRIVER}"


def in_javascript(
    folder: Path, arguments: Mapping[str, tuple[np.ndarray, ...]]
) -> dict[str, list[np.ndarray]]:
    """Return the results of each function at its arguments; one process of Node runs them all."""
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


# The functions that each needs, directly or indirectly, written by hand.
EXP_DOWN = {"bits", "from_bits", "exp_core", "exp_down"}
NEEDS = {
    "relu": {"relu"},
    "clip": {"clip"},
    "sqrt": {"absolute", "sqrt"},
    "sig": EXP_DOWN | {"absolute", "sig"},
    "softmax": EXP_DOWN | {"maximum", "softmax"},
    "cos": {"bits", "absolute", "sum_error", "turn", "cos"},
}


@cache
def arguments_of(name: str, count: int = 20_000) -> tuple[np.ndarray, ...]:
    """Return edge cases (all pairs), numbers of every size, and hard cases of the function."""
    random = np.random.default_rng(3)
    pairs = np.array([(a, b) for a in EDGES for b in EDGES])
    match ALL_FUNCTIONS[name].arity:
        case 1:
            hard = points_of(name, random, count // 2)[0]
            return (np.concatenate([EDGES, hard, spread(random, count), common(random, count)]),)
        case 2:
            hard = points_of(name, random, count) if name == "power" else (EDGES, EDGES[::-1])
            mixed = [np.concatenate([spread(random, count), common(random, count)]) for _ in "ab"]
            mixed[1] = random.permutation(mixed[1])
            return tuple(np.concatenate([pairs[:, i], hard[i], mixed[i]]) for i in (0, 1))
        case _:
            columns = [random.normal(0, 10, count) for _ in range(ALL_FUNCTIONS[name].arity or 4)]
            for column in columns:
                column[: count // 4] = random.choice(EDGES, count // 4)
                column[count // 4 : count // 2] = spread(random, count // 4)
            return tuple(columns)


def assert_same_bits(got: list[np.ndarray], wanted: list[np.ndarray], arguments: tuple) -> None:
    for a, b in zip(got, wanted, strict=True):
        same = (a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))
        if not same.all():
            i = int(np.argmin(same))
            at = [float(argument[i]) for argument in arguments]
            pytest.fail(f"{(~same).sum()} differ; first at {at}: {a[i]!r} and {b[i]!r}")
