"""The documented way from `dsgec show` to `dsgec compile` loses nothing."""

import csv
import importlib.util
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.support.command_line import QUICK_OPTIONS, dsgec, read_json

ROWS = 90


def write_table(path, target):
    """Numbers and texts, some of them missing, with names that need quotes."""
    rng = random.Random(1)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(['size "in" mm', "größe", "port, # of call", "wet", "same", "answer"])
        for number in range(ROWS):
            size, height = rng.gauss(300, 40), rng.gauss(0, 1)
            port, wet = rng.choice(["C", "Q #1", 'S"']), rng.choice(["no", "yes"])
            score = (size - 300) / 40 + 2 * (port == "C") - (wet == "yes") + rng.gauss(0, 0.1)
            answer = {
                "two": "good" if score > 0 else "bad",
                "many": ["low", "middle", "high"][int((score > -1) + (score > 1))],
                "number": round(1000 + 50 * score, 3),
            }[target]
            cells = [round(size, 3), round(height, 3), port, wet, "1"]
            for place in (0, 2):
                if rng.random() < 0.1 and number > 3:
                    cells[place] = ""
            writer.writerow([*cells, answer])


def model_of(run):
    return read_json(run, "run.json")["model"]["id"]


def imported(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def evolve(folder, grammar, target, *options):
    write_table(folder / "table.csv", target)
    arguments = ("--target", "answer", *options, *QUICK_OPTIONS, "--out", ".", "--name", "run")
    dsgec("evolve", grammar, "table.csv", *arguments, cwd=folder)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    evolve(folder, "network", "two")
    return folder


@pytest.fixture
def desk(made, tmp_path):
    """A folder with a table and a run of its own."""
    return Path(shutil.copytree(made, tmp_path / "desk"))


def documented_workflow(folder, run, table, ascii_shown=False):
    """Return the output of `dsgec predict` for all rows, and of the compiled network."""
    shown = folder / "shown.net"
    environment = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"} if ascii_shown else None
    shown.write_text(dsgec("show", run, cwd=folder, env=environment).stdout, encoding="utf-8")
    dsgec("compile", "shown.net", "--to", "numpy", "-o", "shown", cwd=folder)
    module = imported(folder / "shown" / "shown.py")
    with (folder / table).open(newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    answer = [*csv.reader(dsgec("predict", run, table, cwd=folder).stdout.splitlines())]
    return module, rows, answer


@pytest.mark.parametrize(
    ("target", "grammar", "options"),
    [
        ("two", "network", ["--threshold", "auto"]),
        ("two", "network", ["--ensemble", "2"]),
        ("many", "network_softmax", []),
        ("number", "regression", []),
        ("number", "formula", []),
    ],
)
def test_a_network_that_is_shown_and_compiled_predicts_the_same(tmp_path, target, grammar, options):
    evolve(tmp_path, grammar, target, *options)
    module, rows, (head, *answer) = documented_workflow(tmp_path, "run", "table.csv")

    assert len(rows) == len(answer) == ROWS
    own = np.array([[float(cell) for cell in row[target != "number" :]] for row in answer])
    if target == "number":
        computed = np.asarray(module.predict(rows), dtype=float).reshape(own.shape)
    else:
        computed = module.predict_proba(rows)
        assert [str(label) for label in module.predict(rows)] == [row[0] for row in answer]
        assert [f"p({label})" for label in module.classes_] == head[1:]
    assert computed.tobytes() == own.tobytes()
    assert len({*map(bytes, own)}) > 1, "the network is not a constant"
    assert f"'model_id': '{model_of(tmp_path / 'run')}'" in (
        tmp_path / "shown" / "shown.py"
    ).read_text(encoding="utf-8")


def test_names_survive_a_terminal_that_cannot_write_them(desk):
    module, *_ = documented_workflow(desk, "run", "table.csv", ascii_shown=True)

    assert (desk / "shown.net").read_bytes().isascii()
    assert module.feature_names_in_[1] == "größe"


def test_best_net_is_compiled_as_it_is(desk):
    dsgec("compile", "run/best.net", "--to", "numpy", "-o", ".", cwd=desk)

    assert imported(desk / "best.py").metadata["model_id"] == model_of(desk / "run")


def test_a_best_net_whose_columns_are_not_those_of_the_record_is_refused(desk):
    path = desk / "run" / "best.net"
    text = path.read_text(encoding="utf-8")

    path.write_text(text.replace('"good"', '"evil"'), encoding="utf-8")
    answer = dsgec("show", "run", cwd=desk, code=1)
    assert "is not the network that run.json beside it describes" in answer.stderr

    # That of an earlier version, which had the equations alone, is still read.
    path.write_text(text[text.index("inputs = ") :], encoding="utf-8")
    dsgec("show", "run", cwd=desk)
