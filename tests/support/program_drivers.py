"""Programs in languages: drivers that run the last procedure of a program on the rows of a file.

The file `rows` has a word of 64 bits for each given element of each row: the bits of a float, or an
integer. The driver writes the elements of all written arrays to `results` in the same way.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dsgec.arithmetic.source import choose
from dsgec.export.targets.go import OFFLINE
from dsgec.program.ir import Program
from dsgec.program.print_go import GoPrinter
from dsgec.program.print_java import JavaPrinter
from dsgec.program.print_rust import RustPrinter
from dsgec.program.printer import Printer
from dsgec.resources import template
from tests.support.languages import run, write

Commands = list[list[str]]

# The numbers and the operations are those of programs.
ALLOWED = ["unused_parens"]
ALLOWED += [f"clippy::{name}" for name in ("approx_constant", "assign_op_pattern", "eq_op")]
ALLOWED += [f"clippy::{name}" for name in ("excessive_precision", "identity_op", "neg_multiply")]
ALLOWED += ["clippy::explicit_counter_loop"]


@dataclass(frozen=True)
class ProgramLanguage:
    """A language: its tools, its printer, and a function that writes a driver around programs.

    The function receives the folder, the printed text, the arrays of the last procedure, its name
    and the numbers of given elements; it returns the commands that lint, build and run the program.
    """

    needs: tuple[str, ...]
    printer: Callable[[Program], Printer]
    driver: Callable[..., Commands]

    @property
    def missing(self) -> str:
        return next((command for command in self.needs if not shutil.which(command)), "")


def run_program(folder: Path, language: ProgramLanguage, program: Program, library, given):
    """Return the arrays that the last procedure of a program writes, by name."""
    printer, entry = language.printer(program), program.procedures[-1]
    functions = ["\n".join(printer.procedure(p)) for p in printer.functions(library)]
    text = "\n\n".join([printer.print().rstrip(), *functions]) + "\n"
    counts = [given[p.name].shape[1] if p.name in given else 0 for p in entry.arrays]
    rows = [
        _words(given[p.name], p.type)
        for p, count in zip(entry.arrays, counts, strict=True)
        if count
    ]
    (folder / "rows").write_bytes(np.hstack(rows).tobytes())
    # What Go compiles is kept beside the folder, for other programs.
    offline = {name: value.format(folder.parent) for name, value in OFFLINE.items()}
    for command in language.driver(folder, text, entry, counts):
        said = run(folder, command, offline)
        assert said == "", said
    words = np.frombuffer((folder / "results").read_bytes(), dtype="<u8").reshape(len(rows[0]), -1)
    found, start = {}, 0
    for parameter in entry.arrays:
        if parameter.is_written:
            part = words[:, start : start + parameter.size]
            found[parameter.name] = _values(np.ascontiguousarray(part), parameter.type)
            start += parameter.size
    return found


def _words(values, type_):
    if type_ == "double":
        return values.astype("<f8").view("<u8")
    if type_ == "float":
        return values.astype("<f4").view("<u4").astype("<u8")
    return values.astype("<i8").view("<u8")


def _values(words, type_):
    if type_ == "double":
        return words.view("<f8")
    return words.astype("<u4").view("<f4") if type_ == "float" else words.view("<i8")


def rust(folder, text, entry, counts):
    types = {"double": "f64", "float": "f32", "int32": "i32", "int16": "i16", "int8": "i8"}
    lines, calls, stores = [], [], []
    for p, count in zip(entry.arrays, counts, strict=True):
        type_ = types[p.type]
        read = {"f64": "f64::from_bits(next())", "f32": "f32::from_bits(next() as u32)"}
        value = read.get(type_, f"next() as {type_}")
        lines.append(f"        let mut {p.name} = [0 as {type_}; {p.size}];")
        lines.append(f"        for i in 0..{count} {{ {p.name}[i] = {value}; }}")
        calls.append(f"&{'mut ' if p.is_written else ''}{p.name}")
        word = "v.to_bits() as u64" if type_[0] == "f" else "v as i64 as u64"
        if p.is_written:
            stores.append(f"        for v in {p.name} {{ out.extend(({word}).to_le_bytes()); }}")
    main = f"""mod net;
