"""Artefact to a module for MicroPython, the target that the package of that name is made of.

It is Python without what MicroPython lacks. MicroPython does not read every decimal number exactly,
and .mpy files hold them in decimals, too: so numbers stand in the module as their bytes.
"""

import io
import platform
import re
import struct
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from dsgec.arithmetic.source import Module, python_source
from dsgec.engine.module import load_module
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.statements import PYTHON
from dsgec.export.targets.running import check_golden_rows, given_rows
from dsgec.export.targets.target import Array, Files, Target, metadata_reader
from dsgec.export.view import functions_called, view
from dsgec.literals import number
from dsgec.rendering import Code, render

_DOCSTRING = re.compile(r'^    """.*?"""\n', re.MULTILINE | re.DOTALL)
_LARGEST_PLAIN = 1024  # of the multiples of 1/2 that every reader of decimals gets right


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The numbers of a module, each once; `literal` gives what stands for one in the code."""

    places: dict[bytes, int] = field(default_factory=dict)

    def literal(self, value: float) -> str:
        if abs(value) <= _LARGEST_PLAIN and (2 * value).is_integer():
            return number(value)
        place = self.places.setdefault(struct.pack("<d", value), len(self.places))
        return f"_K[{place}]"

    def replaced(self, source: str) -> str:
        """The same code, with what stands for its numbers."""
        lines = source.splitlines(keepends=True)
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
        for token in reversed(tokens):
            if token.type == tokenize.NUMBER and "." in token.string:
                row, start, end = token.start[0] - 1, token.start[1], token.end[1]
                text = self.literal(float(token.string))
                lines[row] = lines[row][:start] + text + lines[row][end:]
        return "".join(lines)


def emit_micropython(artefact: Artefact) -> Files:
    """`name.py`, and `name_selftest.py`, which it imports where that is asked for."""
    numbers = _Numbers()
    m = view(artefact, replace(PYTHON, literal=numbers.literal))
    section: Module = "integer" if m.fixed else "scalar"
    source = python_source(section, functions_called(artefact, PYTHON), imports=False)
    arithmetic = numbers.replaced(_DOCSTRING.sub("", source).lstrip("\n"))
    integers = numbers.replaced(render("python/integers.py.j2", m=m)) if m.fixed else ""
    threshold = Code(numbers.literal(m.threshold))
    golden = m.golden
    module = render(
        "micropython/module.py.j2",
        m=m,
        texts={i: c.categories for i, c in enumerate(m.columns) if c.categories},
        threshold=threshold,
        arithmetic=Code(arithmetic),
        integers=Code(integers),
        numbers=_bytes(numbers.places),
        count=len(numbers.places),
        uses_math="math." in arithmetic,
    )
    selftest = render(
        "micropython/selftest.py.j2",
        m=m,
        rows=[_bytes(map(_double, row)) for row in golden.rows],
        results=[_bytes(map(_double, row)) for row in golden.results],
    )
    name = artefact.name
    return SourceFile(f"{name}.py", module), SourceFile(f"{name}_selftest.py", selftest)


read_micropython = metadata_reader(rb"^# metadata: (.*)$")


def run_micropython(artefact: Artefact, files: Files, rows: Array) -> Array:
    """The results of rows, by the module as Python itself runs it."""
    module = load_module(str(files[0].text), artefact.name)
    given = given_rows(artefact, rows)
    return np.array([module._results(module._row(row)) for row in given], np.float64)


def check_micropython(artefact: Artefact, files: Files) -> str:
    """Compare the rows of the self-test, by the module as Python itself runs it."""
    check_golden_rows(artefact, partial(run_micropython, artefact, files))
    return f"run by Python {platform.python_version()}"


def _double(value: float) -> bytes:
    return struct.pack("<d", value)


def _bytes(pieces: Iterable[bytes]) -> Code:
    """A literal of bytes in hexadecimal digits."""
    return Code("".join(f"\\x{byte:02x}" for piece in pieces for byte in piece))


MICROPYTHON = Target(
    ("{}.py", "{}_selftest.py"),
    emit_micropython,
    read_micropython,
    run_micropython,
    dtypes=("double", *STORED_BITS),
    check=check_micropython,
)
