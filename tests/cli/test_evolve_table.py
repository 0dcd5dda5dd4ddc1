"""`dsgec evolve DATA` chooses the grammar and the objective by the table, and prints its choice."""

import json

import numpy as np
import pytest

import dsgec as library
from tests.support.command_line import dsgec

FEW = ("--generations", "3", "--pruning", "2", "--tuning", "6", "--population", "12")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def record(folder):
    (path,) = folder.glob("build/*/run.json")
    return json.loads(path.read_text())


def table(path, rows, target, classes=2):
    random = np.random.default_rng(9)
    x = random.normal(size=(rows, 3)).round(3)
    y = (x[:, 0] > 0).astype(int) if classes == 2 else np.digitize(x[:, 0], [-0.5, 0.5])
    values = [f"class {one}" for one in y] if classes else (x @ [1, 2, 3]).round(3)
    lines = [",".join([*map(str, row), str(v)]) for row, v in zip(x, values, strict=True)]
    path.write_text("\n".join([f"a,b,c,{target}", *lines]) + "\n")


@pytest.mark.parametrize(
    ("classes", "grammar", "objective"),
    [(2, "network", "log-loss"), (3, "network_softmax", "log-loss"), (0, "regression", "rmse")],
)
def test_the_task_chooses_the_grammar_and_a_line_says_so(folder, classes, grammar, objective):
    table(folder / "t.csv", 60, "y", classes)
    answer = dsgec("evolve", "t.csv", *FEW)

    assert f"grammar {grammar}, objective {objective}, standard scaling" in answer.stderr
    assert "choose otherwise with dsgec evolve GRAMMAR DATA" in answer.stderr
    assert "predicting y (" in answer.stderr
    assert record(folder)["grammar"]["name"] == grammar
    plain = "majority class" if classes else "mean"
    assert f"test, {plain}" in answer.stdout
    assert "regression" in answer.stdout
    assert "the network is " in answer.stdout


def test_the_command_line_and_the_library_choose_the_same(folder):
    table(folder / "t.csv", 2000, "y")
    small = {"neurons": 0, "sum": 0}  # networks that are pruned and tuned soon
    depths = (word for name, depth in small.items() for word in ("--max-depth", f"{name}={depth}"))
    dsgec("evolve", "t.csv", "--generations", "1", *depths)
    by_command = record(folder)["settings"]
    by_library = library.evolve("t.csv", generations=1, max_depth=small).record["settings"]

    assert by_command == by_library
    assert by_command["batch"] == 512


@pytest.mark.parametrize(
    ("effort", "generations", "ensemble"),
    [("quick", 150, 1), ("normal", 600, 1), ("thorough", 600, 5)],
)
def test_effort_says_how_long_to_search(effort, generations, ensemble):
    from dsgec.api.settings import read_keywords
    from dsgec.data.prepare import make_dataset
    from dsgec.data.read import read_table
    from dsgec.grammar.load import load_grammar

    dataset = make_dataset(read_table("wdbc"))
    grammar = load_grammar("network").grammar
    settings = read_keywords({"effort": effort}).settings_for(dataset, grammar)
    assert (settings.generations, settings.ensemble) == (generations, ensemble)


def test_a_table_as_kaggle_ships_it_works_at_the_first_try(folder):
    random = np.random.default_rng(10)
    lines = ["PassengerId,Survived,Pclass,Name,Sex,Age,Ticket,Fare,Cabin,Embarked"]
    for number in range(1, 201):
        sex = random.choice(["male", "female"])
        age = "" if random.random() < 0.2 else f"{random.uniform(1, 70):.1f}"
        cabin = f"C{number}" if random.random() < 0.2 else ""
        survived = int(random.random() < (0.8 if sex == "female" else 0.2))
        lines.append(
            f'{number},{survived},{random.integers(1, 4)},"Braund, Mr. ""Bill"" {number}",{sex},'
            f"{age},A/5 {number * 37},{random.uniform(5, 90):.4f},{cabin},"
            f"{random.choice(['S', 'C', 'Q']) if number % 90 else ''}"
        )
    (folder / "titanic.csv").write_text("\n".join(lines) + "\n")
    answer = dsgec("evolve", "titanic.csv", "--target", "Survived", *FEW)

    assert "`Name`, `Ticket` are left out: each has 200 different texts" in answer.stderr
    assert "`Cabin` is left out: it has " in answer.stderr
    assert "missing values are filled in: `Age`" in answer.stderr
    columns = [one["name"] for one in record(folder)["model"]["columns"]]
    assert columns == ["Pclass", "Sex", "Age", "Fare", "Embarked"]
    assert "`PassengerId` is left out: it rises from row to row" in answer.stderr
    proposed = dsgec("evolve", "titanic.csv", *FEW)
    assert "--target Survived predicts `Survived` instead" in proposed.stderr


def test_votes_with_the_target_first_and_decimal_commas_work(folder):
    votes = ["Class Name;1;2;3"]  # a header, because a column is called so
    votes += [
        f"{'democrat' if i % 3 else 'republican'};{'y' if i % 3 else 'n'};?;{i % 7},5"
        for i in range(60)
    ]
    (folder / "votes.csv").write_text("\n".join(votes) + "\n")
    answer = dsgec("evolve", "votes.csv", "--target", "Class Name", *FEW)

    assert "predicting Class Name (democrat, republican)" in answer.stderr
    assert "`1` alone tells the target" in answer.stderr
    values = [one for one in record(folder)["model"]["columns"] if one["name"] == "3"]
    assert values[0]["center"] == pytest.approx(3.4, abs=0.5)


def test_the_row_as_it_stands_in_the_table_works_with_a_constant_column(folder):
    lines = [f"{i % 9},same,7,{'uv'[i % 2]}" for i in range(60)]
    (folder / "t.csv").write_text("a,b,c,y\n" + "\n".join(lines) + "\n")
    dsgec("evolve", "t.csv", *FEW)
    run = next(folder.glob("build/*"))
    model = library.load(run)

    assert model.network.columns == ("a", "b", "c")
    assert model.predict([[3, "same", 7]]).tolist() == model.predict([[3, "other", 9]]).tolist()
    assert "predicted" in dsgec("predict", run, "t.csv").stdout
    dsgec("export", run, "--to", "python,c,js", "-o", "out")
    dsgec("verify", "out", "--data", "t.csv")
