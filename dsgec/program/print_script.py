"""The printer that Python and JavaScript share: variables have no types, functions return lists.

The entry of a program returns the array that it writes; other procedures write into arrays that
their callers have.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from dsgec.program import ir
from dsgec.program.printer import Printer


class ScriptPrinter(Printer):
    """Prints programs in a language whose variables have no types."""

    lacking: ClassVar[frozenset[ir.Type]] = frozenset(("float",))  # types

    def __init__(self, program: ir.Program) -> None:
        super().__init__(program)
        self.called: set[str] = set()  # the functions of the arithmetic in what was printed
        self.touched: set[str] = set()  # the arrays in what was printed of a procedure
        self.assigned: list[ir.Declare | ir.Update] = []  # the assignments of a procedure

    @property
    def entry(self) -> ir.Procedure | None:
        """Return the procedure that is called from outside, if the program has any."""
        return self.source.entry if self.source.procedures else None

    def enter(self, procedure: ir.Procedure) -> None:
        found = ir.instructions(procedure.body)
        self.assigned = [each for each in found if isinstance(each, ir.Declare | ir.Update)]
        self.updated = frozenset(i.variable.name for i in self.assigned if type(i) is ir.Update)
        self.arrays = {p.name: p.type for p in procedure.arrays}
        self.touched = set()
        for variable in (*procedure.parameters, *(each.variable for each in self.assigned)):
            if variable.type in self.lacking:
                raise ValueError(f"{procedure.name}: {variable.name} cannot be a {variable.type}")

    def returned_array(self, procedure: ir.Procedure) -> ir.ArrayParameter | None:
        """Return the array that a procedure returns, or None."""
        written = [array for array in procedure.arrays if array.is_written]
        if procedure is not self.entry or procedure.result is not None or len(written) != 1:
            return None
        return None if written[0].ranges else written[0]

    def parameters(self, procedure: ir.Procedure) -> list[str]:
        """Return the names of the parameters."""
        returned = self.returned_array(procedure)
        return [p.name for p in procedure.parameters if p is not returned]

    def body(self, procedure: ir.Procedure) -> Iterator[str]:
        array = self.returned_array(procedure)
        if array is None:
            yield from super().body(procedure)
            return
        first = [*self.block(procedure.body[: -array.size], self.indent)]
        values = [self.stored(array.name, value) for value in _stored_last(procedure.body, array)]
        if len(values) < array.size or array.name in self.touched:
            yield f"{self.indent}{self.new_list(array)}{self.end}"
            yield from self.block(procedure.body, self.indent)
            yield f"{self.indent}return {array.name}{self.end}"
            return
        yield from first
        yield f"{self.indent}return ["
        yield from (f"{self.indent}{self.indent}{value}," for value in values)
        yield f"{self.indent}]{self.end}"

    @abstractmethod
    def new_list(self, array: ir.ArrayParameter) -> str:
        """Return the assignment of a new list for the elements of an array."""

    def inner(self, expression: ir.Expression, operator: str, *, is_right: bool = False) -> str:
        if type(expression) is ir.Variable:  # most are
            return expression.name
        return super().inner(expression, operator, is_right=is_right)

    def target(self, array: str, index: ir.Expression) -> str:
        self.touched.add(array)
        return super().target(array, index)

    def element(self, element: ir.Element) -> str:
        return f"{self.array_argument(element.array)}[{self.write(element.index)}]"

    def array_argument(self, array: str) -> str:
        self.touched.add(array)
        return self.spell_table(array) if array in self.tables else array

    def spell_function(self, name: str) -> str:
        self.called.add(name)
        return name

    def spell_table(self, name: str) -> str:
        """Return the name of a table."""
        return name.upper()


def _stored_last(
    body: Sequence[ir.Instruction], array: ir.ArrayParameter
) -> Iterator[ir.Expression]:
    """Yield the elements of an array that the last instructions store, if that is in order."""
    for at, instruction in enumerate(body[-array.size :]):
        match instruction:
            case ir.Store(array.name, ir.Number(place), value) if place == at:
                yield value
