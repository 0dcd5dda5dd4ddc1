"""An expression of the one arithmetic to the text of it in a language."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from dsgec.arithmetic.ir import Call, Choose, Expression, Literal, Name, Operation


@dataclass(frozen=True, slots=True)
class Language:
    """Differences between languages are entries here."""

    literal: Callable[[Literal], str]
    choose: Callable[[Choose], str]  # the pattern of a test and two values
    patterns: Mapping[str, str]  # of calls that it writes in its own way
    call: str = "{}"  # the pattern of any other name that is called
    operators: Mapping[str, str] = field(default_factory=dict)


def write(expression: Expression, language: Language) -> str:
    """Operators and parentheses as they are in the source, all else as the language has it."""
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
    """Lines as a comment of C or JavaScript."""
    text = "\n * ".join(lines)
    return f"/* {text} */".splitlines() if lines else []


def section(name: str, needs: set[str], lines: list[str]) -> str:
    """A piece of a file that can be given out on its own; `source.py` reads them back."""
    heading = f"{name}: needs {', '.join(sorted(needs))}" if needs else name
    return "\n".join([f"/* == {heading} == */", *lines]) + "\n"


def sections(text: str) -> dict[str, str]:
    """The pieces of a file by their names."""
    found = re.split(r"^(?=/\* == (\w+))", text, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))
