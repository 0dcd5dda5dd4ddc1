"""The view of a scheduled circuit for the templates of Verilog.

A line has one operator, whose operands are all signed: if one is not, Verilog treats all as
unsigned.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from dsgec.export.fixed.ir import RESULT_BITS
from dsgec.export.targets.verilog.circuit import Gate, Schedule, bits_of
from dsgec.export.targets.verilog.lower import LoweredProgram
from dsgec.export.view import FixedView, TemplateView
from dsgec.rendering import Code


@dataclass(frozen=True, slots=True)
class Assignment:
    """A wire or a register, with its type and its value."""

    type: Code
    name: Code
    value: Code


@dataclass(frozen=True, slots=True)
class Stage:
    """The wires computed in one clock, and the registers set at its end."""

    wires: tuple[Assignment, ...]
    registers: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class Rom:
    """The entries of a table; indices beyond the last read the last."""

    bits: int
    index_bits: int
    entries: tuple[tuple[Code, Code], ...]
    last: Code


def literal(value: int, bits: int = 0) -> Code:
    """Return a signed literal, in at least so many bits."""
    width = max(bits, bits_of(abs(value)))
    return Code(f"{'-' if value < 0 else ''}{width}'sd{abs(value)}")


def packed(values: Sequence[int], bits: int) -> Code:
    """Return a literal of numbers side by side, the first in the lowest bits."""
    whole = 0
    for value in reversed(values):
        whole = (whole << bits) | (value & ((1 << bits) - 1))
    return Code(f"{max(len(values), 1) * bits}'h{whole:x}")


@dataclass(frozen=True)
class VerilogView:
    """The view of an artefact for the templates of Verilog."""

    m: TemplateView
    fixed: FixedView
    lowered: LoweredProgram
    plan: Schedule

    @property
    def latency(self) -> int:
        return self.plan.latency

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

    @property
    def registers(self) -> int:
        """Return the register bits, except the flags of valid and missing rows."""
        own = sum(
            self.lowered.circuit.nodes[number].bits * (self.plan.read[number] - stage)
            for number, stage in self.plan.stages.items()
        )
        return own + self.results_bits + (self.class_bits if self.m.classes else 0)

    @cached_property
    def read_columns(self) -> tuple[int, ...]:
        """Return the columns that have wires."""
        nodes = self.lowered.circuit.nodes
        found = {nodes[n].value for n in self.plan.stages if nodes[n].operation == "column"}
        return tuple(sorted(found | set(self.m.required)))

    @cached_property
    def roms(self) -> tuple[tuple[int, Rom], ...]:
        circuit = self.lowered.circuit
        nodes = (circuit.nodes[number] for number in self.plan.stages)
        read = sorted({node.value for node in nodes if node.operation == "rom"})
        return tuple((number, _rom(circuit.roms[number])) for number in read)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        computed: list[list[Assignment]] = [[] for _ in range(self.latency)]
        kept: list[list[Assignment]] = [[] for _ in range(self.latency)]
        for number, first in self.plan.stages.items():
            node = self.lowered.circuit.nodes[number]
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
        """Return the results in the last stage."""
        return [self._cut(number, RESULT_BITS) for number in self.lowered.results]

    @property
    def chosen(self) -> Code:
        assert self.lowered.class_ is not None
        return self._cut(self.lowered.class_, self.class_bits)

    def _cut(self, number: int, bits: int) -> Code:
        """Return a value of the last stage in so many bits."""
        value = self.lowered.circuit.number(number)
        if value is not None:
            return Code(f"{bits}'h{value & ((1 << bits) - 1):x}")
        name, own = self._at(number, self.latency - 1), self.lowered.circuit.nodes[number].bits
        if own >= bits:
            return Code(name if own == bits else f"{name}[{bits - 1}:0]")
        return Code(f"{{{{{bits - own}{{{name}[{own - 1}]}}}}, {name}}}")

    def _name(self, number: int) -> str:
        node = self.lowered.circuit.nodes[number]
        if node.operation == "column":
            return f"x{node.value}"
        return self.lowered.names.get(number) or f"{'c' if node.is_truth else 'n'}{number}"

    def _at(self, number: int, stage: int) -> str:
        """Return the name of a value in a stage; its suffix is its age in clocks."""
        value = self.lowered.circuit.number(number)
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
                index = self.lowered.circuit.nodes[node.operands[0]]
                rom = next(rom for number, rom in self.roms if number == node.value)
                bits = min(rom.index_bits, index.bits)
                part = f"{bits - 1}:0"
                return f"rom{node.value}({operands[0]}[{part}])"
            case "choose":
                return "{} ? {} : {}".format(*operands)
            case ">>":
                count = self.lowered.circuit.number(node.operands[1])
                return f"{operands[0]} >>> {operands[1] if count is None else count}"
            case "<<":
                count = self.lowered.circuit.number(node.operands[1])
                return f"{operands[0]} << {operands[1] if count is None else count}"
            case operator:
                return f"{operands[0]} {operator} {operands[1]}"

    @cached_property
    def checks(self) -> list[tuple[Code, Code]]:
        """Return the rows of the test bench and the expected outputs of each."""
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
        """Return the bits of the results, the class and the flag of a missing value."""
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
