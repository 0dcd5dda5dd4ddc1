"""The entry of fixed point in the packed layout: load, neurons, and the steps after them."""

from dataclasses import replace

from dsgec.export.fixed import ir
from dsgec.export.fixed.forest_cost import can_pack
from dsgec.export.fixed.lower import (
    StepWriter,
    entry,
    forest_program,
    function_tables,
    row_parameter,
    statements,
)
from dsgec.export.fixed.packed import PackedNetwork
from dsgec.export.lower import LONGEST_FUNCTION
from dsgec.export.parts import index
from dsgec.program.ir import ArrayParameter, Element, LocalArray, Perform, Procedure, Program


def packed_integer_program(
    source: ir.IntegerProgram, packed: PackedNetwork | None, longest: int = LONGEST_FUNCTION
) -> Program | None:
    """Return fixed point in the packed layout, with the entry `integers(x, y)`.

    `packed` has its neurons, which do not find the class. Returns None if there are none, or more
    than `longest` statements after them. Values of required columns must not be missing.
    """
    if source.forest is not None:
        packs = can_pack(source.forest, row_parameter(source).type)
        return forest_program(source, packed=True) if packs else None
    if packed is None:
        return None
    after = [source.steps[number] for number in packed.after]
    if statements(after) > longest:
        return None
    v, s = packed.sources, packed.sums
    rest = steps_after(source, packed)
    results = rest.entry
    body = (
        LocalArray("v", v.type, v.size),
        LocalArray("s", s.type, s.size),
        Perform("load", ("x", "v")),
        Perform("neurons", ("v", "s")),
        *results.body,
    )
    own = {table.name for table in packed.program.tables}
    # Both procedures get the same array, of which `load` writes the first elements.
    x, loaded = packed.load.arrays
    load = replace(packed.load, parameters=(x, replace(loaded, size=v.size)))
    return Program(
        (*packed.program.tables, *(table for table in rest.tables if table.name not in own)),
        (*rest.procedures[:-1], load, packed.neurons, entry(source, body)),
    )


def steps_after(source: ir.IntegerProgram, packed: PackedNetwork) -> Program:
    """Return `results(s, y)`, which computes the results from the packed sums.

    It is `results(x, s, y)` if a column is read after the neurons.
    """
    s = packed.sums
    writer = StepWriter(source, is_split=False)
    for at, operand in enumerate(packed.shown):
        if isinstance(operand, ir.Slot):
            writer.values[operand.number] = Element("s", index(at), s.type)
    for number in packed.after:
        writer.step(number, source.steps[number])
    steps = [source.steps[number] for number in packed.after]
    looked = {step.table for step in steps if isinstance(step, ir.Look)}
    read = {*source.results, *(operand for step in steps for operand in ir.operands(step))}
    row = any(isinstance(operand, ir.ColumnValue) for operand in read)
    tables, looks = function_tables(source, sorted(looked))
    given = replace(packed.sums, is_written=False)
    y = ArrayParameter("y", "int16", len(source.results), is_written=True)
    body = (*writer.body, *writer.stores("y", source.results))
    about = "Compute the results from the sums."
    parameters = (*((row_parameter(source),) if row else ()), given, y)
    return Program(tables, (*looks, Procedure("results", about, parameters, body)))
