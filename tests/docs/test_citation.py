"""CITATION.cff is what readers of that format take."""

import pytest

from dsgec import __version__
from tests.support.pages import ROOT

yaml = pytest.importorskip("yaml")


@pytest.fixture(scope="module")
def citation():
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_it_has_the_keys_that_the_format_demands(citation):
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == __version__
    assert all(author.keys() == {"name"} for author in citation["authors"])


def test_its_authors_and_licence_are_those_of_the_licence(citation):
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")

    assert licence.startswith(f"{citation['license']} License")
    assert citation["authors"][0]["name"] in licence


def test_it_cites_the_paper(citation):
    (paper,) = citation["references"]

    assert {"type", "title", "authors", "year", "doi"} <= paper.keys()
    assert [author["family-names"] for author in paper["authors"]] == [
        "Assunção",
        "Lourenço",
        "Machado",
        "Ribeiro",
    ]
