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

from .oracle import EDGES, points_of, spread, usual
from .three import COMPILERS, WARNINGS, builds, c_text, compile_c, in_numpy, in_python

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
# Others have these flags, too: engines are built without errno, and the last are part of "unsafe".
RARE = (LEVELS[3], LEVELS[7])
CARELESS = {"-ffp-contract=fast", "-funsafe-math-optimizations", "-fassociative-math"}
needs_cc = [
    pytest.mark.needs_cc,
    pytest.mark.skipif(not COMPILERS, reason="there is no C compiler"),
]


@cache
def arguments_of(name: str, count: int = 20_000) -> tuple[np.ndarray, ...]:
    """Edges (all pairs of them), numbers of every size and the hard places of the function."""
    random = np.random.default_rng(3)
    pairs = np.array([(a, b) for a in EDGES for b in EDGES])
    match ALL_FUNCTIONS[name].arity:
        case 1:
            hard = points_of(name, random, count // 2)[0]
            return (np.concatenate([EDGES, hard, spread(random, count), usual(random, count)]),)
        case 2:
            hard = points_of(name, random, count) if name == "power" else (EDGES, EDGES[::-1])
            mixed = [np.concatenate([spread(random, count), usual(random, count)]) for _ in "ab"]
            mixed[1] = random.permutation(mixed[1])
            return tuple(np.concatenate([pairs[:, i], hard[i], mixed[i]]) for i in (0, 1))
        case _:
            columns = [random.normal(0, 10, count) for _ in range(4)]
            for column in columns:
                column[: count // 4] = random.choice(EDGES, count // 4)
                column[count // 4 : count // 2] = spread(random, count // 4)
            return tuple(columns)


@cache
def numpys(name: str) -> list[np.ndarray]:
    """The results of numpy, which every build of the C is compared with."""
    return in_numpy(name, *arguments_of(name))


def assert_same_bits(got: list[np.ndarray], wanted: list[np.ndarray], arguments: tuple) -> None:
    for a, b in zip(got, wanted, strict=True):
        same = (a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))
        if not same.all():
            i = int(np.argmin(same))
            at = [float(argument[i]) for argument in arguments]
            pytest.fail(f"{(~same).sum()} differ; first at {at}: {a[i]!r} and {b[i]!r}")


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
        arguments = tuple(np.array([v]) for v in (a, b)[: function.arity or 2])
        assert_same_bits(in_python(name, *arguments), in_numpy(name, *arguments), arguments)


@pytest.mark.parametrize("name", ALL_FUNCTIONS)
def test_a_scalar_gives_the_bits_of_an_array(name: str):
    for a, b in zip(EDGES, EDGES[::-1], strict=True):
        numbers = (a, b)[: ALL_FUNCTIONS[name].arity or 2]
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
