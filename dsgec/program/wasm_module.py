"""Encode instructions, functions, memory and data as the bytes of a WebAssembly module.

Instructions have the names that the specification of WebAssembly gives them.
"""

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby

MAGIC = b"\0asm\1\0\0\0"
CUSTOM, _TYPE, _FUNCTION, _MEMORY, _GLOBAL, _EXPORT, _CODE, _DATA = 0, 1, 3, 5, 6, 7, 10, 11
_OF_FUNCTION, _OF_MEMORY, _OF_GLOBAL = 0, 2, 3  # kinds of exports
_FUNCTION_TYPE = 0x60
_FUNCTION_NAMES = 1
PAGE = 1 << 16

Signature = tuple[tuple[str, ...], tuple[str, ...]]
TYPES = {"i32": 0x7F, "i64": 0x7E, "f32": 0x7D, "f64": 0x7C}
SIZES = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "i64": 8, "f32": 4, "f64": 8}
"""Bytes in memory; integers of 8 and 16 bits exist only there, signed or unsigned."""

_NARROW = {"i8": "8_s", "u8": "8_u", "i16": "16_s", "u16": "16_u"}

_NOTHING = 0x40  # the type of a block that leaves no value


def _consecutive(first: int, *names: str) -> dict[str, int]:
    """Return names with numbers that follow each other."""
    return {name: first + i for i, name in enumerate(names)}


def _typed(type_: str, first: int, names: str) -> dict[str, int]:
    """Return instructions of a type with their numbers, which follow each other."""
    return _consecutive(first, *(f"{type_}.{name}" for name in names.split()))


_COMPARED = "eqz eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u"
_INTEGER = "clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u"
_REAL = "abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign"
OPCODES: Mapping[str, int] = {
    **_consecutive(0x02, "block", "loop", "if", "else"),
    **_consecutive(0x0B, "end", "br", "br_if"),
    **{"return": 0x0F, "call": 0x10, "select": 0x1B},
    **_consecutive(0x20, "local.get", "local.set", "local.tee"),
    **_consecutive(0x28, *(f"{type_}.load" for type_ in TYPES)),
    **_consecutive(0x2C, *(f"i32.load{name}" for name in ("8_s", "8_u", "16_s", "16_u"))),
    **_consecutive(0x36, *(f"{type_}.store" for type_ in TYPES), "i32.store8", "i32.store16"),
    **_consecutive(0x41, *(f"{type_}.const" for type_ in TYPES)),
    **_typed("i32", 0x45, _COMPARED),
    **_typed("i64", 0x50, _COMPARED),
    **_typed("f32", 0x5B, "eq ne lt gt le ge"),
    **_typed("f64", 0x61, "eq ne lt gt le ge"),
    **_typed("i32", 0x67, _INTEGER),
    **_typed("i64", 0x79, _INTEGER),
    **_typed("f32", 0x8B, _REAL),
    **_typed("f64", 0x99, _REAL),
    **{"i64.extend_i32_u": 0xAD, "f32.convert_i64_s": 0xB4},
    **_consecutive(0xBC, "i32.reinterpret_f32", "i64.reinterpret_f64"),
    **_consecutive(0xBE, "f32.reinterpret_i32", "f64.reinterpret_i64"),
}


def aligned(address: int, size: int = 16) -> int:
    """Return the first multiple of a size from an address on."""
    return -(-address // size) * size


def unsigned(value: int) -> bytes:
    """Encode an integer as LEB128: seven bits per byte, lowest first; the eighth marks more."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def signed(value: int) -> bytes:
    """Encode a signed integer as LEB128, in two's complement."""
    out = bytearray()
    while not -0x40 <= value < 0x40:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value & 0x7F])


@lru_cache(1 << 16)
def op(name: str, *immediates: int) -> bytes:
    """Return an instruction and its immediate operands."""
    return bytes([OPCODES[name]]) + b"".join(map(unsigned, immediates))


def const(type_: str, value: float) -> bytes:
    """Return the instruction that pushes a constant; unsigned integers keep their bits."""
    match type_:
        case "f64":
            return op("f64.const") + struct.pack("<d", value)
        case "f32":
            return op("f32.const") + struct.pack("<f", value)
    bits = 8 * SIZES[type_]
    word = int(value) % 2**bits
    return op(f"{type_}.const") + signed(word - 2**bits if word >> bits - 1 else word)


def load(type_: str, address: bytes, offset: int = 0) -> bytes:
    """Return the code that loads the value at an address."""
    name = f"i32.load{_NARROW[type_]}" if type_ in _NARROW else f"{type_}.load"
    return address + op(name, _alignment(type_), offset)


def store(type_: str, address: bytes, value: bytes, offset: int = 0) -> bytes:
    """Return the code that stores a value at an address."""
    name = f"i32.store{type_[1:]}" if type_ in _NARROW else f"{type_}.store"
    return address + value + op(name, _alignment(type_), offset)


def _alignment(type_: str) -> int:
    return SIZES[type_].bit_length() - 1


def when(test: bytes, yes: bytes, no: bytes = b"") -> bytes:
    """Return code that runs if a test holds, or other code otherwise."""
    return test + op("if", _NOTHING) + yes + (op("else") + no if no else b"") + op("end")


def repeat(while_: bytes, code: bytes) -> bytes:
    """Return code that repeats while a test holds."""
    again = while_ + op("i32.eqz") + op("br_if", 1) + code + op("br", 0)
    return op("block", _NOTHING) + op("loop", _NOTHING) + again + op("end") + op("end")


