"""Single precision: C and numpy give the same bits, near the exact value."""

import re
import subprocess

import numpy as np
import pytest
from cffi import FFI

from dsgec.arithmetic.functions import ALL_FUNCTIONS, FUNCTIONS
from dsgec.arithmetic.printed import vector, vector_float
from dsgec.arithmetic.source import c_source
from tests.support.arithmetic import LOOPS, SOFTMAX, SYMBOLS, WARNINGS, builds

LEVELS = (("-O0",), ("-O2",), ("-O3", "-march=native"), ("-O3", "-fno-math-errno"), ("-Os",))
# The greatest error, in units in the last place of a float: that of the table but for these.
ULP = {name: function.ulp for name, function in FUNCTIONS.items() if function.arity} | {
    "sin": 3.0,
    "cos": 3.0,
}
EDGES = np.array(
    [
        *(
            0,
            -0.0,
            1,
            -1,
            0.5,
            np.inf,
            -np.inf,
            np.nan,
            1e-45,
            -1e-45,
            1.1754944e-38,
            3.4e38,
            -3.4e38,
        ),
        *(88.7, 88.8, -87.4, -103.9, -104.1, 1e6, 1000001, -1e6, 2.4414062e-4, 20, -20, 9.01, 1e30),
    ],
    np.float32,
)


def points(name, seed=1, count=20_000):
    """Return edge cases, random bits and numbers of common sizes."""
    random = np.random.default_rng(seed)

    def column():
        words = random.integers(0, 2**32, count, dtype=np.uint32).view(np.float32)
        usual = random.choice([-1, 1], count) * 10.0 ** random.uniform(-8, 3, count)
        return np.concatenate([words, usual.astype(np.float32)])

    pairs = np.array([(a, b) for a in EDGES for b in EDGES])
    arity = ALL_FUNCTIONS[name].arity or 4
    if arity == 1:
        return (np.concatenate([EDGES, column()]),)
    edges = [pairs[:, 0], pairs[:, 1], pairs[::-1, 0], pairs[::-1, 1]]
    return tuple(np.concatenate([edges[i], column()]) for i in range(arity))


def in_numpy(name, *arguments):
    with np.errstate(all="ignore"):
        got = getattr(vector_float, ALL_FUNCTIONS[name].symbol)(*arguments)
    return got if name == "softmax" else [got]


def c_text():
    loops = [
        LOOPS[function.arity].format(function.symbol)
        for function in ALL_FUNCTIONS.values()
        if function.arity
    ]
    return c_source(SYMBOLS, "float") + ("".join(loops) + SOFTMAX).replace("double", "float")


@pytest.mark.needs_cc
@pytest.mark.parametrize(("compiler", "flags"), builds(LEVELS, rare=[LEVELS[3]]))
def test_c_and_numpy_give_the_same_bits(compiler, flags, tmp_path):
    (tmp_path / "all.c").write_text(c_text())
    command = [compiler, "-std=c99", *WARNINGS, *flags, "-fPIC", "-shared", "all.c", "-o", "all.so"]
    subprocess.run(command, check=True, cwd=tmp_path)
    ffi = FFI()
    for function in ALL_FUNCTIONS.values():
        inputs = ", float *" * (function.arity or 0)
        tail = ", int);" if function.arity else ", int, int);"
        ffi.cdef(f"void loop_{function.symbol}(float *{inputs}{tail}")
    loaded = ffi.dlopen(str(tmp_path / "all.so"))

    def pointer(array):
        return ffi.cast("float *", ffi.from_buffer(array))

    for name, function in ALL_FUNCTIONS.items():
        arguments = points(name)
        loop = getattr(loaded, f"loop_{function.symbol}")
        if name == "softmax":
            z = np.stack(arguments, axis=1).copy()
            loop(pointer(z), *z.shape)
            got = list(z.T)
        else:
            out = np.empty_like(arguments[0])
            loop(pointer(out), *map(pointer, arguments), len(out))
            got = [out]
        for a, b in zip(got, in_numpy(name, *arguments), strict=True):
            same = (a.copy().view(np.uint32) == b.view(np.uint32)) | (np.isnan(a) & np.isnan(b))
            first = int(np.argmin(same))
            assert same.all(), (name, [v[first] for v in arguments], a[first], b[first])


@pytest.mark.parametrize("name", ULP)
def test_the_error_against_double_precision_is_small(name):
    arguments = points(name, 2, 100_000)
    (got,) = in_numpy(name, *arguments)
    assert got.dtype == np.float32
    with np.errstate(all="ignore"):
        exact = getattr(vector, ALL_FUNCTIONS[name].symbol)(*(a.astype(float) for a in arguments))
        unit = np.spacing(np.abs(exact).astype(np.float32)).astype(float)
        told = np.isfinite(exact) & (np.abs(exact) < 3.4e38)
        error = np.abs(got.astype(float) - exact)[told] / unit[told]
        overflown = ~np.isnan(exact) & (np.abs(exact) > 3.41e38)

    assert error.max() <= ULP[name], (name, [a[told][error.argmax()] for a in arguments])
    assert (np.isnan(got) == np.isnan(exact)).all()
    assert np.isinf(got[overflown]).all()


def test_every_number_stays_single():
    for name in ALL_FUNCTIONS:
        for result in in_numpy(name, *points(name, 3, 100)):
            assert result.dtype == np.float32, name


def test_no_literal_of_the_c_is_a_double():
    code = re.sub(r"/\*.*?\*/", "", c_source(SYMBOLS, "float"), flags=re.DOTALL)
    assert "double" not in code.replace("-Wdouble", "")
    assert not re.search(r"(?<![\w.])\d+\.\d+(?:e[-+]?\d+)?(?![\w.])", code)
