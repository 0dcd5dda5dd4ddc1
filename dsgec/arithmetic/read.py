"""Read functions in a small, typed subset of Python as procedures of a program.

The source is a file of imports, constants and functions:

- A constant is `NAME = number(double, single)` or a literal; a tuple is the coefficients of a
  series.
- A function has a docstring, and ends in a `return`, unless it only writes arrays. The comment
  above it is printed in C and JavaScript; `{a|b}` in it is `a` in double and `b` in single
  precision.
- A statement assigns to a variable or to an element of an array, or is a loop over `range(n)` or a
  branch. A variable belongs to the block that assigns it first. How often a loop runs and whether a
  branch is taken does not depend on the row: `a if test else b` computes both and selects one.
- An expression consists of names, literals, comparisons, `+ - * /` of floats, `+ - * << >> & |` of
  ints, elements of arrays, and calls: of other functions, of `bits` and `from_bits`, of
  `math.fabs`, `math.sqrt` and `math.copysign`, whose first argument is never negative.
  `y = horner(x, SERIES)` is a statement.
- A literal is the same in double and in single precision. One with more digits than a float holds
  must be a constant, unless `single.py` replaces the function.
- A function of `*arguments` is outside the subset: other languages have it written by hand.
- A lambda in the entry of a function is a derivative, printed as a function of its own.

What annotations stand for is a matter of the file. An `int` is exact, except where the bits of
floats are computed with: there it is a word that has as many bits as a float (one annotated `Wide`
has 64) and wraps around.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NoReturn

import numpy as np

from dsgec.arithmetic.subset import Constants, NotInSubset, Signature, Signatures, Source
from dsgec.program import ir

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_OF_REALS, _OF_INTEGERS = {"+", "-", "*", "/"}, {"+", "-", "*", "<<", ">>", "&", "|"}
_DIGITS_OF_FLOAT = 9


class Reader:
    """Reads one function or derivative."""

    def __init__(
        self,
        source: Source,
        node: ast.FunctionDef | ast.Lambda,
        callees: Signatures,
        constants: Constants | None = None,
        *,
        is_exact: bool = True,
    ) -> None:
        self.source, self.node, self.callees = source, node, callees
        self.constants = source.constants if constants is None else constants
        self.is_exact = is_exact  # literals may have more digits than a float
        self.variables: dict[str, ir.Type] = {}
        self.arrays: dict[str, ir.ArrayParameter] = {}

    def fail(self, node: ast.AST, message: str) -> NoReturn:
        where = getattr(self.node, "name", "a derivative")
        raise NotInSubset(f"{where}: {message}: {ast.unparse(node)}")

    def procedure(self, name: str, about: str = "") -> ir.Procedure:
        """Return the procedure of the function."""
        parameters = self.source.parameters(self.node)
        for parameter in parameters:
            if isinstance(parameter, ir.ArrayParameter):
                self.arrays[parameter.name] = parameter
            else:
                self.variables[parameter.name] = parameter.type
        if isinstance(self.node, ast.Lambda):
            result = self.expect(self.source.result(self.node), self.node.body)
            return ir.Procedure(name, about, parameters, (), result)
        about = ast.get_docstring(self.node) or self.fail(self.node, "no docstring")
        _, *body = self.node.body
        value: ir.Expression | None = None
        last = body[-1] if body else None
        returns = not isinstance(self.node.returns, ast.Constant)  # not None
        steps = tuple(self.block(body[:-1] if returns else body))
        if returns:
            if not isinstance(last, ast.Return) or last.value is None:
                self.fail(last or self.node, "a function ends in a return")
            value = self.expect(self.source.result(self.node), last.value)
        comment = self.source.comment_above(self.node)
        procedure = ir.Procedure(name, about, parameters, steps, value, comment)
        if procedure.updated & {p.name for p in procedure.scalars}:
            self.fail(self.node.args, "a parameter keeps its value")
        return procedure

    # Statements.

    def block(self, body: list[ast.stmt]) -> Iterator[ir.Instruction]:
        for statement in body:
            yield from self.statement(statement)

    def inner(self, body: list[ast.stmt]) -> tuple[ir.Instruction, ...]:
        """Return a block inside another; what it declares ends with it."""
        outside = dict(self.variables)
        found = tuple(self.block(body))
        self.variables = outside
        return found

    def statement(self, statement: ast.stmt) -> Iterator[ir.Instruction]:
        match statement:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("horner"), [x, ast.Name(series)])):
                yield from self.horner(name, self.expect(self.source.types.real, x), series)
            case ast.Assign([ast.Name(name)], node):
                yield self.assign(statement, name, self.expression(node))
            case ast.AugAssign(ast.Name(name), operator, node):
                variable = ir.Variable(name, self.variables[name])
                yield self.assign(statement, name, self.binary(statement, operator, variable, node))
            case ast.AnnAssign(ast.Name(name), ast.Name("Wide"), ast.expr() as node):
                value = self.expect(self.source.types.whole, node)
                yield self.assign(statement, name, ir.Invoke("wide", (value,), type="uint64"))
            case ast.Assign([ast.Subscript(ast.Name(name), index)], node) if name in self.arrays:
                if not self.arrays[name].is_written:
                    self.fail(statement, "an array that is only read")
                value = self.expect(self.arrays[name].type, node)
                yield ir.Store(name, self.expect("int32", index), value)
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), [count]), body, []):
                limit = self.expect("int32", count)
                self.variables[name] = "int32"
                yield ir.Loop(ir.Variable(name, "int32"), limit, self.inner(body))
                del self.variables[name]
            case ast.If(test, yes, no):
                yield ir.Branch(self.expect("bool", test), self.inner(yes), self.inner(no))
            case _:
                self.fail(statement, "neither an assignment, a loop, a branch nor the return")

    def assign(self, statement: ast.stmt, name: str, value: ir.Expression) -> ir.Instruction:
        variable = ir.Variable(name, self.computed(value.type))
        if name not in self.variables:
            self.variables[name] = variable.type
            return ir.Declare(variable, value)
        if self.variables[name] != variable.type:
            self.fail(statement, "a variable has one type")
        return ir.Update(variable, value)

    def horner(self, name: str, x: ir.Expression, series: str) -> Iterator[ir.Instruction]:
        """Yield the steps of a polynomial of x, whose coefficients are the constants `series`."""
        real = self.source.types.real
        *rest, last = (self.number(c, real) for c in self.constants[series])
        value: ir.Expression = last
        for coefficient in reversed(rest):
            product = ir.Binary("*", x, value, real)
            kind = ir.Update if name in self.variables else ir.Declare
            self.variables[name] = real
            yield kind(ir.Variable(name, real), ir.Binary("+", coefficient, product, real))
            value = ir.Variable(name, real)

    # Expressions.

    def expect(self, type_: ir.Type, node: ast.expr) -> ir.Expression:
        found = self.expression(node)
        if found.type != type_ and not (_is_exact(found.type) and _is_exact(type_)):
            self.fail(node, f"expected a {type_}, found a {found.type}")
        return found

    def expression(self, node: ast.expr) -> ir.Expression:
        match node:
            case ast.Name(name) if name in self.variables:
                return ir.Variable(name, self.variables[name])
            case ast.Name(name) if len(self.constants.get(name, ())) == 1:
                return self.number(self.constants[name][0])
            case ast.Constant(float() | int() as value) if not isinstance(value, bool):
                return self.literal(node, value)
            case ast.UnaryOp(ast.USub(), ast.Constant(float() as value)):
                return self.literal(node, -value)
            case ast.UnaryOp(ast.USub(), operand):
                return self.negative(self.expect(self.source.types.real, operand))
            case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
                return self.binary(node, operator, self.expression(left), right)
            case ast.Compare(left, [operator], [right]):
                a, b = self.alike(node, self.expression(left), self.expression(right))
                return ir.Binary(_OPERATORS[type(operator)], a, b, "bool")
            case ast.IfExp(test, yes, no):
                a, b = self.alike(node, self.expression(yes), self.expression(no))
                return ir.Select(self.expect("bool", test), a, b, self.computed(a.type))
            case ast.Subscript(ast.Name(name), index) if name in self.arrays:
                return ir.Element(name, self.expect("int32", index), self.arrays[name].type)
            case ast.Call(function, arguments, []):
                return self.call(node, ast.unparse(function), arguments)
            case _:
                self.fail(node, "not in the subset")

    def literal(self, node: ast.expr, value: int | float) -> ir.Number:
        digits = re.sub(r"e.*|[-.]", "", ast.unparse(node)).strip("0")
        if isinstance(value, float) and len(digits) > _DIGITS_OF_FLOAT and not self.is_exact:
            self.fail(node, "more digits than a float has")
        return self.number(value)

    def number(self, value: int | float | str, type_: ir.Type | None = None) -> ir.Number:
        """Return a constant; one of single precision is rounded to it."""
        types = self.source.types
        if type_ is None:
            type_ = types.real if isinstance(value, float) else types.whole
        if type_ == "float":
            return ir.Number(float(np.float32(value)), type_)
        return ir.Number(float(value) if type_ == "double" else int(value), type_)

    def negative(self, operand: ir.Expression) -> ir.Expression:
        if isinstance(operand, ir.Number):
            return ir.Number(-operand.value, operand.type)
        return ir.Negative(operand, operand.type)

    def call(self, node: ast.Call, name: str, arguments: list[ast.expr]) -> ir.Invoke:
        real, whole = self.source.types.real, self.source.types.whole
        primitives: dict[str, Signature] = {
            "bits": Signature((ir.Variable("x", real),), whole),
            "from_bits": Signature((ir.Variable("n", whole),), real),
            "signed": Signature((ir.Variable("n", "uint64"),), real),
            "math.fabs": Signature((ir.Variable("x", real),), real),
            "math.sqrt": Signature((ir.Variable("x", real),), real),
            "math.copysign": Signature((ir.Variable("x", real), ir.Variable("y", real)), real),
        }
        signature = primitives.get(name) or self.callees.get(name)
        if signature is None or len(signature.parameters) != len(arguments) or not arguments:
            self.fail(node, "no such function of so many arguments")
        table, values = "", []
        for parameter, argument in zip(signature.parameters, arguments, strict=True):
            if isinstance(parameter, ir.Variable):
                values.append(self.expect(parameter.type, argument))
            elif isinstance(argument, ast.Name) and argument.id in self.arrays and not values:
                table = argument.id
            else:
                self.fail(node, "only the first argument is an array")
        return ir.Invoke(name, tuple(values), table, signature.result)

    def binary(
        self, node: ast.AST, operator: ast.operator, left: ir.Expression, right: ast.expr
    ) -> ir.Binary:
        a, b = self.alike(node, left, self.expression(right))
        sign = _OPERATORS.get(type(operator), "")
        if sign not in (_OF_REALS if a.type in ir.REALS else _OF_INTEGERS):
            self.fail(node, f"no {sign} of a {a.type}")
        return ir.Binary(sign, a, b, self.computed(a.type))

    def computed(self, type_: ir.Type) -> ir.Type:
        """Return the type of a result: integers of small types are computed with as others are."""
        return self.source.types.whole if _is_exact(type_) else type_

    def alike(
        self, node: ast.AST, a: ir.Expression, b: ir.Expression
    ) -> tuple[ir.Expression, ir.Expression]:
        """Return two expressions of one type; a word may stand beside 64 bits."""
        if isinstance(a, ir.Number) and a.type in ir.WORDS and b.type == "uint64":
            a = ir.Number(a.value, "uint64")
        if isinstance(b, ir.Number) and b.type in ir.WORDS and a.type == "uint64":
            b = ir.Number(b.value, "uint64")
        exact = _is_exact(a.type) and _is_exact(b.type)
        if a.type != b.type and not exact and (a.type, b.type) != ("uint64", "uint32"):
            self.fail(node, f"a {a.type} beside a {b.type}")
        return a, b


def _is_exact(type_: ir.Type) -> bool:
    """Return whether a type is one of exact integers, of which all may meet."""
    return type_ in ir.LIMITS and type_ != "bool"


def call_order(names: Iterable[str], calls: Mapping[str, Iterable[str]]) -> dict[str, None]:
    """Return functions by name, each after those that it calls."""
    order: dict[str, None] = {}
    for name in names:
        if name not in order:
            order |= call_order(calls[name], calls) | {name: None}
    return order


def called_names(node: ast.AST, known: Iterable[str]) -> list[str]:
    """Return which functions a function outside the subset calls."""
    read = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    return [name for name in known if name in read and name not in ir.PRIMITIVES]
