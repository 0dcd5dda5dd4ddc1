"""The text form of programs, for people and for tests."""

from collections.abc import Iterator, Sequence
from typing import assert_never

from dsgec.literals import single_number
from dsgec.program.ir import (
    ArrayParameter,
    Binary,
    Branch,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    LocalArray,
    Loop,
    Negative,
    Number,
    Parameter,
    Perform,
    Procedure,
    Program,
    Select,
    Store,
    Update,
    Variable,
    While,
)


def program_text(program: Program) -> str:
    """Return a program as text, one instruction a line."""
    lines: list[str] = []
    for table in program.tables:
        values = " ".join(expression_text(Number(value, table.type)) for value in table.values)
        lines.append(f"table {table.name}: {table.type}[{len(table.values)}] = {values}")
    for procedure in program.procedures:
        lines += ["", *_procedure(procedure)]
    return "\n".join(lines) + "\n"


def _procedure(procedure: Procedure) -> Iterator[str]:
    parameters = ", ".join(map(_parameter, procedure.parameters))
    yield f"procedure {procedure.name}({parameters})"
    yield from _lines(procedure.body, "    ")
    if procedure.result is not None:
        yield f"    return {expression_text(procedure.result)}"


def _parameter(parameter: Parameter) -> str:
    match parameter:
        case Variable(name, type_):
            return f"{name}: {type_}"
        case ArrayParameter(name, type_, size):
            return f"{'out ' if parameter.is_written else ''}{name}: {type_}[{size}]"
        case _:
            assert_never(parameter)


def _lines(body: Sequence[Instruction], indent: str) -> Iterator[str]:
    for instruction in body:
        match instruction:
            case Declare(variable, value):
                yield f"{indent}{variable.name}: {variable.type} = {expression_text(value)}"
            case Update(variable, value):
                yield f"{indent}{variable.name} = {expression_text(value)}"
            case Store(array, index, value):
                yield f"{indent}{array}[{expression_text(index)}] = {expression_text(value)}"
            case Loop(counter, count, inner):
                yield f"{indent}for {counter.name} below {expression_text(count)}"
                yield from _lines(inner, indent + "    ")
            case While(test, updates):
                yield f"{indent}while {expression_text(test)}"
                yield from _lines(updates, indent + "    ")
            case Branch(test, yes, no):
                yield f"{indent}if {expression_text(test)}"
                yield from _lines(yes, indent + "    ")
                if no:
                    yield f"{indent}else"
                    yield from _lines(no, indent + "    ")
            case LocalArray(name, type_, size):
                yield f"{indent}array {name}: {type_}[{size}]"
            case Perform(procedure, arguments):
                yield f"{indent}call {procedure}({', '.join(arguments)})"
            case _:
                assert_never(instruction)


def expression_text(expression: Expression) -> str:
    """Return an expression as text."""
    match expression:
        case Number(value, "float"):
            return single_number(float(value))
        case Number(value):
            return str(value)
        case Variable(name):
            return name
        case Element(array, index):
            return f"{array}[{expression_text(index)}]"
        case Negative(operand):
            return f"(-{expression_text(operand)})"
        case Binary(operator, left, right):
            return f"({expression_text(left)} {operator} {expression_text(right)})"
        case Select(test, yes, no):
            parts = (expression_text(part) for part in (yes, test, no))
            return "({} if {} else {})".format(*parts)
        case Invoke(function, arguments, table):
            inner = [*([table] if table else []), *map(expression_text, arguments)]
            return f"{function}({', '.join(inner)})"
        case _:
            assert_never(expression)
