"""The printer that Python and JavaScript share: variables have no types, functions return lists.

The entry of a program returns the array that it writes; other procedures write into arrays that
their callers have.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from dsgec.program.ir import (
    ArrayParameter,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    Number,
    Perform,
    Procedure,
    Store,
    Type,
    expressions,
    instructions,
    parts,
)
from dsgec.program.printer import Printer


class ScriptPrinter(Printer):
    """Prints programs in a language whose variables have no types."""

    lacking: ClassVar[frozenset[Type]] = frozenset(("float",))  # types

    @property
    def entry(self) -> Procedure | None:
        """Return the procedure that is called from outside, if the program has any."""
        return self.source.entry if self.source.procedures else None

    def enter(self, procedure: Procedure) -> None:
        super().enter(procedure)
        declared = (i.variable for i in instructions(procedure.body) if isinstance(i, Declare))
        for variable in (*procedure.parameters, *declared):
            if variable.type in self.lacking:
                raise ValueError(f"{procedure.name}: {variable.name} cannot be a {variable.type}")

    def returned_array(self, procedure: Procedure) -> ArrayParameter | None:
        """Return the array that a procedure returns, or None."""
        written = [array for array in procedure.arrays if array.is_written]
        if procedure is not self.entry or procedure.result is not None or len(written) != 1:
            return None
        return None if written[0].ranges else written[0]

    def parameters(self, procedure: Procedure) -> list[str]:
        """Return the names of the parameters."""
        returned = self.returned_array(procedure)
        return [p.name for p in procedure.parameters if p is not returned]

    def body(self, procedure: Procedure) -> Iterator[str]:
        array = self.returned_array(procedure)
        if array is None:
            yield from super().body(procedure)
            return
        body = procedure.body
        values = _stored_last(body, array)
        if values is None:
            yield f"{self.indent}{self.new_list(array)}{self.end}"
            yield from self.block(body, self.indent)
            yield f"{self.indent}return {array.name}{self.end}"
            return
        yield from self.block(body[: -array.size], self.indent)
        yield f"{self.indent}return ["
        for value in values:
            yield f"{self.indent}{self.indent}{self.stored(array.name, value)},"
        yield f"{self.indent}]{self.end}"

    @abstractmethod
    def new_list(self, array: ArrayParameter) -> str:
        """Return the assignment of a new list for the elements of an array."""

    def element(self, element: Element) -> str:
        return f"{self.array_argument(element.array)}[{self.write(element.index)}]"

    def array_argument(self, array: str) -> str:
        return self.spell_table(array) if array in self.tables else array

    def spell_table(self, name: str) -> str:
        """Return the name of a table."""
        return name.upper()


def _stored_last(
    body: Sequence[Instruction], array: ArrayParameter
) -> tuple[Expression, ...] | None:
    """Return the elements of an array, if the last instructions store them in order."""
    last = body[-array.size :]
    values = tuple(
        store.value
        for at, store in enumerate(last)
        if isinstance(store, Store)
        and store.array == array.name
        and isinstance(store.index, Number)
        and store.index.value == at
    )
    before = tuple(body[: -array.size])
    is_read = any(_reads(part, array.name) for part in parts(*values))
    is_whole = len(values) == array.size and not is_read
    return values if is_whole and not _uses(before, array.name) else None


def _uses(body: tuple[Instruction, ...], array: str) -> bool:
    """Return whether instructions read or write an array."""
    for instruction in instructions(body):
        if isinstance(instruction, Store) and instruction.array == array:
            return True
        if isinstance(instruction, Perform) and array in instruction.arguments:
            return True
        if any(_reads(part, array) for part in parts(*expressions(instruction))):
            return True
    return False


def _reads(part: Expression, array: str) -> bool:
    match part:
        case Element(name) | Invoke(_, _, name):
            return name == array
        case _:
            return False
