"""The functions of the arithmetic as procedures of a program."""

from collections.abc import Mapping
from functools import cache
from typing import assert_never

import numpy as np

from dsgec.arithmetic import ir
from dsgec.arithmetic.parse import read, read_integers
from dsgec.program.ir import (
    ArrayParameter,
    Binary,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    Negative,
    Number,
    Parameter,
    Procedure,
    Program,
    Select,
    Type,
    Update,
    Variable,
)


@cache
def procedures(arithmetic: ir.Arithmetic) -> Mapping[str, Procedure]:
    """Return the functions of one arithmetic and, in double, their derivatives, by name.

    Each stands after those that it calls. `softmax` is not among them.
    """
    if arithmetic == "whole":
        found = read_integers()
    else:
        found = read(arithmetic, derivatives=arithmetic == "double")
    translator = _Translator(arithmetic)
    return {name: translator.procedure(d) for name, d in found.items() if d.result is not None}


def with_library(program: Program, arithmetic: ir.Arithmetic) -> Program:
    """Return a program together with the functions of the arithmetic that it calls."""
    known = procedures(arithmetic)
    own = {procedure.name for procedure in program.procedures}
    called = (name for procedure in program.procedures for name in procedure.calls)
    needed = [name for name in dict.fromkeys(called) if name not in own]
    for name in needed:
        needed += [call for call in known[name].calls if call not in needed]
    library = (procedure for name, procedure in known.items() if name in needed)
    return Program(program.tables, (*library, *program.procedures))


class _Translator:
    def __init__(self, arithmetic: ir.Arithmetic) -> None:
        real: Type = "float" if arithmetic == "float" else "double"
        self.types: Mapping[ir.Kind, Type] = {
            "real": real,
            "word": "uint32" if real == "float" else "uint64",
            "wide": "uint64",
            "truth": "bool",
            "whole": "int32",
        }

    def procedure(self, source: ir.Definition) -> Procedure:
        body: list[Instruction] = []
        declared: set[str] = set()
        for step in source.steps:
            value = self.expression(step.value)
            variable = Variable(step.name, self.types[step.value.kind])
            body.append((Update if step.name in declared else Declare)(variable, value))
            declared.add(step.name)
        assert source.result is not None
        return Procedure(
            source.name,
            source.doc,
            tuple(map(self.parameter, source.parameters)),
            tuple(body),
            self.expression(source.result),
            source.comment,
        )

    def parameter(self, source: ir.Name) -> Parameter:
        if source.kind == "table":
            return ArrayParameter(source.name, "int16", 0)
        return Variable(source.name, self.types[source.kind])

    def expression(self, source: ir.Expression) -> Expression:
        match source:
            case ir.Name(name, kind):
                return Variable(name, self.types[kind])
            case ir.Literal(text, kind):
                return self.number(text, self.types[kind])
            case ir.Operation("-", (operand,), _, kind):
                return self.negative(self.expression(operand), self.types[kind])
            case ir.Operation(operator, (left, right), _, kind):
                return Binary(
                    operator, self.expression(left), self.expression(right), self.types[kind]
                )
            case ir.Choose(test, yes, no, kind):
                test_, yes_, no_ = (self.expression(part) for part in (test, yes, no))
                return Select(test_, yes_, no_, self.types[kind])
            case ir.Call("at", (ir.Name(table), index)):
                return Element(table, self.expression(index), "int16")
            case ir.Call(function, (ir.Name(table, "table"), *rest), kind):
                return Invoke(function, tuple(map(self.expression, rest)), table, self.types[kind])
            case ir.Call(function, arguments, kind):
                type_ = self.types["wide"] if function == "wide" else self.types[kind]
                return Invoke(function, tuple(map(self.expression, arguments)), type=type_)
            case ir.Operation():
                raise ValueError(f"neither one operand nor two: {source}")
            case _:
                assert_never(source)

    def number(self, text: str, type_: Type) -> Number:
        if type_ == "double":
            return Number(float(text), type_)
        return (
            Number(float(np.float32(text)), type_)
            if type_ == "float"
            else Number(int(text, 0), type_)
        )

    def negative(self, operand: Expression, type_: Type) -> Expression:
        if isinstance(operand, Number):
            return Number(-operand.value, type_)
        return Negative(operand, type_)
