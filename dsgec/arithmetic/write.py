"""Write expressions, comments and sections of the arithmetic in a language."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from dsgec.arithmetic.ir import Call, Choose, Expression, Literal, Name, Operation


@dataclass(frozen=True, slots=True)
class Language:
    """The differences between languages in writing an expression."""

    literal: Callable[[Literal], str]
    choose: Callable[[Choose], str]  # returns the pattern for a test and two values
    patterns: Mapping[str, str]  # for calls that it writes in its own way
    call: str = "{}"  # the pattern for the name of any other function
    operators: Mapping[str, str] = field(default_factory=dict)


def write(expression: Expression, language: Language) -> str:
    """Return the text of an expression, with operators and parentheses as in the source."""
    match expression:
        case Name(name):
            return name
        case Literal():
            return language.literal(expression)
        case Operation(operator, operands, around):
            sign = language.operators.get(operator, operator)
            inner = [write(operand, language) for operand in operands]
            texts = [text.replace(operator, sign) for text in around]
            return "".join(map("".join, zip(texts, [*inner, ""], strict=True)))
        case Choose(test, yes, no):
            pattern = language.choose(expression)
            return pattern.format(*(write(part, language) for part in (test, yes, no)))
        case Call(function, arguments):
            inner = [write(argument, language) for argument in arguments]
            if function in language.patterns:
                return language.patterns[function].format(*inner)
            return f"{language.call.format(function)}({', '.join(inner)})"
        case _:
            assert_never(expression)


def block_comment(lines: tuple[str, ...]) -> list[str]:
    """Return the lines of a comment in C or JavaScript."""
    text = "\n * ".join(lines)
    return f"/* {text} */".splitlines() if lines else []


def section(name: str, needs: set[str], lines: list[str]) -> str:
    """Return a section of a file, which `source.py` can copy on its own."""
    heading = f"{name}: needs {', '.join(sorted(needs))}" if needs else name
    return "\n".join([f"/* == {heading} == */", *lines]) + "\n"


def sections(text: str) -> dict[str, str]:
    """Return the sections of a file by name."""
    found = re.split(r"^(?=/\* == (\w+))", text, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))
