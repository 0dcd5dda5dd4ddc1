"""No name, label or text of a user becomes code; all of them arrive as they are."""

import ast
import json
import re
import string
import subprocess

import pytest
from cffi import FFI

from dsgec.export.artefact import Artefact
from dsgec.export.names import macro_endings
from dsgec.export.targets.target import TARGETS
from dsgec.literals import comment_text
from dsgec.network.model import Column, Model
from dsgec.network.parse import parse
from tests.support.artefacts import COMPILERS, CLibrary, python_module, random_rows
from tests.support.hostile import hostile
from tests.support.random_networks import same_bits


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


SAFE = frozenset(string.ascii_letters + string.digits + " _-+=.,:;()[]<>/")


def test_a_name_in_a_comment_cannot_end_the_comment(names):
    for name in (*names.names, *names.labels, "*/", "a??/\nb", "x\\", "//\\\nint y;", "\u202eevil"):
        text = comment_text(name)
        assert set(text) <= SAFE
        assert len(text) <= 62
    assert comment_text("current_A [m/s]") == "current_A [m/s]"
    assert comment_text("a*/b") == "a_/b"
    assert comment_text("\u202e\\\n") == ""


def test_macros_of_classes_are_legal_and_differ(names):
    endings = macro_endings(names.labels)
    assert len(set(endings)) == len(names.labels)
    assert all(re.fullmatch("[A-Z0-9_]+", ending) for ending in endings)
    labels = ["ok", "OK", "o k", "é", "漢", -1, 1, "", "ok_1"]
    assert macro_endings(labels) == [
        *("OK", "OK_1", "O_K", "E", "NUMBER_4", "MINUS_1", "1", "NUMBER_7", "OK_1_8"),
    ]


@pytest.mark.needs_cc
@pytest.mark.parametrize("dtype", ["double", "q15"])
def test_the_header_has_names_only_as_filtered_comments_and_macros(dtype, tmp_path):
    """After the preprocessor, the header of hostile names is that of tame ones."""
    texts = []
    given = hostile(30, 30)
    for folder, model in (("hostile", given.model), ("tame", given.tame)):
        (tmp_path / folder).mkdir()
        ranges = ((-2.0, 2.0),) * 30 if dtype == "q15" else ()
        artefact = Artefact(model, "net", dtype, selftest="quick", ranges=ranges)
        header = TARGETS["c"].emit(artefact)[0].text
        assert header.isascii()
        texts.append(header)
        (tmp_path / folder / "net.h").write_text(header)
    read = [
        subprocess.run(
            [COMPILERS[0], "-std=c99", "-E", "-P", f"{folder}/net.h"],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for folder in ("hostile", "tame")
    ]
    widths = re.compile(r"(_names|_categories)\[\d+\]\[\d+\]")
    assert widths.sub(r"\1", read[0]) == widths.sub(r"\1", read[1])
    defined = re.findall(r"^#define (NET_CLASS_\w+) (\d+)(?: /\* [^*\\?]+ \*/)?$", texts[0], re.M)
    assert [int(number) for _, number in defined] == list(range(30))


@pytest.mark.needs_cc
def test_the_macros_of_classes_are_the_values_of_predict(tmp_path):
    model = Model(
        parse("softmax(x_1, x_2, 0.5)", inputs=2),
        (Column("current_A"), Column("flow [l/min]")),
        ("dry run", "blocked", "ok"),
    )
    for file in TARGETS["c"].emit(Artefact(model, "pump", selftest="quick")):
        (tmp_path / file.name).write_text(file.text)
    header = (tmp_path / "pump.h").read_text()
    assert "#define PUMP_CLASS_DRY_RUN 0 /* dry run */\n" in header
    assert "#define PUMP_CLASS_OK 2\n" in header
    assert " *   x[0] current_A\n *   x[1] flow [l/min]\n" in header
    (tmp_path / "main.c").write_text(
        '#include "pump.h"\nint main(void) { const double x[] = { 0, 0.1 };\n'
        "return pump_predict(x) != PUMP_CLASS_OK; }\n"
    )
    command = [COMPILERS[0], "-DPUMP_NO_NAMES", "main.c", "pump.c", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert subprocess.run(["./main"], cwd=tmp_path, check=False).returncode == 0
