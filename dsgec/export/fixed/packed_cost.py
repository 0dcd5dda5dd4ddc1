"""Count what the C of a packed network does per row and what it consists of, by kind.

There is one loop over all neurons, so that most kinds are features that its code has or lacks,
and its flash is that of these features and the bytes of the tables.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from dsgec.export.fixed.cost import step_work, table_work, unroll
from dsgec.export.fixed.ir import (
    RESULT_BITS,
    IntegerCall,
    IntegerProgram,
    Look,
    Slot,
    Step,
    Sum,
    operands,
)
from dsgec.export.fixed.number_lists import Storage
from dsgec.export.fixed.packed import CURVE, PackedNetwork
from dsgec.export.fixed.weight_formats import Way
from dsgec.network.cost.kinds import CHOICE_KINDS, DATA
from dsgec.network.cost.work import count_surrounding_work
from dsgec.network.ir import Network
from dsgec.network.model import Model
from dsgec.program.ir import Declare, instructions

_BYTES = {"int8": 1, "int16": 2, "int32": 4}
_MOST_BYTE = 255
_WAYS = {
    Way.LISTED: "listed",
    Way.RELATIVE: "relative",
    Way.GAP: "relative",
    Way.WINDOW: "windows",
    Way.BITMAP: "windows",
}
"""The ways that have prices, with those that are priced alike."""
_PRICED = {way: way.value[0] for way in (Way.LISTED, Way.RELATIVE)}


def packed_work(
    model: Model, network: Network, program: IntegerProgram, packed: PackedNetwork
) -> Counter[str]:
    """Count what the C of a packed network does per row, and what it consists of.

    The kinds are PACKED_CODE_KINDS, PACKED_RUNNING_KINDS and those of flat code, which count the
    choice of a class and the steps after the neurons.
    """
    counts = count_surrounding_work(model, network)
    counts["column"] = 0  # `loaded` are counted instead
    counts["output"] = 0 if packed.decides else len(program.results)
    if packed.refuses:
        counts["required"] = counts["listed"] = counts["refusing"] = 0
        counts["load_refuses"] = 1
    if packed.decides:
        for kind in CHOICE_KINDS:
            counts[kind] = 0
        counts["limit"] = int(program.limit is not None)
        counts["best"] = int(program.limit is None)
        counts["compared"] = len(program.sums) if program.limit is None else 0
    counts[DATA] = packed.data
    unroll(counts, program.bits)
    counts["decides"] = int(packed.decides)
    counts.update(_load(program, packed))
    counts.update(_neurons(packed))
    counts.update(_weights(packed))
    if not packed.decides:
        counts.update(_count_after_loop(program, packed))
    counts["array_bytes"] = sum(
        _BYTES[array.type] * array.size for array in (packed.sources, packed.sums)
    )
    return +counts


def _load(program: IntegerProgram, packed: PackedNetwork) -> Counter[str]:
    """Count the loop over columns and the sources that are computed one by one."""
    tables = {table.name for table in packed.program.tables}
    sources = packed.columns
    filled = any(source.fill is not None for source in sources)
    limited = any(source.limits is not None for source in sources)
    counts = Counter(
        load=bool(sources),
        load_two=len(sources) == 2,
        load_loop=len(sources) > 2,
        load_listed="columns" in tables,
        load_fill=filled,
        load_fills="fills" in tables,
        load_limit=limited,
        load_limits=len(tables & {"least", "most"}),
        loaded=len(sources),
        loaded_listed=len(sources) * ("columns" in tables),
        loaded_fill=len(sources) * filled,
        loaded_limit=len(sources) * limited,
        loaded_refused=len(sources) * packed.refuses,
        other=len(packed.others),
    )
    for slot in packed.others:
        for step in _steps_inside(program, slot):
            counts[f"other_{_name(step)}"] += 1
    return counts


def _steps_inside(program: IntegerProgram, slot: Slot) -> Iterator[Step]:
    """Yield the steps of an expression, as often as it is written with them."""
    step = program.steps[slot.number]
    yield step
    for operand in operands(step):
        if isinstance(operand, Slot):
            yield from _steps_inside(program, operand)


def _name(step: Step) -> str:
    match step:
        case IntegerCall(function):
            return function
        case Look():
            return "look"
        case Sum():
            return "sum"


def _neurons(packed: PackedNetwork) -> Counter[str]:
    """Count the loop over neurons without its weights, and their tails."""
    shifts = {neuron.sum.shift for neuron in packed.order}
    types = _variable_types(packed)
    counts: Counter[str] = Counter(
        two_neurons=len(packed.order) == 2,
        several_neurons=len(packed.order) > 2,
        neuron=len(packed.order),
        shift_each=len(shifts) > 1,
        shift_all=len(shifts) == 1 and shifts != {0},
    )
    counts[f"bits_{types['sum']}"] = sum(neuron.sum.shift for neuron in packed.order)
    counts[f"adds_{types['sum']}"] = sum(len(group.stored) for group in packed.rows.groups)
    counts[f"sum_{types['sum']}"] = 1
    counts[f"value_{types['y']}"] = 1
    counts[f"sources_{packed.sources.type}"] = 1
    counts[f"sums_{packed.sums.type}"] = 1
    before, tails = None, set()
    for at, neuron in enumerate(packed.order):
        is_hidden = at < packed.hidden
        for step in neuron.tail:
            counts[f"ran_{_tail_name(packed, step)}"] += 1
        if (neuron.tail, is_hidden) != before:
            counts["store_source" if is_hidden else "store_sum"] += 1
            for step in neuron.tail:
                counts[f"tail_{_tail_name(packed, step)}"] += 1
                tails.add(_tail_name(packed, step))
            counts["branch"] += before is not None
        before = neuron.tail, is_hidden
    for name in tails:
        counts[f"has_{name}"] = 1
    return counts


def _variable_types(packed: PackedNetwork) -> dict[str, str]:
    """Return the types of the variables of the neurons: at least 16 bits, as registers have."""
    return {
        each.variable.name: "int16" if each.variable.type == "int8" else each.variable.type
        for each in instructions(packed.neurons.body)
        if isinstance(each, Declare)
    }


def _tail_name(packed: PackedNetwork, step: Step) -> str:
    if not isinstance(step, Look):
        return _name(step)
    types = {table.name: table.type for table in packed.program.tables}
    is_short = types.get(f"{CURVE}{step.table}") == "int8"
    return f"{'short_' if is_short else ''}{packed.looks[step.table]}"


def _weights(packed: PackedNetwork) -> Counter[str]:
    """Count the loops over the weights of a neuron, which depend on how they are stored.

    A format with codes, gaps or bitmaps is counted as the most similar one without, and what its
    code takes more is counted as data.
    """
    groups, split = packed.rows.groups, packed.rows.split
    words = any(table.name == "weights" for table in packed.program.tables)
    kept, item = ("words", 16) if words else ("bytes", 8)
    counts: Counter[str] = Counter()
    for group in groups:
        for name, values in (("counts", group.counts), ("firsts", group.firsts)):
            length = Storage.choose(values, 8, split, signed=False).length
            if length:
                counts[f"{name}_each"] = 1
                counts[f"{name}_wide"] |= max(values) > _MOST_BYTE
                counts["head_byte"] += length * len(values)
        counts["may_lack_weights"] |= min(group.counts) == 0
        way = _WAYS[group.format.way]
        if f"{kept}_{way}" in counts:
            counts["second_loop"] = 1
        else:
            counts[DATA] += group.format.code_bytes - _PRICED.get(group.format.way, 0)
        counts[f"{kept}_{way}"] = 1
        turns, used = sum(group.counts), len(group.stored)
        counts["turn_bitmap"] += turns * (group.format.way == Way.BITMAP)
        counts["turn_varying"] += turns * (len({*group.counts}) > 1)
        counts["coded"] += used * bool(group.format.bits)
        counts[f"weight_{kept}_{way}"] += used
        counts[f"weight_{packed.sources.type}"] += used
    biases = [neuron.sum.bias for neuron in packed.order]
    if len({*biases}) > 1:
        length = Storage.choose(biases, item, packed.rows.hidden, signed=True).length
        counts[f"bias_{kept}_{max(length, 1)}"] = 1
        counts["head_byte"] += length * len(biases)
    return counts


def _count_after_loop(program: IntegerProgram, packed: PackedNetwork) -> Counter[str]:
    """Count the steps after the neurons, which are written out."""
    counts = step_work(program, packed.after, has_tables=False)
    steps = [program.steps[number] for number in packed.after]
    looks = [step for step in steps if isinstance(step, Look)]
    numbers = sorted({look.table for look in looks})
    places = {number: at for at, number in enumerate(numbers)}
    counts += table_work(
        replace(
            program,
            tables=tuple(program.tables[number] for number in numbers),
            steps=tuple(
                replace(step, table=places[step.table]) if isinstance(step, Look) else step
                for step in steps
            ),
        )
    )
    known = {table.name for table in packed.program.tables}
    for number in numbers:
        if f"table{number}" in known:  # `packed.data` has its bytes
            counts[DATA] -= len(program.tables[number].entries) * RESULT_BITS // 8
    counts["after"] = len(packed.after)
    return counts
