"""The page of a study: its tables, its tests, its samples; and a name stays a name."""

import json
import statistics

import pytest

from dsgec.errors import DsgecError
from dsgec.folder import make_folder
from dsgec.study.definition import Data
from dsgec.study.outputs import write_outputs
from dsgec.study.page import quartiles
from tests.support.html import Page
from tests.support.run_folders import report_page
from tests.support.study_results import ONE, make_results, make_study, outcome


def write_study(folder, data=ONE):
    study = make_study((data,), runs=5)
    outcomes = {
        ("a", data): [outcome(1.5 + 0.1 * i, accuracy=0.8 + 0.01 * i) for i in range(5)],
        ("b", data): [
            outcome(1.2 + 0.1 * i, changes=((0, 3.0), (4, 1.2 + 0.1 * i))) for i in range(5)
        ],
    }
    folder.mkdir(parents=True)
    with make_folder(folder) as opened:
        write_outputs(study, make_results(study, outcomes), opened)
    return folder


def test_the_page_has_tables_tests_boxes_and_curves(tmp_path):
    text = report_page(write_study(tmp_path / "study"))
    page = Page(text)

    assert not page.scripts
    words = "".join(page.words)
    for part in (
        "1.70 ± 0.16",
        "1.40 ± 0.16",
        "Mann-Whitney U",
        "Fitness over the generations, One",
    ):
        assert part in words
    assert "median 1.7 of 5 runs" in text or "median 1.7 of 5 runs" in words
    assert len([a for a in page.all("rect") if a["class"].startswith("box")]) == 4
    assert text == report_page(tmp_path / "study")
    assert words.index("Spread over the runs") < words.index("1.70 ± 0.16")  # plots first


def test_a_label_stays_a_label(tmp_path):
    plain = Page(report_page(write_study(tmp_path / "a")))
    named = Data("one", "one", None, "</title><script>alert(1)</script>")
    hostile = Page(report_page(write_study(tmp_path / "b", named)))

    assert [tag for tag, _ in hostile.elements] == [tag for tag, _ in plain.elements]
    assert named.label in "".join(hostile.words)


def test_quartiles_are_the_usual_ones():
    values = [3.0, 1.0, 4.0, 1.5, 9.0, 2.6, 5.0, 3.5, 30.0]
    five, outside = quartiles(values)

    assert list(five[1:4]) == pytest.approx(statistics.quantiles(values, method="inclusive"))
    assert (five[0], five[4], outside) == (1.0, 5.0, (9.0, 30.0))  # 5 + 1.5 × 2.4 < 9
    assert quartiles([2.0]) == ((2.0,) * 5, ())


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("report.json", '"tables"', '"table"'),
        ("report.json", '"deviation": [', '"deviation": [1, '),
        ("report.json", '"values": [', '"values": ["x", '),
        ("report.json", '"runs": 5', '"runs": "5"'),
        ("comparisons.csv", "against", "with"),
    ],
)
def test_a_damaged_folder_is_refused(name, before, after, tmp_path):
    path = write_study(tmp_path / "study") / name
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))

    with pytest.raises(DsgecError):
        report_page(tmp_path / "study")


def test_a_study_of_an_earlier_version_is_told_what_to_do(tmp_path):
    folder = write_study(tmp_path / "study")
    json.loads((folder / "report.json").read_text())
    (folder / "report.json").unlink()

    with pytest.raises(DsgecError, match=r"report\.json is not there"):
        report_page(folder)
