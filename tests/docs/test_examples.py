"""The programs and notebooks of examples/ do what they say."""

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.compilers import write_compiler
from tests.support.pages import ROOT

EXAMPLES = ROOT / "examples"
NOTEBOOKS = sorted(path.name for path in EXAMPLES.glob("*.ipynb"))


def execute(name, folder, expression):
    """Run a notebook, and say what the expression is in the end."""
    nbclient = pytest.importorskip("nbclient", reason="needs nbclient, of the extra dev")
    pytest.importorskip("ipykernel", reason="needs ipykernel, of the extra dev")
    import nbformat

    notebook = nbformat.read(EXAMPLES / name, 4)
    code = f"import json\nprint(json.dumps({expression}))"
    notebook.cells.append(nbformat.v4.new_code_cell(code))
    place = {"metadata": {"path": str(folder)}}
    client = nbclient.NotebookClient(notebook, timeout=280, kernel_name="python3", resources=place)
    client.execute()
    errors = [
        output.text
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if output.output_type == "stream" and output.name == "stderr"
    ]
    assert not errors
    assert not [*Path(folder).iterdir()]  # nothing is left where somebody works
    return json.loads(notebook.cells[-1].outputs[0].text)


@pytest.mark.campaign  # an engine for each limit of depth; tests/api searches a smaller grid
@pytest.mark.needs_cc
def test_the_example_searches_a_grid(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["grid_search.py", "3", "10"])
    found = runpy.run_path(str(EXAMPLES / "grid_search.py"))
    printed = capsys.readouterr().out

    search = found["search"]
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    assert f"best: {search.best_params_['max_depth']}" in printed
    neurons = found["best"].run_.network.size["neurons"]
    assert neurons <= 3 * (search.best_params_["max_depth"]["neurons"] + 1)


@pytest.mark.campaign
@pytest.mark.needs_cc
@pytest.mark.filterwarnings("ignore")  # Jupyter's own
def test_the_notebook_on_classes_beats_the_majority_and_its_c_passes_its_test(tmp_path):
    pytest.importorskip("sklearn", reason="needs scikit-learn, of the extra sklearn")
    found = execute(
        "classification.ipynb",
        tmp_path,
        "[models, small.test, small.connections, run.network.size, selftest.returncode,"
        " selftest.stdout, scores.tolist(), (frame['variety'] == 'Grignolino').mean()]",
    )
    models, small, connections, size, code, printed, scores, majority = found

    assert models["this network"]["accuracy"] > models["majority class"]["accuracy"] + 0.3
    assert small["accuracy"] > models["majority class"]["accuracy"] + 0.3
    assert connections < size["connections"]
    assert (code, "bit for bit" in printed) == (0, True)
    assert len(scores) == 3
    assert min(scores) > majority


@pytest.mark.campaign
@pytest.mark.needs_cc
@pytest.mark.filterwarnings("ignore")  # Jupyter's own
def test_the_notebook_on_numbers_says_what_its_text_says(tmp_path):
    pytest.importorskip("sklearn", reason="needs scikit-learn, of the extra sklearn")
    found = execute(
        "regression.ipynb",
        tmp_path,
        "[models, formula.network.formula, straight.record['result']['comparison']['verdict'],"
        " {name: float(own.mean()) for name, own in scores.items()}]",
    )
    models, formula, verdict, scores = found

    line = models["ridge regression"]["r2"]
    assert models["network"]["r2"] > models["formula"]["r2"] > line > models["mean"]["r2"]
    assert not re.search(r"\bc\b", formula)  # as the text says
    assert verdict.startswith("level with ridge regression")
    assert scores["DSGERegressor"] > scores["Ridge"]  # on the same folds


