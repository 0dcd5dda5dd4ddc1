"""The page of a run is self-contained, reproducible, accessible and safe."""

import base64
import csv
import hashlib
import json
import random
import re
import shlex
from itertools import pairwise, product

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.folder import open_folder
from dsgec.network.description import read_model
from dsgec.network.text import network_text
from dsgec.report.chart import linear_scale, round_ticks, suitable_scale
from dsgec.report.facts import evolve_command
from dsgec.report.format import format_number
from dsgec.report.history_charts import thin_history
from dsgec.report.network_drawing import compare_phenotype
from dsgec.report.page import page_style, write_report
from dsgec.run.hall import front
from dsgec.run.record import parse_record
from dsgec.run.result_folder import clear_run
from dsgec.search.evolver import HistoryRow
from tests.support.command_line import dsgec
from tests.support.html import Page
from tests.support.run_folders import (
    HOSTILE,
    add_comparison,
    make_run,
    many_classes,
    numeric_target,
    report_page,
    three_classes,
    two_classes,
    write_table,
)

MAKERS = [two_classes, three_classes, numeric_target]
SOME = [two_classes, *(pytest.param(m, marks=pytest.mark.campaign) for m in MAKERS[1:])]


@pytest.mark.parametrize("make", MAKERS)
def test_the_page_is_well_made(make, tmp_path):
    make(tmp_path)
    page = Page(report_page(tmp_path / "run"))
    ids = [a["id"] for _, a in page.elements if "id" in a]
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]

    assert page.all("html") == [{"lang": "en"}]
    assert len(set(ids)) == len(ids)
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    for _, attributes in page.elements:
        for name in ("aria-labelledby", "for"):
            assert set(attributes.get(name, "").split()) <= set(ids)
    labelled = {a.get("for") for a in page.all("label")}
    for field in page.all("input") + page.all("select"):
        named = field.get("id") in labelled or "aria-label" in field
        assert named or field["type"] == "checkbox"  # which stands inside its label
    pictures = [a for a in page.all("svg") if "aria-hidden" not in a]
    assert len(pictures) >= 3
    assert all(len(a["aria-labelledby"].split()) == 2 for a in pictures)


@pytest.mark.parametrize("make", MAKERS)
def test_the_page_needs_nothing_else_and_allows_its_own_script_only(make, tmp_path):
    make(tmp_path)
    text = report_page(tmp_path / "run")
    page = Page(text)
    (script,) = page.scripts
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(a["content"] for a in page.all("meta") if "http-equiv" in a)

    assert f"script-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert not [a for _, a in page.elements if "src" in a or any(n.startswith("on") for n in a)]
    assert all(a["href"].startswith("#") for a in page.all("a"))
    assert not page.all("link")
    assert not re.search(r"https?://|url\(|@import", text)


def test_the_same_run_gives_the_same_bytes_wherever_it_lies(tmp_path):
    two_classes(tmp_path)
    first = write_report(tmp_path / "run").read_bytes()
    (tmp_path / "run").rename(tmp_path / "elsewhere")

    assert write_report(tmp_path / "elsewhere").read_bytes() == first
    assert str(tmp_path).encode() not in first
    assert b"elsewhere" not in first


def test_names_never_become_markup(tmp_path):
    two_classes(tmp_path / "a")
    two_classes(tmp_path / "b", (*HOSTILE, "</title><b>"), "</style><i> <img/src=x>")
    plain, hostile = (Page(report_page(tmp_path / name / "run")) for name in ("a", "b"))

    assert [tag for tag, _ in hostile.elements] == [tag for tag, _ in plain.elements]
    assert "alert(1)" in hostile.scripts[0]
    assert "<script" not in hostile.scripts[0]
    assert HOSTILE[0] in "".join(hostile.words)


def words(page):
    return " ".join("".join(page.words).split())


def test_the_page_begins_with_what_is_predicted_and_how_well(tmp_path):
    two_classes(tmp_path / "a")
    numeric_target(tmp_path / "b")
    first, second = (words(Page(report_page(tmp_path / name / "run"))) for name in "ab")

    assert "Predicting kind of table from 3 features" in first
    assert "Predicting y of table from 3 features" in second
    told = json.loads((tmp_path / "b" / "run" / "run.json").read_text())["result"]
    for part in ("test", "train"):
        assert f"{part} R² {told[part]['r2']:.4f}".replace("-", "−") in second
    assert "simple models" not in first
    assert "Worth knowing" not in first


