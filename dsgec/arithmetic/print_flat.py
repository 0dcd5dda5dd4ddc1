"""Print the arithmetic in languages that have integers of 64 bits: Rust, Java, Go and the like.

Definitions are flattened first: a step does one operation and assigns a new variable, so that a
language needs only a declaration per step, and lines stay short whatever its formatter does with
long ones. A language is a table; an export prints the functions that it needs.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from dsgec.arithmetic.ir import (
    Arithmetic,
    Assign,
    Call,
    Choose,
    Definition,
    Expression,
    Kind,
    Literal,
    Name,
    Operation,
)
from dsgec.arithmetic.parse import choose, with_callees
from dsgec.arithmetic.write import Language, write

_SHIFTS = ("<<", ">>")


def snake(name: str) -> str:
    """Return a name unchanged: the source is in snake case."""
    return name


def camel(name: str) -> str:
    """Return a name in camel case, as Java and Go spell names."""
    return re.sub(r"(?<=\w)_(\w)", lambda found: found[1].upper(), name)


@dataclass(frozen=True, slots=True)
class FlatLanguage:
    """How a language writes functions of flat steps; the fields are patterns.

    `choice` takes a type, a name, a test and two values; `return_choice` takes the last three.
    """

    arithmetic: Arithmetic
    expressions: Language
    types: Mapping[Kind, str]
    function: str  # of `name`, `parameters` and `type`, up to the first step
    parameter: str
    declare: str
    return_value: str
    choice: Callable[[str, str, str, str, str], str]
    return_choice: str
    typed: str = "{value}"  # a literal that alone decides the type of a variable
    indent: str = "    "
    spell: Callable[[str], str] = snake
    by_hand: Mapping[str, str] = field(default_factory=dict)  # functions that are not printed


def print_flat(names: Iterable[str], language: FlatLanguage) -> str:
    """Return the named functions and all that they call, each after those that it calls."""
    needed = with_callees(language.arithmetic, names)
    return "\n".join(_text(definition, language) for definition in needed)


def _text(definition: Definition, language: FlatLanguage) -> str:
    if definition.name in language.by_hand and language.arithmetic != "whole":
        return choose(language.by_hand[definition.name], language.arithmetic)
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
    type_ = language.types[value.kind]
    if isinstance(value, Choose):
        test, yes, no = _choice(value, language)
        if isinstance(value.no, Literal):
            no = language.typed.format(type=type_, value=no)
        return language.choice(type_, name, test, yes, no)
    return language.declare.format(type=type_, name=name, value=write(value, language.expressions))


def _result(value: Expression, language: FlatLanguage) -> str:
    if isinstance(value, Choose):
        test, yes, no = _choice(value, language)
        return language.return_choice.format(test=test, yes=yes, no=no)
    return language.return_value.format(value=write(value, language.expressions))


def _choice(value: Choose, language: FlatLanguage) -> list[str]:
    return [write(part, language.expressions) for part in (value.test, value.yes, value.no)]


def flatten(
    definition: Definition, own: Container[str], spell: Callable[[str], str] = snake
) -> Definition:
    """Return a definition with the same operations in the same order, one per step.

    Operations that a language writes in its `own` way, such as `word +`, become calls; `x != x`
    becomes `is_nan`. `spell` spells the names of variables and functions.
    """
    return _Flattener(definition, own, spell).definition()


@dataclass
class _Flattener:
    source: Definition
    own: Container[str]
    spell: Callable[[str], str]
    steps: list[Assign] = field(default_factory=list)
    current: dict[str, Expression] = field(default_factory=dict)  # the latest value of a variable
    taken: set[str] = field(default_factory=set)

    def definition(self) -> Definition:
        source = self.source
        parameters = [replace(p, name=self.spell(p.name)) for p in source.parameters]
        variables = [*(p.name for p in source.parameters), *(step.name for step in source.steps)]
        self.taken = {self.spell(name) for name in variables}
        self.current = {p.name: new for p, new in zip(source.parameters, parameters, strict=True)}
        for step in source.steps:
            value = self.simple(step.value)
            if not isinstance(value, Name | Literal):
                value = self.assign(step.name, value)
            self.current[step.name] = value
        result = self.simple(source.result) if source.result else None
        return replace(
            source,
            name=self.spell(source.name),
            parameters=tuple(parameters),
            steps=tuple(self.steps),
            result=result,
        )

    def assign(self, name: str, value: Expression) -> Name:
        """Assign a value to a variable of this name, or of a similar one that is free."""
        again = name in self.current or name not in {step.name for step in self.source.steps}
        spelled = self.spell(name)
        number = 1
        while again and spelled in self.taken:
            number += 1
            spelled = self.spell(f"{name}_{number}")
        self.taken.add(spelled)
        self.steps.append(Assign(spelled, value))
        return Name(spelled, value.kind)

    def atom(self, expression: Expression) -> Expression:
        """Return a name or a literal that has the value of an expression."""
        value = self.simple(expression)
        return value if isinstance(value, Name | Literal) else self.assign("part", value)

    def simple(self, expression: Expression) -> Expression:
        """Return one operation on names and literals that has the value of an expression."""
        match expression:
            case Name(name):
                return self.current[name]
            case Literal():
                return expression
            case Operation("-", (Literal(text, kind),)):
                return Literal(f"-{text}", kind)
            case Operation("!=", (left, right)) if left == right:
                return Call("is_nan", (self.atom(left),), "truth")
            case Operation(operator, operands):
                return self.operation(operator, operands, expression)
            case Choose(test, yes, no, kind):
                values = self.atom(yes), self.atom(no)
                return Choose(self.simple(test), *values, kind)
            case Call(function, arguments, kind):
                name = function if function in self.own else self.spell(function)
                return Call(name, tuple(map(self.atom, arguments)), kind)
            case _:
                assert_never(expression)

    def operation(
        self, operator: str, operands: tuple[Expression, ...], whole: Operation
    ) -> Expression:
        values = [self.atom(operand) for operand in operands]
        if len(values) == 1:
            return replace(whole, operands=tuple(values), around=(operator, ""))
        first, second = values
        if first.kind == "wide" and second.kind == "word" and operator not in _SHIFTS:
            second = self.assign("part", Call("wide", (second,), "wide"))
        key = f"{first.kind} {operator}"
        if key in self.own:
            return Call(key, (first, second), whole.kind)
        return replace(whole, operands=(first, second), around=("", f" {operator} ", ""))
