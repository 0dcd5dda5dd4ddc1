"""Functions, memory and data to the bytes of a WebAssembly module."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from dsgec.export.targets.wasm.code import TYPES, Locals, const, op, unsigned

MAGIC = b"\0asm\1\0\0\0"
CUSTOM, _TYPE, _FUNCTION, _MEMORY, _GLOBAL, _EXPORT, _CODE, _DATA = 0, 1, 3, 5, 6, 7, 10, 11
_OF_FUNCTION, _OF_MEMORY, _OF_GLOBAL = 0, 2, 3  # kinds of exports
_FUNCTION_TYPE = 0x60
_FUNCTION_NAMES = 1
PAGE = 1 << 16

Signature = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class WasmFunction:
    """A function of a module, which others call by its number."""

    name: str
    number: int
    signature: Signature
    locals: tuple[str, ...]
    code: bytes
    is_exported: bool


@dataclass
class Module:
    """Functions, in an order in which each comes behind those that it calls."""

    functions: dict[str, WasmFunction] = field(default_factory=dict)

    def call(self, name: str) -> bytes:
        return op("call", self.functions[name].number)

    def add(
        self, name: str, variables: Locals, code: bytes, result: str = "", *, exported: bool = False
    ) -> None:
        """A function of its parameters and other variables; `result` is its type, if any."""
        signature = variables.parameters, (result,) if result else ()
        others = tuple(variables.types[len(variables.parameters) :])
        number = len(self.functions)
        self.functions[name] = WasmFunction(name, number, signature, others, code, exported)

    def encode(
        self, custom: tuple[str, bytes], pages: int, data: bytes, numbers: Mapping[str, int]
    ) -> bytes:
        """The module: a section of one's own, memory that starts with data, exported numbers."""
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
                section(_DATA, _vector([at_0 + _sized(data)])),
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
    """Variables of one type that follow each other are one entry."""
    runs = [(type_, len(list(group))) for type_, group in groupby(function.locals)]
    variables = _vector(unsigned(count) + bytes([TYPES[type_]]) for type_, count in runs)
    return _sized(variables + function.code + op("end"))


def find_custom(data: bytes, name: str) -> bytes | None:
    """The section of one's own with this name; None if there is none, or data are no module."""
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
    """A number in LEB128, and where it ends."""
    value = shift = 0
    for end, byte in enumerate(data[start : start + 5], start + 1):
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, end
    return value, len(data)
