"""The derivatives in the table are those of its functions as defined."""

import inspect
import math
import subprocess

import mpmath as mp
import numpy as np
import pytest
from cffi import FFI
from mpmath import mpf

from dsgec.arithmetic import scalar
from dsgec.arithmetic.functions import ALL_FUNCTIONS, FUNCTIONS
from dsgec.arithmetic.printed import vector
from dsgec.arithmetic.source import c_source
from tests.support.arithmetic import COMPILERS, WARNINGS, arguments_of, assert_same_bits
from tests.support.exact_functions import EXACT, PRECISION, points_of

INF = math.inf
ULP = 4  # of a derivative
SATURATING = {"sig", "tanh"}  # 1 − y has the error of y, so theirs counts in units of 1
DERIVATIVES = [
    (name, argument)
    for name, function in ALL_FUNCTIONS.items()
    if function.arity
    for argument in range(len(function.derivatives))
]
CONDITIONS = [name for name, function in ALL_FUNCTIONS.items() if not function.derivatives]


def symbol_of(name, argument):
    """Return the symbol of the partial derivative of a function by one of its arguments."""
    function = ALL_FUNCTIONS[name]
    names = list(inspect.signature(function.compute).parameters)
    return f"{function.symbol}_derivative" + (f"_{names[argument]}" if names[1:] else "")


def in_python(name, argument, *points):
    function = ALL_FUNCTIONS[name].compute
    derivative = ALL_FUNCTIONS[name].derivatives[argument]
    rows = zip(*(p.tolist() for p in points), strict=True)
    return np.array([derivative(*row, function(*row)) for row in rows])


def in_numpy(name, argument, *points):
    with np.errstate(all="ignore"):
        y = getattr(vector, ALL_FUNCTIONS[name].symbol)(*points)
        found = getattr(vector, symbol_of(name, argument))(*points, y)
    return np.array(np.broadcast_to(found, y.shape))


def exact_derivative(name, argument, point):
    """Differentiate the exact function numerically; return None if the two sides differ."""
    place = [mpf(float(x)) for x in point]
    x = place[argument]
    step = abs(x) * mpf(2) ** -60 or mpf(2) ** -1200
    values = [
        EXACT[name](*place[:argument], x + side * step, *place[argument + 1 :])
        for side in (-1, 0, 1)
    ]
    left, right = values[1] - values[0], values[2] - values[1]
    if abs(right - left) > mpf(2) ** -30 * max(abs(left), abs(right)):
        return None
    return (left + right) / (2 * step)


@pytest.mark.parametrize("count", [200, pytest.param(800, marks=pytest.mark.campaign)])
@pytest.mark.parametrize(("name", "argument"), DERIVATIVES, ids=str)
def test_a_derivative_is_that_of_the_exact_function(name, argument, count):
    if name not in FUNCTIONS:
        pytest.skip("a step of an encoding, which nothing learns through")
    random = np.random.default_rng(7)
    whole = points_of(name, random, 1200)
    chosen = random.choice(len(whole[0]), min(len(whole[0]), count), replace=False)
    points = [p[chosen] for p in whole]
    found = in_numpy(name, argument, *points)
    with np.errstate(all="ignore"):
        y = getattr(vector, ALL_FUNCTIONS[name].symbol)(*points)
    compared = 0
    with mp.workprec(1400):  # a step may be 2^-1100 beside 1
        for derivative, value, *point in zip(found, y, *points, strict=True):
            exact = exact_derivative(name, argument, point)
            # Where the function itself is out of range or subnormal, so may the derivative be.
            if exact is None or not (value == 0 or 1e-300 < abs(value) < 1e300):
                continue
            if exact and not 1e-300 < abs(exact) < 1e300:
                continue
            scale = max(abs(exact), 1 if name in SATURATING else 0)
            bound = ULP * scale * mpf(2) ** -52 + mpf(2) ** -600
            assert abs(mpf(float(derivative)) - exact) <= bound, (point, derivative)
            compared += 1
    assert compared >= count * 3 / 8


