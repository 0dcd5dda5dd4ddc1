"""Functions on one row become loops over rows that compute the same bits."""

import ctypes
import subprocess

import numpy as np
import pytest

from dsgec.arithmetic.procedures import read_function
from dsgec.engine import kernels
from dsgec.engine.print_kernels import read_kernel
from dsgec.program.print_rows import LanesPrinter, RowsPrinter
from dsgec.program.specialise import specialise
from tests.support.random_networks import rows as random_rows

SOURCE = '''
def between(x: Row, least: float, count: int, is_halved: bool) -> float:
    """Return the sum of what lies above a least value, and the largest."""
    total = 0.0
    most = x[0]
    for k in range(count):
        more = x[k] - least
        total += more if more > 0.0 else 0.0
        most = x[k] if x[k] > most else most
    if is_halved:
        total = total * 0.5
    return total + most
'''
SHARED = """
#include <stddef.h>
#include <stdint.h>
enum { BLOCK = 64, LANES = 8, PART = 1 };
typedef double Part;
#define PART_AT(values) (*(const Part *)(values))
#define PUT_PART(values, part) (*(Part *)(values) = (part))
#define EACH_ROW for (i = 0; i < n; i++)
"""


def between(x, least, is_halved):
    total, most = 0.0, x[0]
    for value in x:
        more = value - least
        total += more if more > 0.0 else 0.0
        most = value if value > most else most
    return (total * 0.5 if is_halved else total) + most


def test_a_loop_over_outputs_stands_around_loops_over_rows():
    text = RowsPrinter(uniform=("least",)).function("f", read_function(SOURCE, "between"))
    assert text == (
        "/* Return the sum of what lies above a least value, and the largest. */\n"
        "static void f(double *result, const double *const *x, double least, int32_t count,"
        " int is_halved,\n"
        "              size_t n) {\n"
        "    double total[BLOCK];\n"
        "    double most[BLOCK];\n"
        "    size_t i;\n"
        "    const double *x_0 = x[0];\n"
        "    EACH_ROW {\n"
        "        total[i] = 0.0;\n"
        "        most[i] = x_0[i];\n"
        "    }\n"
        "    for (int32_t k = 0; k < count; k++) {\n"
        "        const double *x_k = x[k];\n"
        "        EACH_ROW {\n"
        "            const double more = x_k[i] - least;\n"
        "            total[i] = total[i] + (more > 0.0 ? more : 0.0);\n"
        "            most[i] = x_k[i] > most[i] ? x_k[i] : most[i];\n"
        "        }\n"
        "    }\n"
        "    if (is_halved) {\n"
        "        EACH_ROW {\n"
        "            total[i] = total[i] * 0.5;\n"
        "        }\n"
        "    }\n"
        "    EACH_ROW {\n"
        "        result[i] = total[i] + most[i];\n"
        "    }\n"
        "}\n"
    )


def compile_function(folder, text, declaration):
    """Return the compiled function `g`, which calls the printed `f`, as ctypes has it."""
    (folder / "rows.c").write_text(f"{SHARED}\n{text}\n{declaration}\n")
    command = ["cc", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "rows.c", "-o", "rows.so"]
    subprocess.run(command, check=True, cwd=folder)
    return ctypes.CDLL(str(folder / "rows.so")).g


@pytest.mark.needs_cc
@pytest.mark.parametrize("is_halved", [0, 1])
@pytest.mark.parametrize("specialised", [False, True])
def test_the_loops_compute_the_bits_of_the_source(specialised, is_halved, tmp_path):
    procedure = read_function(SOURCE, "between")
    if specialised:
        procedure = specialise(procedure, count=3, is_halved=is_halved)
    text = RowsPrinter(uniform=("least",)).function("f", procedure)
    call = "f(to, c, 0.25, n)" if specialised else f"f(to, c, 0.25, 3, {is_halved}, n)"
    g = compile_function(
        tmp_path,
        text,
        "void g(double *to, const double *x, size_t n) {\n"
        f"    const double *c[3] = {{x, x + n, x + 2 * n}};\n    {call};\n}}",
    )
    x = np.ascontiguousarray(random_rows(1, 64, 3).T)
    found = np.empty(64)
    g(found.ctypes, x.ctypes, ctypes.c_size_t(64))

    expected = [between(row, 0.25, is_halved) for row in x.T.tolist()]
    assert np.array(expected).tobytes() == found.tobytes()


@pytest.mark.needs_cc
def test_row_i_is_added_to_lane_i(tmp_path):
    text = LanesPrinter("lanes").function(
        "f", specialise(read_kernel(kernels.add_products), count=2)
    )
    g = compile_function(
        tmp_path,
        text,
        "void g(double *lanes, const double *d, const double *x, size_t n) {\n"
        "    const double *c[2] = {x, x + n};\n    f(lanes, d, c, n);\n}",
    )
    rng = np.random.default_rng(1)
    d, x = rng.normal(size=64), rng.normal(size=(2, 64))
    lanes = rng.normal(size=(3, 8))
    expected = lanes.tolist()
    for i in range(64):
        for number, factor in enumerate((1.0, *x[:, i].tolist())):
            expected[number][i % 8] += float(d[i]) * factor
    g(lanes.ctypes, d.ctypes, x.ctypes, ctypes.c_size_t(64))

    assert lanes.tolist() == expected
