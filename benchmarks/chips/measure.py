"""A model to what its C takes of a chip: linked by the cross compiler, run in a simulator."""

import atexit
import functools
import gc
import importlib.util
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.chips.cycles import disassembly
from benchmarks.chips.emulator import Emulator, segments
from dsgec.export.artefact import Artefact
from dsgec.export.fixed.evaluate import quantise
from dsgec.export.targets.c.image import COMPILERS, function_called, functions_called, link

_TYPES = {"double": np.float64, "float": np.float32}
_RAM_OF_AVR = 0x800100  # where its data begin, as the linker counts

Call = tuple[int, bytes, int, int]


@dataclass(frozen=True, slots=True)
class Measured:
    """A linked image and calls of it: `stack` is the most, `cycles` the mean of all rows.

    `numbers` are those of the classes that were predicted; values have none.
    """

    flash: int
    stack: int
    cycles: float
    results: NDArray[Any]
    numbers: tuple[int, ...]
    routines: dict[str, int]
    has_results: bool = True


def lacking(chip: str) -> str:
    """What of the tools is not here to measure a chip; "" where nothing is."""
    compiler = COMPILERS[chip]
    if compiler.path is None:
        return f"{compiler.command} is not installed (Debian: {compiler.package})"
    if chip != "avr":
        here = importlib.util.find_spec("unicorn") is not None
        return "" if here else "the package unicorn is not installed"
    if shutil.which("cc") is None:
        return "there is no C compiler"
    return "" if _avr_simulator() is not None else "simavr is not installed (Debian: libsimavr-dev)"


def measure(
    artefact: Artefact, chip: str, rows: NDArray[Any], *, classes_only: bool = False
) -> Measured:
    """Link the C of an artefact for a chip, and call it there for each row.

    For a classifier, `classes_only` saves a second image, for probabilities.
    """
    rows, result = _as_given(artefact, rows)
    width = len(artefact.model.classes) or len(artefact.model.network.outputs)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = width * np.dtype(result).itemsize
        image = link(artefact, chip, folder)
        called = other = run_image(chip, folder, function_called(artefact), rows, size)
        classes_only = classes_only and artefact.model.is_classifier
        if (
            artefact.model.is_classifier and not classes_only
        ):  # another image, which has the probabilities, too
            _, proba = functions = functions_called(artefact)
            link(artefact, chip, folder, functions)
            other = run_image(chip, folder, proba, rows, size)
    results = b"".join(call[1] for call in other)
    return Measured(
        image.flash,
        max(call[2] for call in called),
        float(np.mean([call[3] for call in called])),
        np.frombuffer(results, result).reshape(len(rows), width),
        tuple(call[0] for call in called) if artefact.model.is_classifier else (),
        image.routines,
        not classes_only,
    )


def run_image(
    chip: str, folder: Path, function: str, rows: NDArray[Any], result_bytes: int
) -> list[Call]:
    """Call a function of `net.elf` for each row, with a place for results of so many bytes."""
    run = _avr if chip == "avr" else _emulated
    return run(chip, folder, function, rows, result_bytes)


def _as_given(artefact: Artefact, rows: NDArray[Any]) -> tuple[NDArray[Any], Any]:
    """Raw rows as the C takes them, and the type of its results."""
    fixed = artefact.number_format.fixed
    if fixed is None:
        type_ = _TYPES[artefact.dtype]
        return np.ascontiguousarray(rows, type_), type_
    wholes = quantise(fixed.program, rows)
    return np.ascontiguousarray(wholes, f"int{fixed.program.bits}"), np.int16


def tool(chip: str, name: str, folder: Path, *arguments: str) -> str:
    """Return what a tool of the compiler prints of `net.elf`."""
    return _run([COMPILERS[chip].tool(name), *arguments, "net.elf"], folder).decode()


def _symbols(chip: str, folder: Path) -> dict[str, int]:
    lines = (line.split() for line in tool(chip, "nm", folder).splitlines())
    return {parts[2]: int(parts[0], 16) for parts in lines if len(parts) == 3}


def _emulated(
    chip: str, folder: Path, function: str, rows: NDArray[Any], result_bytes: int
) -> list[Call]:
    text = tool(chip, "objdump", folder, "-d")
    symbols = _symbols(chip, folder)
    emulator = Emulator(chip, folder / "net.elf", disassembly(text), symbols)
    calls = [emulator.call(symbols[function], row.tobytes(), result_bytes) for row in rows]
    del emulator
    gc.collect()  # Unicorn's machines are in cycles of references, and hold much memory.
    return calls


def _avr(
    chip: str, folder: Path, function: str, rows: NDArray[Any], result_bytes: int
) -> list[Call]:
    simulator = _avr_simulator()
    assert simulator
    flash, ram = bytearray(), bytearray()
    for address, content in segments(folder / "net.elf"):
        memory, start = (ram, _RAM_OF_AVR) if address >= _RAM_OF_AVR else (flash, 0)
        memory.extend(bytes(max(0, address - start - len(memory))))
        memory[address - start : address - start + len(content)] = content
    folder.joinpath("flash").write_bytes(flash)
    folder.joinpath("ram").write_bytes(ram)
    command = [simulator, "flash", "ram", str(_symbols(chip, folder)[function])]
    command += [str(rows.shape[1] * rows.itemsize), str(result_bytes)]
    calls = []
    for line in _run(command, folder, rows.tobytes()).decode().splitlines():
        given, stack, cycles, digits = line.split(" ")
        calls.append((int(given), bytes.fromhex(digits), int(stack), int(cycles)))
    return calls


@functools.cache
def _avr_simulator() -> str | None:
    """The program of avr.c; None where it cannot be compiled."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    source = str(Path(__file__).with_name("avr.c"))
    try:
        _run(["cc", "-O2", source, "-lsimavr", "-lelf", "-o", "avr"], Path(folder))
    except (OSError, subprocess.SubprocessError):
        return None
    return str(Path(folder, "avr"))


def _run(command: list[str], folder: Path, given: bytes = b"") -> bytes:
    # An argument list without a shell, of our own text.
    answer = subprocess.run(  # noqa: S603
        command, cwd=folder, input=given, capture_output=True, timeout=300, check=True
    )
    return answer.stdout
