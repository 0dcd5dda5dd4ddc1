"""The edits that docs/how-to describes work when they are made to a copy of the project."""

import json
import math
import re
import shutil
import statistics
from pathlib import Path

import pytest

from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.arithmetic.generate import generate
from tests.support.project_copy import changed_files, changes, copy_with_edits, edits, run_python
from tests.support.random_networks import rows

LOG_COSH = """
import sys
from contextlib import suppress
from dsgec.__main__ import main
asked = [*sys.argv[1:]]
for backend in ("engine", "reference"):
    sys.argv = ["dsgec", *asked, "--backend", backend, "--out", backend]
    with suppress(SystemExit):
        main()
sys.path.insert(0, "engine/run")
import table
print(*(table.predict([[float(x)]])[0] for x in range(40)))
from tests.support.gradients import make_pair
text = "0.50*tanh(-1.20*x_1 + 0.30*x_2) + 1.25"
spans = [(0, 4), (10, 5), (22, 4), (34, 4)]
print(*make_pair("formula", 0, "log-cosh").assert_same(text, spans, 0.01))
"""
"""Two runs, the predictions of the module of one, and slopes: starting Python takes longest."""

TRUNCATION = """
from types import SimpleNamespace
from dsgec.random import Stream
from dsgec.search.selection import truncation
from dsgec.search.settings import Settings
parents = [SimpleNamespace(fitness=f) for f in (5, 9, 8, 1, 2, 9, 9, 2, 2)]
for settings in (Settings(), Settings(minimise="connections", elites=0)):
    print(sorted({truncation(parents, settings, Stream(1, 0, n)) for n in range(200)}))
"""
"""The numbers that are selected from nine individuals, by fitness and as they are sorted."""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The project with a new activation, printed again."""
    copy = copy_with_edits("add-an-activation", tmp_path_factory.mktemp("copy"))
    run_python(copy, "-m", "dsgec.arithmetic.generate")
    return copy


@pytest.fixture(scope="module")
def with_cpp(tmp_path_factory):
    """The project with a new target."""
    return copy_with_edits("add-a-target", tmp_path_factory.mktemp("copy"))


def dsgec(folder, *arguments):
    """Run the command of the copy."""
    return run_python(folder, "-m", "dsgec", *map(str, arguments))


def test_an_activation_is_two_edits():
    assert [path for path, *_ in edits("add-an-activation")] == [
        "dsgec/arithmetic/scalar.py",
        "tests/support/exact_functions.py",
    ]


def test_the_other_files_that_change_are_printed(project):
    by_hand = {path for path, *_ in edits("add-an-activation")}
    of_floats = {path for path in generate() if "integer" not in path}
    assert changed_files(project) - by_hand == of_floats


@pytest.mark.campaign
def test_the_tests_of_the_arithmetic_know_the_activation(project):
    found = run_python(
        project,
        *("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"),
        *("-k", "softsign or oracle or printed or table_of_functions"),
        *("tests/arithmetic", "tests/export/test_onnx.py", "tests/docs/test_tables.py"),
    )
    assert int(re.search(r"(\d+) passed", found)[1]) >= 15


@pytest.mark.campaign
@pytest.mark.needs_cc
def test_a_network_with_the_activation_evolves_and_is_exported(project):
    grammar = project.joinpath("grammars/one_layer.bnf").read_text(encoding="utf-8")
    project.joinpath("new.bnf").write_text(grammar.replace("sig(", "softsign("), encoding="utf-8")
    common = ("evolve", "new.bnf", "wdbc", "--population", "20", "--generations", "3")
    for backend in ("engine", "reference"):
        dsgec(project, *common, "--backend", backend, "--out", backend, "--name", "run")
    network = (project / "engine/run/best.net").read_text()
    assert "softsign(" in network
    assert network == (project / "reference/run/best.net").read_text()

    targets = ["c", "numpy", "onnx", *(["js"] if shutil.which("node") else [])]
    said = ""
    for folder, *options in (
        ("all", "--to", ",".join(targets)),
        ("plain", "--to", "python"),
        ("float", "--to", "c", "--dtype", "float"),
    ):
        dsgec(project, "export", "engine/run", *options, "-o", folder)
        said += dsgec(project, "verify", folder, "--data", "wdbc")
    assert said.count("569 rows of wdbc give the same bits\n") == len(targets) + 1
    assert "onnx: 569 rows of wdbc agree within" in said


def test_a_target_is_a_printer_a_folder_its_templates_and_a_line():
    (path, _, line), *folder = edits("add-a-target")
    assert path == "dsgec/export/targets/__init__.py"
    assert line.count("\n") == 1
    folders = {"dsgec/program", "dsgec/export/targets/cpp", "templates/cpp"}
    assert {str(Path(path).parent) for path, *_ in folder} == folders


def test_a_network_is_compiled_to_the_new_target(with_cpp, tmp_path):
    (tmp_path / "gate.net").write_text("sig(2.5 * x_1 - tanh(x_2))", encoding="utf-8")
    dsgec(with_cpp, "compile", tmp_path / "gate.net", "--to", "cpp", "-o", tmp_path)
    header = (tmp_path / "gate.hpp").read_text(encoding="utf-8")
    assert "inline double sig(double x)" in header
    assert "inline double tanh(double x)" in header


@pytest.mark.campaign
def test_a_run_is_exported_to_the_new_target(with_cpp, run, tmp_path):
    run_python(with_cpp, "-m", "ruff", "check", "dsgec/export/targets")
    dsgec(with_cpp, "export", run, "--to", "cpp", "-o", tmp_path)
    assert "wdbc.hpp (cpp)" in dsgec(with_cpp, "inspect", tmp_path)
    if shutil.which("c++"):
        said = dsgec(with_cpp, "verify", tmp_path, "--data", "wdbc")
        assert said.endswith("wdbc.hpp: 569 rows of wdbc give the same bits\n")
    else:
        assert "wdbc.hpp: cpp, double, model" in dsgec(with_cpp, "verify", tmp_path)


@pytest.mark.campaign
@pytest.mark.skipif(not shutil.which("c++"), reason="there is no C++ compiler")
def test_all_functions_have_the_same_bits_in_the_new_target(with_cpp, tmp_path):
    run_python(with_cpp, "-m", "mypy")
    calls = [
        f"{name}({', '.join(('x_1', 'x_2')[: function.arity])})"
        for name, function in FUNCTIONS.items()
        if function.arity
    ]
    networks = {
        "each": "\n".join(f"y_{i} = {call}" for i, call in enumerate(calls, 1)),
        "together": f"softmax({', '.join(f'sig({call})' for call in calls)}, x_1 / x_2, x_3 ^ -3)",
        "split": f"tanh({' + '.join(f'{i}.5 * x_{i % 3 + 1}' for i in range(1, 1100))})",
    }
    table = [f"x_{i}" for i in (1, 2, 3)], *rows(1, 1000, 3).tolist()
    text = "\n".join(",".join(map(str, row)) for row in table)
    (tmp_path / "rows.csv").write_text(text, encoding="utf-8")
    for name, network in networks.items():
        (tmp_path / f"{name}.net").write_text(network, encoding="utf-8")
        dsgec(with_cpp, "compile", tmp_path / f"{name}.net", "--to", "cpp", "-o", tmp_path / name)
        said = dsgec(with_cpp, "verify", tmp_path / name, "--data", tmp_path / "rows.csv")
        assert "1000 rows of" in said
        assert said.endswith("give the same bits\n")


def test_an_objective_is_one_file():
    page = "add-an-objective"
    assert {path for path, *_ in (*edits(page), *changes(page))} == {"dsgec/search/objectives.py"}


@pytest.mark.campaign
@pytest.mark.needs_cc
def test_a_run_with_the_new_objective_is_the_references(tmp_path):
    copy = copy_with_edits("add-an-objective", tmp_path)
    assert run_python(copy, "-m", "dsgec.search.generate").splitlines() == [
        "wrote templates/engine/printed/objectives/log_cosh.c",
        "wrote dsgec/search/printed/objectives.py",
        "wrote docs/notebook/tables.md",
    ]
    assert "rmse, mse, mae or log-cosh for either" in " ".join(
        dsgec(copy, "evolve", "--help-all").split()
    )
    table = "\n".join(f"{x},{x * x / 9 - (x == 7) * 40}" for x in range(40))
    (copy / "table.csv").write_text(f"x,y\n{table}\n", encoding="utf-8")
    common = ("evolve", "regression", "table.csv", "--objective", "log-cosh", "--population", "20")
    quick = ("--generations", "3", "--pruning", "2", "--tuning", "6", "--test", "0")
    answer = run_python(copy, "-c", LOG_COSH, *common, *quick, "--name", "run").splitlines()
    record, same = (
        json.loads((copy / backend / "run/run.json").read_text())
        for backend in ("engine", "reference")
    )
    assert record == same
    module = answer[-2].split()
    errors = [abs(float(p) - (x * x / 9 - (x == 7) * 40)) for x, p in enumerate(module)]
    spread = statistics.pstdev(x * x / 9 - (x == 7) * 40 for x in range(40))
    losses = [math.log(math.cosh(e / spread)) for e in errors]
    expected = sum(losses) / 40 * spread**2
    assert record["result"]["score"] == pytest.approx(expected, rel=1e-12)
    assert "SCORED" in answer[-1]


def test_a_selection_method_is_four_files():
    page = "add-a-selection-method"
    assert {path for path, *_ in (*edits(page), *changes(page))} == {
        "dsgec/search/settings.py",
        "dsgec/search/selection.py",
        "templates/engine/selection.c",
        "docs/research/search.md",
    }


@pytest.mark.campaign
@pytest.mark.needs_cc
def test_a_run_with_the_new_selection_method_is_the_references(tmp_path):
    copy = copy_with_edits("add-a-selection-method", tmp_path)
    run_python(copy, "-m", "dsgec.api.generate")
    run_python(copy, "-m", "ruff", "check", "dsgec/search", "dsgec/api")
    assert run_python(copy, "-c", TRUNCATION).split() == ["[3,", "4,", "7]", "[0,", "1,", "2]"]

    common = ("evolve", "wdbc", "--population", "12", "--generations", "6", "--name", "run")
    for options in ((), ("--minimise", "connections"), ("--preset", "paper", "--seed", "7")):
        records = {}
        for backend, method in (
            ("engine", "truncation"),
            ("reference", "truncation"),
            ("engine", "tournament"),
        ):
            out = copy / "-".join((*options, backend, method))
            chosen = ("--selection", method, "--backend", backend, "--out", out)
            dsgec(copy, *common, *options, *chosen)
            records[backend, method] = json.loads((out / "run/run.json").read_text())
        same = records["reference", "truncation"]
        assert records["engine", "truncation"] == same
        assert same["settings"]["selection"] == "truncation"
        other = records["engine", "tournament"]
        assert "selection" not in other["settings"]
        assert other["result"] != same["result"]


def test_a_representation_is_five_files():
    page = "add-a-representation"
    assert {path for path, *_ in (*edits(page), *changes(page))} == {
        "dsgec/grammar/genome/genotype.py",
        "dsgec/grammar/genome/swap.py",
        "dsgec/grammar/genome/represent.py",
        "templates/engine/swap.c",
        "docs/research/representations.md",
    }


@pytest.mark.campaign
@pytest.mark.needs_cc
def test_a_run_with_the_new_representation_is_the_references(tmp_path):
    copy = copy_with_edits("add-a-representation", tmp_path)
    run_python(copy, "-m", "dsgec.api.generate")
    common = ("evolve", "multi_layer", "wdbc", "--representation", "swap", "--population", "30")
    for backend in ("engine", "reference"):
        options = ("--generations", 8, "--backend", backend, "--out", backend, "--name", "run")
        dsgec(copy, *common, *options)
    record, same = (
        json.loads((copy / backend / "run/run.json").read_text())
        for backend in ("engine", "reference")
    )
    assert record == same
    assert record["settings"]["engine"] == "swap"


def test_a_problem_is_three_files():
    assert [path for path, *_ in edits("add-a-problem")] == [
        "dsgec/problems/max_ones.py",
        "dsgec/problems/__init__.py",
        "docs/research/any-fitness.md",
    ]


@pytest.mark.needs_cc
def test_the_new_problem_is_found_and_solved(tmp_path):
    copy = copy_with_edits("add-a-problem", tmp_path)
    given = ("search", "max_ones", "--population", "20", "--generations", "20", "--quiet")
    records = []
    for backend, out in (("reference", "a"), ("engine", "b")):
        dsgec(copy, *given, "--backend", backend, "--out", out)
        records.append(json.loads((copy / out / "max_ones-seed1" / "run.json").read_text()))
    assert records[0] == records[1]
    assert records[0]["result"]["best"]["phenotype"] == "1" * 10
    assert records[0]["result"]["score"] == 10.0
    assert '"max_ones",' in (copy / "dsgec/problems/__init__.py").read_text()
