"""Instructions to their bytes, by the names that the specification of WebAssembly gives them."""

import struct
from collections.abc import Mapping

TYPES = {"i32": 0x7F, "i64": 0x7E, "f32": 0x7D, "f64": 0x7C}
SIZES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "f32": 4, "f64": 8}
"""Bytes in memory; of 8 and 16 bits, with their sign, are only there."""

_NARROW = {"i8": "8", "i16": "16"}

_NOTHING = 0x40  # the type of a block that leaves no value


def _numbered(first: int, *names: str) -> dict[str, int]:
    return {name: first + i for i, name in enumerate(names)}


def _of(type_: str, first: int, names: str) -> dict[str, int]:
    return _numbered(first, *(f"{type_}.{name}" for name in names.split()))


_COMPARED = "eqz eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u"
_INTEGER = "clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u"
_REAL = "abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign"
OPCODES: Mapping[str, int] = {
    **_numbered(0x02, "block", "loop", "if", "else"),
    **_numbered(0x0B, "end", "br", "br_if"),
    **{"return": 0x0F, "call": 0x10, "select": 0x1B},
    **_numbered(0x20, "local.get", "local.set", "local.tee"),
    **_numbered(0x28, *(f"{type_}.load" for type_ in TYPES)),
    **{"i32.load8_s": 0x2C, "i32.load16_s": 0x2E, "i32.store8": 0x3A, "i32.store16": 0x3B},
    **_numbered(0x36, *(f"{type_}.store" for type_ in TYPES)),
    **_numbered(0x41, *(f"{type_}.const" for type_ in TYPES)),
    **_of("i32", 0x45, _COMPARED),
    **_of("i64", 0x50, _COMPARED),
    **_of("f32", 0x5B, "eq ne lt gt le ge"),
    **_of("f64", 0x61, "eq ne lt gt le ge"),
    **_of("i32", 0x67, _INTEGER),
    **_of("i64", 0x79, _INTEGER),
    **_of("f32", 0x8B, _REAL),
    **_of("f64", 0x99, _REAL),
    **{"i64.extend_i32_u": 0xAD, "f32.convert_i64_s": 0xB4},
    **_numbered(0xBC, "i32.reinterpret_f32", "i64.reinterpret_f64"),
    **_numbered(0xBE, "f32.reinterpret_i32", "f64.reinterpret_i64"),
}


def unsigned(value: int) -> bytes:
    """LEB128: seven bits a byte, the lowest first; the eighth says that there are more."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def signed(value: int) -> bytes:
    """The same of a two's complement, whose last byte has the sign as its seventh bit."""
    out = bytearray()
    while not -0x40 <= value < 0x40:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value & 0x7F])


def op(name: str, *immediates: int) -> bytes:
    """An instruction, and what is written behind it."""
    return bytes([OPCODES[name]]) + b"".join(map(unsigned, immediates))


def const(type_: str, value: float) -> bytes:
    """A number; a whole one that is meant to have no sign becomes the one with the same bits."""
    match type_:
        case "f64":
            return op("f64.const") + struct.pack("<d", value)
        case "f32":
            return op("f32.const") + struct.pack("<f", value)
    bits = 8 * SIZES[type_]
    word = int(value) % 2**bits
    return op(f"{type_}.const") + signed(word - 2**bits if word >> bits - 1 else word)


def load(type_: str, address: bytes, offset: int = 0) -> bytes:
    """What is at an address."""
    name = f"i32.load{_NARROW[type_]}_s" if type_ in _NARROW else f"{type_}.load"
    return address + op(name, _alignment(type_), offset)


def store(type_: str, address: bytes, value: bytes, offset: int = 0) -> bytes:
    """What is at an address becomes a value."""
    name = f"i32.store{_NARROW[type_]}" if type_ in _NARROW else f"{type_}.store"
    return address + value + op(name, _alignment(type_), offset)


def _alignment(type_: str) -> int:
    """As a power of two."""
    return SIZES[type_].bit_length() - 1


def when(test: bytes, code: bytes) -> bytes:
    """Code that runs where a test holds."""
    return test + op("if", _NOTHING) + code + op("end")


def repeat(while_: bytes, code: bytes) -> bytes:
    """Code that runs again and again, as long as a test holds before it."""
    again = while_ + op("i32.eqz") + op("br_if", 1) + code + op("br", 0)
    return op("block", _NOTHING) + op("loop", _NOTHING) + again + op("end") + op("end")


class Locals:
    """The variables of a function by their names: first its parameters, then all others."""

    def __init__(self, parameters: Mapping[str, str]) -> None:
        self.parameters = tuple(parameters.values())
        self.types = list(self.parameters)
        self._numbers = {name: number for number, name in enumerate(parameters)}

    def get(self, name: str) -> bytes:
        return op("local.get", self._numbers[name])

    def add(self, name: str, type_: str) -> None:
        """A variable that starts as 0, unless it is there already."""
        if name not in self._numbers:
            self._numbers[name] = len(self.types)
            self.types.append(type_)

    def set(self, name: str, type_: str, value: bytes) -> bytes:
        """The variable, which there is from now on, becomes a value."""
        self.add(name, type_)
        return value + op("local.set", self._numbers[name])

    def increase(self, name: str, by: bytes) -> bytes:
        return self.set(name, "i32", self.get(name) + by + op("i32.add"))
