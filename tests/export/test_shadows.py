"""Verify reports files that could be loaded instead of an artefact, or that a run did not write."""

import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from functools import cache

import pytest

from dsgec.errors import DsgecError
from dsgec.export.files import export
from dsgec.run.verify import verify
from tests.support.command_line import dsgec
from tests.support.models import SMALL

TAG = sys.implementation.cache_tag
MODULE = [
    f"__pycache__/net.{TAG}.pyc",
    "__pycache__/net.cpython-399.opt-2.pyc",
    "net.abi3.so",
    "net.so",
    "net.cpython-311-x86_64-linux-gnu.so",
    "net.pyd",
    "net.pyc",
    "net/__init__.py",
    "net/__init__.pyc",
    "net/__init__.abi3.so",
]
IMPORTED = ["numpy.py", "numpy/__init__.py", "math.py", "sitecustomize.py", "json/__init__.py"]
PACKAGE = [
    "net.py",
    "net/_net.py",
    "net/_net/__init__.py",
    f"net/_net.{TAG}-x86_64-linux-gnu.so",
    f"net/__pycache__/__init__.{TAG}.pyc",
    "net/__init__.abi3.so",
    "_cffi_backend.py",
    "cffi/__init__.py",
]
HEADERS = ["stdint.h", "stddef.h"]
CRATE = ["build.rs", ".cargo", "rust-toolchain.toml", "src/main.rs", "src/bin"]
CRATE += ["tests/x.rs", "examples/x.rs", "benches/x.rs", "target"]
GO = ["planted.go", "planted_amd64.s", "planted.syso", "planted.swig", "vendor"]
SWEPT = ["tests", "examples", "benches", "META-INF"]
JAVA = ["String.java", "Network.class"]
CASES = [
    *(("python", file) for file in (*MODULE, *IMPORTED)),
    *(("numpy", file) for file in (*MODULE, *IMPORTED)),
    *(("cffi", file) for file in PACKAGE),
    *(("c", file) for file in HEADERS),
    *(("rust", f"net/{file}") for file in CRATE),
    *(("go", f"net/{file}") for file in GO),
    *(("java", f"net/{file}") for file in JAVA),
    ("java", "META-INF/services"),
]


