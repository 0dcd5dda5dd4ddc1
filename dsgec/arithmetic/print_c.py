"""The one arithmetic to C: `templates/c/printed/arithmetic.c` and `arithmetic_float.c`.

Declarations stand before statements, as older compilers need them.
"""

import re
from collections.abc import Iterator, Mapping

from dsgec.arithmetic.ir import Definition, Dtype, Kind, Literal, names
from dsgec.arithmetic.parse import choose, read
from dsgec.arithmetic.parts import in_parts
from dsgec.arithmetic.write import Language, block_comment, section, sections, write

_PARTS = (
    "sig in three parts, with the same operations in the same order: exp(-|x|) is a power of 2"
    " (scale)",
    "times exp(a - b), the second part is exp(a - b) - 1, the third is the result.",
)


def print_c(dtype: Dtype, by_hand: str) -> str:
    """All sections; those that are written by hand take the place of others of their names."""
    printer = _Printer(dtype)
    definitions = read(dtype, derivatives=dtype == "double")
    hand = sections(printer.typed(choose(by_hand, dtype)))
    printed = [hand.pop(name) for name in ("guard", "bits", "from_bits")]
    for name, definition in definitions.items():
        printed.append(hand.pop(name, "") or printer.section(name, definition.comment, definition))
        if name == "sig":
            parts = in_parts(definition, definitions["exp_down"], "m")
            printed.append(printer.section("sig_parts", _PARTS, *parts))
    assert not hand, hand.keys()
    return "".join(printed)


class _Printer:
    def __init__(self, dtype: Dtype) -> None:
        digits, self.word = (16, "UINT64_C") if dtype == "double" else (8, "UINT32_C")
        self.suffix = "" if dtype == "double" else "f"
        self.types: Mapping[Kind, str] = {
            "real": dtype,
            "word": choose("{uint64_t|uint32_t}", dtype),
            "wide": "uint64_t",
        }
        sign = f"{self.word}(0x{'8'.ljust(digits, '0')})"
        size = f"{self.word}(0x{'7'.ljust(digits, 'f')})"
        bits = "dsgec_bits({0})"
        self.language = Language(
            literal=self.literal,
            choose=lambda _: "{0} ? {1} : {2}",
            patterns={
                "math.fabs": f"dsgec_from_bits({bits} & {size})",
                "math.copysign": f"dsgec_from_bits({bits} | (dsgec_bits({{1}}) & {sign}))",
                "signed": "(float)(int64_t)({0})",
                "wide": "{0}",
            },
            call="dsgec_{}",
        )

    def typed(self, text: str) -> str:
        """What is written by hand, with its types."""
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
        real = self.types["real"]
        parameters = [f"{self.types[p.kind]} {p.name}" for p in definition.parameters]
        parameters += [f"{real} *{name}" for name in definition.outputs]
        type_ = real if definition.result else "void"
        yield f"static inline {type_} dsgec_{definition.name}({', '.join(parameters)}) {{"
        used = names(*definition.expressions)
        yield from (f"    (void){p.name};" for p in definition.parameters if p.name not in used)
        yield from (f"    {line}" for line in self.statements(definition))
        if definition.result:
            yield f"    return {write(definition.result, self.language)};"
        yield "}"

    def statements(self, definition: Definition) -> Iterator[str]:
        steps = list(definition.steps)
        declared = set(definition.outputs)
        while steps and steps[0].name not in declared:
            step = steps.pop(0)
            declared.add(step.name)
            value = write(step.value, self.language)
            yield f"{self.types[step.value.kind]} {step.name} = {value};"
        later = {step.name: step.value.kind for step in steps if step.name not in declared}
        for kind, type_ in self.types.items():
            if kind in later.values():
                yield f"{type_} {', '.join(name for name in later if later[name] == kind)};"
        for step in steps:
            target = f"*{step.name}" if step.name in definition.outputs else step.name
            yield f"{target} = {write(step.value, self.language)};"
