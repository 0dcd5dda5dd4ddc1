"""Source text of the one arithmetic to its definitions: the language that is printed from.

It is a small, typed part of Python. A file has imports, numbers and functions:

- A number is `NAME = number(double, single)`, a series of them a tuple of coefficients.
- A function has parameters that are `float` or `int` and returns a `float`. Its docstring goes into
  Python, the comment above it into C and JavaScript; `{a|b}` in a comment is `a` in double and `b`
  in single precision.
- It has assignments, and a `return` at the end. There are no branches and no loops, so that all
  rows of a block take the same steps: `a if test else b` computes both and takes one.
- An expression has names, literals, comparisons, `+ - * /` of floats, `+ - * << >> & |` of ints,
  and calls: of functions, of `bits` and `from_bits`, of `math.fabs`, `math.sqrt` and
  `math.copysign`, whose first argument is not negative. `y = horner(x, SERIES)` is one statement.
- An int has as many bits as the float, and wraps around; one that is annotated `Wide` has 64. In
  JavaScript, what `>>` by less than 32 gives has its low 31 bits right, and no others.
- A literal is the same in double and in single precision; one of more digits than a float has must
  be a number, unless `single.py` has another function of that name.
- A function of `*arguments` is outside of all this: languages other than Python have it by hand.
- A lambda in the entry of a function is a slope, and printed as a function of its own.

`integer.py` has the arithmetic of fixed point. There an int has 32 bits and a sign, and does not
overflow; functions give an `int`; there are no floats; a `Table` is a list of ints, of which `t[i]`
is one; and `>>` of a negative number rounds down.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NoReturn

from dsgec.arithmetic.ir import (
    Assign,
    Call,
    Choose,
    Definition,
    Dtype,
    Expression,
    Kind,
    Literal,
    Name,
    Operation,
    walk,
)
from dsgec.arithmetic.syntax import (
    WHOLE_KINDS,
    File,
    NotInSubset,
    Numbers,
    end_of,
    parameters_of,
    start_of,
)

_PRIMITIVES: dict[str, tuple[tuple[Kind, ...], Kind]] = {
    "bits": (("real",), "word"),
    "from_bits": (("word",), "real"),
    "signed": (("wide",), "real"),
    "math.fabs": (("real",), "real"),
    "math.sqrt": (("real",), "real"),
    "math.copysign": (("real", "real"), "real"),
}
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
_OF_REALS, _OF_WORDS = {"+", "-", "*", "/"}, {"+", "-", "*", "<<", ">>", "&", "|"}
_DIGITS_OF_FLOAT = 9


def read(dtype: Dtype, *, slopes: bool = False) -> dict[str, Definition]:
    """The functions in double or single precision, each behind those that it calls.

    With `slopes`, also the derivatives: those of `f(a, b)` are `f_slope_a` and `f_slope_b`, of the
    arguments and the result.
    """
    core, scalar, single = (File.read(name, dtype) for name in ("core", "scalar", "single"))
    files_ = (core, scalar, single) if dtype == "float" else (core, scalar)
    numbers = core.numbers | scalar.numbers
    signatures = {
        name: tuple(parameters_of(node).values())
        for file in files_
        for name, node in file.functions.items()
    }
    found = {}
    for file in files_:
        for name, node in file.functions.items():
            fits_float = dtype == "double" or file is single or name in single.functions
            function = _Function(file, node, numbers, signatures, fits_float)
            found[name] = function.define(name)
    for name, slope, doc in scalar.slopes() if slopes else ():
        function = _Function(scalar, slope, numbers, signatures, dtype == "double")
        found[name] = function.define(name, doc)
    return {name: found[name] for name in _order([*scalar.functions, *found], found)}


def read_integers() -> dict[str, Definition]:
    """The functions of fixed point, each behind those that it calls."""
    file = File.read("integer", "double", WHOLE_KINDS)
    signatures = {
        name: tuple(parameters_of(node, WHOLE_KINDS).values())
        for name, node in file.functions.items()
    }
    return {
        name: _Function(file, node, {}, signatures, True, result="whole").define(name)
        for name, node in file.functions.items()
    }


def _order(names: Iterable[str], found: dict[str, Definition]) -> dict[str, None]:
    order: dict[str, None] = {}
    for name in names:
        if name not in order:
            order |= _order(found[name].calls, found) | {name: None}
    return order


@dataclass
class _Function:
    """Turns one function into its definition."""

    file: File
    node: ast.FunctionDef | ast.Lambda
    numbers: Numbers
    signatures: dict[str, tuple[Kind, ...]]
    is_exact: bool  # its literals need not be floats
    kinds: dict[str, Kind] = field(default_factory=dict)
    result: Kind = "real"  # of every function of the file

    def fail(self, node: ast.AST, message: str) -> NoReturn:
        where = getattr(self.node, "name", "a slope")
        raise NotInSubset(f"{where}: {message}: {ast.unparse(node)}")

    def define(self, name: str, doc: str = "") -> Definition:
        self.kinds = parameters_of(self.node, self.file.kinds)
        parameters = tuple(Name(name, kind) for name, kind in self.kinds.items())
        if isinstance(self.node, ast.Lambda):
            return _with_calls(
                Definition(name, parameters, (), self.expect("real", self.node.body), doc)
            )
        doc = ast.get_docstring(self.node) or self.fail(self.node, "no docstring")
        comment = self.file.comment_above(self.node)
        _, *body, last = self.node.body
        if self.node.args.vararg:
            lines = self.file.text.splitlines()[body[0].lineno - 1 : self.node.end_lineno]
            read = {n.id for n in ast.walk(self.node) if isinstance(n, ast.Name)}
            calls = tuple(name for name in self.signatures if name in read)
            parameters = (Name(f"*{self.node.args.vararg.arg}", "real"),)
            return Definition(name, parameters, (), None, doc, comment, (), tuple(lines), calls)
        steps = [step for statement in body for step in self.assign(statement)]
        if parameters_of(self.node, self.file.kinds).keys() & {step.name for step in steps}:
            self.fail(self.node.args, "a parameter keeps its value")
        if not isinstance(last, ast.Return) or last.value is None:
            self.fail(last, "a function ends in a return")
        result = self.expect(self.result, last.value)
        return _with_calls(Definition(name, parameters, tuple(steps), result, doc, comment))

    def assign(self, statement: ast.stmt) -> Iterator[Assign]:
        match statement:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("horner"), [x, ast.Name(series)])):
                yield from self.horner(name, self.expect("real", x), self.numbers[series])
            case ast.Assign([ast.Name(name)], node):
                value = self.expression(node)
                if self.kinds.setdefault(name, value.kind) != value.kind:
                    self.fail(statement, "a variable has one kind")
                yield Assign(name, value)
            case ast.AnnAssign(ast.Name(name), ast.Name("Wide"), ast.expr() as node):
                self.kinds[name] = "wide"
                yield Assign(name, Call("wide", (self.expect("word", node),), "wide"))
            case _:
                self.fail(statement, "neither an assignment nor the return at the end")

    def horner(self, name: str, x: Expression, series: tuple[Literal, ...]) -> Iterator[Assign]:
        *rest, last = series
        value: Expression = last
        for coefficient in reversed(rest):
            product = Operation("*", (x, value), ("", " * ", ""), "real")
            yield Assign(name, Operation("+", (coefficient, product), ("", " + ", ""), "real"))
            value = Name(name, "real")
        self.kinds[name] = "real"

    def expect(self, kind: Kind, node: ast.expr) -> Expression:
        found = self.expression(node)
        if found.kind != kind:
            self.fail(node, f"expected a {kind}, found a {found.kind}")
        return found

    def expression(self, node: ast.expr) -> Expression:
        match node:
            case ast.Name(name) if name in self.kinds:
                return Name(name, self.kinds[name])
            case ast.Name(name) if len(self.numbers.get(name, ())) == 1:
                return self.numbers[name][0]
            case ast.Constant(float() | int()) | ast.UnaryOp(ast.USub(), ast.Constant(float())):
                return self.literal(node)
            case ast.UnaryOp(ast.USub(), operand):
                value = self.expect("real", operand)
                if isinstance(value, Literal) and value.text.startswith("-"):
                    self.fail(node, "two signs")
                return self.operation(node, "-", value)
            case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
                return self.binary(node, _OPERATORS[type(operator)], left, right)
            case ast.Compare(left, [operator], [right]):
                a, b = self.alike(node, left, right)
                found = self.operation(node, _OPERATORS[type(operator)], a, b, kind="truth")
                if any(isinstance(e, Operation) and e.operator in "&|" for e in (a, b)) and (
                    ")" not in "".join(found.around)
                ):
                    self.fail(node, "C compares first: write parentheses")
                return found
            case ast.IfExp(test, yes, no):
                a, b = self.alike(node, yes, no)
                return Choose(self.expect("truth", test), a, b, a.kind)
            case ast.Subscript(ast.Name(name), index) if self.kinds.get(name) == "table":
                table = Name(name, "table")
                return Call("at", (table, self.expect("whole", index)), "whole")
            case ast.Call(function, arguments, []):
                return self.call(node, ast.unparse(function), arguments)
            case _:
                self.fail(node, "not in the subset")

    def literal(self, node: ast.expr) -> Literal:
        literal = self.file.literal(node)
        digits = re.sub(r"e.*|[-.]", "", literal.text).strip("0")
        if literal.kind == "real" and len(digits) > _DIGITS_OF_FLOAT and not self.is_exact:
            self.fail(node, "more digits than a float has")
        return literal

    def call(self, node: ast.Call, name: str, arguments: list[ast.expr]) -> Call:
        kinds: tuple[Kind, ...]
        kinds, result = _PRIMITIVES.get(name) or (self.signatures.get(name, ()), self.result)
        if not kinds or len(kinds) != len(arguments):
            self.fail(node, "no such function of so many arguments")
        found = (self.expect(kind, part) for kind, part in zip(kinds, arguments, strict=True))
        return Call(name, tuple(found), result)

    def binary(self, node: ast.BinOp, operator: str, left: ast.expr, right: ast.expr) -> Operation:
        a, b = self.alike(node, left, right)
        if operator not in (_OF_REALS if a.kind == "real" else _OF_WORDS):
            self.fail(node, f"no {operator} of a {a.kind}")
        return self.operation(node, operator, a, b)

    def alike(
        self, node: ast.expr, left: ast.expr, right: ast.expr
    ) -> tuple[Expression, Expression]:
        """Two expressions of a kind; beside 64 bits, fewer are as good."""
        a, b = self.expression(left), self.expression(right)
        if b.kind == "wide" and isinstance(a, Literal):
            a = replace(a, kind="wide")
        if a.kind == "wide" and isinstance(b, Literal):
            b = replace(b, kind="wide")
        if a.kind != b.kind and (a.kind, b.kind) != ("wide", "word"):
            self.fail(node, f"a {a.kind} beside a {b.kind}")
        return a, b

    def operation(
        self, node: ast.expr, operator: str, *operands: Expression, kind: Kind | None = None
    ) -> Operation:
        """Parentheses stay as they are written."""
        inner = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
        ends = [
            start_of(node),
            *(place for part in inner for place in (start_of(part), end_of(part))),
        ]
        ends.append(end_of(node))
        around = tuple(self.file.slice(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True))
        return Operation(operator, operands, around, kind or operands[0].kind)


def _with_calls(definition: Definition) -> Definition:
    calls = [
        part.function
        for part in walk(*definition.expressions)
        if isinstance(part, Call) and part.function not in (*_PRIMITIVES, "wide", "at")
    ]
    return replace(definition, calls=tuple(dict.fromkeys(calls)))
