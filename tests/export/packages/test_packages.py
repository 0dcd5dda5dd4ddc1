"""A package is one archive: made of a target's files, the same bytes again, proved as a whole."""

import re
import zipfile

import pytest

import dsgec as library
from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.export.files import export, parse_packages
from dsgec.export.packages import DESCRIPTIONS
from dsgec.export.packages.registry import PACKAGES
from dsgec.export.targets.target import TARGETS
from dsgec.network.model import unnamed_model
from dsgec.network.parse import parse
from dsgec.run.inspect import inspect_artefact
from dsgec.run.verify import verify
from tests.support.command_line import dsgec
from tests.support.models import IRIS
from tests.support.packages import HOSTILE, RANGES, artefact_of, unpacked

SMALL = unnamed_model(parse("sig(2.5 * x_1 - 1.25 * x_2)"))
PROVED = [
    # The numbers of q15 take a while to find, and packages of C differ in what is around them.
    pytest.param(
        *(package, dtype),
        marks=[pytest.mark.campaign] * (dtype == "q15" and package not in ("cmake", "micropython")),
    )
    for dtype in ("double", "float", "q15")
    for package, made in PACKAGES.items()
    if made.suffix == ".zip" and dtype in made.dtypes
]
ARCHIVES = [name for name, package in PACKAGES.items() if package.suffix == ".zip"]


@pytest.mark.parametrize(("package", "dtype"), PROVED)
def test_a_package_is_proved_as_a_whole_file(package, dtype, tmp_path, monkeypatch):
    ranges = RANGES if dtype == "q15" else {}
    (path,) = export(SMALL, (), "net", tmp_path, dtype, packages=[package], ranges=ranges)
    (line,) = verify(path)
    assert f"{package}, {dtype}, model" in line
    monkeypatch.setattr("dsgec.run.inspect._cost_lines", lambda *_: [])  # which compiles it
    assert inspect_artefact(path)[0] == f"{path} ({package})"

    renamed = path.rename(tmp_path / "other.zip")
    assert len(verify(tmp_path)) == 1
    data = renamed.read_bytes()
    for place in (len(data) // 2, len(data) - 30):
        renamed.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(DsgecError):
            verify(renamed)


def test_a_package_of_a_model_can_be_run_on_a_table(tmp_path):
    export(SMALL, (), "net", tmp_path, packages=["cmake", "micropython"])
    table = tmp_path / "t.csv"
    table.write_text("x_1,x_2\n1.5,2\n-3,1e9\n")
    output = dsgec("verify", tmp_path, "--data", table).stdout

    assert output.count("2 rows of") == output.count("give the same bits") == 2


def test_the_same_model_makes_the_same_bytes(tmp_path):
    for folder in ("a", "b"):
        export(SMALL, (), "net", tmp_path / folder, packages=ARCHIVES)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
        with zipfile.ZipFile(path) as archive:
            first, *names = [entry.filename for entry in archive.infolist()]
            assert names == sorted(names)
            assert first.startswith("net/")
            assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
            assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}


def test_the_c_of_an_unpacked_package_is_proved_too(tmp_path):
    for package in ARCHIVES:
        folder = unpacked(SMALL, package, tmp_path / package)
        if PACKAGES[package].target is TARGETS["c"]:
            (line,) = verify(folder / "src")
            assert "c, double, model" in line


@pytest.mark.parametrize("package", ARCHIVES)
def test_packages_equal_their_goldens(package, golden):
    artefact = artefact_of(IRIS, name="iris")
    kind = PACKAGES[package]
    made = kind.target.make(artefact)
    for file in kind.entries(artefact, made):
        is_c = kind.target is TARGETS["c"] and "/src/iris" in file.name
        if not is_c:  # which has a golden of its own
            golden(f"iris/packages/{package}/{file.name.removeprefix('iris/')}", file.text)


