"""The module for MicroPython: the target from which the package of that name is made.

It is Python without what MicroPython lacks. MicroPython does not read every decimal number exactly,
and .mpy files store decimals, too; so the module has its constants as bytes.
"""

import io
import platform
import re
import struct
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from dsgec.arithmetic.source import Module, python_source
from dsgec.engine.module import load_module
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.printed import printed_network
from dsgec.export.streams.view import StreamView
from dsgec.export.targets.python import stream_code
from dsgec.export.targets.running import SelfTestFailed, check_golden_rows, given_rows
from dsgec.export.targets.target import Array, Files, Target, metadata_reader
from dsgec.export.view import TemplateView
from dsgec.literals import number
from dsgec.program.ir import Number, Program
from dsgec.program.print_python import PythonPrinter
from dsgec.rendering import Code, render

_DOCSTRING = re.compile(r'^    """.*?"""\n', re.MULTILINE | re.DOTALL)
_DOCSTRING_INSIDE = re.compile(r'^ +""".*?"""\n', re.MULTILINE | re.DOTALL)
_DECIMAL = re.compile(r"^\d+(\.|e)")
_LARGEST_PLAIN = 1024  # multiples of 1/2 up to this are read exactly everywhere


@dataclass(frozen=True, slots=True)
class _Constants:
    """The constants of a module, each once, with their places in its table."""

    places: dict[bytes, int] = field(default_factory=dict)

    def literal(self, value: float) -> str:
        if abs(value) <= _LARGEST_PLAIN and (2 * value).is_integer():
            return number(value)
        place = self.places.setdefault(struct.pack("<d", value), len(self.places))
        return f"_K[{place}]"

    def replace_in(self, source: str) -> str:
        """Return source code with its constants replaced by entries of the table."""
        lines = source.splitlines(keepends=True)
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
        for token in reversed(tokens):
            if token.type == tokenize.NUMBER and _DECIMAL.search(token.string):
                row, start, end = token.start[0] - 1, token.start[1], token.end[1]
                text = self.literal(float(token.string))
                lines[row] = lines[row][:start] + text + lines[row][end:]
        return "".join(lines)


class MicroPythonPrinter(PythonPrinter):
    """Prints a network whose constants are entries of the table."""

    def __init__(self, program: Program, prefix: str, constants: _Constants) -> None:
        super().__init__(program, prefix)
        self.constants = constants

    def number(self, literal: Number) -> str:
        if literal.type == "double":
            return self.constants.literal(float(literal.value))
        return super().number(literal)


def emit_micropython(artefact: Artefact) -> Files:
    """Return `name.py`, and `name_selftest.py`, which it imports on demand."""
    constants = _Constants()
    m = TemplateView(artefact)
    name = artefact.name
    network = printed_network(MicroPythonPrinter(artefact.program, name, constants), name)
    code = Code(constants.replace_in(_DOCSTRING.sub("", network.code)))
    section: Module = "integer" if m.fixed else "scalar"
    source = python_source(section, network.functions, imports=False)
    arithmetic = constants.replace_in(_DOCSTRING.sub("", source).lstrip("\n"))
    integers = constants.replace_in(render("python/integers.py.j2", m=m)) if m.fixed else ""
    threshold = Code(constants.literal(m.threshold))
    stream_class = ""
    if m.stream:
        text = render("python/stream.py.j2", m=m, s=m.stream, one=True, stream=stream_code(m))
        stream_class = constants.replace_in(_DOCSTRING_INSIDE.sub("", text))
    golden = m.golden
    module = render(
        "micropython/module.py.j2",
        m=m,
        texts={i: c.categories for i, c in enumerate(m.columns) if c.categories},
        threshold=threshold,
        arithmetic=Code(arithmetic),
        integers=Code(integers),
        network=replace(network, code=code),
        stream_class=Code(stream_class.rstrip("\n")),
        numbers=_bytes(constants.places),
        count=len(constants.places),
        uses_math="math." in arithmetic,
    )
    selftest = render(
        "micropython/selftest.py.j2",
        m=m,
        rows=[_bytes(map(_double, row)) for row in golden.rows],
        results=[_bytes(map(_double, row)) for row in golden.results],
        windows=_windows(m.stream) if m.stream else (),
    )
    return SourceFile(f"{name}.py", module), SourceFile(f"{name}_selftest.py", selftest)


read_micropython = metadata_reader(re.compile(rb"^# metadata: (.*)$", re.MULTILINE))


def run_micropython(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Return the results of rows, computed by the module in this Python."""
    module = load_module(str(files[0].text), artefact.name)
    given = given_rows(artefact, rows)
    return np.array([module._results(module._row(row)) for row in given], np.float64)


def check_micropython(artefact: Artefact, files: Files) -> str:
    """Run the self-test of the module in this Python."""
    check_golden_rows(artefact, partial(run_micropython, artefact, files))
    _check_stream(artefact, files)
    return f"run by Python {platform.python_version()}"


def _windows(stream: StreamView) -> Sequence[tuple[int, tuple[int, ...], Code]]:
    """Return the windows of the self-test of a stream, with values as bytes."""
    if stream.artefact.model.classes:
        return stream.python_windows
    return [
        (end, features, _unpack_call(values))
        for end, features, values in zip(
            stream.recording.ends,
            stream.recording.features,
            stream.recording.results,
            strict=True,
        )
    ]


def _unpack_call(values: Sequence[float]) -> Code:
    return Code(f'struct.unpack("<{len(values)}d", b"{_bytes(map(_double, values))}")')


def _check_stream(artefact: Artefact, files: Files) -> None:
    """Run the self-test of the stream, if there is one, in this Python."""
    if artefact.model.signal is None:
        return
    module, selftest = (load_module(str(file.text), artefact.name) for file in files)
    if not selftest._stream_agrees(module.Stream):
        raise SelfTestFailed("a window of its stream differs")


def _double(value: float) -> bytes:
    return struct.pack("<d", value)


def _bytes(pieces: Iterable[bytes]) -> Code:
    """Return the content of a bytes literal, in hexadecimal digits."""
    return Code("".join(f"\\x{byte:02x}" for piece in pieces for byte in piece))


MICROPYTHON = Target(
    ("{}.py", "{}_selftest.py"),
    emit_micropython,
    read_micropython,
    run_micropython,
    dtypes=("double", *STORED_BITS),
    check=check_micropython,
)
