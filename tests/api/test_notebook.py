"""A notebook shows the curve of a run while it evolves, and its result when it has ended."""

import base64
import re
import sys
import types
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import dsgec
from tests.support.run_folders import add_comparison

SMALL = {"generations": 8, "population": 6, "seed": 1, "pruning": 1, "tuning": 3}


class Screen:
    """A substitute for IPython's display that keeps what was shown and updated."""

    def __init__(self, kernel):
        self.shown = []
        self.modules = {"IPython": types.ModuleType("IPython")}
        self.modules["IPython"].get_ipython = lambda: types.SimpleNamespace(kernel=kernel)
        display = types.ModuleType("IPython.display")
        display.HTML = str
        display.display = self.display
        self.modules["IPython.display"] = display

    def display(self, page, *, display_id):
        assert display_id is True
        versions = [page]
        self.shown.append(versions)
        return types.SimpleNamespace(update=versions.append)


@pytest.fixture
def screen(monkeypatch):
    found = Screen(kernel=object())
    for name, module in found.modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return found


def pictures(page):
    """Return the pictures of a page, which are well-formed SVG."""
    found = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    return [ElementTree.fromstring(base64.b64decode(one)) for one in found]


def test_evolve_draws_one_curve_that_ends_with_the_last_generation(screen):
    run = dsgec.evolve("one_layer", "wdbc", **SMALL)
    (versions,) = screen.shown

    assert "generation 0 of 8" in versions[0]
    assert "generation 8 of 8" in versions[-1]
    assert f"{run.history[-1].evaluations:,} evaluations" in versions[-1]
    (picture,) = pictures(versions[-1])
    lines = [e.get("d") for e in picture.iter() if e.get("class", "").startswith("line")]
    assert len(lines) == 2
    assert all(re.match(r"M58 [\d.]+ ", line) for line in lines)
    assert lines[1].count("H") == len(run.history) - 1


def test_with_a_callback_there_is_no_curve(screen):
    dsgec.evolve("one_layer", "wdbc", callback=lambda _: None, **SMALL)

    assert screen.shown == []


def test_a_verbose_fit_draws_a_curve(screen, capsys):
    x = np.arange(40.0).reshape(20, 2) % 7
    y = np.arange(20) % 2
    settings = {key: value for key, value in SMALL.items() if key != "seed"}
    dsgec.DSGEClassifier(random_state=1, **settings).fit(x, y)
    assert screen.shown == []
    dsgec.DSGEClassifier(random_state=1, verbose=1, **settings).fit(x, y)

    assert "generation 8 of 8" in screen.shown[0][-1]
    assert capsys.readouterr().out == ""


def test_a_terminal_with_ipython_is_no_notebook(monkeypatch):
    terminal = Screen(kernel=None)
    for name, module in terminal.modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    dsgec.evolve("one_layer", "wdbc", **SMALL)

    assert terminal.shown == []


def test_a_run_shows_its_figures_its_network_and_its_hall_of_fame(tmp_path):
    run = dsgec.evolve("one_layer", "wdbc", **SMALL)
    page = run._repr_html_()

    assert "<em>diagnosis</em> of wdbc</b> from 30 features" in page
    for part in ("train", "test"):
        assert f"<td>{run.metrics[part]['accuracy']:.4f}</td>" in page
    assert len(pictures(page)) == 1
    sizes = [one.connections for one in run.hall_of_fame]
    shown = [int(size) for size in re.findall(r"<tr><th>(\d+)(?: \(this\))?</th>", page)]
    assert shown
    assert set(shown) <= set(sizes)
    assert "logistic regression" in page


def test_a_run_shows_its_baselines_beside_its_figures(tmp_path):
    dsgec.evolve("one_layer", "wdbc", out=tmp_path / "run", **SMALL)
    add_comparison(tmp_path / "run")
    page = dsgec.load(tmp_path / "run")._repr_html_()

    assert '<th colspan="2" style="text-align: center">majority class</th>' in page
    assert "<td>0.7500</td><td>0.7321</td>" in page
    assert "As good as &lt;i&gt;logistic regression." in page
    assert "<li>Class `x` is &lt;u&gt;never predicted.</li>" in page


@pytest.mark.campaign  # starting a kernel takes as long as ten tests
@pytest.mark.filterwarnings("ignore")  # Jupyter's own
def test_a_notebook_shows_the_curve_and_the_run():
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    from nbformat import v4

    code = f"import dsgec\ndsgec.evolve('one_layer', 'wdbc', **{SMALL!r})"
    notebook = v4.new_notebook(cells=[v4.new_code_cell(code)])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    curve, run = notebook.cells[0].outputs

    assert curve.output_type == "display_data"
    assert "generation 8 of 8" in curve.data["text/html"]
    assert run.output_type == "execute_result"
    assert "<em>diagnosis</em>" in run.data["text/html"]
