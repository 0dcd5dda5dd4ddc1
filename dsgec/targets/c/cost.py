"""What the exported C takes of a machine, as the compilers that are here make it."""

import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from dsgec.codegen.artefact import Artefact
from dsgec.errors import DsgecError
from dsgec.targets.c.emit import TYPES, emit_c

CORTEX_M4 = ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16")
_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Cost:
    """Bytes of an object file; `stack` is what a call takes at most.

    `needs_routines`: the compiler adds some of its own, for arithmetic that the machine has not.
    """

    flash: int
    ram: int
    stack: int
    needs_routines: bool


def costs(artefact: Artefact) -> list[str]:
    """Flash and stack of the C as compilers that are here make it, without names and batches."""
    builds = [("this machine", "gcc", ()), ("Cortex-M4", "arm-none-eabi-gcc", CORTEX_M4)]
    lines = []
    for title, compiler, flags in builds:
        command = shutil.which(compiler)
        if command is None:
            continue
        for dtype in dict.fromkeys((artefact.dtype, *TYPES)):
            try:
                other = replace(artefact, dtype=dtype)
            except DsgecError as error:
                lines.append(f"  {dtype:<11} not possible: {error.faults[0].message}")
                continue
            lines.append(_size(other, title, command, flags))
    return list(dict.fromkeys(line for line in lines if line))


def _size(artefact: Artefact, title: str, command: str, flags: tuple[str, ...]) -> str:
    cost = c_cost(artefact, command, flags)
    if cost is None:
        return ""
    return (
        f"  {artefact.dtype:<11} {cost.flash:,} bytes of flash"
        + (" and the compiler's own routines" if cost.needs_routines else "")
        + f", {cost.ram} of RAM, at most {cost.stack} of stack ({title}, -Os)"
    )


def c_cost(artefact: Artefact, command: str, flags: tuple[str, ...] = CORTEX_M4) -> Cost | None:
    """The bytes that the C takes without names and batches; None where it does not compile."""
    name, macro = artefact.name, artefact.name.upper()
    without = (f"-D{macro}_NO_BATCH", f"-D{macro}_NO_NAMES")
    with tempfile.TemporaryDirectory() as folder:
        for file in emit_c(artefact):
            Path(folder, file.name).write_text(str(file.text), encoding="utf-8")
        compile_ = [command, "-std=c99", "-Os", "-fstack-usage", *flags, *without]
        try:
            _run([*compile_, "-c", f"{name}.c", "-o", "net.o"], folder)
            sections = _run([_beside(command, "size"), "-A", "net.o"], folder)
            routines = _run([_beside(command, "nm"), "-u", "net.o"], folder)
        except (OSError, subprocess.SubprocessError):
            return None
        usage = [file.read_text() for file in Path(folder).glob("*.su")]
    bytes_ = {
        part[0]: int(part[1]) for line in sections.splitlines() if _is_size(part := line.split())
    }
    return Cost(
        flash=sum(n for key, n in bytes_.items() if key.startswith((".text", ".rodata"))),
        ram=sum(n for key, n in bytes_.items() if key.startswith((".data", ".bss"))),
        # A call deeper than the sum of all frames is not possible: nothing recurses.
        stack=sum(int(line.split("\t")[1]) for text in usage for line in text.splitlines()),
        needs_routines=bool(routines),
    )


def _beside(command: str, tool: str) -> str:
    """The tool that goes with a compiler: arm-none-eabi-size with arm-none-eabi-gcc."""
    path = Path(command)
    return str(path.with_name(path.name.replace("gcc", tool)))


def _is_size(part: list[str]) -> bool:
    return len(part) >= 2 and part[0].startswith(".") and part[1].isdecimal()


def _run(command: list[str], folder: str) -> str:
    # An argument list without a shell, of our own text and a name that was checked.
    return subprocess.run(  # noqa: S603
        command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=True
    ).stdout
