"""Print the functions of networks, and their derivatives, as loops over the rows of a block."""

from collections.abc import Iterator

from dsgec.arithmetic.functions import DERIVATIVES, FUNCTIONS
from dsgec.program.ir import Binary, Expression, Invoke, Number, Procedure, Variable
from dsgec.program.print_rows import RowsPrinter

_A, _B, _C, _Y, _D = (Variable(name, "double") for name in "abcyd")
_HEAD = """\
#ifndef DSGEC_ROW_FUNCTIONS_C
#define DSGEC_ROW_FUNCTIONS_C
#include "kernels.c"
#include "nodes.c"
#include "variant.h"
"""
_FORWARD = """\
/* The loops of operations on a, on a and b, or on a, b and c. */
static void (*const rows_of[])(double *result, const double *a, const double *b, const double *c,
                               size_t n) = {{
{}}};
typedef char every_operation_has_a_loop[DOT - MULTIPLY == {} ? 1 : -1];
"""
_BACKWARD = """\
/* Loops from the gradient d of a result y to those of the operands; `result` may be d. */
static void (*const rows_back[][3])(double *result, const double *d, const double *a,
                                    const double *b, const double *c, const double *y,
                                    size_t n) = {{
{}}};
"""


def _operations() -> Iterator[tuple[str, str, Expression, tuple[tuple[str, Expression], ...]]]:
    """Yield the name of each operation, its loop, its value, and its derivatives with theirs."""
    yield "MULTIPLY", "rows_multiply", _times(_A, _B), (("multiply_a", _B), ("multiply_b", _A))
    one = Number(1.0, "double")
    inverse = _call("div_derivative_b", one, _A, _Y)
    yield "WHOLE_POWER", "rows_invert", _call("div", one, _A), (("invert_a", inverse),)
    for name, function in FUNCTIONS.items():
        if function.arity:
            own = (_A, _B, _C)[: function.arity]
            found = tuple((one, _call(one, *own, _Y)) for one in DERIVATIVES[name])
            found = found or (("flat", Number(0.0, "double")),) * function.arity
            yield f"OF_{name}", f"rows_{function.symbol}", _call(function.symbol, *own), found


def _times(a: Expression, b: Expression) -> Expression:
    return Binary("*", a, b, "double")


def _call(function: str, *arguments: Expression) -> Expression:
    return Invoke(function, arguments, type="double")


def print_row_functions() -> str:
    """Return the loops of the engine over functions and derivatives, and the tables of them."""
    printer = RowsPrinter()
    forward: list[str] = []
    backward: dict[str, str] = {}
    rows = places = ""
    for operation, loop, value, derivatives in _operations():
        forward.append(printer.function(loop, Procedure("", "", (_A, _B, _C), (), value)))
        rows += f"    [{operation}] = {loop},\n"
        for name, derivative in derivatives:
            whole = Procedure("", "", (_D, _A, _B, _C, _Y), (), _times(_D, derivative))
            backward[name] = printer.function(f"rows_{name}", whole, "WHOLE_LOOP")
        listed = ", ".join(f"rows_{name}" for name, _ in derivatives)
        places += f"    [{operation}] = {{{listed}}},\n"
    parts = [_HEAD, *forward, _FORWARD.format(rows, len(forward))]
    parts += ["#if LEARNING\n", *backward.values(), _BACKWARD.format(places), "#endif\n#endif\n"]
    return "\n".join(parts)
