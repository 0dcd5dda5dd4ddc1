"""The view of a scheduled circuit for the templates of Verilog.

A line has one operator, whose operands are all signed: if one is not, Verilog treats all as
unsigned.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from dsgec.export.targets.verilog.circuit import Gate, Schedule, bits_of, schedule
from dsgec.export.targets.verilog.lower import LoweredProgram
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


@dataclass(frozen=True)
class CircuitView:
    """A circuit with its pipeline stages."""

    lowered: LoweredProgram
    plan: Schedule

    @property
    def latency(self) -> int:
        return self.plan.latency

    @property
    def registers(self) -> int:
        """Return the bits that are kept from one stage to the next."""
        return sum(
            self.lowered.circuit.nodes[number].bits * (self.plan.read[number] - stage)
            for number, stage in self.plan.stages.items()
        )

    @cached_property
    def columns(self) -> set[int]:
        """Return the columns that are read."""
        nodes = self.lowered.circuit.nodes
        return {nodes[n].value for n in self.plan.stages if nodes[n].operation == "column"}

    @cached_property
    def roms(self) -> tuple[tuple[int, Rom], ...]:
        circuit = self.lowered.circuit
        nodes = (circuit.nodes[number] for number in self.plan.stages)
        read = sorted({node.value for node in nodes if node.operation == "rom"})
        return tuple((number, rom_of(circuit.roms[number])) for number in read)

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

    def cut(self, number: int, bits: int) -> Code:
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


def circuit_view(lowered: LoweredProgram) -> CircuitView:
    """Schedule a circuit, and return its view."""
    outputs = [*lowered.results, *([] if lowered.class_ is None else [lowered.class_])]
    return CircuitView(lowered, schedule(lowered.circuit, outputs))


def _type(node: Gate) -> Code:
    return Code("" if node.is_truth else f"signed [{node.bits - 1}:0] ")


def rom_of(entries: Sequence[int]) -> Rom:
    """Return the entries of a table as they are printed."""
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