class Locals:
    """The variables of a function by name: its parameters, then all others."""

    def __init__(self, parameters: Mapping[str, str]) -> None:
        self.parameters = tuple(parameters.values())
        self.types = list(self.parameters)
        self._numbers = {name: number for number, name in enumerate(parameters)}

    def get(self, name: str) -> bytes:
        return op("local.get", self._numbers[name])

    def add(self, name: str, type_: str) -> None:
        """Declare a variable, initially 0, unless it exists."""
        if name not in self._numbers:
            self._numbers[name] = len(self.types)
            self.types.append(type_)

    def set(self, name: str, type_: str, value: bytes) -> bytes:
        """Return the code that sets a variable, which is declared if it is new."""
        self.add(name, type_)
        return value + op("local.set", self._numbers[name])

    def increase(self, name: str, by: bytes) -> bytes:
        return self.set(name, "i32", self.get(name) + by + op("i32.add"))


@dataclass(frozen=True, slots=True)
class WasmFunction:
    """A function of a module; others call it by its number."""

    name: str
    number: int
    signature: Signature
    locals: tuple[str, ...]
    code: bytes
    is_exported: bool


@dataclass
class Module:
    """The functions of a module, each after those that it calls, and its memory.

    Memory starts with constant data, followed by arrays that functions work with.
    """

    functions: dict[str, WasmFunction] = field(default_factory=dict)
    data: bytes = b""
    end: int = 0  # of the memory that is in use

    def add_data(self, content: bytes, size: int) -> int:
        """Add constant values of so many bytes each, before any array; return their address."""
        address = aligned(self.end, size)
        self.data += bytes(address - self.end) + content
        self.end = len(self.data)
        return address

    def reserve(self, size: int) -> int:
        """Return the address of so many bytes for an array."""
        address = aligned(self.end)
        self.end = address + size
        return address

    def call(self, name: str) -> bytes:
        return op("call", self.functions[name].number)

    def add(
        self, name: str, variables: Locals, code: bytes, result: str = "", *, exported: bool = False
    ) -> None:
        """Add a function; `result` is the type of its result, if any."""
        signature = variables.parameters, (result,) if result else ()
        others = tuple(variables.types[len(variables.parameters) :])
        number = len(self.functions)
        self.functions[name] = WasmFunction(name, number, signature, others, code, exported)

    def encode(self, custom: tuple[str, bytes], pages: int, numbers: Mapping[str, int]) -> bytes:
        """Return the bytes of the module, with a custom section and exported constants."""
        functions = list(self.functions.values())
        signatures = list(dict.fromkeys(function.signature for function in functions))
        exports = [
            _export(function.name, _OF_FUNCTION, function.number)
            for function in functions
            if function.is_exported
        ]
        exports.append(_export("memory", _OF_MEMORY, 0))
        exports += [_export(name, _OF_GLOBAL, index) for index, name in enumerate(numbers)]
        immutable = b"\0"
        globals_ = (
            bytes([TYPES["i32"]]) + immutable + const("i32", value) + op("end")
            for value in numbers.values()
        )
        no_maximum = b"\0"
        at_0 = b"\0" + const("i32", 0) + op("end")
        names = _vector(unsigned(f.number) + _name(f.name) for f in functions)
        return b"".join(
            [
                MAGIC,
                section(CUSTOM, _name(custom[0]) + custom[1]),
                section(_TYPE, _vector(map(_signature, signatures))),
                section(
                    _FUNCTION, _vector(unsigned(signatures.index(f.signature)) for f in functions)
                ),
                section(_MEMORY, _vector([no_maximum + unsigned(pages)])),
                section(_GLOBAL, _vector(globals_)),
                section(_EXPORT, _vector(exports)),
                section(_CODE, _vector(map(_code, functions))),
                section(_DATA, _vector([at_0 + _sized(self.data)])),
                section(CUSTOM, _name("name") + section(_FUNCTION_NAMES, names)),
            ]
        )


def section(number: int, content: bytes) -> bytes:
    return bytes([number]) + _sized(content)


def _sized(content: bytes) -> bytes:
    return unsigned(len(content)) + content


def _vector(items: Iterable[bytes]) -> bytes:
    content = list(items)
    return unsigned(len(content)) + b"".join(content)


def _name(text: str) -> bytes:
    return _sized(text.encode("ascii"))


def _types(names: Iterable[str]) -> bytes:
    return _vector(bytes([TYPES[name]]) for name in names)


def _signature(signature: Signature) -> bytes:
    parameters, results = signature
    return bytes([_FUNCTION_TYPE]) + _types(parameters) + _types(results)


def _export(name: str, kind: int, index: int) -> bytes:
    return _name(name) + bytes([kind]) + unsigned(index)


def _code(function: WasmFunction) -> bytes:
    """Encode a function; adjacent variables of one type share an entry."""
    runs = [(type_, len(list(group))) for type_, group in groupby(function.locals)]
    variables = _vector(unsigned(count) + bytes([TYPES[type_]]) for type_, count in runs)
    return _sized(variables + function.code + op("end"))


def find_custom(data: bytes, name: str) -> bytes | None:
    """Return the custom section of this name, or None if there is none or no module."""
    wanted = _name(name)
    start = len(MAGIC) if data.startswith(MAGIC) else len(data)
    while start < len(data):
        size, begin = _read_unsigned(data, start + 1)
        content = data[begin : begin + size]
        if data[start] == CUSTOM and content.startswith(wanted) and len(content) == size:
            return content[len(wanted) :]
        start = begin + size
    return None


def _read_unsigned(data: bytes, start: int) -> tuple[int, int]:
    """Decode LEB128, and return the value and where it ends."""
    value = shift = 0
    for end, byte in enumerate(data[start : start + 5], start + 1):
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, end
    return value, len(data)
