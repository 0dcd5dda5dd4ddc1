"""The page of a network without a run: in a browser it computes, logs nothing, and runs no name."""

import re

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Column, Model
from dsgec.network.parse import parse
from dsgec.report import page as pages
from dsgec.report.page import model_page
from tests.support.browser import CHROMIUM, open_page
from tests.support.run_folders import HOSTILE

COLUMNS = (Column(HOSTILE[0], center=2.0, scale=0.5), Column("b", center=-1.0, scale=-2.0))


def small():
    network = parse("inputs = 2\nh_1_1 = tanh(0.5*x_1 + x_2)\ny_1 = 3*h_1_1 - 0.25\n")
    return Model(network, COLUMNS)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_the_network_runs_in_a_browser(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(model_page(small(), "small", "agrees with nobody"), encoding="utf-8")
    document, console = open_page(path, tmp_path / "profile")
    shown = float(re.search(r'<code id="exact">([^<]*)</code>', document)[1])

    assert console == []
    assert 'data-ready="yes"' in document
    assert shown == evaluate(small().network, np.zeros((1, 2)))[0, 0]  # the centers, scaled


def test_the_page_says_how_it_agrees_and_shows_ranges_of_scaled_columns():
    page = model_page(small(), "small", "agrees with nobody")

    assert "The network agrees with nobody." in page
    assert 'min="-7.0" max="5.0"' in page
    assert "Load a row" not in page
    assert HOSTILE[0] not in page


def test_a_network_that_is_too_large_for_a_page_is_refused(monkeypatch):
    monkeypatch.setattr(pages, "MOST_CONNECTIONS", 2)
    with pytest.raises(DsgecError, match="a page holds at most 2"):
        model_page(small(), "small")
