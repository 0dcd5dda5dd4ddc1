"""Every command and every session in the documentation works, and prints what it shows."""

import sys
from pathlib import Path

import pytest

from tests.support.pages import CLUSTER, FIRST_RUN, PAGES, ROOT, Reader, blocks, is_shown

EXAMPLES = [page for page in PAGES if any(b.kind in ("sh", "python") for b in blocks(page))]
EXPENSIVE = [page for page in PAGES if any("campaign" in block.marks for block in blocks(page))]

IN_A_CLONE = {
    "make run": "test_readme.py",
    "make test": "CI",
    "make lint": "CI",
    ". .venv/bin/activate": "nothing: Python makes that script",
    "pip install .": "tests/test_packaging.py",
    "python -m dsgec.arithmetic.generate": "tests/test_how_to.py",
    "python -m pytest tests/arithmetic tests/docs/test_tables.py": "tests/test_how_to.py",
    "python -m benchmarks.chips": "tests/benchmarks/test_chips.py, of some networks",
    "python -m dsgec.search.generate": "tests/test_how_to.py",
    "python -m dsgec.api.generate": "tests/test_add_a_setting.py",
    "python -m pytest tests/test_settings.py tests/api": "CI",
    "python -m pytest tests/signal": "CI",
    "python -m pytest tests/search/fitness tests/search/learning tests/engine/test_same_run.py": (
        "CI"
    ),
    **dict.fromkeys(
        (
            "dsgec export build/wdbc-shared-seed1 --to cpp -o header",
            "dsgec verify header --data wdbc",
            "dsgec inspect header",
            "dsgec export b/run --to c,numpy,js,onnx -o exported",
            "dsgec verify exported --data wdbc",
            *(
                f"dsgec evolve new.bnf wdbc --generations 20 --backend {backend} --out {folder}"
                " --name run"
                for backend, folder in (("reference", "a"), ("engine", "b"))
            ),
            *(
                f"dsgec evolve {what} --backend {backend} --out {folder}"
                for what in (
                    "regression table.csv --objective log-cosh",
                    "multi_layer wdbc --representation swap",
                    "wdbc --selection truncation",
                )
                for backend, folder in (("reference", "a"), ("engine", "b"))
            ),
            *(
                f"dsgec search max_ones --population 20 --generations 20 --backend {backend}"
                f" --out {folder}"
                for backend, folder in (("reference", "a"), ("engine", "b"))
            ),
        ),
        "tests/test_how_to.py",
    ),
}
"""Commands that work on a clone of the project, and what runs them."""


@pytest.mark.needs_cc  # by numpy it would take minutes
@pytest.mark.parametrize("page", EXAMPLES)
def test_a_page_does_what_it_says(page, desk, threads_for_processes):
    Reader(desk).follow(page)


@pytest.mark.campaign
@pytest.mark.needs_cc
@pytest.mark.parametrize("page", EXPENSIVE)
def test_a_page_does_what_it_says_at_length(page, desk, start_cluster):
    needs_cluster = any(CLUSTER in block.body for block in blocks(page))
    address = start_cluster(workers=2).address if needs_cluster else ""
    reader = Reader(desk, binaries=Path(sys.executable).parent, cluster=address)
    reader.follow(page, campaign=True)

    assert reader.ran
    for picture in (ROOT / "docs" / "pictures").iterdir():
        if (desk / picture.name).exists():  # the page says how to draw it
            assert (desk / picture.name).read_bytes() == picture.read_bytes()


def test_what_is_not_run_here_is_run_elsewhere():
    lines = [
        line.split("#")[0].strip()
        for page in PAGES
        for block in blocks(page, "sh")
        if not is_shown(block)
        for line in block.body.splitlines()
    ]

    assert set(lines) == set(IN_A_CLONE)


def test_the_marks_of_blocks_are_known():
    marks = {mark for page in PAGES for block in blocks(page) for mark in block.marks}

    assert marks == {"campaign", "clone"}


def test_the_run_that_pages_speak_of_is_made_in_the_first_steps():
    page = blocks("docs/notebook/first-model.md", "sh")
    assert any(FIRST_RUN in block.body.splitlines() for block in page)


def test_the_output_of_what_is_not_run_is_not_compared(tmp_path, monkeypatch):
    page = "```sh\necho one\n```\n\n```sh campaign\necho two\n```\n\n```text\ntwo\n```\n"
    monkeypatch.setattr("tests.support.pages.read_page", lambda name: page)

    for campaign in (False, True):
        Reader(tmp_path).follow("page", campaign=campaign)


def test_an_output_that_differs_is_seen(tmp_path, monkeypatch):
    page = "```sh\necho one\n```\n\n```text\ntwo\n```\n"
    monkeypatch.setattr("tests.support.pages.read_page", lambda name: page)

    with pytest.raises(AssertionError, match="one"):
        Reader(tmp_path).follow("page")
