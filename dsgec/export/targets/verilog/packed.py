"""Lower a packed network to the circuits that a machine with one multiplier works with.

    prepare   a value of a column, and the number of a source      ─▶ the source
    tail      a sum, and the number of its neuron                  ─▶ the value of the neuron
    after     all values that the neurons show                     ─▶ the results and the class

Between them the machine adds up one weighted source a clock; weights and sources are in tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.arithmetic.procedures import procedures
from dsgec.export.fixed.ir import (
    ColumnValue,
    IntegerProgram,
    Operand,
    Slot,
    WholeNumber,
    largest,
    operands,
)
from dsgec.export.fixed.loading import column_expression, step_expression
from dsgec.export.fixed.lower import function_tables, tables_read
from dsgec.export.fixed.packed import PackedNetwork
from dsgec.export.targets.verilog.circuit import bits_of
from dsgec.export.targets.verilog.lower import CircuitWalker, LoweredProgram, class_choice
from dsgec.program import ir

_MOST_BITS = 32  # of a sum


@dataclass(frozen=True, slots=True)
class PackedCircuits:
    """The circuits of a packed network; `columns` has the column of each source that is prepared.

    A sum never needs more than `sum_bits`.
    """

    network: PackedNetwork
    columns: tuple[int, ...]
    sum_bits: int
    prepare: LoweredProgram
    tail: LoweredProgram
    after: LoweredProgram


def packed_circuits(
    source: IntegerProgram,
    network: PackedNetwork,
    *,
    classes: int = 0,
    threshold: int | None = None,
) -> PackedCircuits | None:
    """Return the circuits of a packed network.

    It is None if a source is made of several columns, or if a column is read after the neurons.
    """
    columns = _source_columns(source, network)
    late = {o for number in network.after for o in operands(source.steps[number])}
    if not columns or any(isinstance(o, ColumnValue) for o in {*late, *source.results}):
        return None
    bits = _sum_bits(network)
    return PackedCircuits(
        network,
        columns,
        bits,
        _prepare(source, network),
        _tail(source, network, bits),
        _lower_rest(source, network, classes, threshold),
    )


def _source_columns(source: IntegerProgram, network: PackedNetwork) -> tuple[int, ...]:
    """Return the column of each source; none if there is a source that has not exactly one."""
    found = [each.column for each in network.columns]
    for slot in network.others:
        read = [
            p.index for p in ir.parts(column_expression(source, slot)) if isinstance(p, ir.Element)
        ]
        (column, *more) = {index.value for index in read if isinstance(index, ir.Number)} or {-1}
        if more or column < 0:
            return ()
        found.append(int(column))
    return tuple(found)


def _sum_bits(network: PackedNetwork) -> int:
    most = max(map(abs, ir.LIMITS[network.sources.type]))
    sums = (
        abs(neuron.sum.bias) + most * sum(abs(weight) for _, weight in terms)
        for neuron, terms in zip(network.order, network.terms, strict=True)
    )
    return min(bits_of(max(sums)), _MOST_BITS)


def _prepare(source: IntegerProgram, network: PackedNetwork) -> LoweredProgram:
    walker = CircuitWalker(ir.Program((), ()))
    circuit, functions = walker.circuit, procedures("whole")
    count, most = len(network.columns), largest(source.bits)
    given = circuit.column(0, source.bits)
    number = circuit.input(1, 0, count + len(network.others) - 1)
    value = given

    def listed(entries: Sequence[int]) -> int:
        others = [entries[-1]] * len(network.others)
        return circuit.read([*entries, *others], number)

    if any(each.fill is not None for each in network.columns):
        fills = [source.missing if each.fill is None else each.fill for each in network.columns]
        arguments = [value, circuit.constant(source.missing), listed(fills)]
        value = walker.result(functions["fill"], arguments)
    if any(each.limits for each in network.columns):
        limits = [each.limits or (-most - 1, most) for each in network.columns]
        ends = [listed([pair[end] for pair in limits]) for end in (0, 1)]
        value = walker.result(functions["clamp"], [value, *ends])
    walker.arrays["x"] = [given] * len(source.columns)
    for at, slot in enumerate(network.others, count):
        own = walker.value(column_expression(source, slot))
        is_own = circuit.compare("==", number, circuit.constant(at))
        value = circuit.choose(is_own, own, value)
    return LoweredProgram(circuit, (value,), None, {})


def _tail(source: IntegerProgram, network: PackedNetwork, bits: int) -> LoweredProgram:
    walker = CircuitWalker(ir.Program(function_tables(source, tables_read(source))[0], ()))
    circuit = walker.circuit
    number = circuit.input(1, 0, len(network.order) - 1)
    shift = circuit.read([neuron.sum.shift for neuron in network.order], number)
    total = circuit.apply(">>", circuit.column(0, bits), shift)
    kinds = [*dict.fromkeys(neuron.tail for neuron in network.order)]
    kind = circuit.read([kinds.index(neuron.tail) for neuron in network.order], number)
    value, y = -1, ir.Variable("y")
    for at, tail in enumerate(kinds):
        walker.variables["y"] = total
        for step in tail:
            numbers = [ir.Number(o.value) for o in operands(step) if isinstance(o, WholeNumber)]
            inner: list[ir.Expression] = [y, *numbers]
            walker.variables["y"] = walker.value(step_expression(source, step, inner))
        own = walker.variables["y"]
        is_own = circuit.compare("==", kind, circuit.constant(at))
        value = circuit.choose(is_own, own, value) if at else own
    return LoweredProgram(circuit, (value,), None, {})


def _lower_rest(
    source: IntegerProgram, network: PackedNetwork, classes: int, threshold: int | None
) -> LoweredProgram:
    """Return the circuit that computes the results of a row after the last neuron."""
    walker = CircuitWalker(ir.Program(function_tables(source, tables_read(source))[0], ()))
    circuit = walker.circuit
    values: dict[Operand, ir.Expression] = {}
    for at, operand in enumerate(network.shown):
        values.setdefault(operand, ir.Variable(f"s{at}"))
        walker.variables[f"s{at}"] = circuit.input(at, *ir.LIMITS[network.sums.type])

    def read(operand: Operand) -> ir.Expression:
        return ir.Number(operand.value) if isinstance(operand, WholeNumber) else values[operand]

    for number in network.after:
        step = source.steps[number]
        value = walker.value(step_expression(source, step, [read(o) for o in operands(step)]))
        walker.variables[f"t{number}"] = value
        values[Slot(number)] = ir.Variable(f"t{number}")
    results = tuple(walker.value(read(result)) for result in source.results)
    chosen = class_choice(circuit, results, threshold) if classes else None
    return LoweredProgram(circuit, results, chosen, {})
