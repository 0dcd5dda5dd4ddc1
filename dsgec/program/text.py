"""The text form of programs, for people and for tests."""

from collections.abc import Iterator, Sequence
from typing import assert_never

from dsgec.literals import single_number
from dsgec.program import ir


def program_text(program: ir.Program) -> str:
    """Return a program as text, one instruction a line."""
    lines: list[str] = []
    for table in program.tables:
        values = " ".join(expression_text(ir.Number(value, table.type)) for value in table.values)
        lines.append(f"table {table.name}: {table.type}[{len(table.values)}] = {values}")
    for procedure in program.procedures:
        lines += ["", *_procedure(procedure)]
    return "\n".join(lines) + "\n"


def _procedure(procedure: ir.Procedure) -> Iterator[str]:
    parameters = ", ".join(map(_parameter, procedure.parameters))
    yield f"procedure {procedure.name}({parameters})"
    yield from _lines(procedure.body, "    ")
    if procedure.result is not None:
        yield f"    return {expression_text(procedure.result)}"


def _parameter(parameter: ir.Parameter) -> str:
    match parameter:
        case ir.Variable(name, type_):
            return f"{name}: {type_}"
        case ir.ArrayParameter(name, type_, size):
            return f"{'out ' if parameter.is_written else ''}{name}: {type_}[{size}]"
        case _:
            assert_never(parameter)


def _lines(body: Sequence[ir.Instruction], indent: str) -> Iterator[str]:
    for instruction in body:
        match instruction:
            case ir.Declare(variable, value):
                yield f"{indent}{variable.name}: {variable.type} = {expression_text(value)}"
            case ir.Update(variable, value):
                yield f"{indent}{variable.name} = {expression_text(value)}"
            case ir.Store(array, index, value):
                yield f"{indent}{array}[{expression_text(index)}] = {expression_text(value)}"
            case ir.Loop(counter, count, inner):
                yield f"{indent}for {counter.name} below {expression_text(count)}"
                yield from _lines(inner, indent + "    ")
            case ir.While(test, updates):
                yield f"{indent}while {expression_text(test)}"
                yield from _lines(updates, indent + "    ")
            case ir.Branch(test, yes, no):
                yield f"{indent}if {expression_text(test)}"
                yield from _lines(yes, indent + "    ")
                if no:
                    yield f"{indent}else"
                    yield from _lines(no, indent + "    ")
            case ir.LocalArray(name, type_, size):
                yield f"{indent}array {name}: {type_}[{size}]"
            case ir.Perform(procedure, arguments):
                yield f"{indent}call {procedure}({', '.join(arguments)})"
            case _:
                assert_never(instruction)


def expression_text(expression: ir.Expression) -> str:
    """Return an expression as text."""
    match expression:
        case ir.Number(value, "float"):
            return single_number(float(value))
        case ir.Number(value):
            return str(value)
        case ir.Variable(name):
            return name
        case ir.Element(array, index):
            return f"{array}[{expression_text(index)}]"
        case ir.Negative(operand):
            return f"(-{expression_text(operand)})"
        case ir.Binary(operator, left, right):
            return f"({expression_text(left)} {operator} {expression_text(right)})"
        case ir.Select(test, yes, no):
            parts = (expression_text(part) for part in (yes, test, no))
            return "({} if {} else {})".format(*parts)
        case ir.Invoke(function, arguments, table):
            inner = [*([table] if table else []), *map(expression_text, arguments)]
            return f"{function}({', '.join(inner)})"
        case _:
            assert_never(expression)
