"""docs/api.md, the README's section and the example are true: they are run."""

import doctest
import re
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.mark.needs_cc  # by numpy it would take minutes
@pytest.mark.parametrize("name", ["docs/api.md", "README.md"])
def test_the_sessions_print_what_they_show(name, tmp_path, monkeypatch, quick_compiler, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    tried = 0
    for number, block in enumerate(BLOCK.findall((ROOT / name).read_text(encoding="utf-8"))):
        session = doctest.DocTestParser().get_doctest(block, names, f"block {number}", name, 0)
        runner = doctest.DocTestRunner()
        failed, count = runner.run(session, clear_globs=False)
        assert not failed, capsys.readouterr().out
        names = session.globs
        tried += count

    assert tried >= 3


@pytest.mark.needs_cc
def test_the_example_searches_a_grid(monkeypatch, quick_compiler, capsys):
    monkeypatch.setattr(sys, "argv", ["grid_search.py", "3", "10"])
    found = runpy.run_path(str(ROOT / "examples" / "grid_search.py"))
    printed = capsys.readouterr().out

    search = found["search"]
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    assert f"best: {search.best_params_['max_depth']}" in printed
    neurons = found["best"].run_.network.size["neurons"]
    assert neurons <= 3 * (search.best_params_["max_depth"]["sigexpr"] + 1)
