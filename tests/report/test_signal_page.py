"""The page of a signal plays a recording: the exported stream gives the run's windows."""

import json
import re

import pytest

import dsgec
from dsgec.network.model import Model
from dsgec.plain_data import as_plain
from dsgec.run.evidence import parse_evidence
from tests.support.browser import CHROMIUM, open_page
from tests.support.logs import gesture_log

NUMERIC = "t,a,speed\n" + "".join(
    f"{i / 50:.2f},{(i * i // 3) % (7 + i // 90) - 3},{i // 90}\n" for i in range(900)
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    (folder / "gestures.csv").write_text(gesture_log(recordings=6))
    (folder / "speed.csv").write_text(NUMERIC)
    given = {"window": 32, "step": 16, "effort": "quick", "seed": 1}
    gestures = dsgec.evolve(folder / "gestures.csv", smooth=3, unknown=0.05, **given)
    speed = dsgec.evolve(
        folder / "speed.csv", task="regression", generations=5, population=20, **given
    )
    return {
        "gestures": gestures.save(folder / "gestures"),
        "speed": speed.save(folder / "speed"),
    }


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
@pytest.mark.parametrize("name", ["gestures", "speed"])
def test_the_exported_stream_gives_the_windows_of_the_run(runs, name, tmp_path):
    document, console = open_page(runs[name] / "report.html", tmp_path)

    check = re.search(r'<p id="signal-check"[^>]*>(.*?)</p>', document)
    assert 'data-outcome="same"' in check[0]
    played = json.loads((runs[name] / "report.json").read_text())["played"]
    assert check[1].startswith(f"All {len(played['windows'])} windows have")
    boxes = re.findall(r'<rect class="box', document)
    assert len(boxes) == (2 * len(played["windows"]) if name == "gestures" else 0)
    assert not console


def test_the_windows_are_those_of_test_rows(runs):
    record = json.loads((runs["gestures"] / "run.json").read_text())
    played = json.loads((runs["gestures"] / "report.json").read_text())["played"]

    assert played["part"] == "test"
    assert len(played["windows"]) <= record["data"]["test_rows"]
    ends = [one["end"] for one in played["windows"]]
    assert ends == [*range(31, len(played["samples"]), 16)]
    assert {one["wanted"] for one in played["windows"]} == {"rest", "slow", "fast"}


def test_samples_that_do_not_belong_to_the_model_are_refused(runs):
    run = dsgec.load(runs["gestures"])
    model: Model = run.network.model
    plain = as_plain(run.evidence)
    assert parse_evidence(plain, model)
    for change in (
        {"samples": [[1, 2]]},
        {"windows": [{"end": 10**6, "wanted": "rest", "given": "rest"}]},
        {"windows": [{"end": 40, "wanted": 1.0, "given": "rest"}]},
    ):
        with pytest.raises(ValueError):
            parse_evidence({**plain, "played": {**plain["played"], **change}}, model)
