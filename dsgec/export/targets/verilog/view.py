"""A circuit in stages to the lines that the templates of Verilog print.

A line has one operator, all operands of which are signed: where one is not, Verilog takes all of
them for unsigned.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from dsgec.export.fixed.ir import RESULT_BITS
from dsgec.export.targets.verilog.build import Built
from dsgec.export.targets.verilog.circuit import Gate, bits_of
from dsgec.export.targets.verilog.schedule import Schedule
from dsgec.export.view import FixedView, TemplateView
from dsgec.rendering import Code


@dataclass(frozen=True, slots=True)
class Assignment:
    """A wire or a register: its type, its name, and what it becomes."""

    type: Code
    name: Code
    value: Code


@dataclass(frozen=True, slots=True)
class Stage:
    """What is computed from one clock to the next, and what the next one keeps."""

    wires: tuple[Assignment, ...]
    registers: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class Rom:
    """The entries of a table, the last of which stands for all behind it."""

    bits: int
    index_bits: int
    entries: tuple[tuple[Code, Code], ...]
    last: Code


def literal(value: int, bits: int = 0) -> Code:
    """A signed number; in so many bits, or as many as it takes."""
    width = max(bits, bits_of(abs(value)))
    return Code(f"{'-' if value < 0 else ''}{width}'sd{abs(value)}")


def packed(values: Sequence[int], bits: int) -> Code:
    """Numbers side by side, the first in the lowest bits."""
    whole = 0
    for value in reversed(values):
        whole = (whole << bits) | (value & ((1 << bits) - 1))
    return Code(f"{max(len(values), 1) * bits}'h{whole:x}")


@dataclass(frozen=True)
class VerilogView:
    """What only the templates of Verilog see."""

    m: TemplateView
    fixed: FixedView
    built: Built
    plan: Schedule

    @property
    def latency(self) -> int:
        return self.plan.latency

    @property
    def columns(self) -> int:
        """A bus has bits, also where a row has no columns."""
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
        """Of a number of a column."""
        return max((self.columns - 1).bit_length(), 1)

    @property
    def sent_bits(self) -> int:
        """Of a number of a result."""
        return max((self.m.results - 1).bit_length(), 1)

    @property
    def missing(self) -> Code:
        return literal(self.fixed.missing)

    @property
    def registers(self) -> int:
        """Bits that are kept, but for those of valid and missing rows."""
        own = sum(
            self.built.circuit.nodes[number].bits * (self.plan.read[number] - stage)
            for number, stage in self.plan.stages.items()
        )
        return own + self.results_bits + (self.class_bits if self.m.classes else 0)

    @cached_property
    def read_columns(self) -> tuple[int, ...]:
        """The columns that have wires."""
        nodes = self.built.circuit.nodes
        found = {nodes[n].value for n in self.plan.stages if nodes[n].operation == "column"}
        return tuple(sorted(found | set(self.m.required)))

    @cached_property
    def roms(self) -> tuple[tuple[int, Rom], ...]:
        circuit = self.built.circuit
        nodes = (circuit.nodes[number] for number in self.plan.stages)
        read = sorted({node.value for node in nodes if node.operation == "rom"})
        return tuple((number, _rom(circuit.roms[number])) for number in read)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        computed: list[list[Assignment]] = [[] for _ in range(self.latency)]
        kept: list[list[Assignment]] = [[] for _ in range(self.latency)]
        for number, first in self.plan.stages.items():
            node = self.built.circuit.nodes[number]
            if node.operation != "column":
                value = Code(self._expression(node, first))
                computed[first].append(Assignment(_type(node), Code(self._name(number)), value))
            for stage in range(first, self.plan.read[number]):
                now, later = self._at(number, stage), self._at(number, stage + 1)
                kept[stage].append(Assignment(_type(node), Code(later), Code(now)))
        pairs = zip(computed, kept, strict=True)
        return tuple(Stage(tuple(wires), tuple(registers)) for wires, registers in pairs)

    @property
    def outputs(self) -> list[Code]:
        """The results, as the last stage has them."""
        return [self._cut(number, RESULT_BITS) for number in self.built.results]

    @property
    def chosen(self) -> Code:
        assert self.built.class_ is not None
        return self._cut(self.built.class_, self.class_bits)

    def _cut(self, number: int, bits: int) -> Code:
        """A number of the last stage in so many bits."""
        value = self.built.circuit.number(number)
        if value is not None:
            return Code(f"{bits}'h{value & ((1 << bits) - 1):x}")
        name, own = self._at(number, self.latency - 1), self.built.circuit.nodes[number].bits
        if own >= bits:
            return Code(name if own == bits else f"{name}[{bits - 1}:0]")
        return Code(f"{{{{{bits - own}{{{name}[{own - 1}]}}}}, {name}}}")

    def _name(self, number: int) -> str:
        node = self.built.circuit.nodes[number]
        if node.operation == "column":
            return f"x{node.value}"
        return self.built.names.get(number) or f"{'c' if node.is_truth else 'n'}{number}"

    def _at(self, number: int, stage: int) -> str:
        """A value in a stage: as many clocks later as its name says."""
        value = self.built.circuit.number(number)
        if value is not None:
            return literal(value)
        clocks = stage - self.plan.stages[number]
        return f"{self._name(number)}_{clocks}" if clocks else self._name(number)

    def _expression(self, node: Gate, stage: int) -> str:
        operands = [self._at(operand, stage) for operand in node.operands]
        match node.operation:
            case "limited":
                return operands[0]
            case "cut":
                return f"$signed({{1'b0, {operands[0]}[{node.value - 1}:0]}})"
            case "rom":
                index = self.built.circuit.nodes[node.operands[0]]
                rom = next(rom for number, rom in self.roms if number == node.value)
                bits = min(rom.index_bits, index.bits)
                part = f"{bits - 1}:0"
                return f"rom{node.value}({operands[0]}[{part}])"
            case "choose":
                return "{} ? {} : {}".format(*operands)
            case ">>":
                count = self.built.circuit.number(node.operands[1])
                return f"{operands[0]} >>> {operands[1] if count is None else count}"
            case "<<":
                count = self.built.circuit.number(node.operands[1])
                return f"{operands[0]} << {operands[1] if count is None else count}"
            case operator:
                return f"{operands[0]} {operator} {operands[1]}"

    @cached_property
    def checks(self) -> list[tuple[Code, Code]]:
        """Rows of the test bench, and what must come of each: the results, the class, missing."""
        golden = self.m.golden
        rows, results = self.fixed.golden_rows(golden), self.fixed.golden_results(golden)
        classes = golden.classes or (0,) * len(rows)
        found = [
            (packed(row, self.fixed.bits), self._wanted(result, class_, lacking=False))
            for row, result, class_ in zip(rows, results, classes, strict=True)
        ]
        if self.m.required:
            lacking = packed([self.fixed.missing] * self.columns, self.fixed.bits)
            nothing = [-1 << (RESULT_BITS - 1)] * self.m.results
            found.append((lacking, self._wanted(nothing, 0, lacking=True)))
        return found

    @property
    def wanted_bits(self) -> int:
        """Of the results, the class and whether a value is missing."""
        return self.results_bits + (self.class_bits if self.m.classes else 0) + 1

    def _wanted(self, results: Sequence[int], class_: int, *, lacking: bool) -> Code:
        whole = int(packed(results, RESULT_BITS).partition("h")[2], 16)
        whole |= class_ << self.results_bits
        whole |= int(lacking) << (self.wanted_bits - 1)
        return Code(f"{self.wanted_bits}'h{whole:x}")


def _type(node: Gate) -> Code:
    return Code("" if node.is_truth else f"signed [{node.bits - 1}:0] ")


def _rom(entries: tuple[int, ...]) -> Rom:
    bits = max(map(bits_of, entries))
    index_bits = max((len(entries) - 1).bit_length(), 1)
    *first, last = entries
    return Rom(
        bits,
        index_bits,
        tuple(
            (Code(f"{index_bits}'d{place}"), literal(entry, bits))
            for place, entry in enumerate(first)
        ),
        literal(last, bits),
    )
