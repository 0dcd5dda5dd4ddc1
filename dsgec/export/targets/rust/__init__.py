"""A Rust crate that needs nothing else, not even `std`."""

import re
from typing import Any

from dsgec.export.artefact import DTYPES, Artefact, SourceFile
from dsgec.export.targets.language import LanguageView
from dsgec.export.targets.reading import search_json
from dsgec.export.targets.running import find_command, raw_rows, run_commands
from dsgec.export.targets.rust.language import FLAT, INTEGERS, STORED, SYNTAX
from dsgec.export.targets.target import Array, Files, Target

_METADATA = re.compile(rb'^pub const METADATA: &str = r#"(.*)"#;$', re.MULTILINE)
_FILES = {
    "{}/src/lib.rs": "rust/lib.rs.j2",
    "{}/src/selftest.rs": "rust/selftest.rs.j2",
    "{}/Cargo.toml": "rust/Cargo.toml.j2",
}
_MAIN = """
use net::*;

fn main() {
    let mut results = Vec::new();
    let values = std::fs::read("rows").unwrap();
    for row in values.chunks_exact(8 * (FEATURES + 1)) {
        let number = |i: usize| f64::from_le_bytes(row[8 * i..][..8].try_into().unwrap()) as Real;
        for value in PREDICT(&[std::array::from_fn(number)]).next().unwrap() {
            results.extend((value as f64).to_le_bytes());
        }
    }
    std::fs::write("results", results).unwrap();
}
"""


def emit_rust(artefact: Artefact) -> Files:
    """A crate: `name/Cargo.toml`, `name/src/lib.rs` and `name/src/selftest.rs`."""
    flat, syntax = FLAT[artefact.dtype], SYNTAX[artefact.dtype]
    view = LanguageView(artefact, flat, syntax, INTEGERS, STORED)
    return view.render(_FILES)


def read_rust(data: bytes) -> Any:
    """The metadata, which is JSON in a raw string; None where there are none."""
    return search_json(_METADATA, data)


def run_rust(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Probabilities or values, one row after the other."""
    batch = "predict_proba_batch" if artefact.model.is_classifier else "predict_batch"
    main = SourceFile("run.rs", _MAIN.replace("PREDICT", batch))
    rustc = [find_command("rustc"), "-O", "--edition=2021"]
    return run_commands(
        (*files, main, raw_rows(rows)),
        [*rustc, "--crate-type=rlib", "--crate-name=net", f"{artefact.name}/src/lib.rs"],
        [*rustc, "--extern=net=libnet.rlib", "run.rs"],
        ["./run"],
    )


TARGET = Target(
    tuple(_FILES),
    emit_rust,
    read_rust,
    run_rust,
    dtypes=DTYPES,
    swept=(
        *("build.rs", ".cargo", "rust-toolchain*", "src/main.rs", "src/bin"),
        *("tests", "examples", "benches"),
        "target",  # what is in it is run in the place of what would be compiled
    ),
    obeyed=(".cargo/config", ".cargo/config.toml", "rust-toolchain", "rust-toolchain.toml"),
)
