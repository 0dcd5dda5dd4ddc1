"""In a real browser the page computes the run's bits, logs nothing, and lets no name be code."""

import json
import re

import numpy as np
import pytest

from dsgec.network.evaluate import evaluate
from dsgec.network.model import compose
from dsgec.report.page import write_report
from tests.support.browser import CHROMEDRIVER, CHROMIUM, Browser, open_page
from tests.support.run_folders import (
    HOSTILE,
    many_classes,
    numeric_target,
    three_classes,
    two_classes,
)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")


def outcome(document):
    """Return what the page reports of its examples, and their results."""
    check = re.search(r'<p id="check"[^>]*>', document)[0]
    digits = re.search(r'data-bits="(\w*)"', check)[1]
    values = np.frombuffer(bytes.fromhex(digits), "<f8")
    return re.search(r'data-outcome="(\w*)"', check)[1], values.tolist()


def expected(folder):
    examples = json.loads((folder / "report.json").read_text())["examples"]
    return [value for example in examples for value in example["outputs"]]


def test_a_console_that_complains_is_heard(tmp_path):
    page = tmp_path / "page.html"
    policy = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">"
    page.write_text(f"<!doctype html>{policy}<script>alert(1)</script>")
    _, console = open_page(page, tmp_path / "profile")

    assert "Content Security Policy" in "".join(console)


def hostile(folder):
    return two_classes(folder, (*HOSTILE, "</title><b>"), "</style><i> </script><img/src=x>")


@pytest.mark.parametrize(
    "make",
    [
        three_classes,
        hostile,
        pytest.param(two_classes, marks=pytest.mark.campaign),
        pytest.param(numeric_target, marks=pytest.mark.campaign),
    ],
)
def test_the_page_gives_the_runs_bits_and_logs_nothing(make, tmp_path):
    make(tmp_path)
    document, console = open_page(write_report(tmp_path / "run"), tmp_path / "profile")

    assert console == []
    assert 'data-ready="yes"' in document
    assert outcome(document) == ("same", expected(tmp_path / "run"))
    assert document.count("<script") == 1
    assert "<img" not in document
    values = re.findall(r'<text class="value"[^>]*>([^<]*)</text>', document)
    assert len(values) > 3
    assert all(values)


@pytest.mark.campaign
def test_a_wrong_number_is_noticed(tmp_path):
    two_classes(tmp_path)
    path = tmp_path / "run" / "report.json"
    told = json.loads(path.read_text())
    value = told["examples"][3]["outputs"][1]
    told["examples"][3]["outputs"][1] = float(np.nextafter(value, 2.0))
    path.write_text(json.dumps(told))
    document, _ = open_page(write_report(tmp_path / "run"), tmp_path / "profile")

    assert outcome(document)[0] == "other"


WIDEST = """
const wide = Array.from(document.querySelectorAll("body *"), (e) => e).filter(
  (e) => !e.closest(".scroll, svg, .skip") && e.getBoundingClientRect().right > innerWidth + 1);
const all = document.documentElement.scrollWidth;
return [innerWidth, all, wide.map((e) => e.outerHTML.slice(0, 80))];
"""