@pytest.mark.needs_cc
@pytest.mark.parametrize("level", ["-O1", pytest.param("", marks=pytest.mark.campaign)])
def test_the_walk_to_a_board_builds_firmware_that_sees_the_states_of_the_pump(level, tmp_path):
    """With an engine that is compiled in half the time, or as for users."""
    compiler = write_compiler(tmp_path, "cc", level) if level else "cc"
    binaries = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    answer = subprocess.run(
        ["sh", EXAMPLES / "board" / "run.sh", "walk"],
        cwd=tmp_path,
        env={**os.environ, "PATH": binaries, "CC": str(compiler)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    walk = tmp_path / "walk"

    assert "bit for bit" in answer.stdout
    assert "double" not in (walk / "pump.c").read_text().partition("#include")[2]
    # The states of record.py: 20 readings, 15, 15 and 15; three in a row must agree.
    changes = re.findall(r"reading +(\d+): (\w+)", answer.stdout)
    assert [state for _, state in changes] == ["ok", "blocked", "ok", "dry"]
    starts = [1, 21, 36, 51]
    assert all(
        start + 2 <= int(reading) <= start + 6
        for (reading, _), start in zip(changes, starts, strict=True)
    )
    text, data, bss = re.findall(r"\d+", answer.stdout.partition("filename")[2])[:3]
    assert int(text) + int(data) < 2048
    assert int(data) + int(bss) == 0


@pytest.mark.needs_cc
def test_the_walk_from_a_log_to_a_board_recognises_gestures(tmp_path):
    binaries = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    answer = subprocess.run(
        ["sh", EXAMPLES / "gesture" / "run.sh", "walk"],
        cwd=tmp_path,
        env={**os.environ, "PATH": binaries},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    assert "the same gestures on the board and on the desk" in answer.stdout
    flash = int(re.search(r"for avr in q7: ([\d,]+) bytes", answer.stdout)[1].replace(",", ""))
    assert flash <= 2048
    assert "more than the estimate and the budget" not in answer.stdout
    windows = [line.split(",") for line in (tmp_path / "walk/board.txt").read_text().split()]
    found = [name for place, (_, name) in enumerate(windows) if name != windows[place - 1][1]]
    assert len(windows) > 40
    assert found[:9] == ["circle", "rest", "shake"] * 3  # as record.py makes them


@pytest.mark.needs_cc
@pytest.mark.filterwarnings("ignore")  # Jupyter's own
def test_the_notebook_on_vibration_finds_worn_bearings_in_new_recordings(tmp_path):
    found = execute(
        "vibration.ipynb",
        tmp_path,
        "[test['accuracy'], majority, new_accuracy, names, selftest.returncode]",
    )
    accuracy, majority, new_accuracy, names, code = found

    assert accuracy > majority + 0.3
    assert new_accuracy > majority + 0.3
    assert names
    assert code == 0


@pytest.mark.needs_cc
def test_a_firmware_with_other_bits_refuses_to_start(tmp_path):
    """main.c refuses to start if its self-test fails."""
    header = "typedef float pump_real;\n#define PUMP_FEATURES 1\nint pump_selftest(void);\n"
    header += "int pump_predict(const pump_real x[]);\nextern const char pump_class_names[1][3];\n"
    (tmp_path / "pump.h").write_text(header)
    (tmp_path / "pump.c").write_text(
        '#include "pump.h"\nconst char pump_class_names[1][3] = {"ok"};\n'
        "int pump_selftest(void) { return 1; }\n"
        "int pump_predict(const pump_real x[]) { return x[0] > 0 ? 0 : -1; }\n"
    )
    main = EXAMPLES / "board" / "main.c"
    command = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-I.", main, "pump.c", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    answer = subprocess.run(
        [tmp_path / "main"], input="1\n1\n1\n", capture_output=True, text=True, check=False
    )

    assert answer.returncode == 1
    assert "self-test failed" in answer.stdout
    assert "reading" not in answer.stdout


@pytest.mark.campaign
@pytest.mark.needs_cc
def test_the_grammar_of_a_domain_recovers_the_law(tmp_path):
    answer = subprocess.run(
        [sys.executable, EXAMPLES / "domain_grammar" / "recover.py", "rate"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    found = re.search(r"^found +(.*)$", answer.stdout, re.MULTILINE)[1]
    figures = list(map(float, re.findall(r"R² [^\n:]*: (\d\.\d+)\b", answer.stdout)))

    assert "rate: no faults" in answer.stdout  # dsgec check
    assert "stirrer" not in found
    for part in ("/ temperature", "* a", "sqrt(b)", "* inhibitor)"):
        assert part in found
    assert float(re.search(r"exp\(-([\d.]+) ", found)[1]) == pytest.approx(4.2, rel=0.05)
    assert float(re.search(r"([\d.]+) \* inhibitor", found)[1]) == pytest.approx(1.5, rel=0.05)
    assert min(figures) > 0.98
    assert (tmp_path / "rate" / "rate.c").exists()


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_committed_without_what_it_prints(name):
    cells = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]

    assert code
    assert not any(cell["outputs"] or cell["execution_count"] for cell in code)


def test_every_example_is_listed():
    listed = set(re.findall(r"\]\(([\w./]+)\)", (EXAMPLES / "README.md").read_text("utf-8")))
    there = {path.name for path in EXAMPLES.iterdir() if not path.name.startswith(("README", "_"))}

    assert there == {name.partition("/")[0] for name in listed if not name.startswith("..")}
