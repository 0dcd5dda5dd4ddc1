"""Add a network to a WebAssembly module as the function `outputs`.

Values are local variables, or in memory if there are too many.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import assert_never

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.export.fixed import ir
from dsgec.export.statements import LONGEST_FUNCTION, OperationWriter, is_long, parts
from dsgec.export.targets.wasm.arithmetic import Types
from dsgec.export.targets.wasm.binary import SIZES, Locals, Module, const, load, op, store
from dsgec.network.ir import Network

_ROW = {"x": "i32", "y": "i32"}  # the addresses of a row and of its outputs
_INLINE = {"add", "sub", "mul", "neg"}
_NOTHING = -1 << (ir.RESULT_BITS - 1)  # the result of a row that lacks a value


@dataclass(frozen=True, slots=True)
class ValueTypes(ABC):
    """The types in memory of columns and results, and the type of a result on the stack."""

    input: str
    output: str
    value: str
    nothing: float  # the result of a row that lacks a value
    lowest: float  # below all results
    sign: str = ""  # the suffix of comparisons

    @property
    def input_size(self) -> int:
        return SIZES[self.input]

    @property
    def size(self) -> int:
        """Return the bytes of a result."""
        return SIZES[self.output]

    def compare(self, name: str) -> bytes:
        """Return the instruction `lt`, `le`, `gt` or `ge` for results."""
        return op(f"{self.value}.{name}{self.sign}")

    @abstractmethod
    def is_missing(self, value: bytes) -> bytes:
        """Return the code that tests whether a value of a row is missing."""

    @abstractmethod
    def is_number(self, result: bytes) -> bytes:
        """Return the code that tests whether a result is a number."""

    @abstractmethod
    def differ(self, found: bytes, wanted: bytes) -> bytes:
        """Return the code that tests whether the results at two addresses differ in bits."""


@dataclass(frozen=True, slots=True)
class FloatTypes(ValueTypes):
    """The types of an artefact in floats; all NaNs count as equal."""

    word: str = "i64"

    def is_missing(self, value: bytes) -> bytes:
        return value + value + op(f"{self.value}.ne")

    def is_number(self, result: bytes) -> bytes:
        return result + result + op(f"{self.value}.eq")

    def differ(self, found: bytes, wanted: bytes) -> bytes:
        bits = load(self.word, found) + load(self.word, wanted) + op(f"{self.word}.ne")
        numbers = (self.is_number(load(self.output, address)) for address in (found, wanted))
        return bits + b"".join(numbers) + op("i32.or") + op("i32.and")


@dataclass(frozen=True, slots=True)
class IntegerTypes(ValueTypes):
    """Integers, the least of which stands for a missing value."""

    missing: int = 0

    def is_missing(self, value: bytes) -> bytes:
        return value + const("i32", self.missing) + op("i32.eq")

    def is_number(self, result: bytes) -> bytes:
        return result + const("i32", _NOTHING) + op("i32.ne")

    def differ(self, found: bytes, wanted: bytes) -> bytes:
        return load(self.output, found) + load(self.output, wanted) + op("i32.ne")


DOUBLE = FloatTypes("f64", "f64", "f64", float("nan"), float("-inf"), word="i64")
FLOAT = FloatTypes("f32", "f32", "f32", float("nan"), float("-inf"), word="i32")


def integer_types(bits: int, missing: int) -> IntegerTypes:
    """Return the types for columns of so many bits."""
    output = f"i{ir.RESULT_BITS}"
    return IntegerTypes(f"i{bits}", output, "i32", _NOTHING, _NOTHING - 1, "_s", missing=missing)


class _Slots:
    """The values of a network in the order of their assignment, in variables or in memory."""

    def __init__(self, type_: str, memory: int, *, is_split: bool) -> None:
        self.type, self.memory, self.is_split = type_, memory, is_split
        self.variables = Locals(_ROW)
        self.statements: list[bytes] = []

    def assign(self, value: bytes) -> bytes:
        """Assign a value to the next slot, and return the code that reads it."""
        number = len(self.statements)
        if self.is_split:
            statement = store(self.type, const("i32", 0), value, self._address(number))
        else:
            statement = self.variables.set(f"t{number}", self.type, value)
        self.statements.append(statement)
        return self.read(number)

    def read(self, number: int) -> bytes:
        if self.is_split:
            return load(self.type, const("i32", 0), self._address(number))
        return self.variables.get(f"t{number}")

    def _address(self, number: int) -> int:
        return self.memory + number * SIZES[self.type]

    def code(self, module: Module) -> bytes:
        """Return the code that computes all slots, which may call functions added for parts."""
        if not self.is_split:
            return b"".join(self.statements)
        code = b""
        for number, part in enumerate(parts(self.statements, split=True)):
            module.add(f"part{number}", Locals({"x": "i32"}), b"".join(part))
            code += self.variables.get("x") + module.call(f"part{number}")
        return code

    @property
    def bytes_needed(self) -> int:
        return len(self.statements) * SIZES[self.type] if self.is_split else 0


def add_network(module: Module, network: Network, types: Types, memory: int) -> int:
    """Add `outputs`, a function of the addresses of a row and its outputs, and `sums` for softmax.

    Returns how many bytes of memory it needs at the address `memory`.
    """
    slots = _Slots(types.real, memory, is_split=is_long(network))
    outputs = _NetworkWriter(module, network, types, slots).write()
    code = slots.code(module)
    y = slots.variables.get("y")
    for number, output in enumerate(outputs):
        code += store(types.real, y, output, number * types.size)
    module.add("sums" if network.softmax else "outputs", slots.variables, code)
    if network.softmax:
        v = Locals(_ROW)
        end = v.get("y") + const("i32", len(outputs) * types.size) + op("i32.add")
        code = v.get("x") + v.get("y") + module.call("sums")
        module.add("outputs", v, code + v.get("y") + end + module.call("softmax"))
    return slots.bytes_needed


class _NetworkWriter(OperationWriter[bytes]):
    """Writes operations as instructions; an operand is the code that pushes its value."""

    def __init__(self, module: Module, network: Network, types: Types, slots: _Slots) -> None:
        super().__init__(network)
        self.module, self.types, self.slots = module, types, slots

    def number(self, value: float) -> bytes:
        return const(self.types.real, value)

    def column(self, column: int) -> bytes:
        return load(self.types.real, self.slots.variables.get("x"), column * self.types.size)

    def operation(self, function: str, *operands: bytes) -> bytes:
        if function in _INLINE:
            return b"".join(operands) + op(f"{self.types.real}.{function}")
        return b"".join(operands) + self.module.call(ALL_FUNCTIONS[function].symbol)

    def assign(self, value: bytes, name: str = "") -> bytes:
        return self.slots.assign(value)


def add_program(
    module: Module,
    program: ir.IntegerProgram,
    types: IntegerTypes,
    tables: list[int],
    memory: int,
) -> int:
    """Add `outputs` of an integer program, whose tables are at the addresses `tables`.

    Returns how many bytes of memory it needs at the address `memory`.
    """
    slots = _Slots("i32", memory, is_split=len(program.steps) > LONGEST_FUNCTION)
    writer = _ProgramWriter(module, program, types, tables, slots)
    for step in program.steps:
        slots.assign(writer.step(step))
    code = slots.code(module)
    for number, result in enumerate(program.results):
        y = slots.variables.get("y")
        code += store(types.output, y, writer.operand(result), number * types.size)
    module.add("outputs", slots.variables, code)
    return slots.bytes_needed


@dataclass(frozen=True, slots=True)
class _ProgramWriter:
    module: Module
    program: ir.IntegerProgram
    types: IntegerTypes
    tables: list[int]
    slots: _Slots

    def operand(self, operand: ir.Operand) -> bytes:
        match operand:
            case ir.ColumnValue(number):
                offset = number * self.types.input_size
                return load(self.types.input, self.slots.variables.get("x"), offset)
            case ir.Slot(number):
                return self.slots.read(number)
            case ir.WholeNumber(value):
                return const("i32", value)
            case _:
                assert_never(operand)

    def step(self, step: ir.Step) -> bytes:
        match step:
            case ir.Sum(terms, bias, shift):
                code = const("i32", bias)
                for operand, weight in terms:
                    code += self.operand(operand) + const("i32", weight)
                    code += op("i32.mul") + op("i32.add")
                return code + const("i32", shift) + op("i32.shr_s") if shift else code
            case ir.IntegerCall(function, arguments):
                return b"".join(map(self.operand, arguments)) + self.module.call(function)
            case ir.Look(number, argument):
                table = self.program.tables[number]
                limits = b"".join(const("i32", limit) for limit in table.limits)
                code = const("i32", self.tables[number]) + self.operand(argument) + limits
                return code + self.module.call(table.look)
            case _:
                assert_never(step)
