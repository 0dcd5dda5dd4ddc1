"""A package with a compiled extension, which Python imports."""

import platform
import sys

from dsgec.export.artefact import DTYPES, Artefact, SourceFile
from dsgec.export.targets.cffi.emit import emit_cffi
from dsgec.export.targets.cffi.package import build_package, package_compiler
from dsgec.export.targets.python import read_python
from dsgec.export.targets.running import SelfTestFailed, json_rows, run_commands
from dsgec.export.targets.target import Array, Build, Files, Target

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


def run_cffi(artefact: Artefact, files: Files, rows: Array) -> Array:
    """The results of rows, by the package in a process of its own."""
    more = SourceFile("run.py", _SCRIPT), SourceFile("rows.json", json_rows(artefact, rows))
    return run_commands((*files, *more), [sys.executable, "run.py", artefact.name])


def check_cffi(artefact: Artefact, files: Files) -> str:
    """Run the self-test of the package in a process of its own."""
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
