"""Print programs as functions of a WebAssembly module: one instruction per operation.

A scalar is a local variable, and an array is its address in memory. Procedures do not call
themselves, so an array of a procedure has one place for all calls.
"""

from collections.abc import Collection, Sequence
from typing import assert_never

import numpy as np

from dsgec.program import ir
from dsgec.program.wasm_module import SIZES, Locals, Module, const, load, op, repeat, store, when

STORED: dict[ir.Type, str] = {
    "double": "f64",
    "float": "f32",
    "uint64": "i64",
    "uint32": "i32",
    "int32": "i32",
    "int24": "i32",
    "uint16": "u16",
    "int16": "i16",
    "uint8": "u8",
    "int8": "i8",
    "bool": "u8",
    "size": "i32",
}
"""The types of elements of arrays."""

_WIDE: dict[ir.Type, str] = {"double": "f64", "float": "f32", "uint64": "i64"}
_WORD = {"f64": "i64", "f32": "i32"}
_ORDERS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_OPERATORS = {
    **{"+": "add", "-": "sub", "*": "mul", "/": "div", "==": "eq", "!=": "ne"},
    **{"<<": "shl", ">>": "shr", "&": "and", "|": "or"},
    **_ORDERS,
}
_SIGNED = (*_ORDERS, ">>")  # operators that differ between signed and unsigned integers


def value_type(type_: ir.Type) -> str:
    """Return the type of a scalar; integers of fewer bits have 32."""
    return _WIDE.get(type_, "i32")


def add_program(module: Module, program: ir.Program, exported: Collection[str] = ()) -> None:
    """Add the tables and procedures of a program, each after those that it calls."""
    types = {table.name: STORED[table.type] for table in program.tables}
    tables = {t.name: module.add_data(_bytes(t), SIZES[types[t.name]]) for t in program.tables}
    for procedure in program.procedures:
        _Writer(module, tables, types, procedure).add(procedure.name in exported)


def _bytes(table: ir.ConstantTable) -> bytes:
    """Return the bytes of a table; all NaNs get the same bits, because machines differ."""
    stored = STORED[table.type]
    kind = "u" if table.type in ir.WORDS else stored[0]
    values = np.array(table.values, f"<{kind}{SIZES[stored]}")
    if table.type in ir.REALS:
        values[np.isnan(values)] = np.nan
    return values.tobytes()


