"""The figure shows what the runs did, in both of its forms."""

import struct
import xml.etree.ElementTree as ET
import zlib
from dataclasses import replace

import numpy as np
import pytest

from dsgec.cli.terminal.study import TimeEstimate, duration
from dsgec.report.curve_figure import _ticks, figure_png, figure_svg
from dsgec.study.evidence import _curve, make_figure
from tests.support.study_results import ONE, make_results, make_study, outcome

STUDY = make_study()
A = [
    outcome(1.0, changes=((0, 3.0), (2, 2.0), (4, 1.0))),
    outcome(2.0, changes=((0, 4.0), (3, 2.0))),
]
B = [outcome(1.5, changes=((0, 5.0), (1, 1.5)))] * 2
RESULTS = {
    replace(cell, settings=replace(cell.settings, generations=5)): one
    for cell, one in make_results(STUDY, {("a", ONE): A, ("b", ONE): B}).items()
}
FIGURE = make_figure(STUDY.tables[0], ONE, RESULTS)
SVG = "{http://www.w3.org/2000/svg}"


def test_the_mean_holds_until_it_changes():
    curve = _curve("A", A, 5)

    assert curve.generations.tolist() == [0, 1, 2, 3, 4, 5]
    assert curve.mean.tolist() == [3.5, 3.5, 3.0, 2.0, 1.5, 1.5]
    # Of two values, |a - b| / √2.
    assert curve.deviation == pytest.approx(np.array([1, 1, 2, 0, 1, 1]) / np.sqrt(2))


def test_a_long_run_is_drawn_with_few_points():
    curve = _curve("A", A, 100_000)

    assert len(curve.mean) == 300
    assert (curve.generations[0], curve.generations[-1]) == (0, 100_000)
    assert (curve.mean[0], curve.mean[-1]) == (3.5, 1.5)


def test_generations_without_a_fitness_are_left_out():
    curve = _curve("A", [outcome(None, changes=((0, 2.0), (2, None), (3, 1.0)))], 3)

    assert curve.generations.tolist() == [0, 1, 3]
    assert curve.deviation.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.0, 500.0, [0, 100, 200, 300, 400, 500]),
        (0.0, 30.0, [0, 5, 10, 15, 20, 25, 30]),
        (1.05, 2.8, [1.0, 1.5, 2.0, 2.5, 3.0]),
        (2.0, 2.0, None),
        (0.0, 0.0, None),
        (-1e12, 5e12, None),
    ],
)
def test_the_scale_has_round_numbers(low, high, ticks):
    found = _ticks(low, high)

    assert found[0] <= low < found[-1] or low == high
    assert found[-1] >= high
    assert 2 <= len(found) <= 9
    assert ticks is None or found == pytest.approx(ticks)


def test_the_svg_is_one_and_shows_every_row():
    root = ET.fromstring(figure_svg(FIGURE))

    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert {"A", "B", "generation", "One: fitness of the best network"} <= set(texts)
    assert len(list(root.iter(f"{SVG}polygon"))) == 2
    lines = [e for e in root.iter(f"{SVG}polyline") if e.get("stroke-width") == "2.4"]
    assert len({line.get("stroke") for line in lines}) == 2
    assert [line.get("stroke-dasharray") for line in lines] == ["10.0 5.0", None]
    # The last generation of A and B: means 1.5 and 1.5, so at the same height.
    ends = [line.get("points").split()[-1] for line in lines]
    assert ends[0] == ends[1]
    # Their labels are moved apart.
    places = sorted(float(e.get("y")) for e in root.iter(f"{SVG}text") if e.text in ("A", "B"))
    assert places[1] - places[0] >= 15


def test_no_text_drives_the_picture():
    rows = (replace(STUDY.tables[0].rows[0], label="</text><script>"),)
    figure = make_figure(replace(STUDY.tables[0], rows=rows), ONE, RESULTS)

    assert "<script" not in figure_svg(figure)
    assert "&lt;/text" in figure_svg(figure)
    assert figure_png(figure).startswith(b"\x89PNG")


def test_the_png_is_one_and_always_the_same():
    data = figure_png(FIGURE)

    assert data == figure_png(FIGURE)
    assert struct.unpack(">II", data[16:24]) == (1520, 920)
    # Chunk by chunk, each with its checksum.
    at, kinds = 8, []
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kinds.append(data[at + 4 : at + 8])
        body = data[at + 4 : at + 8 + length]
        assert zlib.crc32(body) == struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0]
        at += 12 + length
    assert kinds[0] == b"IHDR"
    assert kinds[-1] == b"IEND"
    assert b"tIME" not in kinds


def test_there_is_no_figure_of_nothing():
    assert make_figure(STUDY.tables[0], ONE, {}) is None


class FakeTask:
    def __init__(self, name, size):
        self.cell = make_results(STUDY, {("a", replace(ONE, name=name)): A[:1]}).popitem()[0]
        self.size = size


def test_what_is_left_is_judged_by_what_has_been():
    short, long = FakeTask("short", 10), FakeTask("long", 40)
    remaining = TimeEstimate([short] * 3 + [long] * 2, 2)
    assert remaining.estimate() is None
    remaining.run_ended(short, 1.0)
    # Two of 1 s, two of four times the size, over two jobs.
    assert remaining.estimate() == pytest.approx((2 * 1.0 + 2 * 4.0) / 2)
    remaining.run_ended(long, 10.0)
    assert remaining.estimate() == pytest.approx((2 * 1.0 + 1 * 10.0) / 2)
    for _ in range(2):
        remaining.run_ended(short, 1.0)
    assert remaining.estimate() == pytest.approx(10.0)  # one run cannot be shared
    remaining.run_ended(long, 10.0)
    assert remaining.estimate() == 0.0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (3599, "59 min 59 s"),
        (7260, "2 h 01 min"),
    ],
)
def test_durations_as_people_say_them(seconds, text):
    assert duration(seconds) == text
