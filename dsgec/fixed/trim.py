"""An integer program to the same without steps and tables that no result depends on.

A weight that rounds to 0 leaves behind what it would have multiplied.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import assert_never

from dsgec.fixed.ir import IntegerCall, IntegerProgram, Look, Operand, Slot, Step, Sum


def trimmed(program: IntegerProgram) -> IntegerProgram:
    """The steps that are read, in their order; slots and tables are numbered again."""
    read = steps_read(program, (*program.results, *program.sums))
    place = {number: at for at, number in enumerate(sorted(read))}
    steps = [program.steps[number] for number in sorted(read)]
    looked = sorted({step.table for step in steps if isinstance(step, Look)})

    def moved(operand: Operand) -> Operand:
        return Slot(place[operand.number]) if isinstance(operand, Slot) else operand

    return replace(
        program,
        steps=tuple(_changed(step, moved, looked.index) for step in steps),
        tables=tuple(program.tables[table] for table in looked),
        results=tuple(map(moved, program.results)),
        sums=tuple(map(moved, program.sums)),
        names=tuple((place[slot], name) for slot, name in program.names if slot in place),
    )


def steps_read(program: IntegerProgram, wanted: Iterable[Operand]) -> set[int]:
    """The numbers of the steps that some operands depend on."""
    read = {operand.number for operand in wanted if isinstance(operand, Slot)}
    for number in reversed(range(len(program.steps))):
        if number in read:
            read |= {o.number for o in operands(program.steps[number]) if isinstance(o, Slot)}
    return read


def operands(step: Step) -> tuple[Operand, ...]:
    """What a step reads."""
    match step:
        case Sum(terms):
            return tuple(operand for operand, _ in terms)
        case IntegerCall(_, arguments):
            return arguments
        case Look(_, argument):
            return (argument,)
        case _:
            assert_never(step)


def _changed(step: Step, moved: Callable[[Operand], Operand], table: Callable[[int], int]) -> Step:
    match step:
        case Sum(terms):
            return replace(step, terms=tuple((moved(operand), w) for operand, w in terms))
        case IntegerCall(function, arguments):
            return IntegerCall(function, tuple(map(moved, arguments)))
        case Look(number, argument):
            return Look(table(number), moved(argument))
        case _:
            assert_never(step)
