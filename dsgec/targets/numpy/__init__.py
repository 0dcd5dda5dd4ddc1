"""A module that needs only numpy; it is read and run as one of plain Python is."""

from dsgec.codegen.artefact import Artefact, SourceFile, view
from dsgec.codegen.batch import numpy_source
from dsgec.codegen.environment import Code, render
from dsgec.codegen.statements import PYTHON, functions_used
from dsgec.targets.python import read_python, run_python
from dsgec.targets.target import Files, Target


def emit_numpy(artefact: Artefact) -> Files:
    """`name.py`."""
    m = view(artefact, PYTHON)
    arithmetic = Code(numpy_source(functions_used(artefact.network, PYTHON)))
    text = render("numpy/module.py.j2", m=m, arithmetic=arithmetic)
    return (SourceFile(f"{artefact.name}.py", text),)


TARGET = Target(("{}.py",), emit_numpy, read_python, run_python)
