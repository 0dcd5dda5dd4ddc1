"""Tables and lists in the documentation agree with the code."""

import re

from dsgec.arithmetic.generate import function_table
from dsgec.grammar.load import parse
from dsgec.resources import GRAMMARS, STUDIES, shipped_names
from tests.support.pages import ROOT, blocks, read_page


def test_the_table_of_functions_is_the_codes():
    assert f"<!-- functions -->\n{function_table()}" in read_page("docs/reference/networks.md")


def test_the_grammar_it_shows_is_one():
    (grammar,) = blocks("docs/research/grammars.md", "bnf")

    assert len(parse(grammar.body, "grammars.md").rules) == 5


def test_the_study_it_shows_is_the_shipped_one():
    (study,) = blocks("docs/research/studies.md", "toml")

    assert study.body == STUDIES.joinpath("example.toml").read_text(encoding="utf-8")


def test_every_shipped_grammar_is_in_the_table():
    for name in shipped_names(GRAMMARS, ".bnf"):
        assert f"| `{name}` |" in read_page("docs/research/grammars.md")


def test_every_command_is_in_the_table():
    from dsgec.cli import commands

    for name in commands.commands:
        assert re.search(
            rf"^\| `dsgec {name}[ `]", read_page("docs/reference/commands.md"), re.MULTILINE
        )


def test_every_public_name_is_in_the_reference():
    import dsgec

    reference = read_page("docs/reference/api.md")
    for name in (*dsgec.__all__, "DSGEClassifier", "DSGERegressor"):
        where = r"api\.search\." if name == "search" else ""  # the name is also that of a package
        assert re.search(rf"^\.\. auto\w+:: dsgec\.{where}{name}\b", reference, re.MULTILINE)


def test_every_extra_for_users_is_in_the_first_steps():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = text.split("[project.optional-dependencies]")[1].split("\n[")[0]
    for_developers = {"dev", "docs", "campaign", "benchmarks"}
    names = set(re.findall(r"^(\w+) = \[", extras, re.MULTILINE)) - for_developers

    listed = set(re.findall(r"^\| `dsgec\[(\w+)\]`", read_page("docs/install.md"), re.MULTILINE))
    assert listed == names
