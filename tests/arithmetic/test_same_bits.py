"""C, numpy and Python give the same bits for every function, whatever the compiler's flags."""

import platform
import shutil
import subprocess
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from tests.support.arithmetic import (
    COMPILERS,
    WARNINGS,
    arguments_of,
    assert_same_bits,
    builds,
    c_text,
    compile_c,
    in_numpy,
    in_python,
)
from tests.support.exact_functions import EDGES

LEVELS = (
    ("-O0",),
    ("-O2",),
    ("-O3", "-march=native"),
    ("-O3", "-fno-math-errno"),
    ("-Os",),
    # What a careless build might ask for: the guard in the source must withstand it.
    ("-O3", "-march=native", "-std=gnu11", "-ffp-contract=fast"),
    ("-O2", "-funsafe-math-optimizations"),
    ("-O2", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"),
)
# Other tests use these flags, too: engines are built without errno, and the last are in "unsafe".
RARE = (LEVELS[3], LEVELS[7])
CARELESS = {"-ffp-contract=fast", "-funsafe-math-optimizations", "-fassociative-math"}
needs_cc = [
    pytest.mark.needs_cc,
    pytest.mark.skipif(not COMPILERS, reason="there is no C compiler"),
]


@cache
def numpys(name: str) -> list[np.ndarray]:
    """Return the results of numpy, which every build of the C is compared with."""
    return in_numpy(name, *arguments_of(name))


@pytest.mark.parametrize("count", [5000, pytest.param(20_000, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("name", ALL_FUNCTIONS)
def test_python_and_numpy_give_the_same_bits(name: str, count: int):
    arguments = arguments_of(name, count)
    assert_same_bits(in_python(name, *arguments), in_numpy(name, *arguments), arguments)


@pytest.mark.parametrize(("compiler", "flags"), builds(LEVELS, RARE))
class TestC:
    pytestmark = needs_cc

    def test_c_and_numpy_give_the_same_bits(self, compiler, flags, tmp_path):
        if "clang" in compiler and CARELESS & set(flags):
            pytest.skip("clang does what such flags say, whatever the source says")
        call = compile_c(tmp_path, compiler, flags)
        for name in ALL_FUNCTIONS:
            arguments = arguments_of(name)
            assert_same_bits(call(name, *arguments), numpys(name), arguments)


@settings(max_examples=300, deadline=None)
@given(st.floats(), st.floats())
def test_any_two_doubles_give_the_same_bits_in_python_and_numpy(a: float, b: float):
    for name, function in ALL_FUNCTIONS.items():
        arguments = tuple(np.array([v]) for v in (a, b, -a)[: function.arity or 2])
        assert_same_bits(in_python(name, *arguments), in_numpy(name, *arguments), arguments)


@pytest.mark.parametrize("name", ALL_FUNCTIONS)
def test_a_scalar_gives_the_bits_of_an_array(name: str):
    for a, b in zip(EDGES, EDGES[::-1], strict=True):
        numbers = (a, b, -a)[: ALL_FUNCTIONS[name].arity or 2]
        whole = in_numpy(name, *(np.array([v]) for v in numbers))
        for kind in (float, np.float64, np.array):
            single = in_numpy(name, *map(kind, numbers))
            single = [np.array([float(v)]) for v in single]
            assert_same_bits(single, whole, tuple(np.array([v]) for v in numbers))


@pytest.mark.parametrize("compiler", [*COMPILERS, *filter(shutil.which, ["g++", "clang++"])])
@pytest.mark.needs_cc
def test_the_c_compiles_without_a_warning(compiler: str, tmp_path):
    plus = compiler.endswith("++")
    source = tmp_path / ("all.cpp" if plus else "all.c")
    source.write_text(c_text())
    # What an optimiser warns of is no matter of the language.
    flags = ("-O0",) if plus else ("-std=c99", "-O2")
    subprocess.run(
        [compiler, *flags, *WARNINGS, "-c", source, "-o", tmp_path / "all.o"], check=True
    )


@pytest.mark.needs_cc
@pytest.mark.skipif(not COMPILERS, reason="there is no C compiler")
def test_fast_math_is_refused(tmp_path):
    source = tmp_path / "all.c"
    source.write_text(c_text())
    command = [COMPILERS[0], "-ffast-math", "-c", source, "-o", tmp_path / "all.o"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert "must be compiled without -ffast-math" in done.stderr


@pytest.mark.needs_cc
@pytest.mark.skipif(
    not shutil.which("gcc") or platform.machine() != "x86_64", reason="gcc tells what it does"
)
@pytest.mark.parametrize("name", ["exp", "sig", "tanh", "relu", "log", "sin", "cos"])
def test_a_loop_over_the_function_is_vectorised(name: str, tmp_path):
    source = tmp_path / "loop.c"
    text = c_text()
    start = text.index(f"void loop_{name}(")
    source.write_text(
        text[: text.index("\nvoid loop_")] + "\n" + text[start : text.index("}", start) + 1]
    )
    command = ["gcc", "-O3", "-march=native", "-fopt-info-vec", "-c", source, "-o", tmp_path / "o"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "loop vectorized" in done.stderr
