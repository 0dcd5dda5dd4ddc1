"""A WebAssembly module, its loader for browsers and Node, and the loader's types."""

from typing import Any

from dsgec.export.artefact import DTYPES, Artefact, SourceFile
from dsgec.export.targets.js import check_module, run_module
from dsgec.export.targets.target import Array, Files, Target, parse_json
from dsgec.export.targets.wasm.emit import SECTION, wasm_module
from dsgec.export.view import TemplateView
from dsgec.program.wasm_module import find_custom
from dsgec.rendering import Code, render

_ENDING = Code(".wasm.mjs")
_GIVEN = {"double": "Float64Array", "float": "Float32Array", "q15": "Int16Array", "q7": "Int8Array"}
_MADE = _GIVEN | {"q7": "Int16Array"}


def emit_wasm(artefact: Artefact) -> Files:
    """Return `name.wasm`, its loader `name.wasm.mjs`, and the types of the loader."""
    name = artefact.name
    m = TemplateView(artefact)
    loader = render(
        "wasm/loader.mjs.j2",
        m=m,
        ending=_ENDING,
        choice=Code("chosen(numbers(row))"),
        section=SECTION,
        given=Code(_GIVEN[artefact.dtype]),
        made=Code(_MADE[artefact.dtype]),
        function="predict_proba" if m.classes else "regress",
        stream=Code(render("wasm/stream.js.j2", s=m.stream).rstrip("\n")) if m.stream else Code(),
    )
    return (
        SourceFile(f"{name}.wasm", wasm_module(m)),
        SourceFile(f"{name}.wasm.mjs", loader),
        SourceFile(f"{name}.wasm.d.mts", render("js/module.d.mts.j2", m=m, ending=_ENDING)),
    )


def read_wasm(data: bytes) -> Any:
    """Return the metadata, which is JSON in a section, or None."""
    found = find_custom(data, SECTION)
    return None if found is None else parse_json(found)


def run_wasm(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Return the results for rows, computed by Node."""
    return run_module(f"{artefact.name}.wasm.mjs", artefact, files, rows)


def check_wasm(artefact: Artefact, files: Files) -> str:
    """Run the self-test of the module in Node."""
    return check_module(f"{artefact.name}.wasm.mjs", files)


TARGET = Target(
    ("{}.wasm", "{}.wasm.mjs", "{}.wasm.d.mts"),
    emit_wasm,
    read_wasm,
    run_wasm,
    dtypes=DTYPES,
    check=check_wasm,
    mark=bytes([len(SECTION)]) + SECTION.encode("ascii"),
)
