"""The views of an artefact for the templates of Verilog: as a pipeline, or packed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from dsgec.export.fixed.ir import RESULT_BITS
from dsgec.export.targets.verilog.circuit import bits_of
from dsgec.export.targets.verilog.circuit_view import (
    CircuitView,
    Rom,
    circuit_view,
    literal,
    rom_of,
)
from dsgec.export.targets.verilog.lower import LoweredProgram
from dsgec.export.targets.verilog.packed import PackedCircuits
from dsgec.export.view import FixedView, TemplateView
from dsgec.literals import js_data
from dsgec.rendering import Code

_LONGEST_LINE = 12_000  # Icarus Verilog 11 fails on comments of more than 16,384 characters
_TYPE_BITS = {"int8": 8, "int16": 16, "int32": 32}


def bus(values: Sequence[int], bits: int) -> Code:
    """Return a literal of numbers side by side, the first in the lowest bits."""
    whole = 0
    for value in reversed(values):
        whole = (whole << bits) | (value & ((1 << bits) - 1))
    return Code(f"{max(len(values), 1) * bits}'h{whole:x}")


@dataclass(frozen=True)
class PortView:
    """The ports and the test bench, which do not depend on the layout."""

    m: TemplateView
    fixed: FixedView

    @property
    def metadata(self) -> list[Code]:
        """Return the metadata as JSON, in pieces that are not too long for a line."""
        text = js_data(self.m.metadata)
        return [Code(text[at : at + _LONGEST_LINE]) for at in range(0, len(text), _LONGEST_LINE)]

    @property
    def columns(self) -> int:
        """Return the columns of the bus, at least one."""
        return self.m.feature_slots

    @property
    def row_bits(self) -> int:
        return self.columns * self.fixed.bits

    @property
    def results_bits(self) -> int:
        return self.m.results * RESULT_BITS

    @property
    def class_bits(self) -> int:
        return max((self.m.class_count - 1).bit_length(), 1)

    @property
    def count_bits(self) -> int:
        """Return the bits of a column number."""
        return max((self.columns - 1).bit_length(), 1)

    @property
    def sent_bits(self) -> int:
        """Return the bits of a result number."""
        return max((self.m.results - 1).bit_length(), 1)

    @property
    def missing(self) -> Code:
        return literal(self.fixed.missing)

    @cached_property
    def checks(self) -> list[tuple[Code, Code]]:
        """Return the rows of the test bench and the expected outputs of each."""
        golden = self.m.golden
        rows, results = self.fixed.golden_rows(golden), self.fixed.golden_results(golden.results)
        classes = golden.classes or (0,) * len(rows)
        found = [
            (bus(row, self.fixed.bits), self._expected_word(result, class_, lacking=False))
            for row, result, class_ in zip(rows, results, classes, strict=True)
        ]
        if self.m.required:
            lacking = bus([self.fixed.missing] * self.columns, self.fixed.bits)
            nothing = [-1 << (RESULT_BITS - 1)] * self.m.results
            found.append((lacking, self._expected_word(nothing, 0, lacking=True)))
        return found

    @property
    def wanted_bits(self) -> int:
        """Return the bits of the results, the class and the flag of a missing value."""
        return self.results_bits + (self.class_bits if self.m.classes else 0) + 1

    def _expected_word(self, results: Sequence[int], class_: int, *, lacking: bool) -> Code:
        """Return what a row must give as bits: whether it lacks a value, class, results."""
        whole = int(bus(results, RESULT_BITS).partition("h")[2], 16)
        whole |= class_ << self.results_bits
        whole |= int(lacking) << (self.wanted_bits - 1)
        return Code(f"{self.wanted_bits}'h{whole:x}")


@dataclass(frozen=True)
class VerilogView(PortView):
    """A pipeline that takes a row with every clock."""

    network: CircuitView
    packed: None = None

    @property
    def latency(self) -> int:
        return self.network.latency

    @property
    def clocks(self) -> int:
        """Return how many clocks a row takes through the top level."""
        return self.columns + self.latency + self.m.results + 1

    @property
    def registers(self) -> int:
        """Return the register bits, except the flags of valid and missing rows."""
        class_bits = self.class_bits if self.m.classes else 0
        return self.network.registers + self.results_bits + class_bits

    @cached_property
    def read_columns(self) -> tuple[int, ...]:
        """Return the columns that have wires."""
        return tuple(sorted(self.network.columns | set(self.m.required)))

    @property
    def outputs(self) -> list[Code]:
        """Return the results in the last stage."""
        return [self.network.cut(number, RESULT_BITS) for number in self.network.lowered.results]

    @property
    def chosen(self) -> Code:
        assert self.network.lowered.class_ is not None
        return self.network.cut(self.network.lowered.class_, self.class_bits)


@dataclass(frozen=True)
class SubmoduleView:
    """A circuit as a module: the bits of its inputs, and its outputs in so many bits."""

    name: Code
    about: Code
    inputs: tuple[int, ...]
    circuit: CircuitView
    outputs: tuple[tuple[int, Code], ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """The entries of a table with their places."""

    bits: int
    entries: tuple[tuple[int, Code], ...]


@dataclass(frozen=True)
class PackedView(PortView):
    """A machine that adds up one weighted source a clock."""

    packed: PackedCircuits

    @cached_property
    def prepare(self) -> SubmoduleView:
        inputs = self.fixed.bits, self.widths["number"] + 1
        about = "A source of the neurons, from the value of its column and its number."
        return _submodule("prepare", about, inputs, self.packed.prepare, (self.value_bits,))

    @cached_property
    def tail(self) -> SubmoduleView:
        inputs = self.packed.sum_bits, self.widths["neuron"] + 1
        about = "The value of a neuron, from its sum and its number."
        bits = max(self.value_bits, self.shown_bits)
        return _submodule("tail", about, inputs, self.packed.tail, (bits,))

    @cached_property
    def after(self) -> SubmoduleView:
        inputs = (self.shown_bits,) * self.shown
        bits = (RESULT_BITS,) * self.m.results + ((self.class_bits,) if self.m.classes else ())
        about = "The results of a row, from what its neurons show."
        return _submodule("after", about, inputs, self.packed.after, bits)

    @property
    def submodules(self) -> tuple[SubmoduleView, ...]:
        return self.prepare, self.tail, self.after

    @property
    def roms(self) -> tuple[tuple[Code, Rom], ...]:
        """Return the small tables of the machine, each a function of its own, by name."""
        network = self.packed.network
        required = [int(column in self.m.required) for column in range(self.columns)]
        ends: list[int] = []
        for terms in self.terms:
            ends.append(len(terms) + (ends[-1] if ends else -1))
        tables = {
            "column_of": self.packed.columns,
            "required": required,
            "bias": [neuron.sum.bias for neuron in network.order],
            "last_of": ends,
        }
        return tuple((Code(name), rom_of(entries)) for name, entries in tables.items())

    @property
    def tables(self) -> tuple[tuple[Code, Memory], ...]:
        """Return the large tables of the machine, which may become block RAM, by name."""
        weights = [weight for terms in self.terms for _, weight in terms]
        places = [place for terms in self.terms for place, _ in terms]
        return (Code("weights"), _memory(weights)), (Code("places"), _memory(places))

    @cached_property
    def terms(self) -> list[tuple[tuple[int, int], ...]]:
        """Return the places and weights of each neuron, of which there is at least one."""
        return [terms or ((0, 0),) for terms in self.packed.network.terms]

    @property
    def entries(self) -> int:
        return sum(map(len, self.terms))

    @property
    def given(self) -> int:
        """Return how many sources are made of columns."""
        return len(self.packed.columns)

    @property
    def hidden(self) -> int:
        return self.packed.network.hidden

    @property
    def neurons(self) -> int:
        return len(self.terms)

    @property
    def shown(self) -> int:
        return len(self.packed.network.shown)

    @property
    def value_bits(self) -> int:
        """Return the bits of a source."""
        return _TYPE_BITS[self.packed.network.sources.type]

    @property
    def shown_bits(self) -> int:
        return _TYPE_BITS[self.packed.network.sums.type]

    @property
    def weight_bits(self) -> int:
        return max(bits_of(weight) for terms in self.terms for _, weight in terms)

    @property
    def sum_bits(self) -> int:
        return self.packed.sum_bits

    @property
    def widths(self) -> dict[str, int]:
        """Return the bits of each counter, without the counter of clocks."""
        counts = {
            "number": self.given,
            "place": self.given + self.hidden,
            "neuron": self.neurons,
            "entry": self.entries,
        }
        return {name: max((count - 1).bit_length(), 1) for name, count in counts.items()}

    @property
    def turn_bits(self) -> int:
        """Return the bits of the counter of clocks in a state."""
        prepare, tail, after = (part.circuit.latency for part in self.submodules)
        return max(self.given + prepare + 1, tail + 2, after).bit_length()

    @property
    def clocks(self) -> int:
        """Return how many clocks a row takes at least, with its way in and out."""
        prepare, tail, after = (part.circuit.latency for part in self.submodules)
        ways = self.columns + self.m.results
        return (
            ways + self.given + prepare + 1 + self.entries + self.neurons * (tail + 4) + after + 1
        )


def _memory(entries: Sequence[int]) -> Memory:
    bits = max(map(bits_of, entries))
    return Memory(bits, tuple((at, literal(entry, bits)) for at, entry in enumerate(entries)))


def _submodule(
    name: str, about: str, inputs: tuple[int, ...], lowered: LoweredProgram, bits: tuple[int, ...]
) -> SubmoduleView:
    view = circuit_view(lowered)
    nodes = [*lowered.results, *([] if lowered.class_ is None else [lowered.class_])]
    outputs = tuple((width, view.cut(node, width)) for node, width in zip(nodes, bits, strict=True))
    return SubmoduleView(Code(name), Code(about), inputs, view, outputs)