@pytest.mark.parametrize(
    ("name", "point", "derivatives"),
    [
        ("abs", (0.0,), (0.0,)),
        ("abs", (-0.0,), (0.0,)),
        ("abs", (-INF,), (-1.0,)),
        ("relu", (0.0,), (0.0,)),
        ("relu", (5e-324,), (1.0,)),
        ("relu", (-INF,), (0.0,)),
        ("min", (1.0, 1.0), (0.0, 1.0)),
        ("max", (1.0, 1.0), (0.0, 1.0)),
        ("max", (-0.0, 0.0), (0.0, 1.0)),
        ("div", (3.0, 0.0), (0.0, 0.0)),
        ("div", (3.0, -0.0), (0.0, 0.0)),
        ("div", (3.0, INF), (0.0, -0.0)),
        ("sqrt", (0.0,), (0.0,)),
        ("sqrt", (INF,), (0.0,)),
        ("sqrt", (-INF,), (-0.0,)),
        ("log", (0.0,), (0.0,)),
        ("log", (-INF,), (-0.0,)),
        ("exp", (-INF,), (0.0,)),
        ("exp", (INF,), (INF,)),
        ("sig", (-INF,), (0.0,)),
        ("sig", (INF,), (0.0,)),
        ("tanh", (0.0,), (1.0,)),
        ("tanh", (-INF,), (0.0,)),
        ("sin", (1e6,), (scalar.cos(1e6),)),
        ("sin", (1000000.0000000001,), (0.0,)),
        ("sin", (-INF,), (0.0,)),
        ("cos", (1000000.0000000001,), (-0.0,)),
        ("power", (0.0, 2.0), (0.0, 0.0)),
        ("power", (0.0, 0.5), (0.0, 0.0)),
        ("power", (0.0, 0.0), (0.0, 0.0)),
        ("power", (0.0, -2.0), (0.0, 0.0)),
        ("power", (-2.0, 3.0), (-12.0, 8 * scalar.log(2.0))),
        ("power", (1.0, 5.0), (5.0, 0.0)),
        ("fill", (math.nan, 2.0), (0.0, 1.0)),
        ("fill", (1.0, 2.0), (1.0, 0.0)),
        ("is", (1.0, 1.0), (0.0, 0.0)),
    ],
    ids=str,
)
def test_a_derivative_at_a_kink_a_jump_or_an_end_is_as_agreed(name, point, derivatives):
    arrays = [np.array([x]) for x in point]
    for argument, derivative in enumerate(derivatives):
        for call in (in_python, in_numpy):
            (found,) = call(name, argument, *arrays)
            assert float(found).hex() == derivative.hex(), (call, argument)


def test_the_derivative_of_softmax_is_its_jacobian():
    z = [0.3, -1.2, 2.0, 0.0]
    y = scalar.softmax(*z)
    (derivative,) = FUNCTIONS["softmax"].derivatives
    with mp.workprec(PRECISION):
        for i in range(4):
            for j in range(4):

                def result(x, i=i, j=j):
                    e = [mp.exp(x if k == j else v) for k, v in enumerate(z)]
                    return e[i] / mp.fsum(e)

                exact = mp.diff(result, z[j])
                assert abs(derivative(y[i], y[j], float(i == j)) - exact) <= 4 * mpf(2) ** -53


@pytest.mark.parametrize("name", CONDITIONS)
def test_only_a_function_that_is_flat_has_no_derivatives(name):
    found = []
    with mp.workprec(1400):
        for point in zip(*points_of(name, np.random.default_rng(7), 200), strict=True):
            for argument in range(ALL_FUNCTIONS[name].arity):
                found.append(exact_derivative(name, argument, point))
    assert 0 in found
    assert {*found} <= {0, None}


@pytest.mark.parametrize(("name", "argument"), DERIVATIVES, ids=str)
def test_python_and_numpy_give_the_same_derivatives(name, argument):
    points = arguments_of(name, 2000)
    found = in_python(name, argument, *points)
    assert_same_bits([found], [in_numpy(name, argument, *points)], points)


@pytest.mark.needs_cc
@pytest.mark.skipif(not COMPILERS, reason="there is no C compiler")
def test_c_and_numpy_give_the_same_derivatives(tmp_path):
    symbols = [symbol_of(name, argument) for name, argument in DERIVATIVES]
    functions = [ALL_FUNCTIONS[name].symbol for name, _ in DERIVATIVES]
    loops, declarations = [], []
    for (name, _), function, symbol in zip(DERIVATIVES, functions, symbols, strict=True):
        arguments = ("a", "b", "c")[: ALL_FUNCTIONS[name].arity]
        parameters = "".join(f"const double *{a}, " for a in arguments)
        items = ", ".join(f"{a}[i]" for a in arguments)
        declarations.append(f"void loop_{symbol}(double *d, {parameters}int n)")
        loops.append(
            f"{declarations[-1]} {{\n    for (int i = 0; i < n; i++)"
            f" d[i] = dsgec_{symbol}({items}, dsgec_{function}({items}));\n}}\n"
        )
    (tmp_path / "all.c").write_text(c_source([*symbols, *functions]) + "".join(loops))
    command = [
        COMPILERS[0],
        "-std=c99",
        *WARNINGS,
        "-O2",
        "-fPIC",
        "-shared",
        "all.c",
        "-o",
        "a.so",
    ]
    subprocess.run(command, check=True, cwd=tmp_path)
    ffi = FFI()
    ffi.cdef("".join(f"{declaration};" for declaration in declarations))
    loaded = ffi.dlopen(str(tmp_path / "a.so"))
    for (name, argument), symbol in zip(DERIVATIVES, symbols, strict=True):
        points = arguments_of(name, 2000)
        found = np.empty_like(points[0])
        inputs = (
            ffi.from_buffer("double[]", p) for p in (found, *map(np.ascontiguousarray, points))
        )
        getattr(loaded, f"loop_{symbol}")(*inputs, len(found))
        assert_same_bits([found], [in_numpy(name, argument, *points)], points)
