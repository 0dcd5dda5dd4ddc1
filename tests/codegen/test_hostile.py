"""No name, label or text of a user becomes code; all of them arrive as they are."""

import ast
import json
import subprocess

import pytest
from cffi import FFI

from dsgec.codegen.artefact import Artefact
from dsgec.codegen.targets import TARGETS
from dsgec.network.model import Column, Model
from dsgec.network.parse import parse
from tests.codegen.artefacts import COMPILERS, CLibrary, python_module, random_rows
from tests.codegen.hostile import hostile_names
from tests.generators import same_bits

NAMES = hostile_names(2000)
LABELS = hostile_names(300, seed=2)


def model(names, labels):
    """Every second column has categories, which are hostile, too."""
    columns = tuple(
        Column(name, "category", tuple(labels[:3]), 1.0) if number % 2 else Column(name)
        for number, name in enumerate(names)
    )
    inputs = sum(len(column.features) for column in columns)
    outputs = [f"x_{i % inputs + 1} * {i}.5" for i in range(len(labels))]
    text = f"softmax({', '.join(outputs)})"
    return Model(parse(text, inputs=inputs), columns, tuple(labels), names[0])


HOSTILE = model(NAMES, LABELS)
TAME = model([f"n{i}" for i in range(len(NAMES))], [f"l{i}" for i in range(len(LABELS))])


@pytest.mark.parametrize("target", ["python", "numpy"])
def test_names_arrive_verbatim_and_change_nothing_in_python(target):
    text = TARGETS[target].emit(Artefact(HOSTILE, "net"))[0].text
    module, tame = python_module(HOSTILE, target), python_module(TAME, target)
    table = random_rows(HOSTILE, 3, 5)

    assert module.feature_names_in_ == NAMES
    assert module.classes_ == LABELS
    assert module.metadata["target"] == NAMES[0]
    assert module.metadata["columns"][1]["categories"] == list(LABELS[:3])
    assert {c for c in text if not c.isascii()} <= set("−≤·π")  # of our own comments
    calls = {ast.unparse(n.func) for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call)}
    assert not calls & {"__import__", "exec", "eval", "os.system"}
    assert same_bits(module.predict_proba(table), tame.predict_proba(table))
    assert module.selftest() and tame.selftest()
    named = dict(zip(NAMES, [0.5, LABELS[2]] * 1000, strict=True))
    assert len(module.predict_proba([named])) == 1


@pytest.mark.needs_cc
def test_names_arrive_verbatim_and_change_nothing_in_c(tmp_path):
    library = CLibrary(
        {"net": HOSTILE, "tame": TAME}, tmp_path, COMPILERS[0], "-DNET_DESCRIPTION", "-O0"
    )
    table = random_rows(HOSTILE, 3, 5)
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

    assert texts(net.net_feature_names) == tuple(name.rstrip("\0") for name in NAMES)
    assert texts(net.net_class_names) == tuple(label.rstrip("\0") for label in LABELS)
    assert net.net_category(1, LABELS[2].encode()) == 2
    assert net.net_category(1, b"never seen") == -1
    assert net.net_category(0, LABELS[2].encode()) == -1
    pieces = [ffi.string(piece).decode() for piece in net.net_description]
    description = json.loads("".join(pieces))
    assert tuple(column["name"] for column in description["columns"]) == NAMES
    assert tuple(description["classes"]) == LABELS


@pytest.mark.needs_cc
@pytest.mark.parametrize("compiler", COMPILERS)
def test_hostile_c_compiles_without_a_warning(compiler, tmp_path):
    small = model(NAMES[:60], LABELS[:60])
    for file in TARGETS["c"].emit(Artefact(small, "net")):
        (tmp_path / file.name).write_text(file.text)
    command = [compiler, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-c"]
    subprocess.run([*command, "net.c", "-o", "net.o"], check=True, cwd=tmp_path)
