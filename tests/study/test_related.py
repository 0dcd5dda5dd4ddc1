"""The study of related work, in the small: every search runs, and tables compare what they can."""

import csv
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from dsgec.folder import open_folder
from dsgec.study.definition import Data, cells
from dsgec.study.outcome import outcome_of
from dsgec.study.outputs import write_outputs
from dsgec.study.parse import load_study
from dsgec.study.prepare import prepare
from dsgec.study.work import collect

STUDY = load_study("related")


def small(folder):
    """The study with one table of 30 rows, 2 runs, and hardly any generations."""
    x = np.random.default_rng(3).normal(size=(30, 2))
    lines = [f"{a},{b},{int(a > b)}" for a, b in x.tolist()]
    (folder / "few.csv").write_text("\n".join(["a,b,class", *lines]) + "\n")
    data = (Data("few", str(folder / "few.csv"), None, "Few"),)
    parts = tuple(
        replace(
            part,
            data=data,
            generations=(min(part.generations[0], 1),),
            settings=(
                tuple(
                    replace(s, population=4, tuning=min(s.tuning, 2), pruning=min(s.pruning, 1))
                    for s in part.settings[0]
                ),
            ),
        )
        for part in STUDY.parts
    )
    tables = tuple(replace(table, data=data, figures=("few",)) for table in STUDY.tables)
    return replace(STUDY, runs=2, parts=parts, tables=tables)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("related")
    study = small(folder)
    tasks = prepare(list(cells(study)))
    with closing(open_folder(folder)) as runs:
        for task in tasks:
            runs.write(task.file, outcome_of(task.cell, task.grammar, task.dataset, "numpy").text)
        write_outputs(study, collect(tasks, runs), runs)
    return folder


def test_every_search_of_related_work_has_its_rows(made):
    rows = list(csv.DictReader((made / "results.csv").read_text().splitlines()))

    assert len(rows) == 2 * (3 + 6)
    assert {row["part"] for row in rows} == {part.name for part in STUDY.parts}
    assert all(row["neurons"] == "7" for row in rows if row["grammar"] == "dense")
    assert all(row["test_accuracy"] for row in rows)


def test_fitness_is_compared_where_the_same_is_minimised(made):
    first, second = (made / "tables.txt").read_text().split("Table 2.")

    assert "–" not in first
    assert "not comparable" not in first.lower()
    assert "else is minimised: DSGE, GE + BP, By hand." in second
    fitness = second[second.index("Fitness") : second.index("Train")]
    assert fitness.count("–") == 3


def test_all_have_the_inputs_and_the_splits_of_each_other():
    plans = {data.preprocessing.scale for part in STUDY.parts for data in part.data}
    splits = {
        (s.test, s.split_seed) for part in STUDY.parts for each in part.settings for s in each
    }

    assert plans == {"standard"}
    assert splits == {(0.3, 1)}


def test_the_budgets_are_comparable():
    """A pass over the rows is an evaluation, and a gradient one more."""
    for part in STUDY.parts:
        for settings, generations in zip(part.settings[0], part.generations, strict=False):
            evolved = settings.population * generations * (1 + 2 * settings.steps)
            tuned = 2 * settings.tuning * (10 if generations else 1)
            assert 40_000 <= evolved + tuned <= 51_000, part.name
