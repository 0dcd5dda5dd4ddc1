"""The measurements of learning are of the passes that they name."""

import pytest

from benchmarks import speed_learning as bench
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table

pytestmark = pytest.mark.needs_cc


@pytest.fixture(autouse=True)
def few(monkeypatch):
    for name, value in (("_GENERATIONS", 3), ("_SHORT", 2), ("_NETWORKS", 3), ("_ROUNDS", 1)):
        monkeypatch.setattr(bench, name, value)
    monkeypatch.setattr(bench, "_ROWS", (20, 40))
    monkeypatch.setattr(bench, "_LARGE", 200)


def test_the_loss_alone_is_that_of_the_gradient():
    problem = bench._problem(make_dataset(read_table("wdbc")))
    networks = bench._evolved(problem)
    losses, both = (
        [measured(*text) for text in networks] for measured in bench._passes(problem).values()
    )

    assert [outcome for outcome, _ in losses] == ["SCORED"] * 3
    assert losses == [found[:2] for found in both]
    assert all(any(slopes) for _, _, slopes in both)


def test_shares_of_the_time_make_up_the_whole():
    problem = bench._problem(make_dataset(read_table("wdbc")))
    report = bench._time_split(problem, bench._settings(generations=3))
    outside = report.pop("outside the passes, % of the time")

    assert sum(report.values()) == pytest.approx(100, abs=1)
    assert outside == pytest.approx(
        100 - report["forward and backward passes, % of the time"], abs=1
    )


def test_loss_and_gradient_are_measured_on_every_number_of_rows():
    report = bench._growth_with_rows()

    assert list(report) == [
        "20 rows, µs a loss and gradient",
        "40 rows, µs a loss and gradient",
        "  each row more than 20, ns",
    ]


@pytest.mark.campaign
def test_all_of_it_is_measured():
    reports = dict(bench.bench_learning())

    assert len(reports) == 5
    assert all(name.startswith("learning, ") for name in reports)
    assert reports["learning, network on wdbc"]["engine / reference"] > 10
