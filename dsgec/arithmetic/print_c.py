"""Print the arithmetic as C: the files in `templates/c/printed`.

Declarations come before statements, as older compilers require.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from dsgec.arithmetic.ir import (
    Arithmetic,
    Assign,
    Call,
    Definition,
    Dtype,
    Expression,
    Kind,
    Literal,
    Name,
    Operation,
    names,
    rewrite,
)
from dsgec.arithmetic.parse import choose, read, read_integers
from dsgec.arithmetic.write import Language, block_comment, section, sections, write

_PARTS = (
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


def print_c(dtype: Dtype, by_hand: str) -> str:
    """Return all sections in double or single precision; those `by_hand` replace printed ones."""
    printer = _Printer(dtype)
    definitions = read(dtype, derivatives=dtype == "double")
    hand = sections(printer.typed(choose(by_hand, dtype)))
    printed = [hand.pop(name) for name in ("guard", "bits", "from_bits")]
    for name, definition in definitions.items():
        printed.append(hand.pop(name, "") or printer.section(name, definition.comment, definition))
        if name == "sig":
            parts = split_function(definition, definitions["exp_down"], "m")
            printed.append(printer.section("sig_parts", _PARTS, *parts))
    assert not hand, hand.keys()
    return "".join(printed)


def print_c_integers() -> str:
    """Return all sections of the arithmetic of fixed point."""
    printer = _Printer("whole")
    definitions = read_integers().items()
    return _INTEGER_HEAD + "".join(printer.section(name, d.comment, d) for name, d in definitions)


class _Printer:
    def __init__(self, arithmetic: Arithmetic) -> None:
        is_float = arithmetic == "float"
        digits, self.word = (8, "UINT32_C") if is_float else (16, "UINT64_C")
        self.suffix = "f" if is_float else ""
        self.types: Mapping[Kind, str] = {
            "real": arithmetic,
            "word": "uint32_t" if is_float else "uint64_t",
            "wide": "uint64_t",
            "whole": "int32_t",
            "table": "const int16_t *",
        }
        sign = f"{self.word}(0x{'8'.ljust(digits, '0')})"
        magnitude = f"{self.word}(0x{'7'.ljust(digits, 'f')})"
        bits = "dsgec_bits({0})"
        self.language = Language(
            literal=self.literal,
            choose=lambda _: "{0} ? {1} : {2}",
            patterns={
                "math.fabs": f"dsgec_from_bits({bits} & {magnitude})",
                "math.copysign": f"dsgec_from_bits({bits} | (dsgec_bits({{1}}) & {sign}))",
                "signed": "(float)(int64_t)({0})",
                "wide": "{0}",
                "at": "DSGEC_READ({0}, {1})",
            },
            call="dsgec_{}",
        )

    def typed(self, text: str) -> str:
        """Replace the placeholders of types in handwritten C."""
        types = {"real": self.types["real"], "word": self.types["word"], "WORD_C": self.word}
        return re.sub(r"\b(real|word|WORD_C)\b", lambda match: types[match[0]], text)

    def literal(self, number: Literal) -> str:
        if number.kind == "real":
            return re.sub(r"e(\d)", r"e+\1", number.text) + self.suffix
        if not number.text.startswith("0x"):
            return number.text
        return f"{'UINT64_C' if number.kind == 'wide' else self.word}({number.text.lower()})"

    def section(self, name: str, comment: tuple[str, ...], *definitions: Definition) -> str:
        lines = block_comment(comment)
        for definition in definitions:
            lines += self.function(definition)
        needs = set(re.findall(r"\bdsgec_(\w+)\(", "\n".join(lines)))
        return section(name, needs - {definition.name for definition in definitions}, lines)

    def function(self, definition: Definition) -> Iterator[str]:
        parameters = [f"{self.types[p.kind]} {p.name}" for p in definition.parameters]
        parameters += [f"{self.types['real']} *{name}" for name in definition.outputs]
        listed = ", ".join(parameters).replace("* ", "*")
        type_ = self.types[definition.result.kind] if definition.result else "void"
        yield f"static inline {type_} dsgec_{definition.name}({listed}) {{"
        used = names(*definition.expressions)
        yield from (f"    (void){p.name};" for p in definition.parameters if p.name not in used)
        yield from (f"    {line}" for line in self.statements(definition))
        if definition.result:
            yield f"    return {self.write(definition.result)};"
        yield "}"

    def statements(self, definition: Definition) -> Iterator[str]:
        steps = list(definition.steps)
        declared = set(definition.outputs)
        while steps and steps[0].name not in declared:
            step = steps.pop(0)
            declared.add(step.name)
            yield f"{self.types[step.value.kind]} {step.name} = {self.write(step.value)};"
        later = {step.name: step.value.kind for step in steps if step.name not in declared}
        for kind, type_ in self.types.items():
            if kind in later.values():
                yield f"{type_} {', '.join(name for name in later if later[name] == kind)};"
        for step in steps:
            target = f"*{step.name}" if step.name in definition.outputs else step.name
            yield f"{target} = {self.write(step.value)};"

    def write(self, expression: Expression) -> str:
        return write(rewrite(expression, _shifts), self.language)


def _shifts(expression: Expression) -> Expression | None:
    """Return a shift of fixed point as C needs it: an `int` may have 16 bits."""
    match expression:
        case Operation(">>", operands, _, "whole"):
            return Call("shift", tuple(rewrite(o, _shifts) for o in operands), "whole")
        case Operation("<<", (Literal(text, "whole"), count), around):
            return Operation("<<", (Literal(f"(int32_t){text}", "whole"), count), around, "whole")
        case _:
            return None


def split_function(whole: Definition, inner: Definition, middle: str) -> tuple[Definition, ...]:
    """Split a function into three, so that each can have a loop of its own.

    They do the steps before the one that assigns `middle`, that step, and the steps after it. The
    first step of `whole` calls `inner`, whose steps are inlined. The first part outputs the
    variables that the others read.
    """
    call, *rest = whole.steps
    assert whole.result
    assert inner.result
    assert isinstance(call.value, Call)
    assert call.value.function == inner.name
    (parameter,), (argument,) = inner.parameters, call.value.arguments
    new = Name("v", "real")

    def rename(part: Expression) -> Expression | None:
        return new if part == parameter else None

    steps = [
        Assign(new.name, argument),
        *(Assign(step.name, rewrite(step.value, rename)) for step in inner.steps),
        Assign(call.name, inner.result),
        *rest,
    ]
    cut = [step.name for step in steps].index(middle)
    before, at, after = steps[:cut], steps[cut], steps[cut + 1 :]
    last = [*(step.value for step in after), whole.result]
    outputs = tuple(step.name for step in before if step.name in names(at.value, *last))
    inside = {step.name for step in after}
    read_last = [n for n in (*outputs, middle) if n in names(*last).keys() - inside]
    name, parameters = whole.name, (*whole.parameters, *(Name(n, "real") for n in read_last))
    return (
        replace(whole, name=f"{name}_first", steps=tuple(before), result=None, outputs=outputs),
        Definition(f"{name}_second", tuple(names(at.value).values()), (), at.value, ""),
        Definition(f"{name}_third", parameters, tuple(after), whole.result, ""),
    )
