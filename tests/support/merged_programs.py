"""Many programs as one, so that a compiler runs once for all of them.

The entry copies the part of the row that belongs to a program, calls it, and copies its results.
"""

from dataclasses import replace

from dsgec.program.ir import (
    ArrayParameter,
    Binary,
    Branch,
    Declare,
    Element,
    Invoke,
    LocalArray,
    Loop,
    Number,
    Perform,
    Procedure,
    Program,
    Store,
    Update,
    Variable,
    While,
    rewrite,
)


def merge(programs):
    """Return one program `f(x, y)` from programs by name: its row has the rows of all in turn."""
    tables, procedures, inputs, outputs = [], [], 0, 0
    bodies = {}
    for name, program in programs.items():
        own = {table.name: f"{name}_{table.name}" for table in program.tables}
        names = {each.name: f"{name}_{each.name}" for each in program.procedures}
        tables += [replace(table, name=own[table.name]) for table in program.tables]
        procedures += [_renamed(each, own, names) for each in program.procedures]
        given, written = program.entry.arrays
        bodies[f"{name}_copied"] = (
            LocalArray("a", given.type, given.size),
            LocalArray("b", written.type, written.size),
            _copy("x", inputs, "a", 0, given),
            Perform(names[program.entry.name], ("a", "b")),
            _copy("b", 0, "y", outputs, written),
        )
        inputs += given.size
        outputs += written.size
    arrays = (
        ArrayParameter("x", given.type, inputs),
        ArrayParameter("y", written.type, outputs, is_written=True),
    )
    procedures += [
        Procedure(name, "Compute the results of one.", arrays, body)
        for name, body in bodies.items()
    ]
    calls = tuple(Perform(name, ("x", "y")) for name in bodies)
    entry = Procedure("f", "Compute all results.", arrays, calls)
    return Program(tuple(tables), (*procedures, entry))


def _copy(source, start, target, place, array):
    """Return the loop that copies as many elements as an array has."""
    i = Variable("i", "uint16")

    def at(offset):
        return Binary("+", i, Number(offset, "uint16"), "uint16") if offset else i

    value = Element(source, at(start), array.type)
    return Loop(i, Number(array.size, "uint16"), (Store(target, at(place), value),))


def _renamed(procedure, tables, procedures):
    """Return a procedure whose name, and whose tables and calls, have other names."""

    def change(part):
        match part:
            case Element(array, index, type_) if array in tables:
                return Element(tables[array], rewrite(index, change), type_)
            case Invoke(function, arguments, table, type_) if table or function in procedures:
                arguments = tuple(rewrite(argument, change) for argument in arguments)
                name = procedures.get(function, function)
                return Invoke(name, arguments, tables.get(table, table), type_)
            case _:
                return None

    def write(expression):
        return rewrite(expression, change)

    def block(body):
        return tuple(map(instruction, body))

    def instruction(each):
        match each:
            case Declare(variable, value):
                return Declare(variable, write(value))
            case Update(variable, value):
                return Update(variable, write(value))
            case Store(array, index, value):
                return Store(array, write(index), write(value))
            case Loop(_, count, body):
                return replace(each, count=write(count), body=block(body))
            case While(test, body):
                return While(write(test), block(body))
            case Branch(test, yes, no):
                return Branch(write(test), block(yes), block(no))
            case Perform(name, arguments):
                return Perform(procedures[name], arguments)
            case LocalArray():
                return each

    return replace(
        procedure,
        name=procedures[procedure.name],
        body=block(procedure.body),
        result=procedure.result and write(procedure.result),
    )
