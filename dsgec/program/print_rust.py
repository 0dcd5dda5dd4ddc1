"""Print programs as Rust, which needs no other crate, not even `std`.

Scalars of exact integers are `i32`; arrays and tables have integers of their own types. Functions
are not formatted by rustfmt, which breaks many lines for no reason that helps a reader.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from dsgec.literals import number, number_lines, single_number
from dsgec.program import ir
from dsgec.program.printer import Printer, Simple, is_part, is_untyped, of_one_width, plain_number

_MASKS: Mapping[ir.Type, tuple[str, str]] = {
    "double": ("0x7fffffffffffffff", "0x8000000000000000"),
    "float": ("0x7fffffff", "0x80000000"),
}
"""The bits of a float without its sign, and its sign."""
_WRAPPING = {"+": "wrapping_add", "-": "wrapping_sub", "*": "wrapping_mul"}


class RustPrinter(Printer):
    """Prints programs as private functions and static tables.

    Without `std` there is no square root: the crate has a function `square_root`.
    """

    elements: ClassVar[Mapping[ir.Type, str]] = {
        "double": "f64",
        "float": "f32",
        "uint64": "u64",
        "uint32": "u32",
        "int32": "i32",
        "int24": "i32",
        "uint16": "u16",
        "uint8": "u8",
        "int16": "i16",
        "int8": "i8",
        "bool": "bool",
    }
    types: ClassVar[Mapping[ir.Type, str]] = {**elements, **dict.fromkeys(ir.NARROW, "i32")}

    def __init__(self, program: ir.Program) -> None:
        super().__init__(program)
        self.procedures = {procedure.name: procedure for procedure in program.procedures}
        self.names: frozenset[str] = frozenset()  # those that the procedure reads
        self.local: set[str] = set()  # arrays that it has itself

    # Tables and procedures.

    def table(self, table: ir.ConstantTable) -> Iterator[str]:
        if table.about:
            yield f"/// {table.about}"
        yield "#[rustfmt::skip]"
        size = len(table.values)
        yield f"static {table.name.upper()}: [{self.elements[table.type]}; {size}] = ["
        literal = single_number if table.type == "float" else number
        yield from (f"    {line}," for line in number_lines(table.values, literal))
        yield "];"

    def comment(self, procedure: ir.Procedure) -> Iterator[str]:
        if procedure.name not in self.own:
            yield from (f"// {line}" for line in procedure.comment)
        elif procedure.about:
            yield f"/// {procedure.about}"
        if is_part(procedure.name):
            yield "#[inline(never)]"  # compilers take long for one long function
        yield "#[rustfmt::skip]"
        if any(isinstance(each, ir.While) for each in ir.instructions(procedure.body)):
            yield "#[allow(unused_assignments)]"  # of what a loop assigns before it is read

    def enter(self, procedure: ir.Procedure) -> None:
        super().enter(procedure)
        self.names, self.local = procedure.names, set()

    def head(self, procedure: ir.Procedure) -> str:
        listed = ", ".join(map(self.parameter, procedure.parameters))
        result = f" -> {self.types[procedure.result.type]}" if procedure.result else ""
        return f"fn {procedure.name}({listed}){result} {{"

    def parameter(self, parameter: ir.Parameter) -> str:
        """Return the declaration of a parameter; arrays are passed by reference."""
        name = parameter.name if parameter.name in self.names else f"_{parameter.name}"
        if isinstance(parameter, ir.Variable):
            return f"{name}: {self.types[parameter.type]}"
        size = f"; {parameter.size}" if parameter.size else ""  # one of any size is a slice
        return f"{name}: &{_mutable(parameter)}[{self.elements[parameter.type]}{size}]"

    def returned(self, result: ir.Expression) -> str:
        return self.write(result)

    # Statements.

    def block(self, body: Sequence[ir.Instruction], indent: str) -> Iterator[str]:
        """Yield the lines of instructions; `mut` has what the block assigns again."""
        outside = self.updated
        inside = ir.instructions(tuple(body))
        again = (each.variable.name for each in inside if isinstance(each, ir.Update))
        self.updated = frozenset(again)
        yield from super().block(body, indent)
        self.updated = outside

    def declare(self, variable: ir.Variable, value: ir.Expression) -> str:
        mutable = "mut " if variable.name in self.updated else ""
        kind = f": {self.types[variable.type]}" if is_untyped(value) else ""
        return f"let {mutable}{variable.name}{kind} = {self.write(value)};"

    def local_array(self, array: ir.LocalArray) -> str:
        self.local.add(array.name)
        zero = {"double": "0.0", "float": "0.0", "bool": "false"}.get(array.type, "0")
        kind = f"[{self.elements[array.type]}; {array.size}]"
        return f"let mut {array.name}: {kind} = [{zero}; {array.size}];"

    def loop(self, counter: ir.Variable, count: ir.Expression) -> str:
        name = counter.name if counter.name in self.names else "_"
        return f"for {name} in 0..{self.inner(count, '*', is_right=True)}"

    def repeat(self, test: ir.Expression) -> str:
        return f"while {self.write(test)}"

    def test(self, test: ir.Expression) -> str:
        return f"if {self.write(test)}"

    def statement(self, instruction: Simple) -> str:
        match instruction:
            case ir.Update(ir.Variable(name, type_), value) if type_ in ir.WORDS:
                return f"{name} = {self.write(value)};"
            case ir.Perform(procedure, arguments):
                pairs = zip(self.procedures[procedure].arrays, arguments, strict=True)
                listed = [
                    f"&{_mutable(p)}{name}" if name in self.local else name for p, name in pairs
                ]
                return f"{procedure}({', '.join(listed)});"
        return super().statement(instruction)

    def target(self, array: str, index: ir.Expression) -> str:
        return f"{array}[{self.index(index)}]"

    def stored(self, array: str, value: ir.Expression) -> str:
        type_ = self.arrays[array]
        if self.types[type_] == self.elements[type_] or isinstance(value, ir.Number):
            return self.write(value)
        return f"{self.inner(value, '<<')} as {self.elements[type_]}"

    # Expressions.

    def number(self, literal: ir.Number) -> str:
        return plain_number(literal)

    def element(self, element: ir.Element) -> str:
        text = f"{self.array(element.array)}[{self.index(element.index)}]"
        is_narrow = self.types[element.type] != self.elements[element.type]
        return f"i32::from({text})" if is_narrow else text

    def array(self, name: str) -> str:
        """Return the name of an array or a table."""
        return name.upper() if name in self.tables else name

    def index(self, index: ir.Expression) -> str:
        """Return an index, which has a type of its own."""
        if isinstance(index, ir.Number):
            return self.write(index)
        return f"{self.inner(index, '<<')} as usize"

    def array_argument(self, array: str) -> str:
        return f"&{self.array(array)}" if array in self.tables else array

    def binary(self, expression: ir.Binary) -> str:
        match of_one_width(expression):
            case ir.Binary("!=", left, right) if left == right and left.type in ir.REALS:
                return f"{self.receiver(left)}.is_nan()"
            case ir.Binary("+" | "-" | "*" as operator, left, right, type_) if type_ in ir.WORDS:
                return f"{self.receiver(left)}.{_WRAPPING[operator]}({self.write(right)})"
            case ir.Binary("<<" | ">>" as operator, ir.Number() as left, right, type_) if (
                type_ in ir.WORDS
            ):
                return f"{self.receiver(left)} {operator} {self.inner(right, operator)}"
            case same:
                return super().binary(same)

    def receiver(self, value: ir.Expression) -> str:
        """Return a value that a method is called of."""
        if isinstance(value, ir.Number):
            text = f"{self.number(value)}_{self.types[value.type]}"
            return f"({text})" if text.startswith("-") else text
        return self.inner(value, "<<")

    def needs_parentheses(
        self, expression: ir.Expression, operator: str, *, is_right: bool = False
    ) -> bool:
        match expression:
            case ir.Binary("+" | "-" | "*", _, _, type_) if type_ in ir.WORDS:
                return False
            case ir.Invoke("signed"):
                return True
            case _:
                return super().needs_parentheses(expression, operator, is_right=is_right)

    def select(self, select: ir.Select) -> str:
        test, yes, no = map(self.write, (select.test, select.yes, select.no))
        return f"if {test} {{ {yes} }} else {{ {no} }}"

    def invoke(self, call: ir.Invoke) -> str:
        match call:
            case ir.Invoke("bits", (x,)):
                return f"{self.receiver(x)}.to_bits()"
            case ir.Invoke("from_bits", (n,)):
                return f"{self.types[call.type]}::from_bits({self.write(n)})"
            case ir.Invoke("math.fabs", (x,)):
                rest, _ = _MASKS[call.type]
                bits = f"{self.receiver(x)}.to_bits()"
                return f"{self.types[call.type]}::from_bits({bits} & {rest})"
            case ir.Invoke("math.copysign", (x, y)):
                _, sign = _MASKS[call.type]
                own = f"({self.receiver(y)}.to_bits() & {sign})"
                bits = f"{self.receiver(x)}.to_bits()"
                return f"{self.types[call.type]}::from_bits({bits} | {own})"
            case ir.Invoke("math.sqrt", (x,)):
                return f"square_root({self.write(x)})"
            case ir.Invoke("wide", (n,)):
                return f"u64::from({self.write(n)})"
            case ir.Invoke("signed", (n,)):
                return f"{self.receiver(n)} as i64 as f32"
        return super().invoke(call)


def _mutable(parameter: ir.ArrayParameter) -> str:
    return "mut " if parameter.is_written else ""