class _Writer:
    """Writes one procedure; `places` and `types` are the addresses and types of its arrays."""

    def __init__(
        self, module: Module, places: dict[str, int], types: dict[str, str], procedure: ir.Procedure
    ) -> None:
        self.module, self.procedure = module, procedure
        self.places, self.types = {**places}, {**types}
        for array in procedure.arrays:
            self.places.pop(array.name, None)
            self.types[array.name] = STORED[array.type]
        self.variables = Locals(dict(map(_parameter, procedure.parameters)))

    def add(self, is_exported: bool) -> None:
        """Add the function to the module."""
        code, result = self.do(self.procedure.body), self.procedure.result
        type_ = "" if result is None else value_type(result.type)
        if result is not None:
            code += self.push(result)
        self.module.add(self.procedure.name, self.variables, code, type_, exported=is_exported)

    # Instructions.

    def do(self, body: Sequence[ir.Instruction]) -> bytes:
        """Return the code of instructions."""
        return b"".join(map(self.instruction, body))

    def instruction(self, instruction: ir.Instruction) -> bytes:
        match instruction:
            case ir.Declare(variable, value) | ir.Update(variable, value):
                return self.set(variable, self.push(value))
            case ir.Store(array, index, value):
                address, offset = self.address(array, index)
                return store(self.types[array], address, self.push(value), offset)
            case ir.Loop():
                return self.loop(instruction)
            case ir.While(test, body):
                return repeat(self.push(test), self.do(body))
            case ir.Branch(test, yes, no):
                return when(self.push(test), self.do(yes), self.do(no))
            case ir.LocalArray(name, type_, size):
                self.types[name] = STORED[type_]
                self.places[name] = self.module.reserve(size * SIZES[STORED[type_]])
                return b""
            case ir.Perform(procedure, arguments):
                return b"".join(map(self.array, arguments)) + self.module.call(procedure)
            case _:
                assert_never(instruction)

    def set(self, variable: ir.Variable, value: bytes) -> bytes:
        return self.variables.set(_key(variable), value_type(variable.type), value)

    def loop(self, loop: ir.Loop) -> bytes:
        """Return the code of a loop, whose count is computed once."""
        count, code = loop.count, b""
        if not isinstance(count, ir.Number):
            count = ir.Variable(f"count of {loop.counter.name}", "int32")
            code = self.set(count, self.push(loop.count))
        code += self.set(loop.counter, const("i32", 0))
        while_ = self.push(ir.Binary("<", loop.counter, count, "bool"))
        step = self.variables.increase(_key(loop.counter), const("i32", 1))
        return code + repeat(while_, self.do(loop.body) + step)

    # Arrays.

    def array(self, name: str) -> bytes:
        """Return the code that pushes the address of an array."""
        if name in self.places:
            return const("i32", self.places[name])
        return self.variables.get(name)

    def address(self, array: str, index: ir.Expression) -> tuple[bytes, int]:
        """Return the code that pushes an address, and the offset of an element from it."""
        size = SIZES[self.types[array]]
        start = self.places.get(array)
        if isinstance(index, ir.Number):
            base = const("i32", 0) if start is not None else self.variables.get(array)
            return base, (start or 0) + int(index.value) * size
        code = self.push(index)
        if size > 1:
            code += const("i32", size.bit_length() - 1) + op("i32.shl")
        if start is None:
            code += self.variables.get(array) + op("i32.add")
        return code, start or 0

    # Expressions.

    def push(self, expression: ir.Expression) -> bytes:
        """Return the code that pushes the value of an expression."""
        match expression:
            case ir.Number(value, type_):
                return const(value_type(type_), value)
            case ir.Variable():
                return self.variables.get(_key(expression))
            case ir.Element(array, index):
                address, offset = self.address(array, index)
                return load(self.types[array], address, offset)
            case ir.Negative(operand, type_):
                return self.push(operand) + op(f"{value_type(type_)}.neg")
            case ir.Binary(operator, left, right):
                return self.binary(operator, left, right)
            case ir.Select(test, yes, no):
                return self.push(yes) + self.push(no) + self.push(test) + op("select")
            case ir.Invoke():
                return self.invoke(expression)
            case _:
                assert_never(expression)

    def binary(self, operator: str, left: ir.Expression, right: ir.Expression) -> bytes:
        type_ = left.type
        code = self.push(left) + self.push(right)
        if (type_, right.type) == ("uint64", "uint32"):
            code += op("i64.extend_i32_u")
        sign = (
            ""
            if operator not in _SIGNED or type_ in ir.REALS
            else "_u"
            if type_ in ir.WORDS
            else "_s"
        )
        return code + op(f"{value_type(type_)}.{_OPERATORS[operator]}{sign}")

    def invoke(self, call: ir.Invoke) -> bytes:
        table = self.array(call.table) if call.table else b""
        code = table + b"".join(map(self.push, call.arguments))
        result = value_type(call.type)
        match call.function:
            case "bits":
                real = value_type(call.arguments[0].type)
                return code + op(f"{_WORD[real]}.reinterpret_{real}")
            case "from_bits":
                return code + op(f"{result}.reinterpret_{_WORD[result]}")
            case "math.fabs":
                return code + op(f"{result}.abs")
            case "math.sqrt":
                return code + op(f"{result}.sqrt")
            case "math.copysign":
                return code + op(f"{result}.copysign")
            case "signed":
                return code + op(f"{result}.convert_i64_s")
            case "wide":
                is_wide = value_type(call.arguments[0].type) == "i64"
                return code if is_wide else code + op("i64.extend_i32_u")
            case _:
                return code + self.module.call(call.function)


def _key(variable: ir.Variable) -> str:
    """Return the name of a local variable; one may be declared again with another type."""
    return f"{variable.name}: {value_type(variable.type)}"


def _parameter(parameter: ir.Parameter) -> tuple[str, str]:
    """Return the name and the type of a parameter; an array is passed as its address."""
    if isinstance(parameter, ir.ArrayParameter):
        return parameter.name, "i32"
    return _key(parameter), value_type(parameter.type)
