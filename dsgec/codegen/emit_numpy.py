"""Artefact to a module that needs only numpy."""

from dsgec.codegen.artefact import Artefact, SourceFile, view
from dsgec.codegen.batch import numpy_source
from dsgec.codegen.environment import Code, render
from dsgec.codegen.statements import PYTHON, functions_used


def emit_numpy(artefact: Artefact) -> tuple[SourceFile, ...]:
    """`name.py`."""
    m = view(artefact, PYTHON)
    arithmetic = Code(numpy_source(functions_used(artefact.network, PYTHON)))
    text = render("numpy/module.py.j2", m=m, arithmetic=arithmetic)
    return (SourceFile(f"{artefact.name}.py", text),)
