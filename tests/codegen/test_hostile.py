"""No name, label or text of a user becomes code; all of them arrive as they are."""

import ast
import json
import subprocess

import pytest
from cffi import FFI

from dsgec.codegen.artefact import Artefact
from dsgec.targets.registry import TARGETS
from tests.codegen.artefacts import COMPILERS, CLibrary, python_module, random_rows
from tests.codegen.hostile import hostile
from tests.generators import same_bits


@pytest.mark.parametrize("target", ["python", "numpy"])
def test_names_arrive_verbatim_and_change_nothing_in_python(target, names):
    text = TARGETS[target].emit(Artefact(names.model, "net"))[0].text
    module, tame = python_module(names.model, target), python_module(names.tame, target)
    table = random_rows(names.model, 3, 5)

    assert module.feature_names_in_ == names.names
    assert module.classes_ == names.labels
    assert module.metadata["target"] == names.names[0]
    assert module.metadata["columns"][1]["categories"] == list(names.labels[:3])
    assert {c for c in text if not c.isascii()} <= set("−≤·π")  # of our own comments
    calls = {ast.unparse(n.func) for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call)}
    assert not calls & {"__import__", "exec", "eval", "os.system"}
    assert same_bits(module.predict_proba(table), tame.predict_proba(table))
    assert module.selftest() and tame.selftest()
    named = dict(zip(names.names, [0.5, names.labels[2]] * (len(names.names) // 2), strict=True))
    assert len(module.predict_proba([named])) == 1


@pytest.mark.needs_cc
def test_names_arrive_verbatim_and_change_nothing_in_c(tmp_path, names):
    library = CLibrary(
        {"net": names.model, "tame": names.tame}, tmp_path, COMPILERS[0], "-DNET_DESCRIPTION", "-O0"
    )
    table = random_rows(names.model, 3, 5)
    text = (tmp_path / "net.c").read_text()

    assert text.isascii()
    assert "/* evil" not in text
    hostile, tame = (library.results(name, table, batch=True) for name in ("net", "tame"))
    assert same_bits(hostile, tame)
    assert library.selftest("net") == 0

    header = (tmp_path / "net.h").read_text()
    declared = [line for line in header.splitlines() if line.startswith("extern const char")]
    ffi = FFI()
    ffi.cdef("\n".join(declared) + "\nint net_category(int column, const char *text);")
    net = ffi.dlopen(str(next(tmp_path.glob("*.so"))))

    def texts(table):
        cells = [bytes(ffi.buffer(cell)) for cell in table]
        return tuple(cell[:-1].rstrip(b"\0").decode() for cell in cells)

    assert texts(net.net_feature_names) == tuple(name.rstrip("\0") for name in names.names)
    assert texts(net.net_class_names) == tuple(label.rstrip("\0") for label in names.labels)
    assert net.net_category(1, names.labels[2].encode()) == 2
    assert net.net_category(1, b"never seen") == -1
    assert net.net_category(0, names.labels[2].encode()) == -1
    pieces = [ffi.string(piece).decode() for piece in net.net_description]
    description = json.loads("".join(pieces))
    assert tuple(column["name"] for column in description["columns"]) == names.names
    assert tuple(description["classes"]) == names.labels


@pytest.mark.needs_cc
@pytest.mark.parametrize("compiler", COMPILERS)
def test_hostile_c_compiles_without_a_warning(compiler, tmp_path):
    for file in TARGETS["c"].emit(Artefact(hostile(60, 60).model, "net")):
        (tmp_path / file.name).write_text(file.text)
    command = [compiler, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-c"]
    subprocess.run([*command, "net.c", "-o", "net.o"], check=True, cwd=tmp_path)
