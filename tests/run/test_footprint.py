"""A run reports the cost on a chip, confidence intervals, and the next command."""

import re
import shlex

import numpy as np
import pytest

import dsgec
from dsgec.run.baselines import check_rivals
from tests.support.command_line import dsgec as command

FEW = ("--generations", "20", "--population", "10", "--pruning", "60", "--tuning", "5")


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    folder = tmp_path_factory.mktemp("next")
    return folder, command("evolve", "network", "wdbc", *FEW, "--out", str(folder)).stdout


def test_a_run_ends_with_the_command_that_exports_for_a_chip(ended):
    folder, printed = ended
    last = printed.rstrip().splitlines()[-1]
    words, _, about = last.removeprefix("next: dsgec ").partition("  # ")

    assert last.startswith("next: dsgec export ")
    assert re.search(r"[\d,]+ bytes on cortex-m0plus", about)
    arguments = [*shlex.split(words)[:-1], str(folder / "firmware")]
    command(*arguments)
    assert (folder / "firmware").is_dir()


def test_the_bytes_of_the_next_command_are_those_of_its_export(ended):
    folder, printed = ended
    last = printed.rstrip().splitlines()[-1]
    words, _, about = last.removeprefix("next: dsgec ").partition("  # ")
    command(*shlex.split(words)[:-1], str(folder / "again"))
    (source,) = (folder / "again").glob("*[!t].c")
    lines = command("inspect", str(source)).stdout.splitlines()
    (line,) = (one for one in lines if re.match(r" +cortex-m0plus +q7", one))

    assert re.search(r"([\d,]+) bytes", about)[1] == line.split()[2]


def test_the_cost_and_the_intervals_are_recorded_and_printed(ended):
    folder, printed = ended
    result = dsgec.load(folder / "wdbc-network-seed1").record["result"]

    assert f"about {result['cost']['flash']:,} bytes of flash" in printed
    low, high = result["intervals"]["test"]["accuracy"]
    assert low < result["test"]["accuracy"] < high
    assert f"{low:.3f}–{high:.3f}" in printed
    page = (folder / "wdbc-network-seed1" / "report.html").read_text(encoding="utf-8")
    assert f">{result['cost']['flash']:,}</span>" in page
    assert "95\u00a0%: " in page


def test_other_models_stand_beside_the_network_where_they_are_asked_for():
    from sklearn.ensemble import RandomForestClassifier

    x = np.random.default_rng(3).normal(size=(160, 3))
    y = np.where(x[:, 0] * x[:, 1] > 0, "in", "out")
    few = {"generations": 3, "population": 8, "pruning": 1, "tuning": 1, "scale": "none"}
    run = dsgec.evolve("network", x, y, compare=["forest", "boosting"], **few)
    *_, forest, boosting = run.record["result"]["baselines"]

    assert (forest["name"], boosting["name"]) == ("random forest", "boosted trees")
    from dsgec.data.arrays import make_table
    from dsgec.data.dataset import split
    from dsgec.data.prepare import make_dataset

    table = make_table(x, y)
    rows = split(make_dataset(table, table.columns[-1]), 0.3, 1)
    oracle = RandomForestClassifier(random_state=1).fit(x[rows.train], y[rows.train] == "out")
    assert forest["test"]["accuracy"] == oracle.score(x[rows.test], y[rows.test] == "out")
    assert run.record["settings"]["compare"] == ["forest", "boosting"]


def test_a_model_that_needs_scikit_learn_is_refused_without_it(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    check_rivals(["linear"])
    with pytest.raises(dsgec.DsgecError, match="needs scikit-learn") as caught:
        check_rivals(["forest"])
    assert "dsgec[sklearn]" in str(caught.value)


def test_a_study_compares_with_the_models_it_names(tmp_path):
    study = tmp_path / "models.toml"
    study.write_text(
        'runs = 2\ngenerations = 2\n[settings]\npopulation = 6\ncompare = ["linear", "forest"]\n'
        '[[part]]\nname = "p"\nrepresentations = ["dsge"]\ngrammars = ["one_layer"]\n'
        'data = ["wdbc"]\n'
    )
    printed = command("study", str(study), "--out", str(tmp_path), "--jobs", "1").stdout

    sentence = r"Test accuracy of other models on wdbc: logistic regression 0\.9\d, random forest"
    assert re.search(sentence, printed)
