"""A JavaScript module and its types, which need nothing else, for browsers and Node."""

import re
from typing import Any

from dsgec.arithmetic.source import integer_source, js_source
from dsgec.export.artefact import Artefact, SourceFile, functions_called, view
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.statements import JAVASCRIPT
from dsgec.export.targets.reading import search_json
from dsgec.export.targets.running import SelfTestFailed, find_command, json_rows, run_commands
from dsgec.export.targets.target import Array, Files, Target
from dsgec.rendering import Code, render

_ENDING = Code(".mjs")
_METADATA = re.compile(rb"^export const metadata = frozen\((.*)\);$", re.MULTILINE)
_SCRIPT = """
import { readFileSync, writeFileSync } from "node:fs";
const net = await import(`./${process.argv[2]}`);
const rows = JSON.parse(readFileSync("rows.json", "utf8"));
const found = (net.predictProbaBatch ?? net.predictBatch)(rows);
writeFileSync("results", new Uint8Array(Float64Array.from(found.flat()).buffer));
"""
_SELFTEST = """
import { writeFileSync } from "node:fs";
const net = await import(`./${process.argv[2]}`);
writeFileSync("results", new Uint8Array(Float64Array.of(Number(net.selftest())).buffer));
"""


def emit_js(artefact: Artefact) -> Files:
    """`name.mjs`, and its types: TypeScript looks for `.d.mts`, other tools for `.d.ts`."""
    name = artefact.name
    m = view(artefact, JAVASCRIPT)
    functions = functions_called(artefact, JAVASCRIPT)
    module = render(
        "js/module.mjs.j2",
        m=m,
        ending=_ENDING,
        choice=Code("chosen(numbers(row))"),
        arithmetic=Code(integer_source("js", functions) if m.fixed else js_source(functions)),
    )
    return (
        SourceFile(f"{name}.mjs", module),
        SourceFile(f"{name}.d.mts", render("js/module.d.mts.j2", m=m, ending=_ENDING)),
        SourceFile(f"{name}.d.ts", render("js/module.d.ts.j2", m=m)),
    )


def read_js(data: bytes) -> Any:
    """The literal, which is JSON, that a module exports as `metadata`."""
    return search_json(_METADATA, data)


def run_js(artefact: Artefact, files: Files, rows: Array) -> Array:
    """The results of rows, by Node."""
    return run_module(f"{artefact.name}.mjs", artefact, files, rows)


def run_module(module: str, artefact: Artefact, files: Files, rows: Array) -> Array:
    """The results that a module of this interface gives of rows, by Node."""
    more = SourceFile("run.mjs", _SCRIPT), SourceFile("rows.json", json_rows(artefact, rows))
    return run_commands((*files, *more), [find_command("node"), "run.mjs", module])


def check_js(artefact: Artefact, files: Files) -> str:
    """Run the self-test of the module by Node."""
    return check_module(f"{artefact.name}.mjs", files)


def check_module(module: str, files: Files) -> str:
    """Run the self-test of a module of this interface by Node."""
    script = SourceFile("run.mjs", _SELFTEST)
    if not run_commands((*files, script), [find_command("node"), "run.mjs", module]).all():
        raise SelfTestFailed("its function selftest() returns false")
    return "run by Node"


TARGET = Target(
    ("{}.mjs", "{}.d.mts", "{}.d.ts"),
    emit_js,
    read_js,
    run_js,
    dtypes=("double", *STORED_BITS),
    check=check_js,
)