def test_names_of_users_are_only_in_comments_of_packages():
    note = re.compile(r" /\* [A-Za-z0-9 _+=.,:;()<>/\[\]-]{1,62} \*/$", re.MULTILINE)
    artefacts = [
        Artefact(model, "net", selftest="quick") for model in (HOSTILE.model, HOSTILE.tame)
    ]
    for kind in (PACKAGES[name] for name in ARCHIVES):
        printed = []
        for artefact in artefacts:
            made = kind.target.make(artefact)
            own = kind.entries(artefact, made)
            names = {file.name for file in made}
            rest = [file for file in own if file.name.rpartition("/")[2] not in names]
            texts = [file.text.replace(artefact.model_id, "ID") for file in rest]
            printed.append([note.sub("", text) for text in texts])
        assert printed[0] == printed[1]


def test_every_package_is_described():
    assert list(PACKAGES) == list(DESCRIPTIONS)
    assert not PACKAGES.keys() & TARGETS.keys()


def test_an_unknown_package_is_an_error():
    with pytest.raises(DsgecError, match="unknown package `deb`; choose from arduino, platformio"):
        parse_packages("cmake,deb")


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("arduino", "wire"),
        ("cmake", "help"),
        ("cmake", "preinstall"),
        ("micropython", "network"),
        ("micropython", "machine"),
    ],
)
def test_a_package_cannot_have_a_name_that_its_tool_uses(package, name, tmp_path):
    with pytest.raises(DsgecError, match=f"a package cannot be named `{name}`"):
        export(SMALL, (), name, tmp_path, packages=[package])


def test_a_name_that_one_tool_uses_is_free_in_packages_for_others(tmp_path):
    (written,) = export(SMALL, (), "wire", tmp_path, packages=["cmake"])

    assert written.name.startswith("wire")


def test_a_package_of_a_type_that_it_cannot_have_is_an_error(tmp_path):
    with pytest.raises(DsgecError, match="`micropython` cannot be of the type float"):
        export(SMALL, (), "net", tmp_path, "float", packages=["micropython"])


def test_with_a_package_only_the_targets_that_are_named_are_written(tmp_path):
    net = tmp_path / "small.net"
    net.write_text("y_1 = sig(x_1 - x_2)\n")
    dsgec("compile", net, "--package", "cmake,zephyr", "-o", tmp_path / "a")
    dsgec("compile", net, "--package", "cmake", "--to", "js", "-o", tmp_path / "b")

    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == [
        "small-cmake.zip",
        "small-zephyr.zip",
    ]
    assert {"small.mjs", "small-cmake.zip"} < {p.name for p in (tmp_path / "b").iterdir()}


def test_doubles_for_arduino_come_with_a_note(tmp_path):
    net = tmp_path / "small.net"
    net.write_text("y_1 = sig(x_1 - x_2)\n")
    output = dsgec("compile", net, "--package", "arduino")
    assert "on AVR boards (Uno, Nano, Mega) a double has 32 bits" in output.stderr
    assert "--dtype float" in output.stderr
    assert not dsgec("compile", net, "--package", "arduino", "--dtype", "float").stderr


def test_a_program_exports_packages(tmp_path):
    network = library.Network(SMALL, "net")
    (one,) = network.export("", tmp_path, package="cmake")
    names = [p.name for p in network.export("c", tmp_path, package=["zephyr", "cmake"])]

    assert one.name == "net-cmake.zip"
    assert names[-2:] == ["net-zephyr.zip", "net-cmake.zip"]
    with pytest.raises(DsgecError, match="no target is named"):
        network.export("", tmp_path)


def test_an_archive_damaged_inside_a_compressed_entry_is_refused_whatever_its_method(tmp_path):
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        path = tmp_path / f"net-{method}.zip"
        with zipfile.ZipFile(path, "w", method) as archive:
            archive.writestr("net/src/net.c", "int network;\n" * 50)
            archive.writestr("net/library.properties", "name=net\n")
        data = path.read_bytes()
        for place in range(40, 60):  # the header of the compressed data, and the first of them
            path.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
            with pytest.raises(DsgecError, match="does not carry the model"):
                inspect_artefact(path)
