"""A module that needs nothing but Python."""

import platform
import re
from typing import Any

import numpy as np

from dsgec.arithmetic.source import Module, python_source
from dsgec.engine.module import load_module
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.printed import printed_network
from dsgec.export.targets.python.literal import read_literal
from dsgec.export.targets.running import SelfTestFailed, given_rows
from dsgec.export.targets.target import Array, Files, Target
from dsgec.export.view import TemplateView
from dsgec.program.print_python import PythonPrinter
from dsgec.rendering import Code, render

_METADATA = re.compile(rb"^metadata = ", re.MULTILINE)


def stream_code(m: TemplateView) -> Code:
    """Return the functions of a stream, on integers; none for a model of a table."""
    name = m.artefact.name
    return m.stream.printed(lambda program: PythonPrinter(program, name)) if m.stream else Code()


def emit_python(artefact: Artefact) -> Files:
    """Return the network as one Python module, `name.py`, which needs no package."""
    m = TemplateView(artefact)
    network = printed_network(PythonPrinter(artefact.program, artefact.name), artefact.name)
    module: Module = "integer" if m.fixed else "scalar"
    source = python_source(module, network.functions)
    imports = "\n".join(re.findall(r"^import \w+$", source, re.MULTILINE))
    arithmetic = Code(source.removeprefix(imports).lstrip("\n"))
    text = render(
        "python/module.py.j2",
        m=m,
        imports=Code(imports),
        arithmetic=arithmetic,
        network=network,
        stream=stream_code(m),
    )
    return (SourceFile(f"{artefact.name}.py", text),)


def read_python(data: bytes) -> Any:
    """Return the literal that a module assigns to `metadata`, or None."""
    begin = _METADATA.search(data)
    try:
        # The literal is ASCII; the text after it may not be.
        return read_literal(data[begin.end() :].decode("ascii", "replace")) if begin else None
    except ValueError:
        return None


def run_python(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Return the results for rows, computed by the module in this process."""
    module = load_module(str(files[0].text), artefact.name)
    predict = module.predict_proba if artefact.model.is_classifier else module.predict
    return np.array(predict(given_rows(artefact, rows), nan="propagate"), np.float64)


def check_python(artefact: Artefact, files: Files) -> str:
    """Run the self-test of the module in this process."""
    if not load_module(str(files[0].text), artefact.name).selftest():
        raise SelfTestFailed("its function selftest() returns False")
    return f"run by Python {platform.python_version()}"


DTYPES = ("double", *STORED_BITS)
TARGET = Target(("{}.py",), emit_python, read_python, run_python, dtypes=DTYPES, check=check_python)
