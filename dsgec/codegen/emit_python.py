"""Artefact to a module that needs nothing but Python."""

import re

from dsgec.arithmetic.source import python_source
from dsgec.codegen.artefact import Artefact, SourceFile, view
from dsgec.codegen.environment import Code, render
from dsgec.codegen.statements import PYTHON, functions_used


def emit_python(artefact: Artefact) -> tuple[SourceFile, ...]:
    """`name.py`."""
    m = view(artefact, PYTHON)
    source = python_source("scalar", functions_used(artefact.network, PYTHON))
    imports = "\n".join(re.findall(r"^import \w+$", source, re.MULTILINE))
    arithmetic = Code(source.removeprefix(imports).lstrip("\n"))
    text = render("python/module.py.j2", m=m, imports=Code(imports), arithmetic=arithmetic)
    return (SourceFile(f"{artefact.name}.py", text),)
