"""A module that needs only numpy; it is read and run as one of plain Python is."""

from dsgec.arithmetic.source import Module
from dsgec.codegen.artefact import Artefact, SourceFile, functions_called, view
from dsgec.codegen.batch import numpy_source
from dsgec.codegen.environment import Code, render
from dsgec.codegen.statements import PYTHON
from dsgec.targets.python import DTYPES, check_python, read_python, run_python
from dsgec.targets.target import Files, Target


def emit_numpy(artefact: Artefact) -> Files:
    """`name.py`."""
    m = view(artefact, PYTHON)
    module: Module = "vector_integer" if m.fixed else "vector"
    arithmetic = Code(numpy_source(functions_called(artefact, PYTHON), module))
    text = render("numpy/module.py.j2", m=m, arithmetic=arithmetic)
    return (SourceFile(f"{artefact.name}.py", text),)


TARGET = Target(("{}.py",), emit_numpy, read_python, run_python, dtypes=DTYPES, check=check_python)
