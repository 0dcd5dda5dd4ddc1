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
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from dsgec.export.fixed.calls import call, is_curve, read_curve
from dsgec.export.fixed.ir import (
    ColumnValue,
    IntegerCall,
    IntegerProgram,
    Look,
    Operand,
    Slot,
    Step,
    Sum,
    TreeSum,
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
from dsgec.export.fixed.neurons import Neuron, NeuronParts, shifted_alike
from dsgec.export.fixed.number_lists import ZERO, ProgramTables, counter
from dsgec.export.fixed.weight_rows import PackedLists, WeightRows
from dsgec.program import ir
from dsgec.program.check import check
from dsgec.program.narrow import narrow
from dsgec.program.walk import InvalidProgram

_MOST_TAILS = 8  # different ones
_TOP = ir.Variable("top")  # the largest of several sums, which have 16 bits
CURVE = "curve"  # the beginning of the names of tables of bytes


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

    program: ir.Program
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
    def load(self) -> ir.Procedure:
        return self.program.procedures[0]

    @property
    def neurons(self) -> ir.Procedure:
        return self.program.procedures[1]

    @property
    def sources(self) -> ir.ArrayParameter:
        """Return the array of the columns and the neurons that others read."""
        return self.neurons.arrays[0]

    @property
    def sums(self) -> ir.ArrayParameter:
        """Return the array of what is shown."""
        return self.neurons.arrays[1]

    @cached_property
    def data(self) -> int:
        """Return the bytes of its tables."""
        return sum(_BYTES[table.type] * len(table.values) for table in self.program.tables)


_BYTES: dict[ir.Type, int] = {"int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4}


def pack(
    program: IntegerProgram, required: Sequence[int], *, finds_class: bool = True
) -> PackedNetwork | None:
    """Return a program in the packed layout, or None if one loop cannot compute it in 32 bits.

    `required` columns must not lack a value. If sums decide, `neurons` returns the class or not.
    """
    parts = NeuronParts(program)
    tails = {neuron.tail for neuron in parts.neurons.values()}
    if parts.neurons and not program.forest and len(tails) <= _MOST_TAILS:
        with suppress(InvalidProgram):
            return _Packer(program, parts, {*required}, finds_class).pack()
    return None


class _Packer:
    """Builds the tables and the procedures."""

    def __init__(
        self, program: IntegerProgram, parts: NeuronParts, required: set[int], finds_class: bool
    ) -> None:
        self.source, self.parts, self.refuses = program, parts, bool(required)
        self.finds_class = finds_class and parts.decides
        self.number: ir.Type = "int8" if program.bits == 8 else "int16"
        self.tables = ProgramTables()
        covered = {*parts.depth, *parts.inside}
        self.after = tuple(n for n in range(len(program.steps)) if n not in covered)
        self.shown = self._values_after_loop()
        order = self._order()
        first = len([one for one in order if one.value in self._read_by(order)])
        self.order = [*shifted_alike(order[:first]), *shifted_alike(order[first:])]
        self.columns: dict[Operand, ColumnSource] = {}
        self.others: list[Slot] = []  # further sources, which are computed before
        for neuron in self.order:
            for operand in operands(neuron.sum):
                self._add_source(operand)
        read = {source.column for source in self.columns.values()}
        limits = next((source.limits for source in self.columns.values()), None)
        for column in sorted(required - read):  # a value that is missing has to be found
            self.columns[ColumnValue(column)] = ColumnSource(column, None, limits)
        # The loop reads the columns in their order, so that a list of them may be needless.
        chosen = sorted(self.columns, key=lambda o: self.columns[o].column)
        self.columns = {operand: self.columns[operand] for operand in chosen}
        places = (*self.columns, *self.others, *(Slot(n.value) for n in self.order[:first]))
        self.place: dict[Operand, int] = {operand: at for at, operand in enumerate(places)}
        self.given = len(self.columns) + len(self.others)
        self.hidden = first

    def _read_by(self, order: list[Neuron]) -> set[int]:
        """Return the values of neurons that some neurons read."""
        return {
            operand.number
            for neuron in order
            for operand in operands(neuron.sum)
            if isinstance(operand, Slot) and operand.number in self.parts.neurons
        }

    def _values_after_loop(self) -> tuple[Operand, ...]:
        """Return the values that are read after the loop over the neurons."""
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
                case ColumnValue() | Slot() | TreeSum():
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
        """Return the program, with variables and arrays of the narrowest types."""
        return PackedNetwork(
            *(self._program(), self.shown, self.after, self.parts.decides, self.refuses),
            *((*self.order,), self.hidden, self._rows),
            *((*self.columns.values(),), (*self.others,)),
            tuple(table.look for table in self.source.tables),
            tuple(tuple(self._terms(neuron)) for neuron in self.order),
        )

    def _program(self) -> ir.Program:
        """Return both procedures, which are proved."""
        columns = [*self.columns.values()]
        load = load_procedure(self.source, columns, self.others, self.tables, self.refuses)
        neurons = self._neurons()
        program = ir.Program((*self.tables,), (load, neurons))
        loaded = check(program, load)["v"][len(columns) :]
        ranges = [source_range(self.source, source) for source in columns]
        ranges += [extent.ends for extent in loaded]
        v, s = neurons.arrays
        neurons = replace(neurons, parameters=(replace(v, ranges=tuple(ranges)), s))
        neurons = narrow(program, neurons, {"v": self.number, "s": "int16"})
        load = narrow(program, _with_type(load, "v", neurons.arrays[0].type), {})
        program = ir.Program((*self.tables,), (load, neurons))
        for procedure in program.procedures:
            check(program, procedure)
        return program

    def _neurons(self) -> ir.Procedure:
        """Return the procedure that adds up the neurons; its result is the class, if they decide.

        Everything that it computes has the type int32.
        """
        looks = {step.table for n in self.order for step in n.tail if isinstance(step, Look)}
        for number in sorted(looks):
            entries, name = self.source.tables[number].entries, self._curve(number)
            kind: ir.Type = "int8" if name.startswith(CURVE) else "int16"
            self.tables.append(ir.ConstantTable(name, kind, entries))
        k, total, y = counter("k", len(self.order)), ir.Variable("sum"), ir.Variable("y")
        biases = [neuron.sum.bias for neuron in self.order]
        lists = PackedLists(self._rows, biases, [neuron.sum.shift for neuron in self.order])
        self.tables += lists.tables()
        shift, after = lists.shift(k)
        rounded = total if shift == ZERO else ir.Invoke("shifted", (total, shift))
        if isinstance(shift, ir.Element):
            ends = (ir.Declare(y, rounded), *after)
        else:
            ends = (*after, ir.Declare(y, rounded))
        body = (*lists.add(k, total, "int32"), *ends, *self._ends(k, y))
        begin, result = [*lists.begin], self._class
        if isinstance(result, ir.Variable):
            begin += [ir.Declare(_TOP, ir.Number(ir.LIMITS["int16"][0])), ir.Declare(result, ZERO)]
        return ir.Procedure(
            "neurons",
            "Add up the neurons, one after the other." + (" Returns the class." if result else ""),
            (
                ir.ArrayParameter("v", "int32", self.given + self.hidden, is_written=True),
                ir.ArrayParameter("s", "int32", len(self.shown), is_written=True),
            ),
            (*begin, ir.Loop(k, ir.Number(len(self.order), "int16"), body)),
            result,
        )

    @cached_property
    def _class(self) -> ir.Expression | None:
        """Return the class, if the sums decide: the best so far, or whether a limit is reached."""
        if not self.finds_class:
            return None
        if self.source.limit is not None:
            only = ir.Element("s", ZERO, "int32")
            return ir.Binary(">=", only, ir.Number(self.source.limit), "bool")
        return counter("best", len(self.shown))

    def _curve(self, number: int) -> str:
        """Return the name of the table of a function that neurons read.

        It has one of its own if it has bytes and the class does not need the one of 16 bits.
        """
        steps = (self.source.steps[at] for at in self.after)
        is_later = any(isinstance(step, Look) and step.table == number for step in steps)
        is_own = is_curve(self.source.tables[number]) and (self.parts.decides or not is_later)
        return f"{CURVE if is_own else 'table'}{number}"

    @cached_property
    def _rows(self) -> WeightRows:
        terms = [self._terms(neuron) for neuron in self.order]
        return WeightRows.choose(terms, self.hidden, self.given)

    def _terms(self, neuron: Neuron) -> list[tuple[int, int]]:
        """Return the sources of a neuron in ascending order, with their weights."""
        found: Counter[int] = Counter()
        for operand, weight in neuron.sum.terms:
            found[self.place[operand]] += weight
        return sorted(found.items())

    def _ends(self, k: ir.Variable, y: ir.Variable) -> tuple[ir.Instruction, ...]:
        """Return branches that apply the tail of the neuron k and store its value.

        The first neurons are sources of others, the last ones are shown.
        """
        kinds = [(neuron.tail, at < self.hidden) for at, neuron in enumerate(self.order)]
        starts = [at for at in range(len(kinds)) if at == 0 or kinds[at] != kinds[at - 1]]
        found = self._end(*kinds[starts[-1]], k, y)
        for start, end in zip(reversed(starts[:-1]), reversed(starts[1:]), strict=True):
            test = ir.Binary("<", k, ir.Number(end, "int16"), "bool")
            found = (ir.Branch(test, self._end(*kinds[start], k, y), found),)
        return found

    def _end(
        self, tail: tuple[Step, ...], is_hidden: bool, k: ir.Variable, y: ir.Variable
    ) -> tuple[ir.Instruction, ...]:
        begin: tuple[ir.Instruction, ...] = ()
        looks = [step for step in tail if isinstance(step, Look)]
        if looks:  # reading a table likes a narrow type
            is_kept = len(tail) == 1 and self._curve(looks[0].table).startswith(CURVE)
            narrow_y = ir.Variable("h" if is_kept else "changed")
            begin, y = (ir.Declare(narrow_y, y),), narrow_y
        steps, y = self._tail(tail, y)
        before = (*begin, *steps)
        if is_hidden:
            place = ir.Binary("+", k, ir.Number(self.given, "int16")) if self.given else k
            return (*before, ir.Store("v", place, y))
        place = ir.Binary("-", k, ir.Number(self.hidden, "int16")) if self.hidden else k
        stored = (*before, ir.Store("s", place, y))
        best = self._class
        if not isinstance(best, ir.Variable):
            return stored
        is_better = ir.Binary(">", y, _TOP, "bool")
        return (
            *(*stored, ir.Update(best, ir.Select(is_better, place, best))),
            ir.Update(_TOP, ir.Select(is_better, y, _TOP)),
        )

    def _reach(self, tail: tuple[Step, ...]) -> int:
        """Bound the value that a tail which begins with a table is applied to."""
        high = ir.LIMITS["int32"][1]
        if not isinstance(tail[0], Look):
            return high
        most = -ir.LIMITS[self.number][0]
        sums = (neuron.sum for neuron in self.order if neuron.tail == tail)
        return max(
            (abs(each.bias) + sum(abs(weight) * most for _, weight in each.terms) >> each.shift) + 1
            for each in sums
        )

    def _tail(
        self, tail: tuple[Step, ...], y: ir.Variable
    ) -> tuple[list[ir.Instruction], ir.Variable]:
        """Return the steps of a tail on y, and the variable that has their result."""
        found: list[ir.Instruction] = []
        for at, step in enumerate(tail):
            match step:
                case Look(number):
                    table, name = self.source.tables[number], self._curve(number)
                    if name.startswith(CURVE):
                        steps, value = read_curve(table, name, number, y, self._reach(tail))
                        found += steps
                        if at == len(tail) - 1:
                            return found, value
                        found.append(ir.Update(y, value))
                    else:
                        limits = [ir.Number(limit) for limit in table.limits]
                        found.append(ir.Update(y, ir.Invoke(table.look, (y, *limits), name)))
                case IntegerCall(function, (_, *others)):
                    numbers = [ir.Number(o.value) for o in others if isinstance(o, WholeNumber)]
                    found += call(function, y, numbers)
                case _:
                    found.append(ir.Update(y, step_expression(self.source, step, [y])))
        return found, y


def _with_type(procedure: ir.Procedure, array: str, type_: ir.Type) -> ir.Procedure:
    """Return a procedure one of whose arrays has another type."""
    changed = (replace(p, type=type_) if p.name == array else p for p in procedure.arrays)
    return replace(procedure, parameters=tuple(changed))
