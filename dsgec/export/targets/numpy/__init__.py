"""A module that needs only numpy; it is read and run like one of plain Python."""

from dsgec.arithmetic.source import Module
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.batch import numpy_source
from dsgec.export.printed import printed_network
from dsgec.export.targets.python import DTYPES, check_python, read_python, run_python, stream_code
from dsgec.export.targets.target import Files, Target
from dsgec.export.view import TemplateView
from dsgec.program.print_numpy import NumpyPrinter
from dsgec.rendering import Code, render


def emit_numpy(artefact: Artefact) -> Files:
    """Return the network as one numpy module, `name.py`, which predicts many rows at once."""
    m = TemplateView(artefact)
    network = printed_network(NumpyPrinter(artefact.program, artefact.name), artefact.name)
    module: Module = "vector_integer" if m.fixed else "vector"
    arithmetic = Code(numpy_source(network.functions, module))
    stream = stream_code(m)
    text = render("numpy/module.py.j2", m=m, arithmetic=arithmetic, network=network, stream=stream)
    return (SourceFile(f"{artefact.name}.py", text),)


TARGET = Target(("{}.py",), emit_numpy, read_python, run_python, dtypes=DTYPES, check=check_python)
