"""The programs of examples/ do what they say."""

import runpy
import sys

import pytest

from tests.docs.pages import ROOT


@pytest.mark.needs_cc
def test_the_example_searches_a_grid(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["grid_search.py", "3", "10"])
    found = runpy.run_path(str(ROOT / "examples" / "grid_search.py"))
    printed = capsys.readouterr().out

    search = found["search"]
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    assert f"best: {search.best_params_['max_depth']}" in printed
    neurons = found["best"].run_.network.size["neurons"]
    assert neurons <= 3 * (search.best_params_["max_depth"]["neurons"] + 1)