fn main() {{
    let data = std::fs::read("rows").unwrap();
    let mut words = data.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().unwrap()));
    let rows = data.len() / 8 / {sum(counts)};
    let mut out = Vec::new();
    let mut next = || words.next().unwrap();
    for _ in 0..rows {{
{chr(10).join(lines)}
        net::{entry.name}({", ".join(calls)});
{chr(10).join(stores)}
    }}
    std::fs::write("results", out).unwrap();
}}
"""
    write(folder / "main.rs", main.replace("mod net;", "#[allow(unused_mut)]\nmod net;"))
    if "square_root(" in text:
        root = template("rust/square_root.rs").read_text(encoding="utf-8")
        text += "\n" + choose(root, "float" if "f32" in text else "double")
    text = text.replace(f"fn {entry.name}(", f"pub fn {entry.name}(")
    write(folder / "net.rs", f"#![allow({', '.join(ALLOWED)})]\n{text}")
    strict = ["-Dwarnings", "-Cdebug-assertions=on", "--edition=2021"]
    lint = [
        ["clippy-driver", *strict, "--crate-type=lib", "--emit=metadata", "-Adead_code", "net.rs"]
    ]
    lint = lint if shutil.which("clippy-driver") else []
    build = [
        "rustc",
        "--edition=2021",
        "-Dwarnings",
        "-Aunused_mut",
        "-Coverflow-checks=on",
        "main.rs",
    ]
    return [*lint, build, ["./main"]]


def java(folder, text, entry, counts):
    types = {"double": "double", "float": "float", "int32": "int", "int16": "short", "int8": "byte"}
    lines, stores = [], []
    for p, count in zip(entry.arrays, counts, strict=True):
        type_ = types[p.type]
        read = {
            "double": "Double.longBitsToDouble(in.getLong())",
            "float": "Float.intBitsToFloat((int) in.getLong())",
        }
        value = read.get(type_, f"({type_}) in.getLong()")
        word = {
            "double": "Double.doubleToRawLongBits(each)",
            "float": "Integer.toUnsignedLong(Float.floatToRawIntBits(each))",
        }
        lines.append(f"            {type_}[] {p.name} = new {type_}[{p.size}];")
        lines.append(f"            for (int i = 0; i < {count}; i++) {p.name}[i] = {value};")
        if p.is_written:
            stores.append(
                f"            for ({type_} each : {p.name}) out.putLong({word.get(type_, 'each')});"
            )
    size = sum(p.size for p in entry.arrays if p.is_written)
    real = "float" if "float[]" in text else "double"
    main = f"""import java.nio.*;
import java.nio.file.*;
import java.util.Arrays;

final class Main {{
    static int[] numbers(String text) {{
        return Arrays.stream(text.split(" ")).mapToInt(Integer::parseInt).toArray();
    }}

    static {real}[] reals(String text) {{
        String[] parts = text.split(" ");
        {real}[] found = new {real}[parts.length];
        for (int i = 0; i < parts.length; i++) {{
            found[i] = {real.capitalize()}.parse{real.capitalize()}(parts[i]);
        }}
        return found;
    }}

    public static void main(String[] arguments) throws Exception {{
        byte[] data = Files.readAllBytes(Path.of("rows"));
        ByteBuffer in = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
        int rows = data.length / 8 / {sum(counts)};
        ByteBuffer out = ByteBuffer.allocate(8 * rows * {size}).order(ByteOrder.LITTLE_ENDIAN);
        for (int row = 0; row < rows; row++) {{
{chr(10).join(lines)}
            {entry.name}({", ".join(p.name for p in entry.arrays)});
{chr(10).join(stores)}
        }}
        Files.write(Path.of("results"), out.array());
    }}

{text}
}}
"""
    write(folder / "Main.java", main)
    return [["javac", "-Xlint:all", "-Werror", "Main.java"], ["java", "-cp", ".", "Main"]]


def go(folder, text, entry, counts):
    types = {"double": "float64", "float": "float32"}
    lines, calls, stores = [], [], []
    for p, count in zip(entry.arrays, counts, strict=True):
        type_ = types.get(p.type, p.type)
        read = {
            "float64": "math.Float64frombits(next())",
            "float32": "math.Float32frombits(uint32(next()))",
        }
        word = {"float64": "math.Float64bits(v)", "float32": "uint64(math.Float32bits(v))"}
        lines.append(f"\t\tvar {p.name} [{p.size}]{type_}")
        if count:
            lines.append(f"\t\tfor i := 0; i < {count}; i++ {{")
            lines.append(f"\t\t\t{p.name}[i] = {read.get(type_, f'{type_}(next())')}\n\t\t}}")
        calls.append(f"&{p.name}")
        if p.is_written:
            put = f"put({word.get(type_, 'uint64(v)')})"
            stores.append(f"\t\tfor _, v := range {p.name} {{\n\t\t\t{put}\n\t\t}}")
    real = "float32" if "float32" in text else "float64"
    main = f"""package main

import (
\t"encoding/binary"
\t"math"
\t"os"
)

var _ = math.Pi

func number(x {real}) {real} {{
\treturn x
}}

func main() {{
\tdata, _ := os.ReadFile("rows")
\tvar out []byte
\tnext := func() uint64 {{
\t\tword := binary.LittleEndian.Uint64(data)
\t\tdata = data[8:]
\t\treturn word
\t}}
\tput := func(word uint64) {{
\t\tvar bytes [8]byte
\t\tbinary.LittleEndian.PutUint64(bytes[:], word)
\t\tout = append(out, bytes[:]...)
\t}}
\tfor len(data) > 0 {{
{chr(10).join(lines)}
\t\t{entry.name}({", ".join(calls)})
{chr(10).join(stores)}
\t}}
\tos.WriteFile("results", out, 0o600)
}}

{text}"""
    write(folder / "main.go", main)
    write(folder / "go.mod", "module driver\n\ngo 1.18\n")
    lint = [["gofmt", "-l", "main.go"]] if shutil.which("gofmt") else []
    return [*lint, ["go", "vet", "."], ["go", "build", "-o", "driver", "."], ["./driver"]]


LANGUAGES = {
    "rust": ProgramLanguage(("rustc",), RustPrinter, rust),
    "java": ProgramLanguage(("javac", "java"), JavaPrinter, java),
    "go": ProgramLanguage(("go",), GoPrinter, go),
}