@pytest.fixture(autouse=True)
def bytecode_beside_its_module(monkeypatch):
    """Let Python keep bytecode beside modules, as it does for users."""
    monkeypatch.delenv("PYTHONPYCACHEPREFIX")


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The folder of an export, made once for each target."""

    @cache
    def made(target):
        folder = tmp_path_factory.mktemp(target) / "out"
        export(SMALL, [target], "net", folder)
        return folder

    return made


@pytest.mark.parametrize(("target", "file"), CASES)
@pytest.mark.parametrize("kind", ["file", "link"])
def test_files_that_a_tool_could_prefer_or_include_are_reported(
    target, file, kind, exported, tmp_path
):
    if target == "cffi" and not shutil.which("cc"):
        pytest.skip("no C compiler")
    folder = tmp_path / "out"
    shutil.copytree(exported(target), folder)
    path = folder / file
    if path.parent.is_dir() or kind == "file":
        path.parent.mkdir(exist_ok=True)
        source = tmp_path / "planted"
        source.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
        shutil.copy(source, path) if kind == "file" else path.symlink_to(source)
    else:  # a link in the place of the folder
        (tmp_path / "planted").mkdir()
        (tmp_path / "planted" / path.name).touch()
        path.parent.symlink_to(tmp_path / "planted")
        path = path.parent
    with pytest.raises(DsgecError) as caught:
        verify(folder)

    whole = path.parent if path.parent.name in SWEPT else path
    assert str(whole) in str(caught.value)
    assert "in the place of what dsgec made" in str(caught.value)
    assert not (tmp_path / "ran").exists()


OBEYED = [
    *(("rust", f".cargo/{file}") for file in ("config", "config.toml")),
    *(("rust", file) for file in ("rust-toolchain", "rust-toolchain.toml")),
    ("go", "go.work"),
]


@pytest.mark.parametrize(("target", "file"), OBEYED)
@pytest.mark.parametrize("place", ["out", "."])
def test_files_above_an_export_that_tools_obey_are_named(target, file, place, exported, tmp_path):
    shutil.copytree(exported(target), tmp_path / "out")
    path = tmp_path / place / file
    path.parent.mkdir(exist_ok=True)
    path.touch()
    for named in ("out", "out/net"):
        with pytest.raises(
            DsgecError, match="changes what tools do with what dsgec made"
        ) as caught:
            verify(tmp_path / named)
        assert str(path) in str(caught.value)


def test_settings_of_cargo_that_hold_everywhere_are_not_named(exported, tmp_path, monkeypatch):
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / ".cargo"))
    (tmp_path / ".cargo").mkdir()
    (tmp_path / ".cargo" / "config.toml").touch()
    shutil.copytree(exported("rust"), tmp_path / "out")

    assert len(verify(tmp_path / "out")) == 1


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("net/tests/x.rs", "#[test] fn planted() { panic!() }"),
        ("net/examples/x.rs", "compile_error!();"),
        ("net/build.rs", "fn main() { panic!() }"),
        (".cargo/config.toml", "[build]\nrustc-wrapper = 'false'\n"),
        ("rust-toolchain.toml", "[toolchain]\npath = '/nowhere'\n"),
    ],
)
def test_cargo_obeys_the_files_in_the_lists_above(file, text, exported, tmp_path):
    if not shutil.which("cargo"):
        pytest.skip("cargo is not installed")
    shutil.copytree(exported("rust"), tmp_path / "out")
    command = ["cargo", "test", "--offline", "--quiet"]
    folder = tmp_path / "out" / "net"
    assert subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0
    path = tmp_path / "out" / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    shutil.rmtree(folder / "target")
    assert subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode != 0


def test_python_prefers_the_files_in_the_list_above(tmp_path):
    """An import in the folder runs each planted Python file."""
    for file in ("net/__init__.py", "numpy.py", "math.py", "json/__init__.py"):
        folder = tmp_path / file.replace("/", "-")
        export(SMALL, ["numpy"], "net", folder)
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text("print('planted'); raise SystemExit\n")
        name = "net" if file.startswith(("net", "numpy")) else file.split("/")[0].split(".")[0]
        command = [sys.executable, "-c", f"import {name}"]
        out = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        # math is built into some interpreters, and then no file can hide it
        assert "planted" in out.stdout or name in sys.builtin_module_names


def cached(folder, name, optimise="0"):
    """Import a module as a user would: Python keeps its bytecode beside it."""
    level = {"0": [], "1": ["-O"], "2": ["-OO"]}[optimise]
    command = [sys.executable, *level, "-c", f"import {name}"]
    subprocess.run(command, cwd=folder, check=True)
    return next(folder.rglob(f"*.opt-{optimise}.pyc" if optimise != "0" else "*.pyc"))


@pytest.mark.parametrize("target", ["python", "numpy", "cffi"])
@pytest.mark.parametrize("optimise", ["0", "2"])
def test_the_bytecode_that_python_keeps_is_refused_until_it_is_removed(target, optimise, tmp_path):
    if target == "cffi" and not shutil.which("cc"):
        pytest.skip("no C compiler")
    export(SMALL, [target], "net", tmp_path)
    path = cached(tmp_path, "net", optimise)
    with pytest.raises(DsgecError, match=r"Remove it\. Python writes it again") as caught:
        verify(tmp_path)
    assert str(path) in str(caught.value)

    path.unlink()
    assert len(verify(tmp_path)) == 1


def test_changed_bytecode_is_refused_and_not_loaded(tmp_path):
    export(SMALL, ["python"], "net", tmp_path)
    path = cached(tmp_path, "net")
    data = path.read_bytes()
    assert b"predict" in data
    path.write_bytes(data.replace(b"predict", b"Predict", 1))
    with pytest.raises(DsgecError, match="can be loaded in the place of what dsgec made"):
        verify(tmp_path)


def test_other_files_beside_an_artefact_are_ignored(tmp_path):
    export(SMALL, ["python"], "net", tmp_path)
    export(SMALL, ["c"], "net", tmp_path)
    for file in ("app.py", "notes.txt", "data.csv", "net.mjs", "board.h", "net_test.py"):
        (tmp_path / file).write_text("mine")
    (tmp_path / "net").mkdir()  # a folder that is no package is found last

    assert len(verify(tmp_path)) == 2
    assert len(verify(tmp_path / "net.py")) == 1


@pytest.mark.needs_cc
def test_a_wheel_is_compared_as_a_whole_file(tmp_path):
    export(SMALL, ["cffi"], "net", tmp_path, packages=["wheel"])
    (wheel,) = tmp_path.glob("*.whl")
    assert verify(wheel)
    data = wheel.read_bytes()
    start = data.index(b"PK\x01\x02")
    # A second local entry that the central directory does not list: some tools would unpack it.
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("net/__init__.py", "print('planted')")
    entry = (tmp_path / "other.zip").read_bytes()
    entry = entry[: entry.index(b"PK\x01\x02")]
    end = data.rindex(b"PK\x05\x06")
    directory = int.from_bytes(data[end + 16 : end + 20], "little") + len(entry)
    changed = data[:start] + entry + data[start : end + 16]
    wheel.write_bytes(changed + directory.to_bytes(4, "little") + data[end + 20 :])
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None  # it is a wheel still, to zipfile
    with pytest.raises(DsgecError, match=r"whl: not what .* cannot be proved here"):
        verify(wheel)


def test_a_run_lists_all_its_files_with_their_digests(run):
    lines = (run / "SHA256SUMS").read_text().splitlines()
    listed = {line[66:]: line[:64] for line in lines}
    there = {path.name for path in run.iterdir()} - {"SHA256SUMS", "timing.json"}

    assert set(listed) == there
    for name, digest in listed.items():
        assert hashlib.sha256((run / name).read_bytes()).hexdigest() == digest
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=run, check=True)


def edited(folder, name, old, new):
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1))


def test_a_better_accuracy_is_not_verified(run, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    assert "every file is as its SHA256SUMS lists it" in dsgec("verify", folder).stdout
    accuracy = json.loads((folder / "run.json").read_text())["result"]["test"]["accuracy"]
    edited(folder, "run.json", f'"accuracy": {accuracy}', '"accuracy": 0.999')
    answer = dsgec("verify", folder, code=1)
    assert f"{folder / 'run.json'}: changed" in answer.stderr

    dsgec("report", folder)  # the page says what run.json says, and the folder is not verified
    assert f"{folder / 'run.json'}: changed" in dsgec("verify", folder, code=1).stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: (folder / "history.csv").unlink(), "history.csv: in the manifest, but not"),
        (lambda folder: (folder / "more.txt").touch(), "more.txt: not in the manifest"),
        (lambda folder: (folder / "SHA256SUMS").unlink(), "SHA256SUMS: not there"),
        (lambda folder: (folder / "SHA256SUMS").write_text("?"), "is not the manifest of a run"),
        (lambda folder: (folder / "timing.json").touch(), ""),
    ],
)
def test_differences_from_the_manifest_are_reported(change, message, run, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    change(folder)
    answer = dsgec("verify", folder, code=1 if message else 0)
    assert message in answer.stderr


def test_a_run_whose_predictor_was_imported_is_verified_without_its_bytecode(run, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    path = cached(folder, "wdbc")
    errors = dsgec("verify", folder, code=1).stderr
    assert errors.count("error: ") == errors.count(str(path)) == 1
    assert "Remove it. Python writes it again." in errors

    shutil.rmtree(folder / "__pycache__")
    assert "every file is as its SHA256SUMS" in dsgec("verify", folder).stdout


def test_all_that_is_wrong_is_named_at_once(run, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    for name in ("numpy.py", "more.txt", "wdbc.so"):
        (folder / name).touch()
    edited(folder, "report.html", "<", " <")
    errors = dsgec("verify", folder, code=1).stderr

    for name in ("numpy.py", "more.txt", "wdbc.so", "report.html"):
        assert errors.count(str(folder / name)) == 1


def test_an_export_into_a_runs_folder_enters_its_manifest(run, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    dsgec("export", folder, "--to", "js")
    dsgec("export", folder, "--to", "python", "--pick", "at-most", "20")
    dsgec("report", folder)

    assert dsgec("verify", folder).stdout.count("every byte is what dsgec makes") == 4
