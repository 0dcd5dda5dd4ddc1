"""The entry of fixed point in the packed layout: load, neurons, and the steps after them."""

from dataclasses import replace

from dsgec.export.fixed import ir
from dsgec.export.fixed.lower import StepWriter, entry, function_tables, statements
from dsgec.export.fixed.packed import pack
from dsgec.export.lower import LONGEST_FUNCTION
from dsgec.export.parts import index
from dsgec.program.ir import Element, LocalArray, Perform, Program, Store


def packed_integer_program(
    source: ir.IntegerProgram, longest: int = LONGEST_FUNCTION
) -> Program | None:
    """Return fixed point in the packed layout, with the entry `integers(x, y)`.

    Returns None if it has no neurons, or more than `longest` statements after them. Values of
    required columns must not be missing.
    """
    packed = pack(source, ())
    if packed is None:
        return None
    after = [source.steps[number] for number in packed.after]
    if statements(after) > longest:
        return None
    v, s = packed.sources, packed.sums
    writer = StepWriter(source, is_split=False)
    for at, operand in enumerate(packed.shown):
        if isinstance(operand, ir.Slot):
            writer.values[operand.number] = Element("s", index(at), s.type)
    for number, step in zip(packed.after, after, strict=True):
        writer.step(number, step)
    body = (
        LocalArray("v", v.type, v.size),
        LocalArray("s", s.type, s.size),
        Perform("load", ("x", "v")),
        Perform("neurons", ("v", "s")),
        *writer.body,
        *(Store("y", index(at), writer.operand(r)) for at, r in enumerate(source.results)),
    )
    looked = {step.table for step in after if isinstance(step, ir.Look)}
    tables, looks = function_tables(source, sorted(looked))
    own = {table.name for table in packed.program.tables}
    # Both procedures get the same array, of which `load` writes the first elements.
    x, loaded = packed.load.arrays
    load = replace(packed.load, parameters=(x, replace(loaded, size=v.size)))
    return Program(
        (*packed.program.tables, *(table for table in tables if table.name not in own)),
        (*looks, load, packed.neurons, entry(source, body)),
    )
