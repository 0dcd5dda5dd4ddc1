"""A Rust crate that needs nothing else, not even `std`, which has the functions of floats."""

import re
from dataclasses import dataclass
from functools import cached_property

from dsgec.arithmetic.source import choose
from dsgec.export.artefact import DTYPES, Artefact
from dsgec.export.targets.language import LanguageView
from dsgec.export.targets.running import find_command, raw_rows, run_commands
from dsgec.export.targets.target import Array, Files, Target, metadata_reader
from dsgec.program.ir import Program
from dsgec.program.print_rust import RustPrinter
from dsgec.rendering import Code
from dsgec.resources import template
from dsgec.signal.stream import FEATURES, procedure_of

_FILES = {
    "{}/src/lib.rs": "rust/lib.rs.j2",
    "{}/src/selftest.rs": "rust/selftest.rs.j2",
    "{}/Cargo.toml": "rust/Cargo.toml.j2",
}
_LONGEST = 100  # statements of a function: the time for compiling long ones grows faster


@dataclass(frozen=True)
class RustView(LanguageView):
    """The view of an artefact for the templates of Rust."""

    @property
    def arithmetic(self) -> Code:
        """Return the functions of the arithmetic, and the root that others have by themselves."""
        found = super().arithmetic
        if "square_root(" not in found:
            return found
        root = template("rust/square_root.rs").read_text(encoding="utf-8")
        return Code(f"{choose(root, self.dtype)}\n{found}")

    @cached_property
    def stream(self) -> Code:
        """Return the procedures of a stream; in fixed point they also make rows of integers."""
        program = self.m.stream.program if self.m.stream else Program((), ())
        return Code(self.print_with(program).print().rstrip("\n"))

    def stream_arguments(self, name: str) -> Code:
        """Return the arrays of a window `w` as the last arguments of a procedure."""
        assert self.m.stream
        procedure = procedure_of(self.m.stream.window_program, name)
        own = {array.name for array in self.m.stream.arrays}
        listed = [
            f"&{'mut ' if array.is_written else ''}w.{array.name}"
            for array in procedure.arrays
            if array.name in own
        ]
        return Code(", ".join([*([] if name == FEATURES else [""]), *listed]))


def _view(artefact: Artefact) -> RustView:
    return RustView(artefact, RustPrinter, longest_integers=_LONGEST)


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