@pytest.mark.campaign
@pytest.mark.skipif(CHROMEDRIVER is None, reason="no ChromeDriver")
@pytest.mark.parametrize("make", [two_classes, three_classes, numeric_target, hostile])
def test_a_person_can_use_it(make, tmp_path):
    make(tmp_path)
    page = write_report(tmp_path / "run")
    examples = json.loads((tmp_path / "run" / "report.json").read_text())["examples"]
    with Browser(tmp_path / "profile") as browser:
        browser.open(page)
        first = browser.text("#exact")
        for number, example in enumerate(examples):
            browser.click(f'[data-example="{number}"]')
            assert [float(v) for v in browser.text("#exact").split(", ")] == example["outputs"]
            assert "to the last bit" in browser.text("#compared")
        browser.click("#medians")
        assert browser.text("#exact") == first
        values = browser.texts("#drawing .neuron .value, #drawing .output .value")
        browser.keys('input[type="range"]', "\ue014" * 30)  # arrow to the right
        assert browser.text("#exact") != first
        assert browser.texts("#drawing .neuron .value, #drawing .output .value") != values
        assert browser.text("#compared") == ""
        browser.run('document.querySelector("#drawing [tabindex]").focus()')
        assert " = " in browser.text("#reading")
        for width in (360, 390, 1400):
            browser.resize(width)
            inner, scrolled, wide = browser.run(WIDEST)
            assert (inner, wide) == (width, [])
            assert scrolled <= width
        assert browser.console() == []


COLLISIONS = """
const found = [];
for (const svg of document.querySelectorAll(".chart > svg")) {
  const texts = Array.from(svg.querySelectorAll("text"));
  const boxes = texts.map((e) => [e.textContent, e.getBoundingClientRect()]);
  boxes.forEach(([text, a], i) => {
    if (a.left < 0 || a.right > innerWidth) found.push(`${text} is cut`);
    for (const [other, b] of boxes.slice(i + 1)) {
      const across = a.left < b.right && b.left < a.right;
      if (across && a.top < b.bottom && b.top < a.bottom) found.push(`${text} on ${other}`);
    }
  });
}
const frame = document.querySelector(".drawing-frame");
if (frame.scrollWidth > frame.clientWidth) found.push("the network is cut");
const hint = document.querySelector(".stack + .narrow, .stack .narrow");
for (const table of document.querySelectorAll(".confusion")) {
  const isCut = table.scrollWidth > table.parentElement.clientWidth + 1;
  if (isCut && !hint?.checkVisibility()) found.push("a matrix is cut");
}
return found;
"""


def seven_classes(folder):
    return many_classes(folder, 7)


def hundred_thousands(folder):
    """Values whose numbers on the axes are long."""
    numeric_target(folder)
    path = folder / "run" / "report.json"
    told = json.loads(path.read_text())
    for pairs in told["pairs"].values():
        for number, pair in enumerate(pairs):
            pair[:] = [-123_456.5 * number, 98_765.4 * number]
    path.write_text(json.dumps(told))


@pytest.mark.campaign
@pytest.mark.skipif(CHROMEDRIVER is None, reason="no ChromeDriver")
@pytest.mark.parametrize(
    "make", [two_classes, seven_classes, many_classes, numeric_target, hundred_thousands]
)
def test_nothing_is_cut_or_collides_on_a_phone_and_on_a_desk(make, tmp_path):
    make(tmp_path)
    page = write_report(tmp_path / "run")
    with Browser(tmp_path / "profile") as browser:
        for width in (390, 1400):
            browser.resize(width)
            browser.open(page)
            assert browser.run(COLLISIONS) == []
            inner, scrolled, wide = browser.run(WIDEST)
            assert (inner, wide) == (width, [])
            assert scrolled <= width


@pytest.mark.campaign
@pytest.mark.skipif(CHROMEDRIVER is None, reason="no ChromeDriver")
def test_a_missing_value_is_filled_as_the_run_fills_it(tmp_path):
    _, model = three_classes(tmp_path)
    raw = np.array([[np.nan, 1.0, 0.25]])
    with Browser(tmp_path / "profile") as browser:
        browser.open(write_report(tmp_path / "run"))
        browser.click('input[type="checkbox"][data-column="0"]')
        browser.run(
            "const set = (s, v) => { const e = document.querySelector(s); e.value = v;"
            " e.dispatchEvent(new Event('input', {bubbles: true})); };"
            " set('select', '1'); set('#c2', '0.25');"
        )
        found = [float(v) for v in browser.text("#exact").split(", ")]

    assert found == evaluate(compose(model), raw)[0].tolist()
