"""The C of a candidate to its flash on chips, and to the labels that it gives to rows."""

import ctypes
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.chips.measure import run_image
from benchmarks.kilobyte.candidate import Source
from benchmarks.kilobyte.case import Array
from dsgec.export.targets.c.image import COMPILERS, image_bytes

_KERNELS = Path(__file__).parent / "c"
_SIZE = ("-Os", "-ffunction-sections", "-fdata-sections", "-nostartfiles", "-Wl,--gc-sections")
_LIBRARIES = {
    "cortex-m0plus": ("--specs=nano.specs", "--specs=nosys.specs", "-lm", "-lc", "-lgcc"),
    "avr": ("-nostdlib", "-Wl,--start-group", "-lm", "-lgcc", "-lc", "-Wl,--end-group"),
}
_RAM_OF_ATMEGA, _STACK = 2048, 128
_TYPES = {"float32": "float", "float64": "double"}


class ImageError(Exception):
    """The compiler refused a source, or a program on a chip gave other labels."""


def link(source: Source, chip: str, folder: Path, width: int) -> int | None:
    """Link `net.elf`, and return its bytes of flash; None if its data exceed the chip's RAM."""
    compiler = COMPILERS[chip]
    command = [compiler.path or compiler.command, "-std=gnu99", *compiler.flags, *_SIZE]
    command += [f"-I{_KERNELS}", *source.flags, *_write(source, folder)]
    command += [f"-Wl,-e,{source.function}", f"-Wl,-u,{source.function}", "-o", "net.elf"]
    _run([*command, *_LIBRARIES[chip]], folder)
    flash, ram = image_bytes(chip, folder)
    row = width * np.dtype(source.dtype).itemsize
    too_much = chip == "avr" and ram > 0 and ram + row + _STACK > _RAM_OF_ATMEGA
    return None if too_much else flash


def labels_on_chip(source: Source, chip: str, folder: Path, rows: Array) -> Array:
    """Return the labels of encoded rows, computed by the linked image in a simulator."""
    rows = _as_given(source, rows)
    if chip == "avr" and rows.dtype == np.float64:
        rows = rows.astype(np.float32)  # its compiler has no other
    calls = run_image(chip, folder, source.function, rows, 0)
    return np.array([call[0] for call in calls])


def labels_on_host(source: Source, rows: Array) -> Array:
    """Return the labels of encoded rows, computed by the C on this machine."""
    rows = _as_given(source, rows)
    found = np.empty(len(rows), np.int32)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = _write(source, folder)
        type_ = _c_type(source.dtype)
        folder.joinpath("all.c").write_text(
            f"#include <stdint.h>\nint {source.function}(const {type_} *row);\n"
            f"void all(const {type_} *rows, long count, int32_t *labels)\n"
            "{ for (long i = 0; i < count; i++)"
            f" labels[i] = {source.function}(rows + i * {rows.shape[1]}); }}\n"
        )
        command = ["cc", "-O1", "-shared", "-fPIC", f"-I{_KERNELS}", *source.flags, *files]
        _run([*command, "all.c", "-o", "all.so", "-lm"], folder)
        function = ctypes.CDLL(str(folder / "all.so")).all
        function.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p]
        function(rows.ctypes.data, len(rows), found.ctypes.data)
    return found


def _write(source: Source, folder: Path) -> list[str]:
    """Write the files, and return the names of those to compile."""
    for name, text in source.files.items():
        folder.joinpath(name).write_text(text, encoding="utf-8")
    return [name for name in source.files if name.endswith(".c")]


def _as_given(source: Source, rows: Array) -> Array:
    return np.ascontiguousarray(rows, source.dtype)


def _c_type(dtype: str) -> str:
    return _TYPES.get(dtype, f"{dtype}_t")


def _run(command: Sequence[str], folder: Path) -> None:
    # A list of arguments, no shell: our own text.
    done = subprocess.run(  # noqa: S603
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode:
        raise ImageError(f"{command[0]}: {done.stderr.strip()[:500]}")
