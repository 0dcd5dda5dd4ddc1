"""Lower a network of floats to tables that one loop reads: the packed layout.

    features   the columns that are read, filled and scaled ─▶ sources v
    neurons    for each neuron: Σ weight · v[source], through its function ─▶ v, or y

Nodes that are neither are straight-line code before or after the loop. All sums keep the order of
their terms, so the results have the bits of the flat layout. A sum without a constant at its begin
or end has −0.0 there: adding that changes no number.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from dsgec.export.fixed.number_lists import ProgramTables, next_one
from dsgec.export.lower import LONGEST_FUNCTION, NodeWriter, constant, entry, statements
from dsgec.export.network_parts import Feature, NetworkParts
from dsgec.export.parts import index
from dsgec.export.sums import ONE
from dsgec.network.ir import Apply, Constant, Network
from dsgec.program import ir

_NOTHING = -0.0
_ENCODED = {
    "fill": ("fills", "What stands for missing values."),
    "sub": ("centers", "What is subtracted."),
    "div": ("scales", "What is divided by."),
    "is": ("codes", "What is compared with."),
}


def packed_network_program(network: Network, real: ir.Real) -> ir.Program | None:
    """Return a network in the packed layout, or None if it has no neurons, or many other nodes."""
    parts = NetworkParts(network)
    if not parts.neurons:
        return None
    packer = _Packer(network, real, parts)
    straight = (network.nodes[position] for position in (*packer.before, *packer.after))
    return packer.program() if statements(straight) <= LONGEST_FUNCTION else None


@dataclass(frozen=True, slots=True)
class _Row:
    """A neuron as numbers: the constants around its terms, and what it goes through."""

    first: float
    weights: tuple[float, ...]
    sources: tuple[int, ...]
    last: float
    function: str


class _Packer:
    """Builds the tables and the procedure; `place` has the places of sources in v."""

    def __init__(self, network: Network, real: ir.Real, parts: NetworkParts) -> None:
        self.network, self.real, self.parts = network, real, parts
        self.tables = FloatTables()
        self.writer = NodeWriter(network, real)
        order = sorted(parts.neurons, key=lambda n: (parts.depths[n], n))
        if self.is_direct:
            order = [n for n in order if n not in {*network.outputs}] + [*network.outputs]
        self.rows = [self._row(position) for position in order]
        self.hidden = len(order) - len(network.outputs) * self.is_direct
        read = {source for row in self.rows for source in row.sources}
        found = parts.features
        self.features = sorted(read & found.keys(), key=lambda n: (found[n].column, n))
        others = sorted(read & parts.before)
        given = [*self.features, *others, *([ONE] if ONE in read else [])]
        self.given = len(given)
        self.place = {n: at for at, n in enumerate((*given, *order[: self.hidden]))}
        self.others = {n: self.place[n] for n in others}

    @cached_property
    def is_direct(self) -> bool:
        """Return whether the outputs are neurons that nothing else reads."""
        neurons, readers = self.parts.neurons, self.parts.readers
        return all(n in neurons and readers[n] == 1 for n in self.network.outputs)

    def _row(self, position: int) -> _Row:
        """Return a neuron whose sources are still nodes."""
        neuron = self.parts.neurons[position]
        terms = [self._term(weight, source) for weight, source in neuron.terms]
        first = terms.pop(0)[0] if terms[0][1] == ONE else _NOTHING
        last = terms.pop()[0] if terms and terms[-1][1] == ONE else _NOTHING
        weights, sources = tuple(w for w, _ in terms), tuple(s for _, s in terms)
        return _Row(first, weights, sources, last, neuron.function)

    def _term(self, weight: float, source: int) -> tuple[float, int]:
        """Return a term with a rounded weight; the product of two constants is a constant."""
        factor = self.network.nodes[source] if source != ONE else None
        weight = self._rounded(weight)
        if isinstance(factor, Constant):
            return self._rounded(weight * self._rounded(factor.value)), ONE
        return weight, source

    def _rounded(self, value: float) -> float:
        return float(constant(value, self.real).value)

    @cached_property
    def before(self) -> list[int]:
        """The nodes that straight-line code computes before the neurons."""
        return self._closure(self.parts.before, {*self.features})

    @cached_property
    def after(self) -> list[int]:
        """The nodes that straight-line code computes after the neurons."""
        if self.is_direct:
            return []
        return self._closure([*self.parts.late, *self.network.outputs], {*self.place, *self.before})

    def _closure(self, targets: Iterable[int], available: set[int]) -> list[int]:
        """Return the functions that targets need, down to what is available."""
        found: set[int] = set()
        left = [*targets]
        while left:
            position = left.pop()
            node = self.network.nodes[position]
            if isinstance(node, Apply) and position not in available and position not in found:
                found.add(position)
                left += node.arguments
        return sorted(found)

    def program(self) -> ir.Program:
        """Return the tables and the procedure of a row."""
        real, writer = self.real, self.writer
        count = len(self.place)
        body: list[ir.Instruction] = [ir.LocalArray("v", real, count)] if count else []
        for group in self._groups():
            body += self._load(*group)
        for position in self.features:
            writer.values[position] = ir.Element("v", index(self.place[position]), real)
        writer.nodes(self.before)
        body += writer.body
        for position, place in self.others.items():
            body.append(ir.Store("v", index(place), writer.operand(position)))
        if ONE in self.place:
            body.append(ir.Store("v", index(self.place[ONE]), constant(1.0, real)))
        body += self._neurons()
        for position, place in self.place.items():
            writer.values[position] = ir.Element("v", index(place), real)
        start = len(writer.body)
        writer.nodes(self.after)
        body += [*writer.body[start:], *([] if self.is_direct else self._stores())]
        return ir.Program((*self.tables,), (entry(self.network, real, tuple(body)),))

    # Features.

    def _groups(self) -> list[tuple[list[int], list[Feature]]]:
        """Return the places of features and these, grouped by their functions."""
        groups: dict[object, tuple[list[int], list[Feature]]] = {}
        for position in self.features:
            feature = self.parts.features[position]
            kind = tuple((e.function, e.constant is None) for e in feature.encodings)
            places, features = groups.setdefault(kind, ([], []))
            places.append(self.place[position])
            features.append(feature)
        return [*groups.values()]

    def _load(self, places: list[int], features: list[Feature]) -> list[ir.Instruction]:
        """Return the loop that computes features of one kind."""
        i = _counter("i", len(places))
        q = ir.Variable("q" if len(places) > 1 else f"q{places[0]}", self.real)
        columns = [feature.column for feature in features]
        column = self.tables.place("columns", columns, i, "The columns that are read.")
        value: ir.Expression = ir.Element("x", column, self.real)
        inner: list[ir.Instruction] = []
        for at, encoding in enumerate(features[0].encodings):
            if encoding.constant is None:
                inner.append((ir.Update if inner else ir.Declare)(q, value))
                value = self.writer.operation(encoding.function, q, q)
                continue
            constants = [f.encodings[at].constant for f in features]
            values = [self._rounded(c) for c in constants if c is not None]
            name, about = _ENCODED[encoding.function]
            other = self.tables.real(name, about, values, i, self.real)
            value = self.writer.operation(encoding.function, value, other)
        about = "The places of the features."
        inner.append(ir.Store("v", self.tables.place("places", places, i, about), value))
        return [ir.Loop(i, index(len(places)), tuple(inner))] if len(places) > 1 else inner

    # Neurons.

    def _neurons(self) -> list[ir.Instruction]:
        """Return the loop that adds up the neurons."""
        rows, real, tables = self.rows, self.real, self.tables
        k, total = _counter("k", len(rows)), ir.Variable("total", real)
        c = ir.Variable("c", ir.narrowest(0, sum(len(row.weights) for row in rows)))
        begin: list[ir.Instruction] = []
        about = "What sums begin with; adding -0.0 changes nothing."
        first = tables.real("firsts", about, [row.first for row in rows], k, real)
        inner: list[ir.Instruction] = [ir.Declare(total, first)]
        if any(row.weights for row in rows):
            weights = [weight for row in rows for weight in row.weights]
            about = "The weights, one neuron after the other."
            weight = tables.real("weights", about, weights, c, real)
            inner += self._add(k, c, total, weight)
            if isinstance(weight, ir.Element) or self._sources.is_own:
                begin = [ir.Declare(c, index(0))]
        last = [row.last for row in rows]
        if any(value.hex() != _NOTHING.hex() for value in last):
            about = "What sums end with; adding -0.0 changes nothing."
            end = tables.real("lasts", about, last, k, real)
            inner.append(ir.Update(total, ir.Binary("+", total, end, real)))
        inner += self._ends(k, total)
        return [*begin, ir.Loop(k, index(len(rows)), tuple(inner))]

    def _add(
        self, k: ir.Variable, c: ir.Variable, total: ir.Variable, weight: ir.Expression
    ) -> list[ir.Instruction]:
        """Return the loop that adds the terms of the neuron k."""
        counts = [len(row.weights) for row in self.rows]
        j = _counter("j", max(counts))
        found: list[ir.Instruction] = []
        count = self.tables.whole("lengths", counts, k, "How many weights each neuron has.")
        if isinstance(count, ir.Element):
            variable = ir.Variable("count", count.type)
            found.append(ir.Declare(variable, count))
            count = variable
        sources = self._sources
        source: ir.Expression = j
        if sources.is_own:
            source = ir.Element("sources", c, ir.narrowest(0, max(sources.listed)))
        else:
            about = "Where the sources of each neuron begin."
            start = self.tables.whole("starts", sources.starts, k, about)
            if isinstance(start, ir.Element):
                variable = ir.Variable("start", start.type)
                found.append(ir.Declare(variable, start))
                start = variable
            source = _shifted(j, start, max(sources.starts) + max(counts))
            if sources.listed:
                source = ir.Element("sources", source, ir.narrowest(0, max(sources.listed)))
        if sources.listed:
            type_ = ir.narrowest(0, max(sources.listed))
            about = "What the weights multiply."
            self.tables.append(ir.ConstantTable("sources", type_, tuple(sources.listed), about))
        product = ir.Binary("*", weight, ir.Element("v", source, self.real), self.real)
        steps: list[ir.Instruction] = [ir.Update(total, ir.Binary("+", total, product, self.real))]
        if isinstance(weight, ir.Element) or sources.is_own:
            steps.append(next_one(c))
        return [*found, ir.Loop(j, count, tuple(steps))]

    @cached_property
    def _sources(self) -> "_Sources":
        return _Sources.choose([[self.place[s] for s in row.sources] for row in self.rows])

    def _ends(self, k: ir.Variable, total: ir.Variable) -> list[ir.Instruction]:
        """Return branches that apply the function of the neuron k and store its value."""
        kinds = [(row.function, at < self.hidden) for at, row in enumerate(self.rows)]
        different = [*dict.fromkeys(kinds)]
        runs = [at for at, kind in enumerate(kinds) if at == 0 or kind != kinds[at - 1]]
        ends = {kind: self._end(*kind, k, total) for kind in different}
        if len(runs) == len(different):
            limits = [*zip(different, runs[1:], strict=False)]
            return _chain(
                [(ir.Binary("<", k, index(end), "bool"), ends[kind]) for kind, end in limits],
                ends[different[-1]],
            )
        numbers = [different.index(kind) for kind in kinds]
        about = "Which function each neuron has, and where its value goes."
        kind_ = ir.Variable("kind", "uint8")
        element = self.tables.whole("kinds", numbers, k, about)
        tests = [
            (ir.Binary("==", kind_, ir.Number(number, "uint8"), "bool"), ends[kind])
            for number, kind in enumerate(different[:-1])
        ]
        return [ir.Declare(kind_, element), *_chain(tests, ends[different[-1]])]

    def _end(
        self, function: str, is_hidden: bool, k: ir.Variable, total: ir.Variable
    ) -> tuple[ir.Instruction, ...]:
        value = self.writer.operation(function, total) if function else total
        if is_hidden:
            return (ir.Store("v", _shifted(k, index(self.given), len(self.place)), value),)
        less = ir.Binary("-", k, index(self.hidden), k.type) if self.hidden else k
        return (ir.Store("y", less, value),)

    # Outputs.

    def _stores(self) -> list[ir.Instruction]:
        """Return how the outputs are stored after the loop."""
        values = [self.writer.operand(position) for position in self.network.outputs]
        return [ir.Store("y", index(at), value) for at, value in enumerate(values)]


@dataclass(frozen=True, slots=True)
class _Sources:
    """The sources of neurons: each has its own part of a list, or a part that starts somewhere.

    Without a list, the part is of v itself: a window.
    """

    listed: list[int]
    starts: list[int]
    is_own: bool

    @classmethod
    def choose(cls, rows: list[list[int]]) -> "_Sources":
        """Return windows if all neurons have them, or else the lists that take fewer bytes."""
        if all(row == [*range(row[0], row[0] + len(row))] for row in rows if row):
            return cls([], [row[0] if row else 0 for row in rows], False)
        places: dict[tuple[int, ...], int] = {}
        shared: list[int] = []
        for row in rows:
            if tuple(row) not in places:
                places[tuple(row)] = len(shared) if row else 0
                shared += row
        starts = [places[tuple(row)] for row in rows]
        own = [place for row in rows for place in row]
        if _bytes(own) <= _bytes(shared) + _bytes(starts):
            return cls(own, [], True)
        return cls(shared, starts, False)


def _bytes(values: Sequence[int]) -> int:
    sizes = {"uint8": 1, "uint16": 2}
    return len(values) * sizes.get(ir.narrowest(0, max(values)), 4)


class FloatTables(ProgramTables):
    """The tables of a program of floats while it is built; equal elements need no table."""

    def real(
        self, name: str, about: str, values: Sequence[float], at: ir.Expression, real: ir.Real
    ) -> ir.Expression:
        """Return an element of a new table of floats."""
        if len({value.hex() for value in values}) == 1:
            return ir.Number(values[0], real)
        name = self._unused(name)
        self.append(ir.ConstantTable(name, real, tuple(values), about))
        return ir.Element(name, at, real)

    def whole(
        self, name: str, values: Sequence[int], at: ir.Expression, about: str
    ) -> ir.Expression:
        """Return an element of a new table of integers."""
        return self.element(self._unused(name), values, at, about, signed=False)

    def place(self, name: str, values: Sequence[int], at: ir.Variable, about: str) -> ir.Expression:
        """Return one of some places: those that follow each other need no table."""
        first = values[0]
        if len(values) > 1 and [*values] == [*range(first, first + len(values))]:
            return _shifted(at, index(first), values[-1])
        return index(first) if len({*values}) == 1 else self.whole(name, values, at, about)

    def _unused(self, name: str) -> str:
        used = {table.name for table in self}
        later = (f"{name}{number}" for number in range(2, len(used) + 3))
        return next(each for each in (name, *later) if each not in used)


def _counter(name: str, count: int) -> ir.Variable:
    return ir.Variable(name, ir.narrowest(0, count))


def _shifted(at: ir.Variable, by: ir.Expression, most: int) -> ir.Expression:
    """Return an index that begins elsewhere."""
    if isinstance(by, ir.Number) and by.value == 0:
        return at
    return ir.Binary("+", at, by, ir.narrowest(0, most))


def _chain(
    tests: Sequence[tuple[ir.Expression, tuple[ir.Instruction, ...]]],
    last: tuple[ir.Instruction, ...],
) -> list[ir.Instruction]:
    """Return branches of which one is taken."""
    for test, body in reversed(tests):
        last = (ir.Branch(test, body, last),)
    return [*last]
