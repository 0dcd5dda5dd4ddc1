"""Print programs as JavaScript, whose numbers are doubles and, for bits and shifts, 32 bits."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from dsgec.literals import number, number_lines
from dsgec.program import ir
from dsgec.program.js_words import WordPrinter
from dsgec.program.print_script import ScriptPrinter
from dsgec.program.printer import Simple

ARRAYS: dict[ir.Type, str] = {
    "double": "Float64Array",
    "int32": "Int32Array",
    "int16": "Int16Array",
    "int8": "Int8Array",
    "uint16": "Uint16Array",
    "uint8": "Uint8Array",
    "bool": "Uint8Array",
    "size": "Int32Array",
}
"""The arrays of elements of a type."""


class JavaScriptPrinter(ScriptPrinter):
    """Prints programs; the file that they are in needs no other names like theirs."""

    indent = "  "
    lacking: ClassVar[frozenset[ir.Type]] = frozenset(("float", "uint32"))
    operators: ClassVar[Mapping[str, str]] = {"==": "===", "!=": "!=="}
    calls: Mapping[str, str] = {
        "math.fabs": "Math.abs({0})",
        "math.sqrt": "Math.sqrt({0})",
        "math.copysign": "copysign({0}, {1})",
    }

    def __init__(self, program: ir.Program) -> None:
        super().__init__(program)
        self.words = WordPrinter((), self.write)

    # Tables and procedures.

    def enter(self, procedure: ir.Procedure) -> None:
        super().enter(procedure)
        words = [each for each in self.assigned if each.variable.type == "uint64"]
        self.words = WordPrinter(words, self.write)
        if words:
            self.words.analyse(procedure)

    def table(self, table: ir.ConstantTable) -> Iterator[str]:
        if table.about:
            yield f"/* {table.about} */"
        yield f"const {self.spell_table(table.name)} = ["
        yield from (f"  {line}," for line in number_lines(table.values))
        yield "];"

    def comment(self, procedure: ir.Procedure) -> Iterator[str]:
        text = "\n * ".join(procedure.comment) or procedure.about
        yield from f"/* {text} */".splitlines() if text else ()

    def head(self, procedure: ir.Procedure) -> str:
        listed = ", ".join(self.parameters(procedure))
        return f"function {self.spell_procedure(procedure.name)}({listed}) {{"

    def new_list(self, array: ir.ArrayParameter) -> str:
        return f"const {array.name} = new Array({array.size}).fill(0)"

    # Instructions.

    def statement(self, instruction: Simple) -> str:
        match instruction:
            case ir.Declare(ir.Variable(name, "uint64"), value):
                pairs = self.words.assign(name, value)
                let = self.kind(name)
                return "\n".join(f"{let} {word} = {text};" for word, text in pairs)
            case ir.Update(ir.Variable(name, "uint64"), value):
                names, values = zip(*self.words.assign(name, value), strict=True)
                if len(names) == 1:
                    return f"{names[0]} = {values[0]};"
                return f"[{', '.join(names)}] = [{', '.join(values)}];"
            case ir.Update(ir.Variable(name) as total, ir.Binary("+", left, right)) if (
                left == total
            ):
                return f"{name} += {self.term(right, '+')};"
            case _:
                return super().statement(instruction)

    def kind(self, name: str) -> str:
        """Return how a variable is declared."""
        return "let" if name in self.updated else "const"

    def declare(self, variable: ir.Variable, value: ir.Expression) -> str:
        return f"{self.kind(variable.name)} {variable.name} = {self.numeric(value, variable.type)};"

    def local_array(self, array: ir.LocalArray) -> str:
        return f"const {array.name} = new {ARRAYS[array.type]}({array.size});"

    def loop(self, counter: ir.Variable, count: ir.Expression) -> str:
        name, end = counter.name, self.inner(count, "<")
        if any(
            isinstance(part, ir.Variable) and part.name in self.updated for part in ir.parts(count)
        ):
            # The body may change the variables of the count, but not the count.
            return f"for (let {name} = 0, {name}_end = {end}; {name} < {name}_end; {name}++)"
        return f"for (let {name} = 0; {name} < {end}; {name}++)"

    def stored(self, array: str, value: ir.Expression) -> str:
        return self.numeric(value, self.arrays[array])

    # Expressions.

    def numeric(self, value: ir.Expression, type_: ir.Type) -> str:
        """Return a value of a type; a boolean becomes a number if that is another one."""
        is_converted = value.type == "bool" and type_ != "bool"
        return f"Number({self.write(value)})" if is_converted else self.write(value)

    def select(self, select: ir.Select) -> str:
        yes, no = (
            self.choice(part) if isinstance(part, ir.Select) else self.numeric(part, select.type)
            for part in (select.yes, select.no)
        )
        return f"{self.choice(select.test)} ? {yes} : {no}"

    def number(self, literal: ir.Number) -> str:
        return number(float(literal.value)) if literal.type == "double" else str(literal.value)

    def binary(self, expression: ir.Binary) -> str:
        match expression:
            case ir.Binary(operator, left, _) if (
                left.type == "uint64" and operator in ir.COMPARISONS
            ):
                return self.words.compare(expression)
            case ir.Binary(_, left, right) if _is_product(expression):
                # A product with 0 may be -0, but `Math.imul` is never.
                return f"Math.imul({self.write(left)}, {self.write(right)})"
            case ir.Binary("+" | "-" as operator, left, right, type_) if type_ in ir.LIMITS:
                return f"{self.inner(left, operator)} {operator} {self.term(right, operator)}"
            case _:
                return super().binary(expression)

    def inner(self, expression: ir.Expression, operator: str, *, is_right: bool = False) -> str:
        if _is_product(expression):
            return self.write(expression)  # a call
        return super().inner(expression, operator, is_right=is_right)

    def term(self, term: ir.Expression, operator: str) -> str:
        """Return what is added to a number that is not -0, or taken from it."""
        match term:
            case ir.Binary(_, left, right) if _is_product(term):
                return f"{self.inner(left, '*')} * {self.inner(right, '*', is_right=True)}"
            case _:
                return self.inner(term, operator, is_right=True)

    def invoke(self, call: ir.Invoke) -> str:
        if call.function == "from_bits":
            (word,) = call.arguments
            return f"from_bits({self.words.high(word)}, {self.words.low(word)})"
        return super().invoke(call)

    def argument(self, argument: ir.Expression) -> str:
        return self.words.argument(argument) if argument.type == "uint64" else self.write(argument)


def _is_product(expression: ir.Expression) -> bool:
    """Return whether an expression is a product of integers."""
    match expression:
        case ir.Binary("*", _, _, type_):
            return type_ in ir.LIMITS
        case _:
            return False
