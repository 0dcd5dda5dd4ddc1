"""Artefact to C99 files that need nothing else."""

from dsgec.arithmetic.source import c_source
from dsgec.codegen.artefact import Artefact, SourceFile, view
from dsgec.codegen.environment import Code, render
from dsgec.codegen.statements import C, functions_used


def emit_c(artefact: Artefact) -> tuple[SourceFile, ...]:
    """`name.h` and `name.c`."""
    name = artefact.name
    m = view(artefact, C)
    arithmetic = Code(c_source(functions_used(artefact.network, C)))
    return (
        SourceFile(f"{name}.h", render("c/module.h.j2", m=m)),
        SourceFile(f"{name}.c", render("c/module.c.j2", m=m, arithmetic=arithmetic)),
    )
