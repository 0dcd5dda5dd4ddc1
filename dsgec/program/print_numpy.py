"""Print programs as numpy, which computes a block of rows: a value is a column with one for each.

What does not depend on the row is a number of Python. A column is never changed in place, because
others may have it, too.
"""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from dsgec.literals import number, number_lines, single_number
from dsgec.program import ir
from dsgec.program.print_python import PythonPrinter
from dsgec.program.printer import Simple

_TAKE = '''\
def _take(values, index):
    """Return the elements at an index for each row; rows that have ended get any."""
    if not np.ndim(index):
        return values[index]
    index = np.minimum(index, len(values) - 1)
    if not np.ndim(values[0]):
        return np.asarray(values)[index]
    return np.asarray(values)[index, np.arange(len(index))]
'''


def _tables_looked_up(procedure: ir.Procedure) -> Iterator[str]:
    """Yield the tables that functions read, or that are read at a place which the row decides."""
    steps = [i for i in ir.instructions(procedure.body) if isinstance(i, ir.Declare | ir.Update)]
    arrays = {parameter.name for parameter in procedure.arrays}
    arrays |= {i.name for i in ir.instructions(procedure.body) if isinstance(i, ir.LocalArray)}
    of_row: set[str] = set()

    def depends(expression: ir.Expression) -> bool:
        return any(
            part.array in arrays if isinstance(part, ir.Element) else part.name in of_row
            for part in ir.parts(expression)
            if isinstance(part, ir.Element | ir.Variable)
        )

    while new := {i.variable.name for i in steps if depends(i.value)} - of_row:
        of_row |= new
    for part in procedure.expressions:
        match part:
            case ir.Invoke(_, _, table):
                yield table
            case ir.Element(array, index) if array not in arrays and depends(index):
                yield array


class NumpyPrinter(PythonPrinter):
    """Prints programs on lists, or arrays, of columns."""

    lacking: ClassVar[frozenset[ir.Type]] = frozenset()
    calls: Mapping[str, str] = {
        "math.fabs": "np.abs({0})",
        "math.sqrt": "np.sqrt({0})",
        "math.copysign": "np.copysign({0}, {1})",
        "signed": "({0}).view(np.int64).astype(np.float32)",
        "wide": "({0}).astype(np.uint64)",
    }

    def __init__(self, program: ir.Program, prefix: str = "") -> None:
        super().__init__(program, prefix)
        self.vary: frozenset[str] = frozenset()  # variables that differ from row to row
        self.takes = False  # whether an element differs from row to row
        # The tables in which a column of indices is looked up.
        self.looked = {
            table
            for procedure in (program.procedures if program.tables else ())
            for table in _tables_looked_up(procedure)
        }

    def print(self) -> str:
        text = super().print()
        return f"{_TAKE}\n\n{text}" if self.takes else text

    def enter(self, procedure: ir.Procedure) -> None:
        super().enter(procedure)
        self.vary = _varying(procedure, self.tables)

    def element(self, element: ir.Element) -> str:
        read = {part.name for part in ir.parts(element.index) if isinstance(part, ir.Variable)}
        if self.vary.isdisjoint(read):
            return super().element(element)
        self.takes = True
        text = f"_take({self.array_argument(element.array)}, {self.write(element.index)})"
        return f"{text}.astype(np.{element.type})" if element.type == "float" else text

    def repeat_lines(self, loop: ir.While, indent: str) -> Iterator[str]:
        """Yield a loop in which rows that have ended keep their values."""
        inner = indent + self.indent
        yield f"{indent}while True:"
        yield f"{inner}going = {self.write(loop.test)}"
        yield f"{inner}if not np.any(going):"
        yield f"{inner}{self.indent}break"
        for update in loop.body:
            name = update.variable.name
            yield f"{inner}{name} = np.where(going, {self.write(update.value)}, {name})"

    def table(self, table: ir.ConstantTable) -> Iterator[str]:
        if table.name not in self.looked:
            yield from super().table(table)
            return
        if table.about:
            yield f"# {table.about}"
        yield f"{self.spell_table(table.name)} = np.array("
        yield "    ["
        yield from (f"        {line}," for line in number_lines(table.values))
        yield "    ],"
        yield "    np.int32,"
        yield ")"

    def statement(self, instruction: Simple) -> str:
        if isinstance(instruction, ir.Update):
            return f"{instruction.variable.name} = {self.write(instruction.value)}"
        return super().statement(instruction)

    def number(self, literal: ir.Number) -> str:
        if literal.type == "float":
            value = float(literal.value)
            text = number(value) if value.is_integer() else single_number(value)
            return text.replace("e+", "e")
        text = super().number(literal)
        return f"np.{literal.type}({text})" if literal.type in ir.WORDS else text

    def select(self, select: ir.Select) -> str:
        operands = ", ".join(map(self.write, (select.test, select.yes, select.no)))
        # Before numpy 2, `where` makes doubles of numbers.
        return f"select({operands})" if select.type == "float" else f"np.where({operands})"

    def may_overflow(self, word: ir.Expression) -> bool:
        return False


def _varying(procedure: ir.Procedure, tables: Mapping[str, ir.ConstantTable]) -> frozenset[str]:
    """Return the variables of a procedure that walks whose values differ from row to row."""
    body = [*ir.instructions(procedure.body)]
    found = {
        update.variable.name for loop in body if isinstance(loop, ir.While) for update in loop.body
    }
    size = -1 if found else 0
    while len(found) > size:
        size = len(found)
        for each in body:
            if not isinstance(each, ir.Declare | ir.Update):
                continue
            for part in ir.parts(each.value):
                varies = isinstance(part, ir.Variable) and part.name in found
                varies |= isinstance(part, ir.Element) and part.array not in tables
                if varies:
                    found.add(each.variable.name)
    return frozenset(found)
