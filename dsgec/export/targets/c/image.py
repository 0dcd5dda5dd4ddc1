"""Measure the flash, RAM and stack of exported C by linking it with a cross compiler."""

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from dsgec.export.artefact import Artefact
from dsgec.export.targets.c.emit import emit_module

_SECONDS = 120
_MEMBER = re.compile(r"^ \.(?:text|rodata|data)\S*\s+0x\w+\s+(0x\w+) \S+\.a\((\S+)\.o\)$", re.M)
_BROKEN = re.compile(r"^( \.\S+)\n +0x", re.MULTILINE)  # after a long name, the line is broken
_SECTION = re.compile(r"^(\.\S+) +(\d+)", re.MULTILINE)
_IN_FLASH = (".text", ".rodata", ".data", ".sdata", ".ARM.ex")
_WITHOUT_LIBRARY = ("-nostdlib", "-lgcc")
_NO_MEMCPY = "-fno-tree-loop-distribute-patterns"  # which no library is linked for
_AVR = ("-nostdlib", "-Wl,--start-group", "-lm", "-lgcc", "-lc", "-Wl,--end-group")


@dataclass(frozen=True, slots=True)
class Compiler:
    """A cross compiler for a chip; `package` is the Debian package with its command."""

    command: str
    package: str
    flags: tuple[str, ...]
    libraries: tuple[str, ...] = _WITHOUT_LIBRARY

    @property
    def path(self) -> str | None:
        return shutil.which(self.command)

    def tool(self, name: str) -> str:
        """Return the path of another tool of the compiler, such as `size`."""
        path = Path(self.path or self.command)
        return str(path.with_name(path.name.replace("gcc", name)))


_ARM = "arm-none-eabi-gcc", "gcc-arm-none-eabi"
COMPILERS: dict[str, Compiler] = {
    "cortex-m0plus": Compiler(*_ARM, ("-mcpu=cortex-m0plus", "-mthumb")),
    "cortex-m4f": Compiler(
        *_ARM, ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16")
    ),
    "avr": Compiler("avr-gcc", "gcc-avr", ("-mmcu=atmega328p",), _AVR),
    "rv32imc": Compiler(
        "riscv64-unknown-elf-gcc",
        "gcc-riscv64-unknown-elf",
        ("-march=rv32imc", "-mabi=ilp32", "-ffreestanding"),
    ),
}


@dataclass(frozen=True, slots=True)
class Image:
    """The bytes of a linked image without start-up code: what the network adds to a program.

    `stack` is the sum of the frames of its own functions, which is the most that a call can need,
    as nothing recurses; frames of the compiler's `routines` come on top. The bytes of the routines
    are part of `flash`.
    """

    flash: int
    ram: int
    stack: int
    routines: dict[str, int] = field(default_factory=dict)


def function_called(artefact: Artefact) -> str:
    """Return the function whose cost per row is estimated: it returns the class or the values."""
    return f"{artefact.name}_{'predict' if artefact.model.is_classifier else 'regress'}"


def functions_deployed(artefact: Artefact) -> tuple[str, ...]:
    """Return the functions that a program calls on a chip: of a signal, those of its stream."""
    model, name = artefact.model, artefact.name
    if model.signal is None:
        return (function_called(artefact),)
    has_votes = model.is_classifier and model.signal.smooth > 1
    answer = f"{name}_vote" if has_votes else function_called(artefact)
    return f"{name}_restart", f"{name}_push", f"{answer}_window"


def functions_called(artefact: Artefact) -> tuple[str, ...]:
    """Return `function_called` and, for a classifier, the function of the probabilities."""
    proba = (f"{artefact.name}_predict_proba",) if artefact.model.is_classifier else ()
    return function_called(artefact), *proba


def measure_image(artefact: Artefact, chip: str) -> Image | None:
    """Measure the C on a chip; return None if the compiler is missing or fails."""
    if COMPILERS[chip].path is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        try:
            return link(artefact, chip, Path(folder), functions_deployed(artefact))
        except (OSError, subprocess.SubprocessError):
            return None


def link(
    artefact: Artefact, chip: str, folder: Path, called: tuple[str, ...] = (), more: str = ""
) -> Image:
    """Compile and link the C for size, without names and batches, into `net.elf`.

    Only the functions that are `called` and those that they need are linked. `more` is the text of
    a file that has some of them.
    """
    compiler, name = COMPILERS[chip], artefact.name
    for file in emit_module(artefact):
        folder.joinpath(file.name).write_text(str(file.text), encoding="utf-8")
    called = called or (function_called(artefact),)
    if more:
        folder.joinpath("calls.c").write_text(more, encoding="utf-8")
    command = [
        *(compiler.path or compiler.command, "-std=c99", "-Os", "-fstack-usage"),
        *(*compiler.flags, _NO_MEMCPY),
        *(f"-D{name.upper()}_NO_BATCH", f"-D{name.upper()}_NO_NAMES"),
        *("-ffunction-sections", "-fdata-sections", "-nostartfiles", f"{name}.c"),
        *(["calls.c"] if more else ()),
        *("-Wl,--gc-sections", "-Wl,-Map,net.map", f"-Wl,-e,{called[0]}"),
        *(f"-Wl,-u,{function}" for function in called),
        *("-o", "net.elf", *compiler.libraries),
    ]
    _run(command, folder)
    flash, ram = image_bytes(chip, folder)
    frames = [line for file in folder.glob("*.su") for line in file.read_text().splitlines()]
    return Image(
        flash=flash,
        ram=ram,
        stack=sum(int(frame.split("\t")[1]) for frame in frames),
        routines=_routines(folder.joinpath("net.map").read_text(encoding="utf-8")),
    )


def image_bytes(chip: str, folder: Path) -> tuple[int, int]:
    """Return the bytes of flash and of RAM of `net.elf`."""
    listed = _run([COMPILERS[chip].tool("size"), "-A", "net.elf"], folder)
    sections = {name: int(size) for name, size in _SECTION.findall(listed)}
    flash = sum(size for name, size in sections.items() if name.startswith(_IN_FLASH))
    return flash, sections.get(".data", 0) + sections.get(".bss", 0)


def _routines(text: str) -> dict[str, int]:
    """Return the bytes of the library members that were linked, from a linker map."""
    _, _, used = text.partition("Linker script and memory map")
    found: dict[str, int] = {}
    for size, name in _MEMBER.findall(_BROKEN.sub(r"\1 0x", used)):
        found[name] = found.get(name, 0) + int(size, 16)
    return {name: size for name, size in found.items() if size}


def _run(command: list[str], folder: Path) -> str:
    # A list of arguments, no shell: our own text and a validated name.
    return subprocess.run(  # noqa: S603
        command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=True
    ).stdout
