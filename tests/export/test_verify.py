"""An artefact is rebuilt from what it carries; what was changed is found, and never run."""

import json
import re
import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from dsgec.data.read import read_table
from dsgec.engine.toolchain import CompileError
from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact, with_smaller_layout
from dsgec.export.files import export, exported_paths, parse_targets
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.number_format import REALS
from dsgec.export.read import open_artefacts
from dsgec.export.targets.c.image import Compiler
from dsgec.export.targets.target import TARGETS
from dsgec.folder import open_folder
from dsgec.network.cost.chips import CHIPS, priced_dtypes
from dsgec.network.model import Column, Model, plain_columns, unnamed_model
from dsgec.network.parse import parse
from dsgec.run.inspect import inspect_artefact, operations
from dsgec.run.predict import predictions
from dsgec.run.result_folder import clear_run
from dsgec.run.verify import verify
from tests.support.columns import MODEL
from tests.support.command_line import dsgec
from tests.support.hostile import hostile_names
from tests.support.models import GRADED, IRIS, SMALL

PLAIN = ["c", "python", "numpy"]
MAIN = {"c": "net.c", "python": "net.py", "numpy": "net.py"}


def read_artefact(path):
    """The artefact of one file."""
    with open_artefacts(path) as found:
        return found[0]


@pytest.mark.parametrize("target", PLAIN)
@pytest.mark.parametrize("model", [IRIS, MODEL, unnamed_model(parse("x_1 ^ 3"))])
def test_an_artefact_carries_its_model(target, model, tmp_path):
    export(model, [target], "net", tmp_path)
    found = read_artefact(tmp_path / MAIN[target])

    assert found.artefact == Artefact(model, "net")
    (line,) = verify(tmp_path / MAIN[target])
    assert f"{target}, double, model {found.artefact.model_id}" in line


FURTHER = {"js": "net.mjs", "wasm": "net.wasm", "cffi": "net/__init__.py", "onnx": "net.onnx"}
FURTHER |= {"rust": "net/src/lib.rs", "java": "net/Network.java", "go": "net/network.go"}


@pytest.mark.parametrize("target", [*PLAIN, *FURTHER])
def test_an_artefact_carries_the_threshold_of_its_model(target, tmp_path):
    if target == "onnx":
        pytest.importorskip("onnx", reason="onnx is not installed")
    if target == "cffi" and not shutil.which("cc"):
        pytest.skip("no C compiler")
    columns = plain_columns(("a", "b"))
    model = Model(parse("sig(2.5 * x_1 - 1.25 * x_2)"), columns, ("no", "yes"), "y", 0.2)
    export(model, [target], "net", tmp_path)

    assert read_artefact(tmp_path / (MAIN | FURTHER)[target]).artefact == Artefact(model, "net")
    (line,) = verify(tmp_path)
    assert "every byte is what dsgec makes" in line


