"""A Rust crate that needs nothing else, not even `std`, which has the functions of floats."""

import re
from dataclasses import replace

from dsgec.arithmetic.ir import Dtype, Literal
from dsgec.arithmetic.print_flat import FlatLanguage, snake
from dsgec.arithmetic.write import Language
from dsgec.export.artefact import DTYPES, Artefact
from dsgec.export.integers import IntegerSyntax
from dsgec.export.statements import Syntax
from dsgec.export.targets.language import LanguageView, by_dtype, handwritten
from dsgec.export.targets.running import find_command, raw_rows, run_commands
from dsgec.export.targets.target import Array, Files, Target, metadata_reader
from dsgec.literals import number, single_number

_FILES = {
    "{}/src/lib.rs": "rust/lib.rs.j2",
    "{}/src/selftest.rs": "rust/selftest.rs.j2",
    "{}/Cargo.toml": "rust/Cargo.toml.j2",
}
_LONGEST_CHOICE = 50  # the most characters of a choice that rustfmt leaves in one line


def _literal(literal: Literal) -> str:
    return literal.text.lower()


def _choice(_: str, name: str, test: str, yes: str, no: str) -> str:
    short = f"if {test} {{ {yes} }} else {{ {no} }}"
    if len(short) <= _LONGEST_CHOICE:
        return f"let {name} = {short};"
    return f"let {name} = if {test} {{\n    {yes}\n}} else {{\n    {no}\n}};"


def _flat(dtype: Dtype) -> FlatLanguage:
    real, word = {"double": ("f64", "u64"), "float": ("f32", "u32")}[dtype]
    digits = 16 if dtype == "double" else 8
    patterns = {
        "bits": "{0}.to_bits()",
        "from_bits": f"{real}::from_bits({{0}})",
        "is_nan": "{0}.is_nan()",
        "math.fabs": f"{real}::from_bits({{0}}.to_bits() & 0x{'7'.ljust(digits, 'f')})",
        "math.copysign": f"{real}::from_bits({{0}}.to_bits() | "
        f"({{1}}.to_bits() & 0x{'8'.ljust(digits, '0')}))",
        "signed": "{0} as i64 as f32",
        "wide": "u64::from({0})",
    }
    for kind, type_ in (("word", word), ("wide", "u64")):
        for operator, name in (("+", "add"), ("-", "sub"), ("*", "mul")):
            patterns[f"{kind} {operator}"] = f"{type_}::wrapping_{name}({{0}}, {{1}})"
    return FlatLanguage(
        dtype,
        expressions=Language(_literal, lambda _: "", patterns),
        types={"real": real, "word": word, "wide": "u64"},
        function="fn {name}({parameters}) -> {type} {{",
        parameter="{name}: {type}",
        declare="let {name} = {value};",
        return_value="{value}",
        choice=_choice,
        return_choice="if {test} {{\n    {yes}\n}} else {{\n    {no}\n}}",
        by_hand=handwritten("rust/sqrt.rs", "rust/softmax.rs"),
    )


_WHOLE = replace(
    _flat("double"),
    arithmetic="whole",
    expressions=Language(_literal, lambda _: "", {"at": "i32::from({0}[{1} as usize])"}),
    types={"whole": "i32", "table": "&[i16]"},
)
_DOUBLE = Syntax(call=snake, literal=number, real="f64")
_FLOAT = Syntax(call=snake, literal=single_number, real="f32")
_FLAT = by_dtype(_flat("double"), _flat("float"), _WHOLE)
_SYNTAX = by_dtype(_DOUBLE, _FLOAT, _DOUBLE)
_INTEGERS = IntegerSyntax(column="i32::from(x[{}])", type="i32")
_STORED = {8: "i8", 16: "i16"}


def _view(artefact: Artefact) -> LanguageView:
    dtype = artefact.dtype
    return LanguageView(artefact, _FLAT[dtype], _SYNTAX[dtype], _INTEGERS, _STORED)


def emit_rust(artefact: Artefact) -> Files:
    """Return a crate: `name/Cargo.toml`, `name/src/lib.rs` and `name/src/selftest.rs`."""
    return _view(artefact).render(_FILES)


def run_rust(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Compile the crate and return its probabilities or values, row after row."""
    more = (*_view(artefact).render({"run.rs": "rust/run.rs.j2"}), raw_rows(rows))
    rustc = [find_command("rustc"), "-O", "--edition=2021"]
    return run_commands(
        (*files, *more),
        [*rustc, "--crate-type=rlib", "--crate-name=net", f"{artefact.name}/src/lib.rs"],
        [*rustc, "--extern=net=libnet.rlib", "run.rs"],
        ["./run"],
    )


TARGET = Target(
    tuple(_FILES),
    emit_rust,
    metadata_reader(re.compile(rb'^pub const METADATA: &str = r#"(.*)"#;$', re.MULTILINE)),
    run_rust,
    dtypes=DTYPES,
    swept=(
        *("build.rs", ".cargo", "rust-toolchain*", "src/main.rs", "src/bin"),
        *("tests", "examples", "benches"),
        "target",  # its contents are run instead of what would be compiled
    ),
    obeyed=(".cargo/config", ".cargo/config.toml", "rust-toolchain", "rust-toolchain.toml"),
)
