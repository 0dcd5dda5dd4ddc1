"""Lower an integer program to tables that one loop reads: the packed layout.

A neuron is a sum of weighted sources and a tail, such as a lookup or a limit, that only its value
goes through. All neurons run in one loop:

    load       the columns that are read ─▶ sources v
    neurons    for each neuron: bias + Σ weight · v[source], shifted, through its tail ─▶ v, or s

What decides or is needed later is in s. Steps that are no neurons are computed before, as sources,
or after, from s. The order of additions of integers does not change a sum, so the results are those
of the flat layout.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from dsgec.export.fixed.ir import (
    ColumnValue,
    IntegerCall,
    IntegerProgram,
    Look,
    Operand,
    Slot,
    Step,
    Sum,
    WholeNumber,
    operands,
)
from dsgec.export.fixed.loading import (
    ColumnSource,
    column_source,
    load_procedure,
    source_range,
    step_expression,
)
from dsgec.export.fixed.neurons import Neuron, NeuronParts
from dsgec.export.fixed.weight_rows import (
    ZERO,
    PackedBytes,
    ProgramTables,
    WeightRows,
    add_product,
    counter,
    either,
    next_one,
    place_in,
)
from dsgec.program.check import Extent, Ranged, check
from dsgec.program.ir import (
    ArrayParameter,
    Binary,
    Branch,
    ConstantTable,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    Loop,
    Number,
    Procedure,
    Program,
    Store,
    Type,
    Update,
    Variable,
    narrowest,
)

_MOST_TAILS = 8  # different ones


@dataclass(frozen=True)
class PackedNetwork:
    """A program in the packed layout: `load`, `neurons`, and the steps `after` them.

    `shown` are the operands whose values are in s. `decides` states whether these are the sums
    that decide between the classes. `refuses` states whether `load` returns 1 for a row in which a
    value is missing. `order` has the neurons as they run, of which the first `hidden` ones are
    sources; `rows` has their weights; `columns` and `others` are the sources that are loaded;
    `looks` has the functions that read the tables of the source; `terms` has for each neuron the
    places of its sources with their weights.
    """

    program: Program
    shown: tuple[Operand, ...]
    after: tuple[int, ...]
    decides: bool
    refuses: bool
    order: tuple[Neuron, ...]
    hidden: int
    rows: WeightRows
    columns: tuple[ColumnSource, ...]
    others: tuple[Slot, ...]
    looks: tuple[str, ...]
    terms: tuple[tuple[tuple[int, int], ...], ...]

    @property
    def load(self) -> Procedure:
        return self.program.procedures[0]

    @property
    def neurons(self) -> Procedure:
        return self.program.procedures[1]

    @property
    def sources(self) -> ArrayParameter:
        """Return the array of the columns and the neurons that others read."""
        return self.neurons.arrays[0]

    @property
    def sums(self) -> ArrayParameter:
        """Return the array of what is shown."""
        return self.neurons.arrays[1]

    @cached_property
    def data(self) -> int:
        """Return the bytes of its tables."""
        return sum(_BYTES[table.type] * len(table.values) for table in self.program.tables)


_BYTES: dict[Type, int] = {"int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4}


def pack(program: IntegerProgram, required: Sequence[int]) -> PackedNetwork | None:
    """Return a program in the packed layout, or None if it has no neurons.

    `required` are the columns whose values must not be missing.
    """
    parts = NeuronParts(program)
    if not parts.neurons or len({neuron.tail for neuron in parts.neurons.values()}) > _MOST_TAILS:
        return None
    return _Packer(program, parts, {*required}).pack()


class _Packer:
    """Builds the tables and the procedures."""

    def __init__(self, program: IntegerProgram, parts: NeuronParts, required: set[int]) -> None:
        self.source, self.parts, self.required = program, parts, required
        self.number: Type = "int8" if program.bits == 8 else "int16"
        self.tables = ProgramTables()
        covered = {*parts.depth, *parts.inside}
        self.after = tuple(n for n in range(len(program.steps)) if n not in covered)
        self.shown = self._shown()
        self.order = self._order()
        self.columns: dict[Operand, ColumnSource] = {}
        self.others: list[Slot] = []  # further sources, which are computed before
        for neuron in self.order:
            for operand in operands(neuron.sum):
                self._add_source(operand)
        # The loop reads the columns in their order, so that a list of them may be needless.
        chosen = sorted(self.columns, key=lambda o: self.columns[o].column)
        self.columns = {operand: self.columns[operand] for operand in chosen}
        hidden = [Slot(n.value) for n in self.order if n.value in self._read_by_neurons]
        places = (*self.columns, *self.others, *hidden)
        self.place: dict[Operand, int] = {operand: at for at, operand in enumerate(places)}
        self.given = len(self.columns) + len(self.others)
        self.hidden = len(hidden)

    @property
    def refuses(self) -> bool:
        """Return whether the loaded columns are those that must not be missing."""
        return bool(self.required) and self.required == {
            source.column for source in self.columns.values()
        }

    @cached_property
    def _read_by_neurons(self) -> set[int]:
        return {
            operand.number
            for neuron in self.order
            for operand in operands(neuron.sum)
            if isinstance(operand, Slot) and operand.number in self.parts.neurons
        }

    def _shown(self) -> tuple[Operand, ...]:
        if self.parts.decides:
            return self.source.sums
        read = [*(o for n in self.after for o in operands(self.source.steps[n]))]
        wanted = dict.fromkeys([*read, *self.source.results])
        after = {*self.after}
        return tuple(o for o in wanted if isinstance(o, Slot) and o.number not in after)

    def _order(self) -> list[Neuron]:
        """Return the neurons that others read, and then one for each value that is shown."""
        neurons = self.parts.neurons
        depth: dict[int, int] = {}
        for value, neuron in neurons.items():
            inner = [o.number for o in operands(neuron.sum) if isinstance(o, Slot)]
            depth[value] = 1 + max((depth.get(number, 0) for number in inner), default=0)
        shown = Counter(operand.number for operand in self.shown if isinstance(operand, Slot))
        wanted = {value for value, count in shown.items() if count > 1} & neurons.keys()
        for value in sorted(neurons, reverse=True):
            if value in wanted or value in shown:
                read = operands(neurons[value].sum)
                wanted |= {o.number for o in read if isinstance(o, Slot)} & neurons.keys()
        different = dict.fromkeys(neuron.tail for neuron in neurons.values())
        tails = {tail: at for at, tail in enumerate(different)}
        first = sorted(wanted, key=lambda value: (depth[value], tails[neurons[value].tail], value))
        last: list[Neuron] = []
        for operand in self.shown:
            match operand:
                case WholeNumber(value):
                    last.append(Neuron(Sum((), value, 0), (), -1))
                case Slot(number) if number in neurons.keys() - wanted - {n.value for n in last}:
                    last.append(neurons[number])
                case ColumnValue() | Slot():
                    last.append(Neuron(Sum(((operand, 1),), 0, 0), (), -1))
        return [neurons[value] for value in first] + last

    def _add_source(self, operand: Operand) -> None:
        if isinstance(operand, Slot) and operand.number in self.parts.neurons:
            return
        column = column_source(self.source, operand)
        if column is not None:
            self.columns[operand] = column
        elif operand not in self.others:
            assert isinstance(operand, Slot)
            self.others.append(operand)

    def pack(self) -> PackedNetwork:
        """Return the program, with arrays of the narrowest types that have all values."""
        _, ranges = self._program("int32", "int32")
        v = narrowest(*_union(ranges["v"]), signed=True)
        s = narrowest(*_union(ranges["s"]), signed=True)
        v = self.number if v == "int8" else v
        program, _ = self._program(v, "int16" if s == "int8" else s)
        return PackedNetwork(
            *(program, self.shown, self.after, self.parts.decides, self.refuses),
            *((*self.order,), self.hidden, self._rows),
            *((*self.columns.values(),), (*self.others,)),
            tuple(table.look for table in self.source.tables),
            tuple(tuple(self._terms(neuron)) for neuron in self.order),
        )

    def _program(self, v: Type, s: Type) -> tuple[Program, dict[str, list[Ranged]]]:
        """Return a program whose arrays have these types, and the ranges of their elements."""
        self.tables = ProgramTables()
        columns = [*self.columns.values()]
        load = load_procedure(self.source, columns, self.others, v, self.tables, self.refuses)
        loaded = check(Program((*self.tables,), (load,)), load)["v"]
        ranges = [source_range(self.source, source) for source in columns]
        ranges += [extent.ends for extent in _extents(loaded[len(columns) :])]
        neurons = self._neurons(v, s, tuple(ranges))
        program = Program((*self.tables,), (load, neurons))
        return program, check(program, neurons)

    def _neurons(self, v: Type, s: Type, ranges: tuple[tuple[int, int], ...]) -> Procedure:
        looks = {step.table for n in self.order for step in n.tail if isinstance(step, Look)}
        for number in sorted(looks):
            entries = self.source.tables[number].entries
            self.tables.append(ConstantTable(f"table{number}", "int16", entries))
        k, total, y = counter("k", len(self.order)), Variable("sum"), Variable("y")
        biases = [neuron.sum.bias for neuron in self.order]
        bias = self.tables.element("biases", biases, k, "The biases of the neurons.", signed=True)
        shifts = [neuron.sum.shift for neuron in self.order]
        rows = self._rows
        weights = PackedBytes(rows, shifts) if rows.fits_bytes(self.source.bits) else None
        if weights is None:
            before, add, shift = self._add_from_tables(rows, shifts, k, total, v)
        else:
            before, add, shift = weights.add(k, total, v)
            self.tables.append(weights.table())
        rounded: Expression = total
        if shift != ZERO:
            rounded = Invoke("shifted", (total, shift))
        after = [weights.step] if weights is not None and isinstance(shift, Element) else []
        body = (Declare(total, bias), *add, Declare(y, rounded), *after, *self._ends(k, y))
        return Procedure(
            "neurons",
            "Add up the neurons, one after the other.",
            (
                ArrayParameter("v", v, self.given + self.hidden, ranges, is_written=True),
                ArrayParameter("s", s, len(self.shown), is_written=True),
            ),
            (*before, Loop(k, Number(len(self.order), "int16"), body)),
        )

    def _add_from_tables(
        self, rows: WeightRows, shifts: list[int], k: Variable, total: Variable, v: Type
    ) -> tuple[list[Instruction], list[Instruction], Expression]:
        """Return how the weights of the neuron k are added, each kind of number from its table."""
        c, source = place_in("c", len(rows.weights)), Variable("source", "uint16")
        element = self.tables.element
        begin: list[Instruction] = []
        about = "How many weights each neuron has."
        count = element("lengths", rows.counts, k, about, signed=False)
        if isinstance(count, Element):
            begin.append(Declare(Variable("count", "uint16"), count))
            count = Variable("count", "uint16")
        about = "The weights, one neuron after the other."
        weight = element("weights", rows.weights, c, about, signed=True)
        i = counter("i", max(rows.counts))
        weighted = add_product(total, weight, Element("v", source, v))
        listed: list[Instruction] = []
        windows: list[Instruction] = []
        if rows.is_relative:
            gap = element("gaps", rows.sources, c, "How far each source is.", signed=False)
            further = Update(source, Binary("+", source, gap, "uint16"))
            listed = [Declare(source, ZERO), Loop(i, count, (further, weighted, next_one(c)))]
        elif rows.split:
            at = element("sources", rows.sources, c, "What they multiply.", signed=False)
            weighted_at = add_product(total, weight, Element("v", at, v))
            listed = [Loop(i, count, (weighted_at, next_one(c)))]
        if rows.split < len(rows.counts):
            place = Binary("-", k, Number(rows.split, "int16"), "int16") if rows.split else k
            about = "The first source of each neuron."
            first = element("firsts", rows.firsts, place, about, signed=False)
            step = (weighted, next_one(c), next_one(source))
            windows = [Declare(source, first), Loop(i, count, step)]
        shift = element("shifts", shifts, k, "By how many bits.", signed=False)
        return [Declare(c, ZERO)], [*begin, *either(rows, k, listed, windows)], shift

    @cached_property
    def _rows(self) -> WeightRows:
        terms = [self._terms(neuron) for neuron in self.order]
        return WeightRows.choose(terms, self.source.bits, self.hidden)

    def _terms(self, neuron: Neuron) -> list[tuple[int, int]]:
        """Return the sources of a neuron in ascending order, with their weights."""
        found: Counter[int] = Counter()
        for operand, weight in neuron.sum.terms:
            found[self.place[operand]] += weight
        return sorted(found.items())

    def _ends(self, k: Variable, y: Variable) -> tuple[Instruction, ...]:
        """Return branches that apply the tail of the neuron k and store its value.

        The first neurons are sources of others, the last ones are shown.
        """
        kinds = [(neuron.tail, at < self.hidden) for at, neuron in enumerate(self.order)]
        starts = [at for at in range(len(kinds)) if at == 0 or kinds[at] != kinds[at - 1]]
        found = self._end(*kinds[starts[-1]], k, y)
        for start, end in zip(reversed(starts[:-1]), reversed(starts[1:]), strict=True):
            test = Binary("<", k, Number(end, "int16"), "bool")
            found = (Branch(test, self._end(*kinds[start], k, y), found),)
        return found

    def _end(
        self, tail: tuple[Step, ...], is_hidden: bool, k: Variable, y: Variable
    ) -> tuple[Instruction, ...]:
        if is_hidden:
            place = Binary("+", k, Number(self.given, "int16"), "int16") if self.given else k
            return (*self._tail(tail, y), Store("v", place, y))
        place = Binary("-", k, Number(self.hidden, "int16"), "int16") if self.hidden else k
        return (*self._tail(tail, y), Store("s", place, y))

    def _tail(self, tail: tuple[Step, ...], y: Variable) -> tuple[Instruction, ...]:
        found = []
        for step in tail:
            others = operands(step)[1:] if isinstance(step, IntegerCall) else ()
            numbers = [Number(o.value) for o in others if isinstance(o, WholeNumber)]
            found.append(Update(y, step_expression(self.source, step, [y, *numbers])))
        return tuple(found)


def _extents(ranges: Sequence[Ranged]) -> list[Extent]:
    return [range_ for range_ in ranges if isinstance(range_, Extent)]


def _union(ranges: Sequence[Ranged]) -> tuple[int, int]:
    extents = _extents(ranges)
    return min(extent.least for extent in extents), max(extent.most for extent in extents)
