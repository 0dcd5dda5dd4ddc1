"""Add functions of the arithmetic to a WebAssembly module: one instruction per operation."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never

from dsgec.arithmetic.ir import (
    Arithmetic,
    Call,
    Choose,
    Definition,
    Expression,
    Kind,
    Literal,
    Name,
    Operation,
)
from dsgec.arithmetic.parse import with_callees
from dsgec.export.targets.wasm.binary import (
    SIZES,
    Locals,
    Module,
    const,
    load,
    op,
    repeat,
    store,
)

_OPERATORS = {"+": "add", "-": "sub", "*": "mul", "==": "eq", "!=": "ne"}
_OF_REALS = _OPERATORS | {"/": "div", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_OF_WORDS = _OPERATORS | {
    **{"<<": "shl", ">>": "shr_u", "&": "and", "|": "or"},
    **{"<": "lt_u", "<=": "le_u", ">": "gt_u", ">=": "ge_u"},
}
_OF_WHOLES = _OPERATORS | {
    **{"<<": "shl", ">>": "shr_s"},
    **{"<": "lt_s", "<=": "le_s", ">": "gt_s", ">=": "ge_s"},
}
_OF = {"real": _OF_REALS, "whole": _OF_WHOLES}


@dataclass(frozen=True, slots=True)
class Types:
    """The types of WebAssembly for the kinds of values of the arithmetic."""

    real: str
    word: str

    def of(self, kind: Kind) -> str:
        """Return the type of a kind; a table is its address."""
        whole = {"whole": "i32", "table": "i32", "truth": "i32"}
        return {"real": self.real, "word": self.word, "wide": "i64", **whole}[kind]

    @property
    def size(self) -> int:
        """Return the bytes of a float."""
        return SIZES[self.real]


TYPES: Mapping[str, Types] = {"double": Types("f64", "i64"), "float": Types("f32", "i32")}


def add_arithmetic(module: Module, names: Iterable[str], arithmetic: Arithmetic) -> None:
    """Add the named functions and all that they call."""
    types = TYPES["float" if arithmetic == "float" else "double"]
    for definition in with_callees(arithmetic, names):
        if definition.result is None:
            _add_softmax(module, types)  # written by hand in every language
        else:
            _Writer(module, types, definition).add(definition.result)


class _Writer:
    """Writes one function of the arithmetic."""

    def __init__(self, module: Module, types: Types, definition: Definition) -> None:
        self.module, self.types, self.definition = module, types, definition
        self.variables = Locals({p.name: types.of(p.kind) for p in definition.parameters})

    def add(self, result: Expression) -> None:
        code = b"".join(
            self.variables.set(step.name, self.types.of(step.value.kind), self.push(step.value))
            for step in self.definition.steps
        )
        code += self.push(result)
        self.module.add(self.definition.name, self.variables, code, self.types.of(result.kind))

    def push(self, expression: Expression) -> bytes:
        """Return the code that pushes the value of an expression."""
        match expression:
            case Name(name):
                return self.variables.get(name)
            case Literal(text, kind):
                value = float(text) if kind == "real" else int(text, 0)
                return const(self.types.of(kind), value)
            case Operation("-", (operand,)):
                return self.push(operand) + op(f"{self.types.real}.neg")
            case Operation(operator, (left, right)):
                return self.binary(operator, left, right)
            case Choose(test, yes, no):
                return self.push(yes) + self.push(no) + self.push(test) + op("select")
            case Call(function, arguments):
                return b"".join(map(self.push, arguments)) + self.call(function)
            case Operation():
                raise ValueError(f"neither one operand nor two: {expression}")
            case _:
                assert_never(expression)

    def binary(self, operator: str, left: Expression, right: Expression) -> bytes:
        names = _OF.get(left.kind, _OF_WORDS)
        code = self.push(left) + self.push(right)
        if left.kind != right.kind:  # the second has fewer than 64 bits
            code += self.call("wide")
        return code + op(f"{self.types.of(left.kind)}.{names[operator]}")

    def call(self, function: str) -> bytes:
        real, word = self.types.real, self.types.word
        match function:
            case "bits":
                return op(f"{word}.reinterpret_{real}")
            case "from_bits":
                return op(f"{real}.reinterpret_{word}")
            case "math.fabs":
                return op(f"{real}.abs")
            case "math.sqrt":
                return op(f"{real}.sqrt")
            case "math.copysign":
                return op(f"{real}.copysign")
            case "signed":
                return op(f"{real}.convert_i64_s")
            case "at":  # on a table and an index
                return load("i16", const("i32", 1) + op("i32.shl") + op("i32.add"))
            case "wide":
                return op("i64.extend_i32_u") if word == "i32" else b""
            case _:
                return self.module.call(function)


def _add_softmax(module: Module, types: Types) -> None:
    """Add `softmax`, which works in place on the floats from the address `z` to `end`.

    The maximum starts from minus infinity and the sum from 0, which changes no bit.
    """
    v = Locals({"z": "i32", "end": "i32"})
    real = types.real
    maximum, exp_down = module.call("maximum"), module.call("exp_down")

    def each(code: bytes) -> bytes:
        start = v.set("i", "i32", v.get("z"))
        while_ = v.get("i") + v.get("end") + op("i32.lt_u")
        return start + repeat(while_, code + v.increase("i", const("i32", types.size)))

    v.add("i", "i32")
    greatest = v.set("m", real, const(real, float("-inf")))
    greatest += each(v.set("m", real, v.get("m") + load(real, v.get("i")) + maximum))
    power = load(real, v.get("i")) + v.get("m") + op(f"{real}.sub") + exp_down
    total = v.set("s", real, const(real, 0.0))
    v.add("e", real)
    total += each(
        v.set("e", real, power)
        + store(real, v.get("i"), v.get("e"))
        + v.set("s", real, v.get("s") + v.get("e") + op(f"{real}.add"))
    )
    share = load(real, v.get("i")) + v.get("s") + op(f"{real}.div")
    module.add("softmax", v, greatest + total + each(store(real, v.get("i"), share)))
