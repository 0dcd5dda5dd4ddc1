"""The C compiler of this machine: which one, its version, its flags."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FLAGS = ("-std=c99", "-fPIC", "-shared", "-ffp-contract=off", "-fno-math-errno")
"""No -ffast-math and no contraction: the arithmetic is the product, at every -O level."""

_SECONDS = 300


class CompileError(Exception):
    """The compiler is there, but did not make a library of our source."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler that can be called; `identity` tells apart compilers that emit other code."""

    command: str
    identity: str


@cache
def find_toolchain() -> Toolchain | None:
    """`$CC`, cc, gcc or clang, whichever comes first and answers; None where there is none."""
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        command = shutil.which(name) if name else None
        if command is None:
            continue
        try:
            answer = _run([command, "--version"], None)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if answer.returncode == 0 and answer.stdout:
            return Toolchain(command, answer.stdout.splitlines()[0])
    return None


def compile_library(toolchain: Toolchain, source: str, folder: Path, flags: Sequence[str]) -> Path:
    """The path of the shared library made of `source` in `folder`, which is ours alone."""
    c_file, library = folder / "source.c", folder / "library.so"
    c_file.write_text(source, encoding="utf-8", newline="\n")
    command = [toolchain.command, *FLAGS, *flags, str(c_file), "-o", str(library), "-lm"]
    try:
        answer = _run(command, folder)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CompileError(f"{toolchain.command}: {error}") from error
    if answer.returncode != 0:
        raise CompileError(f"{toolchain.command} failed:\n{answer.stderr[:2000]}")
    return library


def _run(command: list[str], folder: Path | None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C"}
    # An argument list without a shell, and nothing in it that came from a user.
    return subprocess.run(  # noqa: S603
        command,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_SECONDS,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        check=False,
    )
