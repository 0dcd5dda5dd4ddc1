"""A module that needs only numpy; it is read and run like one of plain Python."""

from dsgec.arithmetic.source import Module
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.batch import numpy_source
from dsgec.export.statements import PYTHON
from dsgec.export.targets.python import DTYPES, check_python, read_python, run_python
from dsgec.export.targets.target import Files, Target
from dsgec.export.view import functions_called, view
from dsgec.rendering import Code, render


def emit_numpy(artefact: Artefact) -> Files:
    """Return the network as one numpy module, `name.py`, which predicts many rows at once."""
    m = view(artefact, PYTHON)
    module: Module = "vector_integer" if m.fixed else "vector"
    arithmetic = Code(numpy_source(functions_called(artefact, PYTHON), module))
    text = render("numpy/module.py.j2", m=m, arithmetic=arithmetic)
    return (SourceFile(f"{artefact.name}.py", text),)


TARGET = Target(("{}.py",), emit_numpy, read_python, run_python, dtypes=DTYPES, check=check_python)