def test_baselines_verdict_and_warnings_stand_beside_the_figures(tmp_path):
    two_classes(tmp_path)
    plain = Page(report_page(tmp_path / "run"))
    add_comparison(tmp_path / "run")
    page = Page(report_page(tmp_path / "run"))
    text = words(page)

    assert "As good as <i>logistic regression. (McNemar, p = 0.14)" in text
    assert "logistic <b>regression0.7321 majority class0.7321" in text
    assert "Class `x` is <u>never predicted." in text
    assert text.index("As good as") < text.index("The network, running")
    for tag in ("i", "b", "u"):
        assert len(page.all(tag)) == len(plain.all(tag)) == 0


def test_the_page_ranks_columns_by_what_they_are_worth(tmp_path):
    three_classes(tmp_path)
    told = json.loads((tmp_path / "run" / "report.json").read_text())["importance"]["columns"]
    order = sorted(told, key=lambda one: -one["mean"])
    text = report_page(tmp_path / "run")
    table = text[text.index('id="features"') :]

    names = re.findall(r'<th scope="row"><bdi>(\w+)</bdi></th><td>(\S+) ± (\S+)</td>', table)
    assert names == [
        ("abc"[one["column"]], *(f"{one[n]:.4f}".replace("-", "−") for n in ("mean", "deviation")))
        for one in order
    ]


def test_a_run_of_an_earlier_version_has_a_page_without_what_it_lacks(tmp_path):
    for make, lacks in (
        (many_classes, ["importance", "calibration"]),
        (numeric_target, ["importance"]),
    ):
        folder = tmp_path / make.__name__
        make(folder)
        assert "± " in report_page(folder / "run")
        path = folder / "run" / "report.json"
        told = json.loads(path.read_text())
        for name in lacks:
            del told[name]
        path.write_text(json.dumps(told))
        page = report_page(folder / "run")
        assert "Calibration" not in page
        assert "± " not in page
        assert "It reads <bdi" in page


@pytest.mark.parametrize(("count", "cells"), [(7, 2 * 49), (26, 2 * 26**2), (31, 0)])
def test_the_matrix_of_many_classes_is_whole_until_there_are_too_many(count, cells, tmp_path):
    many_classes(tmp_path, count)
    page = Page(report_page(tmp_path / "run"))
    fields = [a for a in page.all("td") if a.get("class", "").startswith(("right", "wrong"))]

    assert len(fields) == cells
    assert "Calibration" in "".join(page.words)


def contrast(first, second):
    def luminance(colour):
        digits = colour if len(colour) == 6 else "".join(2 * c for c in colour)
        parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_colours_can_be_read_in_light_dark_and_print():
    themes = re.findall(r":root \{(.*?)\}", page_style(), re.DOTALL)
    assert len(themes) == 3
    for theme in themes:
        colours = dict(re.findall(r"--(\w+): #(\w+)", theme))
        for ink, paper in product(("ink", "faint", "blue"), ("paper", "card", "button")):
            assert contrast(colours[ink], colours[paper]) >= 4.5, (ink, paper)
        for line in ("orange", "green", "violet", "grey", "red", "level", "axis"):
            assert contrast(colours[line], colours["paper"]) >= 3.0, line


def test_neurons_that_simplification_dropped_are_known(tmp_path):
    _, model = two_classes(tmp_path)
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    written = compare_phenotype(record["result"]["phenotype"], model)

    assert written.kept == (2, 0)
    assert [[one.why for one in layer] for layer in written.dropped] == [["nothing reads it"]] * 2
    assert written.dropped[0][0].formula == "sig(1.0 * b + 3.0)"
    assert report_page(tmp_path / "run").count('class="body dead"') == 2 + 1  # and in the legend
    assert compare_phenotype("sig(x_1)", model) is None
    described = {"columns": [{"name": n} for n in ("a", "b", "c")], "classes": ["no", "yes"]}
    assert read_model(described, network_text(model.network), "a", "b").network == model.network


