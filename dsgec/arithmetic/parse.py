"""Parse the source of the arithmetic into definitions that every language is printed from.

The source is a small, typed subset of Python. A file has imports, constants and functions:

- A constant is `NAME = number(double, single)`; a tuple is the coefficients of a series.
- A function takes parameters of type `float` or `int` and returns a `float`. Its docstring is
  printed in Python, the comment above it in C and JavaScript; `{a|b}` in a comment is `a` in double
  and `b` in single precision.
- Its body is assignments and a final `return`. There are no branches and no loops, so that all rows
  of a block take the same steps: `a if test else b` computes both values and selects one.
- An expression consists of names, literals, comparisons, `+ - * /` of floats, `+ - * << >> & |` of
  ints, and calls: of other functions, of `bits` and `from_bits`, of `math.fabs`, `math.sqrt` and
  `math.copysign`, whose first argument is never negative. `y = horner(x, SERIES)` is a statement.
- An int has as many bits as the float, and wraps around; one annotated `Wide` has 64. In
  JavaScript, only the low 31 bits of `>>` by less than 32 are right.
- A literal is the same in double and in single precision. One with more digits than a float holds
  must be a constant, unless `single.py` replaces the function.
- A function of `*arguments` is outside the subset: other languages have it written by hand.
- A lambda in the entry of a function is a derivative, printed as a function of its own.

`integer.py` has the arithmetic of fixed point. There an int is signed, has 32 bits and never
overflows; functions return an `int`; there are no floats; a `Table` is a list of ints, read as
`t[i]`; and `>>` of a negative number rounds down.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NoReturn

from dsgec.arithmetic import subset
from dsgec.arithmetic.ir import (
    Arithmetic,
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
from dsgec.arithmetic.subset import NotInSubset

_KINDS: dict[str, Kind] = {"float": "real", "int": "word", "Wide": "wide"}
"""The kinds that annotations stand for in `core.py`, `scalar.py` and `single.py`."""

_WHOLE_KINDS: dict[str, Kind] = {"int": "whole", "Table": "table"}
"""The kinds that annotations stand for in `integer.py`."""

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


Constants = dict[str, tuple[Literal, ...]]
Signatures = dict[str, tuple[Kind, ...]]
Position = tuple[int, int]  # a line and a column


def choose(text: str, dtype: Dtype) -> str:
    """Replace `{a|b}` by `a` in double and by `b` in single precision."""
    choice = 1 if dtype == "double" else 2
    return re.sub(r"\{([^{}|]*)\|([^{}]*)\}", rf"\{choice}", text)


def read(dtype: Dtype, *, derivatives: bool = False) -> dict[str, Definition]:
    """Return the functions in double or single precision, each after those that it calls.

    With `derivatives`, also return the partial derivatives: `f_derivative_a` and `f_derivative_b`
    of `f(a, b)`, which take the arguments and the result.
    """
    core, scalar, single = (_File.read(name, dtype) for name in ("core", "scalar", "single"))
    sources = (core, scalar, single) if dtype == "float" else (core, scalar)
    constants = core.constants | scalar.constants
    signatures = _signatures(*sources)
    found = {}
    for file in sources:
        for name, node in file.functions.items():
            fits_float = dtype == "double" or file is single or name in single.functions
            function = _Function(file, node, constants, signatures, fits_float)
            found[name] = function.define(name)
    for name, derivative, doc in scalar.derivatives() if derivatives else ():
        function = _Function(scalar, derivative, constants, signatures, dtype == "double")
        found[name] = function.define(name, doc)
    return {name: found[name] for name in _call_order([*scalar.functions, *found], found)}


def read_integers() -> dict[str, Definition]:
    """Return the functions of fixed point, each after those that it calls."""
    file = _File.read("integer", "double", _WHOLE_KINDS)
    signatures = _signatures(file)
    return {
        name: _Function(file, node, {}, signatures, True, result="whole").define(name)
        for name, node in file.functions.items()
    }


@cache
def definitions(arithmetic: Arithmetic) -> Mapping[str, Definition]:
    """Return the functions of one arithmetic, parsed once per process."""
    return read_integers() if arithmetic == "whole" else read(arithmetic)


def with_callees(arithmetic: Arithmetic, names: Iterable[str]) -> list[Definition]:
    """Return the named functions and all that they call, each after those that it calls."""
    known = definitions(arithmetic)
    needed = list(names)
    for name in needed:
        needed += [call for call in known[name].calls if call not in needed]
    return [definition for name, definition in known.items() if name in needed]


def _call_order(names: Iterable[str], found: dict[str, Definition]) -> dict[str, None]:
    order: dict[str, None] = {}
    for name in names:
        if name not in order:
            order |= _call_order(found[name].calls, found) | {name: None}
    return order


def _signatures(*sources: "_File") -> Signatures:
    return {
        name: tuple(_parameters(node, file.kinds).values())
        for file in sources
        for name, node in file.functions.items()
    }


def _parameters(
    node: ast.FunctionDef | ast.Lambda, kinds: dict[str, Kind] = _KINDS
) -> dict[str, Kind]:
    """Return the kinds of the parameters; those of a lambda are floats."""
    return {
        argument.arg: kinds[ast.unparse(argument.annotation) if argument.annotation else "float"]
        for argument in node.args.args
    }


def _span(node: ast.expr) -> tuple[Position, Position]:
    return (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)


@dataclass(frozen=True, slots=True)
class _File:
    """The text of a source file and its functions, constants and comments."""

    text: str
    starts: list[int]  # where each line starts in the text
    functions: dict[str, ast.FunctionDef]
    constants: Constants
    comments: dict[int, str]  # of whole lines, by their numbers
    dtype: Dtype
    kinds: dict[str, Kind]

    @classmethod
    def read(cls, name: str, dtype: Dtype, kinds: dict[str, Kind] = _KINDS) -> "_File":
        text = subset.read_text(name)
        tree = ast.parse(text)
        starts = [0]
        for line in text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        comments = {
            token.start[0]: token.string.removeprefix("#").strip()
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type == tokenize.COMMENT and token.start[1] == 0
        }
        file = cls(text, starts, functions, {}, comments, dtype, kinds)
        for node in tree.body:
            match node:
                case ast.Assign([ast.Name(name)], ast.Call(ast.Name("number"), values)):
                    value = values[0 if dtype == "double" else 1]
                    parts = value.elts if isinstance(value, ast.Tuple) else [value]
                    file.constants[name] = tuple(map(file.literal, parts))
        return file

    def slice(self, start: Position, end: Position) -> str:
        """Return the text between two positions."""
        text = self.text[self.starts[start[0] - 1] + start[1] : self.starts[end[0] - 1] + end[1]]
        if not text.isascii():
            raise NotInSubset(f"line {start[0]}: code is ASCII")
        return re.sub(r"(?<=\() | (?=\))", "", re.sub(r"\s+", " ", text))

    def literal(self, node: ast.expr) -> Literal:
        is_real = isinstance(ast.literal_eval(node), float)
        return Literal(self.slice(*_span(node)), "real" if is_real else self.kinds["int"])

    def comment_above(self, node: ast.FunctionDef) -> tuple[str, ...]:
        line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        lines: list[str] = []
        while (line := line - 1) in self.comments:
            lines.insert(0, self.comments[line])
        return tuple(choose(line, self.dtype) for line in lines)

    def derivatives(self) -> Iterator[tuple[str, ast.Lambda, str]]:
        """Yield the name, the lambda and the docstring of each derivative in the entries."""
        for name, node in self.functions.items():
            arguments = list(_parameters(node))
            for decorator in node.decorator_list:
                assert isinstance(decorator, ast.Call)
                found = [part for part in decorator.args if isinstance(part, ast.Lambda)]
                for derivative, argument in zip(found, arguments or [""], strict=True):
                    end, by = (f"_{argument}", f" by {argument}") if found[1:] else ("", "")
                    yield f"{name}_derivative{end}", derivative, f"The derivative of {name}{by}."


@dataclass
class _Function:
    """Parses one function or derivative into its definition."""

    file: _File
    node: ast.FunctionDef | ast.Lambda
    constants: Constants
    signatures: Signatures
    is_exact: bool  # its literals may have more digits than a float
    kinds: dict[str, Kind] = field(default_factory=dict)
    result: Kind = "real"  # of every function of the file

    def fail(self, node: ast.AST, message: str) -> NoReturn:
        where = getattr(self.node, "name", "a derivative")
        raise NotInSubset(f"{where}: {message}: {ast.unparse(node)}")

    def define(self, name: str, doc: str = "") -> Definition:
        self.kinds = _parameters(self.node, self.file.kinds)
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
        if _parameters(self.node, self.file.kinds).keys() & {step.name for step in steps}:
            self.fail(self.node.args, "a parameter keeps its value")
        if not isinstance(last, ast.Return) or last.value is None:
            self.fail(last, "a function ends in a return")
        result = self.expect(self.result, last.value)
        return _with_calls(Definition(name, parameters, tuple(steps), result, doc, comment))

    def assign(self, statement: ast.stmt) -> Iterator[Assign]:
        match statement:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("horner"), [x, ast.Name(series)])):
                yield from self.horner(name, self.expect("real", x), self.constants[series])
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
            case ast.Name(name) if len(self.constants.get(name, ())) == 1:
                return self.constants[name][0]
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
        """Return two expressions of one kind; a word may stand beside 64 bits."""
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
        """Return an operation with its parentheses as written."""
        inner = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
        start, end = _span(node)
        edges = [start, *(edge for part in inner for edge in _span(part)), end]
        around = tuple(self.file.slice(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True))
        return Operation(operator, operands, around, kind or operands[0].kind)


def _with_calls(definition: Definition) -> Definition:
    calls = [
        part.function
        for part in walk(*definition.expressions)
        if isinstance(part, Call) and part.function not in (*_PRIMITIVES, "wide", "at")
    ]
    return replace(definition, calls=tuple(dict.fromkeys(calls)))
