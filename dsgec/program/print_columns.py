"""Print procedures on one row as functions on columns, in Python with numpy.

A value of a row becomes a column, or a number if it is the same in all rows; an array becomes a
list of columns.
"""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from dsgec.program.ir import (
    Branch,
    ConstantTable,
    Expression,
    LocalArray,
    Number,
    Procedure,
    Program,
    Select,
    Type,
    Update,
    Variable,
)
from dsgec.program.printer import Printer, Simple


class ColumnsPrinter(Printer):
    """Prints procedures as Python; functions of the arithmetic are those of `vector`."""

    types: ClassVar[Mapping[Type, str]] = {"double": "Column", "int32": "int", "bool": "bool"}
    calls = {  # noqa: RUF012
        "math.fabs": "np.abs({0})",
        "math.sqrt": "np.sqrt({0})",
        "math.copysign": "np.copysign({0}, {1})",
    }
    end, opening, closing = "", ":", ""

    def __init__(self, procedures: tuple[Procedure, ...]) -> None:
        super().__init__(Program((), procedures))

    def table(self, table: ConstantTable) -> Iterator[str]:
        raise NotImplementedError

    def comment(self, procedure: Procedure) -> Iterator[str]:
        yield from ()

    def head(self, procedure: Procedure) -> str:
        listed = ", ".join(
            f"{p.name}: {self.types[p.type]}"
            if isinstance(p, Variable)
            else f"{p.name}: list[{self.types[p.type]}]"
            for p in procedure.parameters
        )
        kind = self.types[procedure.result.type] if procedure.result else "None"
        return f'def {procedure.name}({listed}) -> {kind}:\n    """{procedure.about}"""'

    def statement(self, instruction: Simple) -> str:
        if isinstance(instruction, Update):  # in a new column: others may share the old one
            return f"{instruction.variable.name} = {self.write(instruction.value)}"
        return super().statement(instruction)

    def declare(self, variable: Variable, value: Expression) -> str:
        return f"{variable.name} = {self.write(value)}"

    def local_array(self, array: LocalArray) -> str:
        raise NotImplementedError

    def loop(self, counter: Variable, count: Expression) -> str:
        return f"for {counter.name} in range({self.write(count)})"

    def branch(self, branch: Branch, indent: str) -> Iterator[str]:
        yield f"{indent}if {self.write(branch.test)}:"
        yield from self.block(branch.yes, indent + self.indent)
        if branch.no:
            yield f"{indent}else:"
            yield from self.block(branch.no, indent + self.indent)

    def number(self, number: Number) -> str:
        return repr(number.value)

    def select(self, select: Select) -> str:
        parts = (self.write(part) for part in (select.test, select.yes, select.no))
        return f"np.where({', '.join(parts)})"

    def inner(self, expression: Expression, operator: str, *, is_right: bool = False) -> str:
        if isinstance(expression, Select):
            return self.write(expression)
        return super().inner(expression, operator, is_right=is_right)

    def spell_function(self, name: str) -> str:
        return f"vector.{name}"
