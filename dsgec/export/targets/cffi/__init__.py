"""A Python package with a compiled extension."""

import platform
import sys

from dsgec.engine.extension import build_extension
from dsgec.engine.toolchain import CompileError, Toolchain, compilers
from dsgec.errors import DsgecError
from dsgec.export.artefact import DTYPES, Artefact, SourceFile
from dsgec.export.targets.cffi.emit import emit_cffi
from dsgec.export.targets.python import read_python
from dsgec.export.targets.running import SelfTestFailed, json_rows, run_commands
from dsgec.export.targets.target import Array, Build, Files, Target

_WITHOUT = "The targets python, numpy and js need no compiler."
_SCRIPT = """
import array, importlib, json, sys
sys.path.insert(0, ".")
net = importlib.import_module(sys.argv[1])
with open("rows.json") as file:
    found = getattr(net, "predict_proba", net.predict)(json.load(file), nan="propagate")
values = (value for row in found for value in (row if isinstance(row, list) else [row]))
with open("results", "wb") as file:
    array.array("d", values).tofile(file)
"""
_SELFTEST = """
import array, importlib, sys
sys.path.insert(0, ".")
net = importlib.import_module(sys.argv[1])
with open("results", "wb") as file:
    array.array("d", [net.selftest()]).tofile(file)
"""


def build_package(artefact: Artefact, files: Files) -> Files:
    """Compile the C that `emit_cffi` emitted, and return the package."""
    name = artefact.name
    texts = {file.name: file.text for file in files}
    source, declarations = texts[f"{name}/_{name}.c"], texts[f"{name}/_{name}.h"]
    toolchain = package_compiler()
    try:
        module = f"{name}._{name}"
        library = build_extension(module, str(source), str(declarations), toolchain)
    except CompileError as error:
        raise DsgecError(str(error), _WITHOUT) from error
    return (files[0], SourceFile(f"{name}/_{name}.abi3.so", library))


def package_compiler() -> Toolchain:
    """Return the compiler for packages, or raise DsgecError if there is none."""
    toolchain = next((each for each in compilers() if each.tcc is None), None)
    if toolchain is None:
        raise DsgecError(
            "the target cffi needs a C compiler, and there is none",
            f"Install gcc or clang. {_WITHOUT}",
        )
    return toolchain


def run_cffi(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Return the results for rows, computed by the package in a separate process."""
    more = SourceFile("run.py", _SCRIPT), SourceFile("rows.json", json_rows(artefact, rows))
    return run_commands((*files, *more), [sys.executable, "run.py", artefact.name])


def check_cffi(artefact: Artefact, files: Files) -> str:
    """Run the self-test of the package in a separate process."""
    script = SourceFile("run.py", _SELFTEST)
    if not run_commands((*files, script), [sys.executable, "run.py", artefact.name]).all():
        raise SelfTestFailed("its function selftest() returns False")
    return f"run by Python {platform.python_version()}"


TARGET = Target(
    ("{0}/__init__.py", "{0}/_{0}.abi3.so"),
    emit_cffi,
    read_python,
    run_cffi,
    dtypes=DTYPES,
    check=check_cffi,
    build=Build(build_package, lambda: package_compiler().identity),
)
