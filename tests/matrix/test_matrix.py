"""The smallest part of `make matrix`: one cell, and what is made of the outcomes of many."""

import sys
from pathlib import Path

import pytest

from tests.matrix.__main__ import compare
from tests.matrix.cell import (
    Cell,
    CellError,
    Outcome,
    declared,
    digests,
    make_environment,
    take_tour,
)
from tests.matrix.pythons import Python, find_pythons

STEPS = ("grammars", "gaps")


@pytest.mark.needs_cc
def test_the_oldest_python_with_the_lowest_dependencies_leaves_the_same_bytes(wheel, tmp_path):
    """As the environment of the tests, that is."""
    cell = Cell(find_pythons()[0], "lowest-direct")
    try:
        python = make_environment(cell, wheel, (), tmp_path / "environment")
    except CellError as error:
        if "ailed to fetch" in str(error):
            pytest.skip(f"the registry of packages is not reached: {error}")
        raise
    cache = tmp_path / "cache"
    oldest = take_tour(python, STEPS, tmp_path / "oldest", cache)
    here = take_tour(Path(sys.executable), STEPS, tmp_path / "here", cache)

    assert "click 8.1." in oldest.versions
    assert oldest.digests == here.digests
    assert {"check.txt", "build/shop/run.json", "build/shop/report.html"} <= {*here.digests}


def test_what_most_cells_have_is_right():
    files = [{"a": "1", "b": "2"}, {"a": "1", "b": "2"}, {"a": "1", "b": "3"}, {"a": "1"}, {}]
    outcomes = {number: Outcome(digests=each) for number, each in enumerate(files)}
    outcomes[4].failure = "the tour: it failed"
    compare(outcomes)

    failures = [outcome.failure for outcome in outcomes.values()]
    assert failures == ["", "", "other bytes: b", "other bytes: b", "the tour: it failed"]


def test_times_are_not_compared(tmp_path):
    for name in ("timing.json", "run/timing.json", "run/run.json"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)

    assert list(digests(tmp_path)) == ["run/run.json"]


def test_this_python_is_found_once_and_old_ones_are_not():
    found = [python.version for python in find_pythons([sys.executable, sys.executable])]

    assert found.count(sys.version_info[:3]) == 1
    assert found == sorted(found)
    assert found[0] >= (3, 11)
    assert str(Python((3, 11, 2), "")) == "3.11.2"


def test_what_is_declared_is_known_by_name():
    assert {"numpy", "cffi", "click", "pyarrow", "scikit-learn"} <= {*declared()}
