"""Print programs as Go, formatted as gofmt does it.

Go may fuse a product and the sum that it is part of; a conversion around the product prevents that,
as the language's specification says. Constants are exact there, without a negative zero, until they
are converted to floats: a function `number` makes a variable of one. Scalars of exact integers are
`int32`.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import copysign
from textwrap import indent
from typing import ClassVar

from dsgec.literals import number_lines
from dsgec.program import ir
from dsgec.program.printer import Printer, Simple, camel, is_untyped, of_one_width, plain_number

_CALLS: Mapping[tuple[str, ir.Type], str] = {
    ("bits", "uint64"): "math.Float64bits({})",
    ("bits", "uint32"): "math.Float32bits({})",
    ("from_bits", "double"): "math.Float64frombits({})",
    ("from_bits", "float"): "math.Float32frombits({})",
    ("math.fabs", "double"): "math.Abs({})",
    ("math.fabs", "float"): "float32(math.Abs(float64({})))",
    ("math.sqrt", "double"): "math.Sqrt({})",
    ("math.sqrt", "float"): "float32(math.Sqrt(float64({})))",
    ("math.copysign", "double"): "math.Copysign({}, {})",
    ("math.copysign", "float"): "float32(math.Copysign(float64({}), float64({})))",
    ("signed", "float"): "float32(int64({}))",
    ("wide", "uint64"): "uint64({})",
}
"""How functions that every language has are called, by the types of their results."""
_SUMS, _PRODUCTS = ("+", "-", "|"), ("*", "/", "<<", ">>", "&")
_TAB = "\t"


class GoPrinter(Printer):
    """Prints programs as private functions and tables.

    `depth` is gofmt's: it leaves out the blanks around operators deep in an expression. A choice is
    a statement in Go; those inside an expression wait in `choices` until its statement is printed.
    """

    elements: ClassVar[Mapping[ir.Type, str]] = {
        **{type_: type_ for type_ in (*ir.WORDS, *ir.LIMITS)},
        **{"double": "float64", "float": "float32"},
    }
    types: ClassVar[Mapping[ir.Type, str]] = {
        **elements,
        **dict.fromkeys((*ir.NARROW, "int24"), "int32"),
    }
    indent = _TAB
    end = ""
    has_increment = True

    def __init__(self, program: ir.Program) -> None:
        super().__init__(program)
        self.depth = 1
        self.choices: list[str] = []
        self.local: set[str] = set()  # arrays that the procedure has itself
        self.chosen = 0  # variables of choices so far

    # Tables and procedures.

    def table(self, table: ir.ConstantTable) -> Iterator[str]:
        if table.about:
            yield f"// {table.about}"
        yield f"var {camel(table.name)} = [...]{self.elements[table.type]}{{"
        lines = number_lines(table.values, lambda value: self.number(ir.Number(value, table.type)))
        yield from (f"\t{line}," for line in lines)
        yield "}"

    def comment(self, procedure: ir.Procedure) -> Iterator[str]:
        lines = (procedure.about,) if procedure.name in self.own else procedure.comment
        yield from (f"// {line}" for line in lines if line)

    def enter(self, procedure: ir.Procedure) -> None:
        super().enter(procedure)
        self.local, self.chosen = set(), 0

    def head(self, procedure: ir.Procedure) -> str:
        listed = ", ".join(self.parameter(p, procedure) for p in procedure.parameters)
        result = f" {self.types[procedure.result.type]}" if procedure.result else ""
        return f"func {camel(procedure.name)}({listed}){result} {{"

    def parameter(self, parameter: ir.Parameter, procedure: ir.Procedure) -> str:
        """Return the declaration of a parameter; arrays are passed as pointers."""
        name = camel(parameter.name)
        match parameter:
            case ir.Variable(_, type_):
                return f"{name} {self.types[type_]}"
            case ir.ArrayParameter(_, type_) if procedure.name not in self.own:
                return f"{name} []{self.elements[type_]}"
            case ir.ArrayParameter(_, type_, size):
                return f"{name} *[{size}]{self.elements[type_]}"

    def body(self, procedure: ir.Procedure) -> Iterator[str]:
        yield from self.block(procedure.body, self.indent)
        if procedure.result is not None:
            self.choices = []
            lines = self.returned(procedure.result).splitlines()
            yield from (f"\t{line}" for line in [*self.choices, *lines])

    def returned(self, result: ir.Expression) -> str:
        if isinstance(result, ir.Select):
            test, yes, no = map(self.write, (result.test, result.yes, result.no))
            return f"if {test} {{\n\treturn {yes}\n}}\nreturn {no}"
        return super().returned(result)

    def spell_procedure(self, name: str) -> str:
        return camel(name)

    spell_function = spell_variable = spell_procedure

    # Statements.

    def block(self, body: Sequence[ir.Instruction], indent: str) -> Iterator[str]:
        outer = self.choices
        for instruction in body:
            self.choices = []
            lines = [*super().block((instruction,), indent)]
            yield from (f"{indent}{line}" for line in self.choices)
            yield from lines
        self.choices = outer

    def statement(self, instruction: Simple) -> str:
        match instruction:
            case ir.Declare(variable, ir.Select(test, yes, no)):
                first = self.statement(ir.Declare(variable, no))
                return f"{first}\n{self.choose(test, ir.Update(variable, yes))}"
            case ir.Update(variable, ir.Select(test, yes, no)) if yes == variable:
                return self.choose(f"!({self.write(test)})", ir.Update(variable, no))
            case ir.Update(variable, ir.Select(test, yes, no)) if no == variable:
                return self.choose(test, ir.Update(variable, yes))
            case ir.Update(variable, ir.Select(test, yes, no)):
                return self.choose(test, ir.Update(variable, yes), ir.Update(variable, no))
            case ir.Store(array, place, ir.Select(test, yes, no)):
                return self.choose(test, ir.Store(array, place, yes), ir.Store(array, place, no))
        return super().statement(instruction)

    def choose(self, test: ir.Expression | str, yes: Simple, no: Simple | None = None) -> str:
        """Return statements of which a test chooses one; the second may be absent."""
        head = test if isinstance(test, str) else self.write(test)
        other = f"\n}} else {{\n{indent(self.statement(no), _TAB)}" if no else ""
        return f"if {head} {{\n{indent(self.statement(yes), _TAB)}{other}\n}}"

    def declare(self, variable: ir.Variable, value: ir.Expression) -> str:
        text = self.write(value)
        if is_untyped(value):
            text = f"{self.types[variable.type]}({text})"
        return f"{self.write(variable)} := {text}"

    def local_array(self, array: ir.LocalArray) -> str:
        self.local.add(array.name)
        return f"var {camel(array.name)} [{array.size}]{self.elements[array.type]}"

    def loop(self, counter: ir.Variable, count: ir.Expression) -> str:
        name = self.write(counter)
        return f"for {name} := int32(0); {name} < {self.at(2, count, '<')}; {name}++"

    def repeat(self, test: ir.Expression) -> str:
        return f"for {self.write(test)}"

    def test(self, test: ir.Expression) -> str:
        return f"if {self.write(test)}"

    def stored(self, array: str, value: ir.Expression) -> str:
        type_ = self.arrays[array]
        if self.types[type_] == self.elements[type_] or isinstance(value, ir.Number):
            return self.write(value)
        return f"{self.elements[type_]}({self.write(value)})"

    def target(self, array: str, index: ir.Expression) -> str:
        return f"{camel(array)}[{self.at(2, index)}]"

    def array_argument(self, array: str) -> str:
        name = camel(array)
        return f"&{name}" if array in self.local else f"{name}[:]" if array in self.tables else name

    # Expressions.

    def number(self, literal: ir.Number) -> str:
        match literal:
            case ir.Number(value, "double" | "float" as type_) if (
                not value and copysign(1, value) < 0
            ):
                zero = "math.Copysign(0, -1)"
                return zero if type_ == "double" else f"float32({zero})"
            case _:
                return plain_number(literal)

    def write(self, expression: ir.Expression) -> str:
        match expression:
            case ir.Negative(ir.Number(value, type_)):
                return self.number(ir.Number(-value, type_))
        return super().write(expression)

    def element(self, element: ir.Element) -> str:
        text = f"{camel(element.array)}[{self.at(self.depth + 1, element.index)}]"
        is_narrow = self.types[element.type] != self.elements[element.type]
        return f"int32({text})" if is_narrow else text

    def binary(self, expression: ir.Binary) -> str:
        operation = of_one_width(expression)
        operator, left, right = operation.operator, operation.left, operation.right
        chain = self.bare(left, operator)
        is_chain = chain is not None and _level(chain.operator) == _level(operator)
        first = self.at(self.depth + (not is_chain), left, operator)
        if isinstance(left, ir.Number) and operator in ("<<", ">>"):
            first = f"{self.types[operation.type]}({first})"
        elif left.type in ir.REALS and is_untyped(left) and is_untyped(right):
            first = f"number({first})"
        second = self.at(self.depth + 1, right, operator, is_right=True)
        blank = " " if _level(operator) < self.cutoff(operation) else ""
        text = f"{first}{blank}{operator}{blank}{second}"
        return text if _is_bare(operation) else f"{self.types[operation.type]}({text})"

    def cutoff(self, operation: ir.Binary) -> int:
        """Return the level of operators from which on gofmt leaves out blanks."""
        if self.depth > 1:
            return 4
        return 5 if self.levels(operation) >= {4, 5} else 6

    def levels(self, operation: ir.Binary) -> set[int]:
        """Return the levels of an operator and of those inside it without parentheses."""
        inner = self.bare(operation.left, operation.operator)
        other = self.bare(operation.right, operation.operator, is_right=True)
        found = (self.levels(part) for part in (inner, other) if part is not None)
        return {_level(operation.operator)}.union(*found)

    def bare(
        self, part: ir.Expression, operator: str, *, is_right: bool = False
    ) -> ir.Binary | None:
        """Return an operand if it is an operation with nothing around it."""
        match part:
            case ir.Binary() if not self.needs_parentheses(part, operator, is_right=is_right):
                return part if _is_bare(part) else None
            case _:
                return None

    def at(
        self, depth: int, expression: ir.Expression, operator: str = "", *, is_right: bool = False
    ) -> str:
        """Return an expression that is so deep in another, perhaps an operand."""
        outer = self.depth
        if operator and self.needs_parentheses(expression, operator, is_right=is_right):
            self.depth = max(depth - 1, 1)
            text = f"({self.write(expression)})"
        else:
            self.depth = depth
            text = self.write(expression)
        self.depth = outer
        return text

    def needs_parentheses(
        self, expression: ir.Expression, operator: str, *, is_right: bool = False
    ) -> bool:
        match expression:
            case ir.Select():
                return False
            case ir.Binary() if not _is_bare(expression):
                return False
            case _:
                return super().needs_parentheses(expression, operator, is_right=is_right)

    def inner(self, expression: ir.Expression, operator: str, *, is_right: bool = False) -> str:
        return self.at(self.depth, expression, operator, is_right=is_right)

    def select(self, select: ir.Select) -> str:
        self.chosen += 1
        variable = ir.Variable(f"choice{self.chosen}", select.type)
        outer, self.depth = self.depth, 1
        self.choices += self.statement(ir.Declare(variable, select)).splitlines()
        self.depth = outer
        return variable.name

    def invoke(self, call: ir.Invoke) -> str:
        outer = self.depth
        self.depth += len(call.arguments) + bool(call.table) > 1
        pattern = _CALLS.get((call.function, call.type), "")
        text = pattern.format(*map(self.write, call.arguments)) if pattern else super().invoke(call)
        self.depth = outer
        return text


def _is_bare(operation: ir.Binary) -> bool:
    """Return whether an operation has no conversion around it, which products of floats have."""
    return operation.operator != "*" or operation.type not in ir.REALS


def _level(operator: str) -> int:
    """Return the precedence of an operator."""
    return 5 if operator in _PRODUCTS else 4 if operator in _SUMS else 3
