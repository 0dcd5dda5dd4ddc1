"""An integer program to the same without steps and tables that no result depends on.

A weight that rounds to 0 leaves behind what it would have multiplied.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import assert_never

from dsgec.export.fixed.ir import (
    ColumnValue,
    IntegerCall,
    IntegerProgram,
    Look,
    Operand,
    Slot,
    Step,
    Sum,
    Varying,
    WholeNumber,
)


def trimmed(program: IntegerProgram) -> IntegerProgram:
    """The steps that are read, in their order; slots and tables are numbered again."""
    read = steps_read(program, (*program.results, *program.sums))
    place = {number: at for at, number in enumerate(sorted(read))}
    steps = [program.steps[number] for number in sorted(read)]
    looked = sorted({step.table for step in steps if isinstance(step, Look)})

    return replace(
        program,
        steps=tuple(_renumbered(step, place, looked.index) for step in steps),
        tables=tuple(program.tables[table] for table in looked),
        results=tuple(_moved(operand, place) for operand in program.results),
        sums=tuple(_moved(operand, place) for operand in program.sums),
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


def _renumbered(step: Step, place: Mapping[int, int], table: Callable[[int], int]) -> Step:
    match step:
        case Sum(terms):
            return replace(step, terms=tuple((_moved_term(o, place), w) for o, w in terms))
        case IntegerCall(function, arguments):
            return IntegerCall(function, tuple(_moved(a, place) for a in arguments))
        case Look(number, argument):
            return Look(table(number), _moved(argument, place))
        case _:
            assert_never(step)


def _moved(operand: Operand, place: Mapping[int, int]) -> Operand:
    return operand if isinstance(operand, WholeNumber) else _moved_term(operand, place)


def _moved_term(operand: Varying, place: Mapping[int, int]) -> Varying:
    match operand:
        case ColumnValue():
            return operand
        case Slot(number):
            return Slot(place[number])
        case _:
            assert_never(operand)
