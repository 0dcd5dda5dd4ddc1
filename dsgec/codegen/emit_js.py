"""Artefact to a JavaScript module and its types, which need nothing else."""

from dsgec.arithmetic.source import js_source
from dsgec.codegen.artefact import Artefact, SourceFile, view
from dsgec.codegen.environment import Code, render
from dsgec.codegen.statements import JAVASCRIPT, functions_used


def emit_js(artefact: Artefact) -> tuple[SourceFile, ...]:
    """`name.mjs`, and its types: TypeScript looks for `.d.mts`, other tools for `.d.ts`."""
    name = artefact.name
    m = view(artefact, JAVASCRIPT)
    arithmetic = Code(js_source(functions_used(artefact.network, JAVASCRIPT)))
    return (
        SourceFile(f"{name}.mjs", render("js/module.mjs.j2", m=m, arithmetic=arithmetic)),
        SourceFile(f"{name}.d.mts", render("js/module.d.mts.j2", m=m)),
        SourceFile(f"{name}.d.ts", render("js/module.d.ts.j2", m=m)),
    )
