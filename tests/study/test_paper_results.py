"""The results of the paper's study in docs/ are what `dsgec study paper` gives."""

import csv
from pathlib import Path

import pytest

from tests.support.command_line import dsgec

pytestmark = pytest.mark.needs_cc

DOCS = Path(__file__).parents[2] / "docs" / "research" / "paper"
FEW = """
runs = {runs}
seed = {seed}
[[part]]
name = "one layer"
representations = ["{engine}"]
grammars = ["one_layer"]
data = ["{data}"]
generations = 500
"""


def rows_of(path):
    rows = list(csv.DictReader(path.read_text().splitlines()))
    return {(r["part"], r["engine"], r["data"], r["seed"]): r for r in rows}


@pytest.mark.parametrize(
    ("engine", "data"),
    [
        ("dsge", "flame"),  # the smallest table
        *(
            pytest.param(engine, "wdbc", marks=pytest.mark.campaign)
            for engine in ("dsge", "ge", "sge")
        ),
    ],
)
def test_a_few_runs_of_the_study_are_those_in_the_docs(
    engine, data, tmp_path, threads_for_processes
):
    (tmp_path / "few.toml").write_text(FEW.format(runs=1, seed=7, engine=engine, data=data))
    dsgec("study", tmp_path / "few.toml", "--out", tmp_path, "--quiet")
    ours, theirs = rows_of(tmp_path / "results.csv"), rows_of(DOCS / "results.csv")

    assert len(ours) == 1
    for key, row in ours.items():
        assert row == theirs[key]


@pytest.mark.campaign
@pytest.mark.timeout(7200)
def test_the_whole_study_is_that_in_the_docs(tmp_path):
    dsgec("study", "paper", "--out", tmp_path, "--quiet", timeout=7000)
    for name in ("results.csv", "tables.md", "comparisons.csv"):
        assert (tmp_path / name).read_bytes() == (DOCS / name).read_bytes(), name


def test_dsge_is_within_a_deviation_of_the_papers_means():
    printed = {
        "flame": (1.16, 0.13),
        "wdbc": (1.36, 0.06),
        "ionosphere": (1.38, 0.13),
        "sonar": (1.73, 0.12),
    }
    rows = rows_of(DOCS / "results.csv").values()
    for data, (mean, deviation) in printed.items():
        own = [
            float(row["fitness"])
            for row in rows
            if (row["part"], row["engine"], row["data"]) == ("one layer", "dsge", data)
        ]
        assert len(own) == 30
        assert abs(sum(own) / 30 - mean) <= deviation