def add_hall(folder, rows):
    metrics = list(json.loads((folder / "run.json").read_text())["result"]["train"])
    sizes = ["connections", "neurons", "layers", "features", "written", "fitness", "score"]
    head = [*sizes, *(f"{p}_{m}" for p in ("train", "test") for m in metrics)]
    with (folder / "hall_of_fame.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*head, "model_id", "phenotype"])
        for size, train, test in rows:
            figures = [train] * len(metrics) + [test] * len(metrics)
            writer.writerow([size, 1, 1, 1, size, 1.5, 1.5, *figures, "0" * 32, "sig(x_1)"])


def test_the_front_is_of_those_that_no_smaller_one_equals_or_beats(tmp_path):
    rows = [(1, 0.7, 0.71), (3, 0.9, 0.6), (4, 0.9, 0.93), (9, 0.95, ""), (12, 0.94, 0.93)]
    pairs = [(size, train) for size, train, _ in rows]
    better = [i for i, (s, v) in enumerate(pairs) if all(w < v for t, w in pairs if t < s)]
    assert front(pairs, rises=True) == better == [0, 1, 3]
    two_classes(tmp_path)
    assert "--pick" not in report_page(tmp_path / "run")
    add_hall(tmp_path / "run", rows)

    page = report_page(tmp_path / "run")
    assert re.findall(r"--pick size (\d+)", page) == ["1", "3", "4", "9", "12"]
    assert "Accuracy against size" in page
    assert "larger networks" not in page
    add_hall(tmp_path / "run", [*rows, (17, 0.5, 0.5), (300, 0.5, 0.5), (400, 0.4, 0.5)])
    page = report_page(tmp_path / "run")
    assert "2 larger networks, none of them better" in page
    assert "400 connections" not in page
    assert "--pick size 400" in page


def test_a_long_history_is_thinned_and_its_sizes_are_drawn(tmp_path):
    table = write_table(tmp_path / "t.csv", ("a", "b", "kind"), ["n", "n", "no yes"])
    history = [HistoryRow(i, 2 - 5e-5 * i, 3 + (i % 7), 0, 10, 0, 7) for i in range(20_000)]
    text = "sig(1.0*x_1+0.1)-sig(1.0*x_2+0.1)--sig(1.0*h_1_1+1.0*h_1_2+0.1)"
    make_run(tmp_path / "run", "multi_layer", table, text, history=history)
    page = report_page(tmp_path / "run")
    assert "Size over the generations" in page
    assert max(d.count("L") for d in re.findall(r' d="([^"]+)"', page)) <= 500
    assert len(page) < 300_000


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("report.json", '"roc"', '"rock"'),
        ("report.json", '"least": ', '"least": "1", "was": '),
        ("report.json", '"part": "test"', '"part": "<b>"'),
        ("report.json", '"outputs": [', '"outputs": [1, '),
        ("report.json", '"positives": ', '"positives": -'),
        ("report.json", '"deviation": ', '"deviation": -'),
        ("report.json", '"column": ', '"column": 3'),
        ("report.json", '"calibration": {', '"calibration": {"x": [], '),
        ("report.json", "{", "[{"),
        ("history.csv", "generation", "gen"),
        ("history.csv", "\n1,", "\none,"),
        ("history.csv", "\n2,", "\n1,"),
        ("history.csv", ",5\n", f",{10**400}\n"),
        ("history.csv", ",5\n", ",-5\n"),
        ("run.json", '"train": {', '"train": {"more": 1, '),
        ("run.json", '"confusion": {', '"confusion": {"x": 1, '),
        ("run.json", '"ignore"', '"ignored"'),
        ("run.json", '"baselines": [', '"baselines": [1, '),
        ("run.json", '"accuracy": 0.75', '"accuracy": "0.75"'),
        ("run.json", '"verdict": ', '"verdict": 1, "was": '),
        ("run.json", '"p": 0.143', '"p": "0.143"'),
        ("run.json", '"warnings": [', '"warnings": [1, '),
        ("run.json", '"phenotype": "', '"phenotype": 3, "was": "'),
        ("hall_of_fame.csv", "connections", "links"),
        ("hall_of_fame.csv", "\n1,", "\n-1,"),
    ],
)
def test_a_damaged_folder_is_refused(name, before, after, tmp_path):
    two_classes(tmp_path)
    add_hall(tmp_path / "run", [(1, 0.7, 0.71)])
    add_comparison(tmp_path / "run")
    report_page(tmp_path / "run")
    path = tmp_path / "run" / name
    text = path.read_text()
    if before == '"ignore"':
        before, after = '"task"', '"ignore": 3, "task"'
    assert before in text
    path.write_text(text.replace(before, after, 1))

    with pytest.raises(DsgecError):
        report_page(tmp_path / "run")


ODD = [1e308, -1e308, 5e-324, 0, -1, 2**60, 10**400, None, "x", "\ud800", True, [], {}, [[1]], 1.5]