@pytest.mark.parametrize("target", FURTHER)
def test_other_artefacts_carry_their_model_too(target, tmp_path):
    if target == "onnx":
        pytest.importorskip("onnx", reason="onnx is not installed")
    if target == "cffi" and not shutil.which("cc"):
        pytest.skip("no C compiler")
    export(MODEL, [target], "net", tmp_path)
    path = tmp_path / FURTHER[target]
    assert read_artefact(path).artefact == Artefact(MODEL, "net")
    assert read_artefact(path).makers == (target,)
    for given in (path, tmp_path):
        (line,) = verify(given)
        assert f"{target}, double, model" in line
    if target in ("onnx", "wasm"):
        path.write_bytes(path.read_bytes()[:-30])
    elif target == "cffi":
        library = tmp_path / "net" / "_net.abi3.so"
        data = bytearray(library.read_bytes())
        data[len(data) // 2] ^= 1
        library.write_bytes(data)
    else:
        path.write_text(path.read_text().replace("1.0", "2.0"))
    with pytest.raises(DsgecError):
        verify(path)


@pytest.mark.parametrize("target", ["c", "js", "wasm", "rust", "java", "go"])
def test_any_file_of_an_artefact_names_it(target, tmp_path, monkeypatch):
    for path in export(SMALL, [target], "net", tmp_path):
        assert len(verify(path)) == 1
        monkeypatch.chdir(path.parent)
        (line,) = verify(Path(path.name))
        assert f"{target}, double, model" in line


@pytest.mark.campaign
def test_several_languages_share_a_folder(tmp_path):
    languages = ["rust", "java", "go", "python"]
    paths = export(SMALL, languages, "net", tmp_path)
    assert len(set(paths)) == 10
    for folder, count in ((tmp_path, 4), (tmp_path / "net", 3)):
        output = verify(folder)
        assert len(output) == count
        assert len(inspect_artefact(folder)) >= 7 * count
        assert (
            sum(f"{name}, double, model" in line for name in languages for line in output) == count
        )
    with open_folder(tmp_path) as folder:
        assert set(exported_paths(languages, "net", folder)) == set(paths)


def test_a_damaged_artefact_is_not_passed_over(tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed")
    (path,) = export(SMALL, ["onnx"], "net", tmp_path)
    path.write_bytes(path.read_bytes()[:-30])

    with pytest.raises(DsgecError, match=r"net\.onnx does not carry the model"):
        verify(tmp_path)


@pytest.mark.needs_cc
def test_a_package_is_run_on_a_table(tmp_path):
    export(IRIS, ["cffi"], "net", tmp_path)
    (tmp_path / "t.csv").write_text(
        "sepal length,sepal width,petal length,petal width\n5.1,3.5,1.4,0.2\n6.0,2.2,4.0,1.0\n"
    )
    lines = verify(tmp_path, read_table(str(tmp_path / "t.csv")))
    assert "2 rows of" in lines[1]
    assert "give the same bits" in lines[1]


TABLE = "size,grade\n1.5,2\n,1\n3.25,7\n-1e30,1\n"


COMMANDS = {
    **{"js": "node", "wasm": "node", "rust": "rustc", "java": "javac", "go": "go"},
    "verilog": "iverilog",
}
# Compilers take their time; tests/export has these languages in other types, and
# tests/export/fixed has integers of both lengths.
SELDOM = {"go": ("double", "float", "q7")}
SELDOM |= dict.fromkeys(("rust", "java"), ("double", "float", "q15", "q7"))
SELDOM |= dict.fromkeys(("js", "wasm", "numpy"), ("q7",))
CASES = [
    pytest.param(name, dtype, marks=[pytest.mark.campaign] * (dtype in SELDOM.get(name, ())))
    for name, target in TARGETS.items()
    for dtype in target.dtypes
]


@pytest.mark.needs_cc
@pytest.mark.parametrize(("target", "dtype"), CASES)
def test_every_target_is_run_on_a_table(target, dtype, tmp_path):
    if target == "onnx":
        pytest.importorskip("onnx", reason="onnx is not installed")
        pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    if target in COMMANDS and not shutil.which(COMMANDS[target]):
        pytest.skip(f"{COMMANDS[target]} is not installed")
    (tmp_path / "t.csv").write_text(TABLE)
    table = read_table(str(tmp_path / "t.csv"))
    ranges = {"*": (-4.0, 4.0)} if dtype in STORED_BITS else {}
    export(GRADED, [target], "net", tmp_path / "out", dtype, ranges=ranges)
    line = verify(tmp_path / "out", table)[-1]

    assert f"4 rows of {table.source} " in line
    assert ("agree within 1e-06" if TARGETS[target].tolerance else "give the same bits") in line
    assert ("; 0 labels differ" in line) == (dtype in STORED_BITS)


@pytest.mark.needs_cc
def test_an_artefact_that_cannot_be_run_is_reported(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(TABLE)
    table = read_table(str(tmp_path / "t.csv"))
    export(GRADED, ["js"], "net", tmp_path / "js")
    monkeypatch.setattr("dsgec.export.targets.running.shutil.which", lambda _: None)
    with pytest.raises(DsgecError, match="no node here"):
        verify(tmp_path / "js", table)

    def fail(*_):
        raise CompileError("it failed")

    export(GRADED, ["c"], "net", tmp_path / "c")
    monkeypatch.setattr("dsgec.export.targets.c.run.compile_files", fail)
    with pytest.raises(DsgecError, match="it failed"):
        verify(tmp_path / "c", table)


@pytest.fixture
def without_costs(monkeypatch):
    """Skip the costs on chips, for which C would be compiled."""
    monkeypatch.setattr("dsgec.run.inspect._cost_lines", lambda *_: [])


@pytest.mark.needs_cc
@pytest.mark.usefixtures("without_costs")
def test_a_wheel_is_verified_and_inspected(tmp_path):
    export(SMALL, ["cffi"], "net", tmp_path, "float", packages=["wheel"])
    (wheel,) = tmp_path.glob("*.whl")
    (line,) = verify(wheel)
    assert "wheel, float, model" in line
    assert "every byte" in line
    assert f"{wheel} (wheel)" in inspect_artefact(wheel)[0]
    assert len(verify(tmp_path)) == 2

    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("net/more.py", "print('run')")
    with pytest.raises(DsgecError, match=r"whl: not what .* makes"):
        verify(wheel)
    wheel.write_bytes(b"PK")
    with pytest.raises(DsgecError, match="does not carry the model"):
        verify(wheel)


@pytest.mark.needs_cc
def test_a_package_of_another_compiler_is_reported_as_such(tmp_path):
    export(SMALL, ["cffi"], "net", tmp_path)
    library = tmp_path / "net" / "_net.abi3.so"
    library.write_bytes(library.read_bytes() + b"\0")

    with pytest.raises(DsgecError, match=r"_net\.abi3\.so: not what .* built by another"):
        verify(tmp_path)


@pytest.mark.usefixtures("without_costs")
def test_foreign_files_in_a_folder_are_passed_over(tmp_path):
    export(SMALL, ["python"], "net", tmp_path)
    (tmp_path / "other.onnx").write_bytes(b"\x08\x08foreign")
    (tmp_path / "other.whl").write_bytes(b"foreign")

    assert len(verify(tmp_path)) == 1
    assert inspect_artefact(tmp_path)


@pytest.mark.needs_cc
def test_a_package_does_not_hide_a_module(tmp_path):
    with pytest.raises(DsgecError, match=r"the package net/ would hide the module net\.py"):
        export(SMALL, ["python", "cffi"], "net", tmp_path)
    assert not list(tmp_path.iterdir())
    export(SMALL, ["numpy"], "net", tmp_path)
    with pytest.raises(DsgecError, match=r"would hide the module net\.py"):
        export(SMALL, ["cffi"], "net", tmp_path)


@pytest.mark.needs_cc
def test_files_exported_into_a_run_are_removed_with_it(run, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    keep = folder / "kept.txt"
    keep.touch()
    for target in ("c", "js", "wasm", "cffi"):
        export(SMALL, [target], "net", folder, packages=["wheel"] * (target == "cffi"))
    (folder / "net" / "__pycache__").mkdir()
    (folder / "net" / "__pycache__" / "_net.pyc").touch()
    with open_folder(folder) as opened:
        clear_run(opened)

    assert list(folder.iterdir()) == [keep]


def test_constants_beyond_single_precision_are_no_mistake_to_inspect(tmp_path):
    export(unnamed_model(parse("x_1 * 1e300")), ["c"], "net", tmp_path)
    text = "\n".join(inspect_artefact(tmp_path))

    assert "float  not possible: 1e+300 is too large for the type float" in text
    assert re.search(r"cortex-m0plus double +\d", text)


def test_the_tools_of_a_compiler_are_found_beside_it():
    compiler = Compiler("/opt/gcc-12/bin/arm-none-eabi-gcc", "", ())

    assert compiler.tool("nm") == "/opt/gcc-12/bin/arm-none-eabi-nm"


def test_hostile_names_survive_the_way_through_an_artefact(tmp_path):
    names = hostile_names(200)
    columns = tuple(Column(name, "category", names[:50]) for name in names[:40])
    model = Model(parse("sig(x_1)", inputs=2000), columns, names[:2], names[3])
    for target in PLAIN:
        export(model, [target], "net", tmp_path / target)
        assert read_artefact(tmp_path / target / MAIN[target]).artefact.model == model
        verify(tmp_path / target)


def test_a_float_artefact_is_verified_as_such(tmp_path):
    export(IRIS, ["c"], "iris", tmp_path, "float")

    assert "iris.c: c, float, model" in verify(tmp_path)[0]


@pytest.mark.parametrize("target", PLAIN)
def test_a_change_is_found_with_its_line(target, tmp_path):
    for file in TARGETS[target].emit(Artefact(IRIS, "net")):
        if file.name.endswith(".md"):
            continue
        export(IRIS, [target], "net", tmp_path)
        path = tmp_path / file.name
        lines = path.read_text().splitlines(keepends=True)
        number = len(lines) * 2 // 3
        lines[number] = lines[number].rstrip("\n") + " \n"
        path.write_text("".join(lines))
        with pytest.raises(DsgecError, match=rf"{file.name}:{number + 1}: this is not what dsgec"):
            verify(tmp_path)


def test_code_that_was_added_does_not_run(tmp_path):
    export(IRIS, ["numpy"], "net", tmp_path)
    path = tmp_path / "net.py"
    path.write_text(path.read_text() + f"open({str(tmp_path / 'ran')!r}, 'w')\n")

    with pytest.raises(DsgecError, match="this is not what dsgec makes"):
        verify(tmp_path)
    inspect_artefact(tmp_path)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("target", PLAIN)
def test_another_weight_in_the_model_is_found(target, tmp_path):
    export(IRIS, [target], "net", tmp_path)
    path = tmp_path / MAIN[target]
    text = path.read_text()
    old = "0.52 \\052 x_1" if target == "c" else "0.52 * x_1"
    assert old in text
    path.write_text(text.replace(old, old.replace("0.52", "0.53")))

    with pytest.raises(DsgecError, match="is not the one whose id it states"):
        verify(path)


def test_an_artefact_of_another_version_is_reported(tmp_path):
    export(IRIS, ["numpy"], "net", tmp_path)
    path = tmp_path / "net.py"
    text = path.read_text().replace("dsgec 0.1.0", "dsgec 9.9.9")
    path.write_text(text)
    assert "every byte" in verify(path)[0]

    path.write_text(text + "\n")
    with pytest.raises(DsgecError, match=r"made by dsgec 9\.9\.9, and this is"):
        verify(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"metadata = __import__('os')",
        b"metadata = {}",
        b"metadata = []",
        b"metadata = {'network': 3}",
        b"metadata = {'network': 'y_1 = 1'}",
        b"metadata = {'network': 'y_1 = ', 'columns': []}",
        b"metadata = {'network': 'y_1 = 1', 'columns': [], 'generator': 'dsgec 1\\n#'}",
        b"metadata = " + b"(" * 5000,
        b"metadata = " + b"-" * 100_000 + b"1",
    ],
    ids=lambda content: repr(content[:60]),
)
def test_a_file_that_carries_no_model_is_a_mistake(content, tmp_path):
    path = tmp_path / "net.py"
    path.write_bytes(content)

    with pytest.raises(DsgecError):
        verify(path)


@pytest.mark.parametrize("name", ["none.py", "none.txt", "folder"])
def test_a_missing_artefact_is_a_mistake(name, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(DsgecError):
        verify(tmp_path / name)
    with pytest.raises(DsgecError):
        inspect_artefact(tmp_path / name)


def test_the_exports_of_a_run_are_verified_against_it_and_on_data(run, tmp_path):
    lines = dsgec("verify", run, "--data", "wdbc").stdout.splitlines()

    assert sum("every byte is what dsgec makes" in line for line in lines) == 2
    assert sum("569 rows of wdbc give the same bits" in line for line in lines) >= 1
    folder = tmp_path / "run"
    subprocess.run(["cp", "-r", str(run), str(folder)], check=True)
    export(IRIS, ["numpy"], "other", folder)
    assert "is not of the run" in dsgec("verify", folder, code=1).stderr


def test_inspect_describes_an_artefact_and_its_costs(run, tmp_path):
    text = dsgec("inspect", run).stdout
    export(MODEL, ["c"], "net", tmp_path)
    mixed = dsgec("inspect", tmp_path / "net.h").stdout

    assert json.loads((run / "run.json").read_text())["model"]["id"] in text
    assert "'benign', 'malignant' (`diagnosis`)" in text
    assert "5 columns, 4 of them read; 3 of texts; 3 may be missing" in mixed
    # 2x + 10b + 100r + 200g + 400b + 1000f: the last factors and the scaling of the first column
    assert "6 multiplications, 3 fill, 6 additions, 1 divisions, 5 is" in mixed
    for chip in CHIPS:
        for dtype in priced_dtypes(chip):
            line = re.compile(rf"  {chip} +{dtype} +[\d,]+ .* at \d+ MHz$", re.MULTILINE)
            assert line.search(text)
            # Of a double export the ranges of columns are not known.
            assert bool(line.search(mixed)) == (dtype in REALS)


def test_inspect_estimates_a_fixed_point_export_in_all_types(tmp_path):
    model = Model(
        parse("sig(2 * x_1 - 3 * x_2)", inputs=2), plain_columns(("a", "b")), ("no", "yes")
    )
    export(model, ["c"], "net", tmp_path, "q7", ranges={"*": (-1.0, 1.0)})
    lines = dsgec("inspect", tmp_path / "net.h").stdout.splitlines()
    kinds = [tuple(line.split()[:2]) for line in lines if line.endswith("MHz")]

    assert {*kinds} == {(chip, dtype) for chip in CHIPS for dtype in priced_dtypes(chip)}
    assert [dtype for _, dtype in kinds[:4]] == ["q7"] * 4
    own = with_smaller_layout(Artefact(model, "net", "q7", ranges=((-1.0, 1.0),) * 2))
    for chip, line in zip(CHIPS, [line for line in lines if " q7 " in line], strict=True):
        assert line.split()[2] == f"{own.cost(chip).flash:,}"


def test_operations_are_counted():
    counts = operations(parse("y_1 = 2 * x_1 ^ 5 + sig(x_1 / x_2) - x_1 ^ -2"))

    assert counts == {"multiplications": 5, "additions": 2, "divisions": 2, "sig": 1}


def test_two_targets_that_write_the_same_file_are_a_mistake(tmp_path):
    with pytest.raises(DsgecError, match=r"would write net\.py"):
        export(IRIS, ["python", "numpy"], "net", tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_unknown_target_is_a_mistake():
    names = "c, python, numpy, cffi, js, wasm, rust, java, go, verilog, onnx"
    with pytest.raises(DsgecError, match=f"unknown target `cobol`; choose from {names}$"):
        parse_targets("c,cobol")


def test_a_type_that_a_target_does_not_have_is_a_mistake(tmp_path):
    with pytest.raises(DsgecError, match="`numpy` cannot be of the type float"):
        export(IRIS, parse_targets("c,numpy"), "net", tmp_path, "float")


def test_predictions_without_a_number_have_no_label(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1e200,\n1.0,2\n")
    model = Model(
        parse("sig(x_1 * 1e200 * 0.0)", inputs=2), plain_columns(("a", "b")), ("no", "yes")
    )
    lines = predictions(model, read_table(str(tmp_path / "t.csv"))).splitlines()

    assert lines == ["predicted,p(no),p(yes)", ",nan,nan", "yes,0.5,0.5"]


def test_a_run_searches_quickly_for_its_self_test_and_an_export_in_full(run, tmp_path):
    dsgec("export", run, "--to", "numpy", "-o", tmp_path)
    own, exported_paths = (read_artefact(folder / "wdbc.py").artefact for folder in (run, tmp_path))

    assert (own.selftest, exported_paths.selftest) == ("quick", "full")
    assert replace(own, selftest="full") == exported_paths
    assert "every byte is what dsgec makes" in dsgec("verify", tmp_path).stdout


def test_an_unknown_effort_is_refused(run, tmp_path):
    text = (run / "wdbc.py").read_text()
    (tmp_path / "wdbc.py").write_text(text.replace("'selftest': 'quick'", "'selftest': 'slow'"))

    assert "does not say what made it" in dsgec("verify", tmp_path, code=1).stderr


@pytest.mark.usefixtures("without_costs")
def test_inspect_counts_the_self_test_rows_that_the_c_of_a_run_has(tmp_path):
    from dsgec import evolve

    run = evolve(
        {"a": [0.1 * i for i in range(40)], "y": [i // 20 for i in range(40)]},
        "y",
        **{"population": 4, "generations": 1, "backend": "numpy", "out": tmp_path / "run"},
    )
    assert run.network
    (line,) = [one for one in inspect_artefact(tmp_path / "run") if "self-test" in one]
    (source,) = (tmp_path / "run").glob("*_selftest.c")
    rows = int(re.search(r"_ROWS (\d+)\n", source.read_text())[1])
    assert line.split()[1] == str(rows)
