"""Print the arithmetic as C: the files in `templates/c/printed`, one section for each function."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from dsgec.arithmetic.procedures import procedures
from dsgec.arithmetic.source import choose, section, sections
from dsgec.program import ir
from dsgec.program.print_c import CArithmeticPrinter

_ABOUT_PARTS = (
    "sig in three parts, with the same operations in the same order: exp(-|x|) is a power of 2"
    " (scale)",
    "times exp(a - b), the second part is exp(a - b) - 1, the third is the result.",
)
_INTEGER_HEAD = """\
/* == guard == */
/* Integers of 32 bits that never overflow, so that every machine computes the same ones. */
#include <stdint.h>
/* Tables and weights can be in a memory that is read in a way of its own. */
#ifndef DSGEC_READ
#define DSGEC_READ(table, i) ((table)[i])
#endif
/* == shift == */
/* a / 2^n, rounded down. What a >> of a negative number gives is the compiler's choice: where it is
 * not this, the other branch is taken, and of both only one is compiled. */
static inline int32_t dsgec_shift(int32_t a, int32_t n) {
    return (-1 >> 1) == -1 || a >= 0 ? a >> n : -1 - ((-1 - a) >> n);
}
"""


def print_c(dtype: ir.Real, by_hand: str) -> str:
    """Return all sections in double or single precision; those `by_hand` replace printed ones."""
    hand = sections(_typed(choose(by_hand, dtype), dtype))
    printed = [hand.pop(name) for name in ("guard", "bits", "from_bits")]
    known = procedures(dtype)
    for name, procedure in known.items():
        printed.append(hand.pop(name, "") or _section(name, (procedure,)))
        if name == "sig":
            printed.append(
                _section("sig_parts", split_procedure(procedure, known["exp_down"], "m"))
            )
    return "".join([*printed, *hand.values()])


def print_c_integers() -> str:
    """Return all sections of the arithmetic of fixed point."""
    return _INTEGER_HEAD + "".join(_section(name, (p,)) for name, p in procedures("whole").items())


def _typed(text: str, dtype: ir.Real) -> str:
    """Replace the placeholders of types in handwritten C."""
    word, macro = ("uint64_t", "UINT64_C") if dtype == "double" else ("uint32_t", "UINT32_C")
    types = {"real": dtype, "word": word, "WORD_C": macro}
    return re.sub(r"\b(real|word|WORD_C)\b", lambda match: types[match[0]], text)


def _section(name: str, functions: Iterable[ir.Procedure]) -> str:
    printer = CArithmeticPrinter()
    lines = [line for procedure in functions for line in printer.procedure(procedure)]
    needs = set(re.findall(r"\bdsgec_(\w+)\(", "\n".join(lines)))
    return section(name, needs - {procedure.name for procedure in functions}, lines)


def split_procedure(
    whole: ir.Procedure, inner: ir.Procedure, middle: str
) -> tuple[ir.Procedure, ...]:
    """Split a function into three, so that each can have a loop of its own.

    They do the steps before the one that assigns `middle`, that step, and the steps after it. The
    first step of `whole` calls `inner`, whose steps are inlined. The first part writes the
    variables that the others read.
    """
    call, *rest = whole.body
    (parameter,), result = inner.scalars, inner.result
    assert isinstance(call, ir.Declare)
    assert isinstance(call.value, ir.Invoke)
    assert call.value.function == inner.name
    assert result
    assert whole.result
    argument = ir.Variable("v", parameter.type)
    steps = [
        ir.Declare(argument, call.value.arguments[0]),
        *(_declare(step, {parameter.name: argument}) for step in inner.body),
        ir.Declare(call.variable, result),
        *(_declare(step, {}) for step in rest),
    ]
    cut = [step.variable.name for step in steps].index(middle)
    before, at, after = steps[:cut], steps[cut], steps[cut + 1 :]
    read_later = _variables(at.value, *(step.value for step in after), whole.result)
    kept = {s.variable.name: s.variable for s in before if s.variable.name in read_later}
    first, second, third = (f"{whole.name}_{part}" for part in ("first", "second", "third"))
    outputs = tuple(ir.ArrayParameter(n, v.type, 1, is_written=True) for n, v in kept.items())
    written = {name: ir.Element(name, ir.Number(0), v.type) for name, v in kept.items()}
    body: list[ir.Instruction] = []
    for step in before:
        new = _declare(step, written)
        name = step.variable.name
        body.append(ir.Store(name, ir.Number(0), new.value) if name in kept else new)
    inside = {step.variable.name for step in after}
    read_last = _variables(*(step.value for step in after), whole.result)
    last = [v for n, v in (*kept.items(), (middle, at.variable)) if n in read_last.keys() - inside]
    return (
        ir.Procedure(first, "", (*whole.parameters, *outputs), tuple(body), comment=_ABOUT_PARTS),
        ir.Procedure(second, "", tuple(_variables(at.value).values()), (), at.value),
        ir.Procedure(third, "", (*whole.parameters, *last), tuple(after), whole.result),
    )


def _declare(step: ir.Instruction, values: Mapping[str, ir.Expression]) -> ir.Declare:
    """Return a declaration in which variables are replaced."""
    assert isinstance(step, ir.Declare)

    def change(part: ir.Expression) -> ir.Expression | None:
        return values.get(part.name) if isinstance(part, ir.Variable) else None

    return replace(step, value=ir.rewrite(step.value, change))


def _variables(*expressions: ir.Expression) -> dict[str, ir.Variable]:
    """Return the variables that expressions read, by name."""
    return {part.name: part for part in ir.parts(*expressions) if isinstance(part, ir.Variable)}
