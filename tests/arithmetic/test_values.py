"""Every function has the stated values at zeros, infinities, NaN and outside its domain."""

import math

import numpy as np
import pytest

from dsgec.arithmetic import scalar
from dsgec.arithmetic.functions import ALL_FUNCTIONS
from tests.support.arithmetic import in_numpy, in_python

INF, NAN = math.inf, math.nan

UNARY = {
    #        -inf  -0.0  0.0  inf  nan
    "neg": (INF, 0.0, -0.0, -INF, NAN),
    "abs": (INF, 0.0, 0.0, INF, NAN),
    "relu": (0.0, -0.0, 0.0, INF, NAN),
    "sqrt": (INF, 0.0, 0.0, INF, NAN),
    "exp": (0.0, 1.0, 1.0, INF, NAN),
    "sig": (0.0, 0.5, 0.5, 1.0, NAN),
    "tanh": (-1.0, -0.0, 0.0, 1.0, NAN),
    "log": (INF, 0.0, 0.0, INF, NAN),
    "sin": (0.0, -0.0, 0.0, 0.0, NAN),
    "cos": (1.0, 1.0, 1.0, 1.0, NAN),
}
AT = (-INF, -0.0, 0.0, INF, NAN)
CALLS = [
    (name, (x,), value) for name, row in UNARY.items() for x, value in zip(AT, row, strict=True)
]
CALLS += [
    ("exp", (709.7827128933841,), INF),
    ("exp", (-745.1332191019411,), 5e-324),
    ("exp", (-745.1332191019412,), 0.0),
    ("sig", (-745.0,), 5e-324),
    ("sig", (40.0,), 1.0),
    ("tanh", (5e-324,), 5e-324),
    ("tanh", (-1e-300,), -1e-300),
    ("log", (1.0,), 0.0),
    ("log", (-1.0,), 0.0),
    ("log", (5e-324,), -744.4400719213812),
    ("sqrt", (-9.0,), 3.0),
    ("sin", (1000000.0000000001,), 0.0),
    ("cos", (1000000.0000000001,), 1.0),
    ("sin", (-1e300,), 0.0),
    ("div", (3.0, 2.0), 1.5),
    ("div", (3.0, 0.0), 1.0),
    ("div", (0.0, -0.0), 1.0),
    ("div", (NAN, 0.0), 1.0),
    ("div", (1.0, NAN), NAN),
    ("div", (1.0, -INF), -0.0),
    ("div", (1e308, 1e-308), INF),
    ("min", (1.0, 2.0), 1.0),
    ("min", (NAN, 2.0), NAN),
    ("min", (2.0, NAN), NAN),
    ("min", (0.0, -0.0), -0.0),
    ("max", (1.0, 2.0), 2.0),
    ("max", (NAN, 2.0), NAN),
    ("max", (2.0, NAN), NAN),
    ("max", (-0.0, 0.0), 0.0),
    ("fill", (NAN, 2.0), 2.0),
    ("fill", (-0.0, 2.0), -0.0),
    ("fill", (INF, 2.0), INF),
    ("is", (3.0, 3.0), 1.0),
    ("is", (-0.0, 0.0), 1.0),
    ("is", (3.0, 4.0), 0.0),
    ("is", (NAN, 3.0), 0.0),
    ("is", (NAN, NAN), 0.0),
    ("power", (2.0, 10.0), 1024.0),
    ("power", (-2.0, 3.0), 8.0),
    ("power", (9.0, 0.5), 3.0),
    ("power", (0.0, 0.0), 1.0),
    ("power", (-0.0, 2.0), 0.0),
    ("power", (0.0, -2.0), 0.0),
    ("power", (0.0, -INF), 0.0),
    ("power", (5.0, 0.0), 1.0),
    ("power", (NAN, 0.0), NAN),
    ("power", (0.0, NAN), NAN),
    ("power", (1.0, NAN), NAN),
    ("power", (INF, 0.0), 1.0),
    ("power", (-INF, 0.5), INF),
    ("power", (INF, -0.5), 0.0),
    ("power", (2.0, INF), INF),
    ("power", (2.0, -INF), 0.0),
    ("power", (0.5, INF), 0.0),
    ("power", (0.5, -INF), INF),
    ("power", (1.0, INF), 1.0),
    ("power", (-1.0, 1e300), 1.0),
    ("power", (10.0, 400.0), INF),
    ("power", (10.0, -400.0), 0.0),
    ("power", (2.0, -1074.0), 5e-324),
    ("power", (5e-324, 1.0), 5e-324),
]


@pytest.mark.parametrize(("name", "arguments", "value"), CALLS, ids=str)
@pytest.mark.parametrize("call", [in_numpy, in_python], ids=["numpy", "python"])
def test_the_value_is_as_defined(call, name: str, arguments: tuple[float, ...], value: float):
    (got,) = call(name, *(np.array([x]) for x in arguments))
    if math.isnan(value):
        assert np.isnan(got[0])
    else:
        assert got.view(np.int64)[0] == np.array([value]).view(np.int64)[0], got


def test_softmax_sums_to_one_and_keeps_the_order():
    z = np.random.default_rng(4).normal(0, 5, (5, 1000))
    got = np.array(in_numpy("softmax", *z))
    assert np.abs(got.sum(axis=0) - 1).max() < 1e-15
    assert (got.argmax(axis=0) == z.argmax(axis=0)).all()


def test_softmax_of_huge_numbers_does_not_overflow():
    assert scalar.softmax(1e308, 1e308) == [0.5, 0.5]
    assert scalar.softmax(-1e308, 1e308) == [0.0, 1.0]
    assert scalar.softmax(-INF, 0.0) == [0.0, 1.0]
    assert scalar.softmax(7.0) == [1.0]


@pytest.mark.parametrize("z", [(NAN, 0.0), (0.0, NAN), (INF, 0.0), (-INF, -INF)], ids=str)
def test_softmax_is_nan_where_it_has_no_value(z: tuple[float, float]):
    assert all(map(math.isnan, scalar.softmax(*z)))


def test_the_table_is_complete_and_unique():
    assert len({function.symbol for function in ALL_FUNCTIONS.values()}) == len(ALL_FUNCTIONS)
    for name, function in ALL_FUNCTIONS.items():
        assert function.name == name
        assert function.meaning.endswith(".")
        assert function.accuracy
        assert "NaN" in function.meaning
