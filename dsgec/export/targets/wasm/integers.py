"""A program of integers to functions of a WebAssembly module, as `network.py` writes a network."""

from typing import assert_never

from dsgec.export.fixed import ir
from dsgec.export.statements import LONGEST_FUNCTION, parts
from dsgec.export.targets.wasm.binary import Module
from dsgec.export.targets.wasm.code import Locals, const, load, op, store
from dsgec.export.targets.wasm.numbers import IntegerTypes

_ROW = {"x": "i32", "y": "i32"}  # the addresses of a row, and of the results
_SLOT = 4


def add_program(
    module: Module,
    program: ir.IntegerProgram,
    numbers: IntegerTypes,
    tables: list[int],
    memory: int,
) -> int:
    """The function `outputs`; `tables` are the addresses of the program's.

    Gives how many bytes of memory it needs at the address `memory`.
    """
    writer = _Writer(module, program, numbers, tables, memory)
    for step in program.steps:
        writer.assign(writer.step(step))
    code = b""
    if writer.is_split:
        for number, part in enumerate(parts(writer.statements, split=True)):
            module.add(f"part{number}", Locals({"x": "i32"}), b"".join(part))
            code += writer.variables.get("x") + module.call(f"part{number}")
    else:
        code = b"".join(writer.statements)
    for number, result in enumerate(program.results):
        y = writer.variables.get("y")
        code += store(numbers.made, y, writer.operand(result), number * numbers.size)
    module.add("outputs", writer.variables, code)
    return len(writer.statements) * _SLOT if writer.is_split else 0


class _Writer:
    def __init__(
        self,
        module: Module,
        program: ir.IntegerProgram,
        numbers: IntegerTypes,
        tables: list[int],
        memory: int,
    ) -> None:
        self.module, self.program, self.numbers = module, program, numbers
        self.tables, self.memory = tables, memory
        self.variables = Locals(_ROW)
        self.statements: list[bytes] = []
        self.is_split = len(program.steps) > LONGEST_FUNCTION

    def operand(self, operand: ir.Operand) -> bytes:
        match operand:
            case ir.ColumnValue(number):
                offset = number * self.numbers.given_size
                return load(self.numbers.given, self.variables.get("x"), offset)
            case ir.Slot(number):
                if self.is_split:
                    return load("i32", const("i32", 0), self.memory + number * _SLOT)
                return self.variables.get(f"t{number}")
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

    def assign(self, value: bytes) -> None:
        number = len(self.statements)
        if self.is_split:
            place = self.memory + number * _SLOT
            self.statements.append(store("i32", const("i32", 0), value, place))
        else:
            self.statements.append(self.variables.set(f"t{number}", "i32", value))
