"""Network to functions of a WebAssembly module: values are variables, or in memory if too many."""

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.export.statements import OperationWriter, is_long, parts
from dsgec.export.targets.wasm.arithmetic import Types
from dsgec.export.targets.wasm.binary import Module
from dsgec.export.targets.wasm.code import Locals, const, load, op, store
from dsgec.network.ir import Network

_ROW = {"x": "i32", "y": "i32"}  # the addresses of a row, and of the outputs
_INLINE = {"add", "sub", "mul", "neg"}


def add_network(module: Module, network: Network, types: Types, memory: int) -> int:
    """The function `outputs` of the addresses of a row and of its outputs; `sums` of a softmax.

    Gives how many bytes of memory it needs at the address `memory`.
    """
    writer = _Writer(module, network, types, memory)
    outputs = writer.write()
    code = b""
    if writer.is_split:
        for number, part in enumerate(parts(writer.statements, split=True)):
            module.add(f"part{number}", Locals({"x": "i32"}), b"".join(part))
            code += writer.variables.get("x") + module.call(f"part{number}")
    else:
        code = b"".join(writer.statements)
    y = writer.variables.get("y")
    for number, output in enumerate(outputs):
        code += store(types.real, y, output, number * types.size)
    module.add("sums" if network.softmax else "outputs", writer.variables, code)
    if network.softmax:
        v = Locals(_ROW)
        end = v.get("y") + const("i32", len(outputs) * types.size) + op("i32.add")
        code = v.get("x") + v.get("y") + module.call("sums")
        module.add("outputs", v, code + v.get("y") + end + module.call("softmax"))
    return len(writer.statements) * types.size if writer.is_split else 0


class _Writer(OperationWriter[bytes]):
    """Writes operations as instructions; an operand is the code that pushes its value."""

    def __init__(self, module: Module, network: Network, types: Types, memory: int) -> None:
        super().__init__(network)
        self.module, self.types, self.memory = module, types, memory
        self.variables = Locals(_ROW)
        self.statements: list[bytes] = []
        self.is_split = is_long(network)

    def number(self, value: float) -> bytes:
        return const(self.types.real, value)

    def column(self, column: int) -> bytes:
        return load(self.types.real, self.variables.get("x"), column * self.types.size)

    def operation(self, function: str, *operands: bytes) -> bytes:
        if function in _INLINE:
            return b"".join(operands) + op(f"{self.types.real}.{function}")
        return b"".join(operands) + self.module.call(ALL_FUNCTIONS[function].symbol)

    def assign(self, value: bytes, name: str = "") -> bytes:
        real, number = self.types.real, len(self.statements)
        if self.is_split:
            place = const("i32", 0), self.memory + number * self.types.size
            self.statements.append(store(real, place[0], value, place[1]))
            return load(real, *place)
        self.statements.append(self.variables.set(f"t{number}", real, value))
        return self.variables.get(f"t{number}")
