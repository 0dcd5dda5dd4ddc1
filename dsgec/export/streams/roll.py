"""Roll alike instructions of a stream into loops, which take less flash than a copy of each.

Several amplitudes of a channel, or several parts of a window, differ in numbers only. Where a few
instructions stand several times one after the other, a loop reads these numbers from tables.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from dsgec.program import ir
from dsgec.program.specialise import fold

_LONGEST = 10  # instructions of a turn
_LEAST_SAVED = 4  # instructions, so that the loop and its tables pay

Block = Sequence[ir.Declare | ir.Store]


def rolled(program: ir.Program) -> ir.Program:
    """Return a program in which the procedures of the state have loops where that is shorter."""
    roller = _Roller()
    procedures = tuple(
        one if one.result else replace(one, body=tuple(roller.body(one)))
        for one in program.procedures
    )
    return ir.Program((*program.tables, *roller.tables.values()), procedures)


@dataclass(slots=True)
class _Roller:
    """Finds what can be rolled; procedures share tables of equal numbers."""

    tables: dict[tuple[int, ...], ir.ConstantTable] = field(default_factory=dict)
    loops: int = 0

    def body(self, procedure: ir.Procedure) -> Iterator[ir.Instruction]:
        body = procedure.body
        start = 0
        while start < len(body):
            size, count = _best(body, start)
            if size:
                yield self.loop([_block(body, start + size * k, size) for k in range(count)])
            else:
                yield body[start]
            start += size * count or 1

    def loop(self, blocks: Sequence[Block]) -> ir.Loop:
        """Return the loop of blocks that differ in numbers."""
        counter = ir.Variable(f"k{self.loops}", "uint8")
        self.loops += 1
        columns = [*zip(*(_numbers(block) for block in blocks), strict=True)]
        waiting = iter([self.entry(column, counter) for column in columns])
        own = [_with_numbers(one, waiting) for one in blocks[0]]
        return ir.Loop(counter, ir.Number(len(blocks)), tuple(own), 1)

    def entry(self, values: tuple[tuple[int, bool], ...], counter: ir.Variable) -> ir.Expression:
        """Return the number of a turn: a constant, or an element of a table.

        Places of arrays that lie evenly need no table.
        """
        numbers = tuple(number for number, _ in values)
        if len({*numbers}) == 1:
            return ir.Number(numbers[0])
        step = numbers[1] - numbers[0]
        is_place = values[0][1]
        if is_place and all(b - a == step for a, b in pairwise(numbers)):
            return fold(
                ir.Binary("+", ir.Binary("*", counter, ir.Number(step)), ir.Number(numbers[0]))
                if step != 1
                else ir.Binary("+", counter, ir.Number(numbers[0]))
            )
        if numbers not in self.tables:
            type_ = ir.narrowest(min(numbers), max(numbers), signed=True)
            name = f"stream_list{len(self.tables)}"
            self.tables[numbers] = ir.ConstantTable(name, type_, numbers, "Numbers of alike steps.")
        table = self.tables[numbers]
        return ir.Element(table.name, counter, table.type)


def _best(body: Sequence[ir.Instruction], start: int) -> tuple[int, int]:
    """Return the size and the number of blocks that save most from here on; or zeros."""
    found, saved = (0, 0), _LEAST_SAVED - 1
    for size in range(1, min(_LONGEST, (len(body) - start) // 2) + 1):
        first = _block(body, start, size)
        if not first or not _keeps_inside(first, body, start, size):
            continue
        shape, count = _shape(first), 1
        while True:
            at = start + size * count
            other = _block(body, at, size)
            if not other or _shape(other) != shape or not _keeps_inside(other, body, at, size):
                break
            count += 1
        if size * (count - 1) > saved:
            found, saved = (size, count), size * (count - 1)
    return found


def _block(body: Sequence[ir.Instruction], start: int, size: int) -> Block:
    """Return some instructions, or none if they are not all declarations and stores."""
    found = [one for one in body[start : start + size] if isinstance(one, ir.Declare | ir.Store)]
    return found if len(found) == size else []


def _keeps_inside(block: Block, body: Sequence[ir.Instruction], start: int, size: int) -> bool:
    """Return whether nothing else reads a variable that a block declares."""
    names = {one.variable.name for one in block if isinstance(one, ir.Declare)}
    outside = [*body[:start], *body[start + size :]]
    return not any(
        isinstance(part, ir.Variable) and part.name in names
        for each in outside
        for part in ir.parts(*ir.expressions(each))
    )


def _shape(block: Block) -> tuple[ir.Instruction, ...]:
    """Return a block with zeros for its numbers, and its variables by their order."""
    names: dict[str, str] = {}
    for one in block:
        if isinstance(one, ir.Declare):
            names[one.variable.name] = f"v{len(names)}"

    def change(part: ir.Expression) -> ir.Expression | None:
        match part:
            case ir.Number(_, type_):
                return ir.Number(0, type_)
            case ir.Variable(name, type_) if name in names:
                return ir.Variable(names[name], type_)
        return None

    shaped: list[ir.Instruction] = []
    for one in block:
        match one:
            case ir.Declare(ir.Variable(name, type_), value):
                shaped.append(
                    ir.Declare(ir.Variable(names[name], type_), ir.rewrite(value, change))
                )
            case ir.Store(array, index, value):
                shaped.append(ir.Store(array, ir.rewrite(index, change), ir.rewrite(value, change)))
    return tuple(shaped)


def _numbers(block: Block) -> list[tuple[int, bool]]:
    """Return the numbers of a block in their order, and whether each is the place of an element."""
    found: list[tuple[int, bool]] = []

    def collect(whole: ir.Expression, is_place: bool = False) -> None:
        match whole:
            case ir.Number(value):
                found.append((int(value), is_place))
            case ir.Element(_, index):
                collect(index, isinstance(index, ir.Number))
            case ir.Binary(_, left, right):
                collect(left)
                collect(right)
            case ir.Select(test, yes, no):
                for part in (test, yes, no):
                    collect(part)
            case ir.Invoke(_, arguments):
                for part in arguments:
                    collect(part)

    for one in block:
        if isinstance(one, ir.Store):
            collect(one.index, is_place=True)
        collect(one.value)
    return found


def _with_numbers(one: ir.Declare | ir.Store, numbers: Iterator[ir.Expression]) -> ir.Instruction:
    """Return an instruction with other numbers, in the order of `_numbers`."""

    def write(whole: ir.Expression) -> ir.Expression:
        match whole:
            case ir.Number():
                return next(numbers)
            case ir.Element(array, index, type_):
                return ir.Element(array, write(index), type_)
            case ir.Binary(operator, left, right, type_):
                return ir.Binary(operator, write(left), write(right), type_)
            case ir.Select(test, yes, no, type_):
                return ir.Select(write(test), write(yes), write(no), type_)
            case ir.Invoke(function, arguments, table, type_):
                return ir.Invoke(function, tuple(map(write, arguments)), table, type_)
            case _:
                return whole

    if isinstance(one, ir.Declare):
        return ir.Declare(one.variable, write(one.value))
    return ir.Store(one.array, write(one.index), write(one.value))
