"""Print programs as plain Python, which computes one row with its own floats and integers.

Words of Python do not wrap around: a word is cut to its bits where more of them would matter. There
are no floats of single precision.
"""

from collections.abc import Iterator, Sequence

from dsgec.literals import number, number_lines
from dsgec.program import ir
from dsgec.program.print_script import ScriptPrinter

_MASKS: dict[ir.Type, str] = {"uint64": "0xFFFFFFFFFFFFFFFF", "uint32": "0xFFFFFFFF"}
_DECIMAL = 1 << 16  # words from here on are masks, and written in hexadecimal


class PythonPrinter(ScriptPrinter):
    """Prints programs whose names begin with `_` and that of a network, if it has one."""

    end = ""
    opening = ":"
    closing = ""

    def __init__(self, program: ir.Program, prefix: str = "") -> None:
        super().__init__(program)
        self.prefix = f"_{prefix}_" if prefix else "_"
        self.loose: set[str] = set()  # words that may have more bits than their types

    # Programs and procedures.

    def print(self) -> str:
        parts = [[*self.table(table)] for table in self.source.tables]
        parts += [[*self.procedure(procedure)] for procedure in self.source.procedures]
        return "\n\n\n".join("\n".join(part) for part in parts) + "\n"

    def enter(self, procedure: ir.Procedure) -> None:
        super().enter(procedure)
        words = [each for each in self.assigned if each.variable.type in ir.WORDS]
        self.loose = found = set[str]()
        while words:
            found = {each.variable.name for each in words if self.may_overflow(each.value)}
            if found == self.loose:
                break
            self.loose = found

    def table(self, table: ir.ConstantTable) -> Iterator[str]:
        if table.about:
            yield f"# {table.about}"
        yield f"{self.spell_table(table.name)} = ("
        yield from (f"    {line}," for line in number_lines(table.values))
        yield ")"

    def comment(self, procedure: ir.Procedure) -> Iterator[str]:
        yield from ()

    def head(self, procedure: ir.Procedure) -> str:
        listed = ", ".join(self.parameters(procedure))
        return f"def {self.spell_procedure(procedure.name)}({listed}):"

    def body(self, procedure: ir.Procedure) -> Iterator[str]:
        lines = [*super().body(procedure)]
        if procedure.about:
            lines.insert(0, f'{self.indent}"""{procedure.about}"""')
        yield from lines or [f"{self.indent}pass"]

    def new_list(self, array: ir.ArrayParameter | ir.LocalArray) -> str:
        return f"{array.name} = [None] * {array.size}"

    def spell_procedure(self, name: str) -> str:
        return f"{self.prefix}{name}"

    def spell_table(self, name: str) -> str:
        return f"{self.prefix}{name}".upper()

    # Instructions.

    def block(self, body: Sequence[ir.Instruction], indent: str) -> Iterator[str]:
        yield from super().block(body, indent)
        if not body and indent != self.indent:
            yield f"{indent}pass"

    def declare(self, variable: ir.Variable, value: ir.Expression) -> str:
        return f"{variable.name} = {self.write(value)}"

    def local_array(self, array: ir.LocalArray) -> str:
        return self.new_list(array)

    def loop(self, counter: ir.Variable, count: ir.Expression) -> str:
        return f"for {counter.name} in range({self.write(count)})"

    def repeat(self, test: ir.Expression) -> str:
        return f"while {self.write(test)}"

    def branch(self, branch: ir.Branch, indent: str) -> Iterator[str]:
        yield f"{indent}if {self.write(branch.test)}:"
        yield from self.block(branch.yes, indent + self.indent)
        match branch.no:
            case ():
                pass
            case (ir.Branch() as inner,):
                first, *rest = self.branch(inner, indent)
                yield f"{indent}el{first.lstrip()}"
                yield from rest
            case _:
                yield f"{indent}else:"
                yield from self.block(branch.no, indent + self.indent)

    def stored(self, array: str, value: ir.Expression) -> str:
        return self.cut(value)

    def returned(self, result: ir.Expression) -> str:
        return f"return {self.cut(result)}"

    # Expressions.

    def number(self, literal: ir.Number) -> str:
        value, type_ = literal.value, literal.type
        if type_ == "double":
            return number(float(value)).replace("e+", "e")
        return f"0x{value:X}" if type_ in ir.WORDS and value >= _DECIMAL else str(value)

    def binary(self, expression: ir.Binary) -> str:
        operator, left, right = expression.operator, expression.left, expression.right
        if left.type in ir.WORDS and operator in (">>", *ir.COMPARISONS):
            first, second = self.cut(left, operator), self.cut(right, operator)
            return f"{first} {operator} {second}"
        return super().binary(expression)

    def select(self, select: ir.Select) -> str:
        test, yes, no = (self.choice(part) for part in (select.test, select.yes, select.no))
        return f"{yes} if {test} else {no}"

    def invoke(self, call: ir.Invoke) -> str:
        if call.function == "from_bits":  # which cuts its argument
            return f"from_bits({self.write(call.arguments[0])})"
        return super().invoke(call)

    def argument(self, argument: ir.Expression) -> str:
        return self.cut(argument)

    def cut(self, value: ir.Expression, operator: str = "") -> str:
        """Return a value, perhaps as an operand, of which a word has only the bits of its type."""
        if value.type in ir.WORDS and self.may_overflow(value):
            text = f"{self.inner(value, '&')} & {_MASKS[value.type]}"
            return f"({text})" if operator else text
        return self.inner(value, operator) if operator else self.write(value)

    def may_overflow(self, word: ir.Expression) -> bool:
        """Return whether a word may have more bits than its type, or be negative."""
        match word:
            case ir.Variable(name):
                return name in self.loose
            case ir.Binary("&", left, right):
                return self.may_overflow(left) and self.may_overflow(right)
            case ir.Binary("|", left, right) | ir.Select(_, left, right):
                return self.may_overflow(left) or self.may_overflow(right)
            case ir.Binary(operator):
                return operator != ">>"
            case _:
                return False
