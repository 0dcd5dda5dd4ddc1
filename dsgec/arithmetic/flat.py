"""A definition of the one arithmetic to one that is flat: a step does one operation.

Its variables are assigned once, so that no language needs more than a declaration for a step, and
lines stay short, whatever a formatter makes of long ones.
"""

import re
from collections.abc import Callable, Container
from dataclasses import dataclass, field, replace
from typing import assert_never

from dsgec.arithmetic.ir import (
    Assign,
    Call,
    Choose,
    Definition,
    Expression,
    Literal,
    Name,
    Operation,
)

_SHIFTS = ("<<", ">>")


def snake(name: str) -> str:
    """A name as the source has it."""
    return name


def camel(name: str) -> str:
    """A name as Java and Go have theirs."""
    return re.sub(r"(?<=\w)_(\w)", lambda found: found[1].upper(), name)


def flatten(
    definition: Definition, own: Container[str], spell: Callable[[str], str] = snake
) -> Definition:
    """The same operations in the same order.

    Those that a language writes in its `own` way become calls, such as `word +`; `x != x` becomes
    `is_nan`. `spell` makes the names of variables and of functions.
    """
    return _Flattener(definition, own, spell).definition()


@dataclass
class _Flattener:
    source: Definition
    own: Container[str]
    spell: Callable[[str], str]
    steps: list[Assign] = field(default_factory=list)
    current: dict[str, Expression] = field(default_factory=dict)  # what a variable is by now
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
        """A variable of this name, or of a similar one that is free."""
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
        """A name or a literal."""
        value = self.simple(expression)
        return value if isinstance(value, Name | Literal) else self.assign("part", value)

    def simple(self, expression: Expression) -> Expression:
        """One operation on names and literals."""
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
