"""A JavaScript module and its types for browsers and Node, without dependencies."""

import re

from dsgec.arithmetic.source import integer_source, js_source
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.printed import printed_network
from dsgec.export.targets.running import SelfTestFailed, find_command, json_rows, run_commands
from dsgec.export.targets.target import Array, Files, Target, metadata_reader
from dsgec.export.view import TemplateView
from dsgec.program.print_js import JavaScriptPrinter
from dsgec.rendering import Code, render

_ENDING = Code(".mjs")
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
    """Return `name.mjs` and its types: TypeScript reads `.d.mts`, other tools `.d.ts`."""
    name = artefact.name
    m = TemplateView(artefact)
    network = printed_network(JavaScriptPrinter(artefact.program), name)
    functions = network.functions
    module = render(
        "js/module.mjs.j2",
        m=m,
        ending=_ENDING,
        choice=Code("chosen(numbers(row))"),
        arithmetic=Code(integer_source("js", functions) if m.fixed else js_source(functions)),
        network=network,
        stream=m.stream.printed(JavaScriptPrinter) if m.stream else Code(),
    )
    return (
        SourceFile(f"{name}.mjs", module),
        SourceFile(f"{name}.d.mts", render("js/module.d.mts.j2", m=m, ending=_ENDING)),
        SourceFile(f"{name}.d.ts", render("js/module.d.ts.j2", m=m)),
    )


def run_js(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Return the results for rows, computed by Node."""
    return run_module(f"{artefact.name}.mjs", artefact, files, rows)


def run_module(module: str, artefact: Artefact, files: Files, rows: Array) -> Array:
    """Return the results for rows of a module with this interface, computed by Node."""
    more = SourceFile("run.mjs", _SCRIPT), SourceFile("rows.json", json_rows(artefact, rows))
    return run_commands((*files, *more), [find_command("node"), "run.mjs", module])


def check_js(artefact: Artefact, files: Files) -> str:
    """Run the self-test of the module in Node."""
    return check_module(f"{artefact.name}.mjs", files)


def check_module(module: str, files: Files) -> str:
    """Run the self-test of a module with this interface in Node."""
    script = SourceFile("run.mjs", _SELFTEST)
    if not run_commands((*files, script), [find_command("node"), "run.mjs", module]).all():
        raise SelfTestFailed("its function selftest() returns false")
    return "run by Node"


TARGET = Target(
    ("{}.mjs", "{}.d.mts", "{}.d.ts"),
    emit_js,
    metadata_reader(re.compile(rb"^export const metadata = frozen\((.*)\);$", re.MULTILINE)),
    run_js,
    dtypes=("double", *STORED_BITS),
    check=check_js,
)
