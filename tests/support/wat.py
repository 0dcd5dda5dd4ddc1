"""A WebAssembly module to the text format of its specification, to review and to assemble again.

It is read from the bytes alone: its table of instructions is not the emitter's.
"""

import re
import struct

_INSTRUCTIONS = """
02 block  03 loop  04 if  05 else  0b end  0c br  0d br_if  0f return  10 call  1b select
20 local.get  21 local.set  22 local.tee
28 i32.load  29 i64.load  2a f32.load  2b f64.load
2c i32.load8_s  2d i32.load8_u  2e i32.load16_s  2f i32.load16_u  3a i32.store8  3b i32.store16
36 i32.store  37 i64.store  38 f32.store  39 f64.store
41 i32.const  42 i64.const  43 f32.const  44 f64.const
45 i32.eqz  46 i32.eq  47 i32.ne  48 i32.lt_s  49 i32.lt_u  4a i32.gt_s
4c i32.le_s  4d i32.le_u  4e i32.ge_s
51 i64.eq  52 i64.ne  54 i64.lt_u  58 i64.le_u
5b f32.eq  5c f32.ne  5d f32.lt  5e f32.gt  5f f32.le  60 f32.ge
61 f64.eq  62 f64.ne  63 f64.lt  64 f64.gt  65 f64.le  66 f64.ge
6a i32.add  6b i32.sub  6c i32.mul  71 i32.and  72 i32.or  74 i32.shl  75 i32.shr_s  76 i32.shr_u
7c i64.add  7d i64.sub  7e i64.mul  83 i64.and  84 i64.or  86 i64.shl  88 i64.shr_u
8b f32.abs  8c f32.neg  91 f32.sqrt  92 f32.add  93 f32.sub  94 f32.mul  95 f32.div
98 f32.copysign
99 f64.abs  9a f64.neg  9f f64.sqrt  a0 f64.add  a1 f64.sub  a2 f64.mul  a3 f64.div
a6 f64.copysign
ad i64.extend_i32_u  b4 f32.convert_i64_s
bc i32.reinterpret_f32  bd i64.reinterpret_f64  be f32.reinterpret_i32  bf f64.reinterpret_i64
"""
_NAMES = {int(code, 16): name for code, name in re.findall(r"(\w\w) (\S+)", _INSTRUCTIONS)}
_TYPES = {0x7F: "i32", 0x7E: "i64", 0x7D: "f32", 0x7C: "f64"}
_NATURAL = {"i32": 2, "i64": 3, "f32": 2, "f64": 3}


class Reader:
    """A reader of bytes, from the first to the last."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, count):
        self.at += count
        assert self.at <= len(self.data)
        return self.data[self.at - count : self.at]

    def byte(self):
        return self.bytes(1)[0]

    def number(self, *, signed=False):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value

    def name(self):
        return self.bytes(self.number()).decode("ascii")

    def many(self, read):
        return [read(self) for _ in range(self.number())]

    def types(self):
        return [_TYPES[byte] for byte in self.many(Reader.byte)]


def sections(module):
    """The number and the content of each section."""
    reader = Reader(module)
    assert reader.bytes(8) == b"\0asm\1\0\0\0"
    while reader.at < len(module):
        number = reader.byte()
        yield number, reader.bytes(reader.number())


def disassemble(module):
    """The text of a module, instruction by instruction."""
    found = list(sections(module))
    known = {number: Reader(content) for number, content in found if number}
    customs = [Reader(content) for number, content in found if number == 0]
    types = known[1].many(lambda r: (r.byte(), r.types(), r.types())[1:])
    functions = [types[number] for number in known[3].many(Reader.number)]
    names = _function_names(customs)
    lines = ["(module"]
    for custom in customs:
        name = custom.name()
        if name != "name":
            lines.append(f'  (@custom "{name}" (before first) {_string(custom.data[custom.at :])})')
    lines += [f"  (type (func{_signature(*one)}))" for one in types]
    code = known[10]
    for number, one in enumerate(functions[: code.number()]):
        body = Reader(code.bytes(code.number()))
        lines.append(f"  (func ${names[number]} (type {types.index(one)}){_signature(*one)}")
        variables = [
            type_
            for count, type_ in body.many(lambda r: (r.number(), _TYPES[r.byte()]))
            for _ in range(count)
        ]
        if variables:
            lines.append(f"    (local {' '.join(variables)})")
        lines += _instructions(body, names)
        lines.append("  )")
    (limits,) = known[5].many(lambda r: (r.byte(), r.number()))
    lines.append(f"  (memory {limits[1]})")
    for type_, value in known[6].many(_global):
        lines.append(f"  (global {type_} ({value}))")
    for name, kind, index in known[7].many(lambda r: (r.name(), r.byte(), r.number())):
        what = {
            0: f"func ${names[index]}" if kind == 0 else "",
            2: "memory 0",
            3: f"global {index}",
        }
        lines.append(f'  (export "{name}" ({what[kind]}))')
    lines += _data(known[11])
    return "\n".join([*lines, ")", ""])


def _function_names(customs):
    for custom in customs:
        if custom.name() == "name":
            assert custom.byte() == 1
            custom.number()
            names = dict(custom.many(lambda r: (r.number(), r.name())))
        custom.at = 0
    return names


def _signature(parameters, results):
    parts = [("param", parameters), ("result", results)]
    return "".join(f" ({word} {' '.join(types)})" for word, types in parts if types)


def _global(reader):
    type_, mutable = _TYPES[reader.byte()], reader.byte()
    assert not mutable
    return type_, _ended(reader)


def _instructions(body, names):
    indent = "    "
    while body.at < len(body.data) - 1:
        text = _instruction(body, names)
        if text in ("end", "else"):
            indent = indent[:-2]
        yield indent + text
        if text in ("block", "loop", "if", "else"):
            indent += "  "
    assert body.byte() == 0x0B


def _instruction(reader, names):
    name = _NAMES[reader.byte()]
    type_, _, what = name.partition(".")
    match what or name:
        case "block" | "loop" | "if":
            assert reader.byte() == 0x40
            return name
        case "br" | "br_if" | "get" | "set" | "tee":
            return f"{name} {reader.number()}"
        case "call":
            return f"call ${names[reader.number()]}"
        case what if what.startswith(("load", "store")):
            narrow = re.search(r"\d+", what)
            natural = {"8": 0, "16": 1}[narrow[0]] if narrow else _NATURAL[type_]
            assert reader.number() == natural
            offset = reader.number()
            return f"{name} offset={offset}" if offset else name
        case "const":
            return f"{name} {_constant(type_, reader)}"
    return name


def _constant(type_, reader):
    if type_[0] == "i":
        return reader.number(signed=True)
    code, size = ("<d", 8) if type_ == "f64" else ("<f", 4)
    (value,) = struct.unpack(code, reader.bytes(size))
    return "nan" if value != value else repr(value)


def _data(reader):
    ((_, place, data),) = reader.many(lambda r: (r.byte(), _ended(r), r.number()))
    yield f"  (data ({place})"
    while data > 0:
        yield f"    {_string(reader.bytes(min(data, 16)))}"
        data -= 16
    yield "  )"


def _ended(reader):
    """An instruction that is an expression of its own."""
    value = _instruction(reader, {})
    assert reader.byte() == 0x0B
    return value


def _string(data):
    plain = (chr(b) if 0x20 <= b < 0x7F and b not in b'"\\' else f"\\{b:02x}" for b in data)
    return f'"{"".join(plain)}"'