def places(value):
    """Yield the container and the key of every value in plain data."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


@pytest.mark.parametrize("make", SOME)
def test_whatever_a_file_holds_there_is_a_page_or_a_message(make, tmp_path):
    make(tmp_path)
    add_comparison(tmp_path / "run")
    add_hall(tmp_path / "run", [(1, 0.7, 0.71), (2, 0.8, 0.7)])
    rng = random.Random(5)
    made = refused = 0
    for number in range(24):
        name = ("report.json", "run.json", "history.csv", "hall_of_fame.csv")[number % 4]
        path = tmp_path / "run" / name
        before = path.read_text()
        if name.endswith(".json"):
            value = json.loads(before)
            holder, key = rng.choice(list(places(value)))
            holder[key] = rng.choice(ODD)
            path.write_text(json.dumps(value))
        else:
            rows = [line.split(",") for line in before.splitlines()]
            row = rng.choice(rows[1:])
            row[rng.randrange(len(row))] = rng.choice(
                ["1e308", "-1e308", "5e-324", "nan", "inf", "x"]
            )
            path.write_text("\n".join(map(",".join, rows)))
        try:
            Page(report_page(tmp_path / "run"))
            made += 1
        except DsgecError:
            refused += 1
        path.write_text(before)
    assert made >= 3
    assert refused >= 3


def test_the_command_writes_the_page_where_it_is_told(run, tmp_path):
    answer = dsgec("report", run, "-o", tmp_path / "page.html")

    assert answer.stdout.strip() == str(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == (run / "report.html").read_bytes()
    assert "neither the folder" in dsgec("report", tmp_path, code=1).stderr


def test_the_command_on_the_page_makes_the_run_again(run, tmp_path):
    record = json.loads((run / "run.json").read_text())
    command = evolve_command(parse_record(record))
    dsgec(*shlex.split(command)[1:], "--out", tmp_path)

    assert f"<bdi>{command}</bdi>" in (run / "report.html").read_text()
    for name in ("run.json", "report.json", "report.html"):
        assert (tmp_path / run.name / name).read_bytes() == (run / name).read_bytes()


def test_a_command_has_all_that_was_unusual(run):
    record = json.loads((run / "run.json").read_text())
    unusual = {"engine": "ge", "codons": 7, "max_depth": {"sum": 3}, "test": 0.25}
    record["settings"] = {"population": 12, "generations": 4, **unusual}
    record["data"] |= {"name": "a b;c", "scale": "minmax", "ignore": ["x y"], "task": "regression"}

    assert shlex.split(evolve_command(parse_record(record)))[2:] == [
        *("multi_layer", "a b;c", "--preset", "paper", "--representation", "ge"),
        *("--population", "12"),
        *("--generations", "4", "--max-depth", "sum=3", "--codons", "7", "--test", "0.25"),
        *("--target", "diagnosis", "--ignore", "x y", "--index", "drop", "--task", "regression"),
        *("--missing", "fill", "--scale", "minmax"),
    ]


def test_a_new_run_takes_the_old_page_away(tmp_path):
    two_classes(tmp_path)
    path = write_report(tmp_path / "run")
    with open_folder(tmp_path / "run") as folder:
        clear_run(folder)

    assert not path.exists()
    assert not (tmp_path / "run" / "report.json").exists()


def test_a_noisy_line_keeps_its_width_everywhere():
    y = np.random.default_rng(4).random(100_000)
    y[70_123] = 9.0
    places = thin_history(y, 500)

    assert len(places) <= 500
    assert (places[0], places[-1]) == (0, len(y) - 1)
    assert 70_123 in places
    for start in range(0, len(y), 2_000):
        inside = y[places[(places >= start) & (places < start + 2_000)]]
        assert inside.min() < 0.02
        assert inside.max() > 0.98


def test_axes_have_round_numbers():
    assert round_ticks(0.0, 1.0) == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert round_ticks(3.0, 3.0, whole=True)[0] >= 0
    assert linear_scale([2, 9], 0, 100, whole=True).ticks == (2.0, 4.0, 6.0, 8.0, 10.0)
    assert not suitable_scale([1.0, 19.0], 0, 1).is_log
    assert suitable_scale([1e-3, 5.0], 0, 1).ticks == pytest.approx((1e-3, 1e-2, 0.1, 1.0))
    assert [format_number(v) for v in (0.0, 1234567.0, -0.00001, 12.3456, None)] == [
        "0",
        "1.235e6",
        "−1e−5",
        "12.35",
        "–",
    ]
