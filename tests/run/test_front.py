"""A run that minimises a cost: its hall of fame, its page, its lines, and that it survives."""

import csv
import json
import re
import threading
from dataclasses import replace

import pytest

from dsgec import evolve, load
from dsgec.cli.terminal.result import result_lines
from dsgec.errors import DsgecError
from dsgec.folder import open_folder
from dsgec.network.cost.work import model_cost
from dsgec.run.folder import read_hall
from dsgec.run.hall import front, parse_hall
from tests.support.command_line import dsgec
from tests.support.runs import go, made, model_of, picked, quick_job

FLASH = {"minimise": "flash", "elites": 0, "variation": "trees", "steps": 1, "dtype": "float"}


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    settings = {**FLASH, "population": 20, "pruning": 5, "tuning": 10}
    return go(quick_job(tmp_path_factory.mktemp("front"), **settings))


def rows(folder):
    return list(csv.DictReader((folder / "hall_of_fame.csv").read_text().splitlines()))


def test_there_is_a_row_for_each_cost_and_the_front_is_marked(ended):
    found = rows(ended.folder)
    costs = [int(row["flash"]) for row in found]
    assert costs == sorted(set(costs))
    assert len(costs) > 3
    scores = [float(row["score"]) for row in found]
    expected = [score < min(scores[:place], default=2) for place, score in enumerate(scores)]
    assert [row["front"] == "1" for row in found] == expected


def test_the_columns_are_the_costs_of_the_networks(ended):
    for row in rows(ended.folder):
        with open_folder(ended.folder) as folder:
            one = next(one for one in read_hall(folder) if one.model_id == row["model_id"])
        assert (one.flash, one.cycles) == (int(row["flash"]), int(row["cycles"]))
    best, _ = model_of(ended.folder)
    own = next(r for r in rows(ended.folder) if r["model_id"] == ended.record.model.id)
    taken = model_cost(best, "cortex-m0plus", "float")
    assert (taken.flash, taken.cycles) == (int(own["flash"]), int(own["cycles"]))


def test_a_usual_run_has_the_costs_and_no_front(tmp_path):
    folder = go(quick_job(tmp_path, 3, chip="avr", dtype="float"), "numpy").folder
    for row in rows(folder):
        model, _ = picked(folder, "size", row["connections"])
        taken = model_cost(model, "avr", "float")
        assert (int(row["flash"]), int(row["cycles"])) == (taken.flash, taken.cycles)
        assert "front" not in row


def test_the_end_of_a_run_prints_the_front(ended):
    lines = result_lines(ended)
    at = next(number for number, line in enumerate(lines) if line.startswith("front: "))
    count = sum(row["front"] == "1" for row in rows(ended.folder))
    assert lines[at] == f"front: {count} networks that no cheaper one is as good as"
    assert lines[at + 1].split() == ["bytes", "of", "flash", "log-loss", "test", "accuracy"]
    shown = [
        int(line.split()[0].replace(",", "")) for line in lines[at + 2 : at + 2 + min(count, 8)]
    ]
    on_front = [int(row["flash"]) for row in rows(ended.folder) if row["front"] == "1"]
    assert shown[0] == on_front[0]
    assert shown[-1] == on_front[-1]


def test_intervals_of_large_numbers_stand_apart(ended):
    names = [*ended.record.result.test]
    intervals = replace(
        ended.record.result.intervals, test=dict.fromkeys(names, (12345.6, 234567.8))
    )
    result = replace(ended.record.result, intervals=intervals)
    lines = result_lines(replace(ended, record=replace(ended.record, result=result)))
    (line,) = [one for one in lines if one.startswith("test, 95 % interval")]
    own = re.split(" {2,}", line.removeprefix("test, 95 % interval").strip())
    assert own == ["12346–234568"] * len(names)
    header, *others = (one for one in lines[lines.index(line) - 3 : lines.index(line) + 3])
    assert len({len(header), *map(len, others)}) == 1, "columns end in one place"


def test_the_page_draws_the_front_and_names_what_takes_a_network(ended):
    page = (ended.folder / "report.html").read_text()
    assert "The front: log-loss against flash" in page
    for row in rows(ended.folder):
        assert f"--pick flash {row['flash']} --dtype float" in page


def test_what_the_page_names_takes_that_network(ended, tmp_path):
    row = next(row for row in rows(ended.folder)[1:] if row["front"] == "1")
    words = ("--pick", "flash", row["flash"], "--dtype", "float", "--to", "c")
    dsgec("export", ended.folder, *words, "-o", tmp_path / "board")
    assert row["model_id"] in "".join(p.read_text() for p in (tmp_path / "board").glob("*.h"))


@pytest.mark.parametrize(
    ("first", "then"),
    [("numpy", "engine"), pytest.param("reference", "numpy", marks=pytest.mark.campaign)],
)
def test_an_interrupted_run_goes_on_to_the_same_bytes(tmp_path, first, then):
    settings = {**FLASH, "tuning": 10}
    whole = made(go(quick_job(tmp_path / "whole", 8, **settings)).folder)
    stop = threading.Event()

    def look(state):
        if state.generation >= 4:
            stop.set()

    job = quick_job(tmp_path / "parts", 8, **settings)
    assert go(job, first, stop=stop, on_generation=look).ended == "interrupted"
    go(job, then)
    assert made(job.folder) == whole


def test_older_folders_have_no_costs_and_a_damaged_cost_is_refused(ended):
    text = (ended.folder / "hall_of_fame.csv").read_text()
    table = list(csv.reader(text.splitlines()))
    names = table[0]
    older = "\n".join(",".join(row[: names.index("flash")]) for row in table)
    assert {(one.flash, one.cycles, one.front) for one in parse_hall(older, "")} == {
        (None, None, False)
    }
    flash = rows(ended.folder)[0]["flash"]
    for damaged in ("-4", "many", "1.5"):
        with pytest.raises(DsgecError, match="not the hall of fame"):
            parse_hall(text.replace(f",{flash},", f",{damaged},", 1), "it")


def test_a_front_is_by_cost_and_an_equal_score_is_not_on_it():
    points = [(5, 0.2), (1, 0.9), (3, None), (3, 0.5), (4, 0.5), (3, 0.4)]
    assert front(points, rises=False) == [1, 5, 0]
    assert front([(2, 0.5), (1, 0.5), (3, 0.6)], rises=True) == [1, 2]


def test_the_library_has_the_second_objective(tmp_path):
    run = evolve(
        "one_layer",
        "wdbc",
        minimise="connections",
        population=8,
        generations=3,
        tuning=0,
        backend="numpy",
        out=tmp_path,
    )
    entries = load(tmp_path).hall_of_fame
    assert [entry.front for entry in run.hall_of_fame] == [entry.front for entry in entries]
    assert any(entry.front for entry in entries)
    assert all(entry.flash and entry.cycles for entry in entries)
    assert "front" in run.hall_of_fame.to_frame()
    settings = json.loads(next(tmp_path.rglob("run.json")).read_text())["settings"]
    assert settings["minimise"] == "connections"
