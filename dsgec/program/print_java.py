"""Print programs as Java 17 or newer, whose floats are strict and whose integers are signed.

Scalars of exact integers are `int`, and words are `int` or `long`, which wrap around. A method has
at most 64 KB, and a class about 65,000 constants. So tables are read from texts, and each part of a
long procedure is in a class of its own.
"""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from dsgec.literals import float_number, java_string, number
from dsgec.program import ir
from dsgec.program.printer import Printer, camel, is_part, of_one_width, plain_number

_BOXES: Mapping[ir.Type, str] = {
    "double": "Double",
    "float": "Float",
    "uint64": "Long",
    "uint32": "Integer",
}
_CALLS: Mapping[tuple[str, ir.Type], str] = {
    ("bits", "uint64"): "Double.doubleToRawLongBits({})",
    ("bits", "uint32"): "Float.floatToRawIntBits({})",
    ("from_bits", "double"): "Double.longBitsToDouble({})",
    ("from_bits", "float"): "Float.intBitsToFloat({})",
    ("math.fabs", "double"): "Math.abs({})",
    ("math.fabs", "float"): "Math.abs({})",
    ("math.sqrt", "double"): "Math.sqrt({})",
    ("math.sqrt", "float"): "(float) Math.sqrt({})",
    ("math.copysign", "double"): "Math.copySign({}, {})",
    ("math.copysign", "float"): "Math.copySign({}, {})",
    ("signed", "float"): "(float) ({})",
    ("wide", "uint64"): "Integer.toUnsignedLong({})",
}
"""How functions that every language has are called, by the types of their results."""
_RENAMED = {"equals": "areEqual"}  # every class has a method `equals`


class JavaPrinter(Printer):
    """Prints programs as static members of a class.

    It has methods `numbers` and `reals`, which read the elements of tables from texts.
    """

    elements: ClassVar[Mapping[ir.Type, str]] = {
        "double": "double",
        "float": "float",
        "uint64": "long",
        "uint32": "int",
        "int32": "int",
        "int24": "int",
        "uint16": "char",
        "uint8": "short",
        "int16": "short",
        "int8": "byte",
        "bool": "boolean",
    }
    types: ClassVar[Mapping[ir.Type, str]] = {**elements, **dict.fromkeys(ir.NARROW, "int")}
    has_increment = True

    # Tables and procedures.

    def table(self, table: ir.ConstantTable) -> Iterator[str]:
        if table.about:
            yield f"/** {table.about} */"
        kind, read = ("int", "numbers") if table.type not in ir.REALS else (table.type, "reals")
        text = java_string(" ".join(map(number, table.values)))
        yield f"private static final {kind}[] {table.name.upper()} = {read}({text});"

    def comment(self, procedure: ir.Procedure) -> Iterator[str]:
        if procedure.name not in self.own:
            yield from (f"// {line}" for line in procedure.comment)
        elif procedure.about:
            yield f"/** {procedure.about} */"

    def procedure(self, procedure: ir.Procedure) -> Iterator[str]:
        lines = super().procedure(procedure)
        if not is_part(procedure.name):
            yield from lines
            return
        yield f"private static final class {procedure.name.capitalize()} {{"
        yield from (f"{self.indent}{line}" for line in lines)
        yield "}"

    def head(self, procedure: ir.Procedure) -> str:
        listed = ", ".join(self.parameter(p, procedure) for p in procedure.parameters)
        kind = self.types[procedure.result.type] if procedure.result else "void"
        private = "" if is_part(procedure.name) else "private "
        return f"{private}static {kind} {self.spell_function(procedure.name)}({listed}) {{"

    def parameter(self, parameter: ir.Parameter, procedure: ir.Procedure) -> str:
        """Return the declaration of a parameter; functions of the arithmetic take tables."""
        kind = self.types[parameter.type]
        if not isinstance(parameter, ir.Variable):
            kind = f"{kind if procedure.name not in self.own else self.elements[parameter.type]}[]"
        return f"{kind} {camel(parameter.name)}"

    def spell_procedure(self, name: str) -> str:
        return f"{name.capitalize()}.{name}" if is_part(name) else camel(name)

    def spell_function(self, name: str) -> str:
        return camel(_RENAMED.get(name, name))

    def spell_variable(self, name: str) -> str:
        return camel(name)

    # Statements.

    def declare(self, variable: ir.Variable, value: ir.Expression) -> str:
        return f"{self.types[variable.type]} {camel(variable.name)} = {self.write(value)};"

    def local_array(self, array: ir.LocalArray) -> str:
        kind = self.elements[array.type]
        return f"{kind}[] {array.name} = new {kind}[{array.size}];"

    def loop(self, counter: ir.Variable, count: ir.Expression) -> str:
        name = camel(counter.name)
        return f"for (int {name} = 0; {name} < {self.inner(count, '<')}; {name}++)"

    def stored(self, array: str, value: ir.Expression) -> str:
        type_ = self.arrays[array]
        match value:
            case ir.Number():
                return self.write(value)
            case ir.Element(other, _, own) if own == type_ and other not in self.tables:
                return self.write(value)
        if self.types[type_] == self.elements[type_]:
            return self.write(value)
        return f"({self.elements[type_]}) {self.inner(value, '*', is_right=True)}"

    # Expressions.

    def number(self, literal: ir.Number) -> str:
        match literal:
            case ir.Number(value, "float"):
                return float_number(float(value))
            case ir.Number(_, "uint64"):
                return f"{plain_number(literal)}L"
            case _:
                return plain_number(literal)

    def element(self, element: ir.Element) -> str:
        return f"{self.array_argument(element.array)}[{self.write(element.index)}]"

    def array_argument(self, array: str) -> str:
        return array.upper() if array in self.tables else camel(array)

    def binary(self, expression: ir.Binary) -> str:
        match of_one_width(expression):
            case ir.Binary("!=", left, right) if left == right and left.type in ir.REALS:
                return f"{_BOXES[left.type]}.isNaN({self.write(left)})"
            case ir.Binary("<<" | ">>" as operator, left, right, type_) if type_ in ir.WORDS:
                count = (
                    str(right.value) if isinstance(right, ir.Number) else self.inner(right, "<<")
                )
                sign = ">>>" if operator == ">>" else operator
                return f"{self.inner(left, operator)} {sign} {count}"
            case ir.Binary(operator, left, right) if (
                operator in ir.COMPARISONS[2:] and left.type in ir.WORDS
            ):
                compare = f"{_BOXES[left.type]}.compareUnsigned"
                return f"{compare}({self.write(left)}, {self.write(right)}) {operator} 0"
            case same:
                return super().binary(same)

    def invoke(self, call: ir.Invoke) -> str:
        pattern = _CALLS.get((call.function, call.type))
        if pattern:
            return pattern.format(*map(self.write, call.arguments))
        return super().invoke(call)
