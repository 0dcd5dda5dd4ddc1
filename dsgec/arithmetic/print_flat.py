"""The one arithmetic to languages that have integers of 64 bits: Rust, Java, Go and their like.

A language is a table; exports print the functions that they need when they are made.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal as OneOf

from dsgec.arithmetic.flat import flatten, snake
from dsgec.arithmetic.ir import Choose, Definition, Dtype, Expression, Kind, Literal
from dsgec.arithmetic.parse import choose, read, read_integers
from dsgec.arithmetic.write import Language, write

Numbers = Dtype | OneOf["whole"]
"""What is computed with: floats, or the integers of fixed point."""


@dataclass(frozen=True, slots=True)
class FlatLanguage:
    """How a language writes functions of flat steps; patterns name what they take.

    A choice gets its type, name, test and two values; one that is returned, the last three.
    """

    numbers: Numbers
    expressions: Language
    types: Mapping[Kind, str]
    function: str  # of a name, parameters and a type, up to where the steps begin
    parameter: str
    declare: str
    give: str
    choice: Callable[[str, str, str, str, str], str]
    give_choice: str
    typed: str = "{value}"  # a literal that alone decides the type of a variable
    indent: str = "    "
    spell: Callable[[str], str] = snake
    by_hand: Mapping[str, str] = field(default_factory=dict)  # functions that are not printed


def print_flat(names: Iterable[str], language: FlatLanguage) -> str:
    """The functions of these names and all that they call, each behind those that it calls."""
    definitions = _definitions(language.numbers)
    needed = list(names)
    for name in needed:
        needed += [call for call in definitions[name].calls if call not in needed]
    texts = [_text(definitions[name], language) for name in definitions if name in needed]
    return "\n".join(texts)


@cache
def _definitions(numbers: Numbers) -> dict[str, Definition]:
    return read_integers() if numbers == "whole" else read(numbers)


def _text(definition: Definition, language: FlatLanguage) -> str:
    if definition.name in language.by_hand and language.numbers != "whole":
        return choose(language.by_hand[definition.name], language.numbers)
    comment = [f"// {line}" for line in definition.comment]
    return "\n".join([*comment, *_function(definition, language), "}", ""])


def _function(definition: Definition, language: FlatLanguage) -> Iterator[str]:
    flat = flatten(definition, language.expressions.patterns, language.spell)
    parameters = ", ".join(
        language.parameter.format(name=p.name, type=language.types[p.kind]) for p in flat.parameters
    )
    assert flat.result
    type_ = language.types[flat.result.kind]
    yield language.function.format(name=flat.name, parameters=parameters, type=type_)
    lines = [_step(step.name, step.value, language) for step in flat.steps]
    lines.append(_result(flat.result, language))
    for line in "\n".join(lines).splitlines():
        yield f"{language.indent}{line}"


def _step(name: str, value: Expression, language: FlatLanguage) -> str:
    kind = language.types[value.kind]
    if isinstance(value, Choose):
        test, yes, no = _choice(value, language)
        if isinstance(value.no, Literal):
            no = language.typed.format(type=kind, value=no)
        return language.choice(kind, name, test, yes, no)
    return language.declare.format(type=kind, name=name, value=write(value, language.expressions))


def _result(value: Expression, language: FlatLanguage) -> str:
    if isinstance(value, Choose):
        test, yes, no = _choice(value, language)
        return language.give_choice.format(test=test, yes=yes, no=no)
    return language.give.format(value=write(value, language.expressions))


def _choice(value: Choose, language: FlatLanguage) -> list[str]:
    return [write(part, language.expressions) for part in (value.test, value.yes, value.no)]
