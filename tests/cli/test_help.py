"""Help, lists of shipped grammars and tables, and shell completion."""

import re

import pytest
from click.shell_completion import BashComplete

from dsgec.cli import commands
from dsgec.cli.options import GROUPS
from dsgec.resources import GRAMMARS, TABLES, shipped_names
from tests.support.command_line import dsgec


def sections(text):
    """Return the options of each section of a help text, by title."""
    found, title = {}, ""
    for line in text.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            title = line[:-1]
        elif name := re.match(r"  (?:-\w, )?(--[\w-]+)", line):
            found.setdefault(title, set()).add(name[1])
    return found


def test_the_help_of_evolve_shows_ten_options_and_three_examples():
    text = dsgec("evolve", "--help").stdout
    found = sections(text)

    assert len(found["Common options"]) == 10
    assert {"--target", "--effort", "--flash", "--out"} <= found["Common options"]
    assert found["Options"] == {"--config", "--help", "--help-all"}
    examples = text.split("Examples:\n")[1].split("\n\n")[0].splitlines()
    assert sum(line.startswith("  dsgec evolve ") for line in examples) == 3


def test_the_options_of_evolve_are_in_groups():
    found = sections(dsgec("evolve", "--help-all").stdout)

    assert list(found) == [*GROUPS.values(), "Options"]
    assert {"--population", "--preset", "--seed"} <= found["Search options"]
    assert {"--target", "--missing", "--separator", "--test", "--cv"} <= found["Data options"]
    assert {"--out", "--name", "--overwrite", "--json"} <= found["Output options"]
    assert {"--backend", "--threads", "--jobs", "--cluster"} <= found["Machine options"]
    assert found["Options"] == {"--config", "--help", "--help-all"}


@pytest.mark.parametrize("name", sorted(commands.commands))
def test_every_option_of_a_command_is_in_its_help_once(name):
    text = dsgec(name, "--help-all" if name in ("evolve", "search") else "--help").stdout
    shown = [option for group in sections(text).values() for option in group]
    own = {
        one.opts[-1] if one.opts[-1].startswith("--") else one.opts[0]
        for one in commands.commands[name].params
        if not getattr(one, "hidden", False) and one.opts[0].startswith("-")
    }

    assert sorted(shown) == sorted({*own, "--help"} - {"-n"})


@pytest.mark.parametrize("columns", [50, 80, 200])
def test_no_summary_is_cut_off(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    text = dsgec("--help").stdout

    assert "..." not in text.split("Commands:")[1]
    words = " ".join(text.split())
    for one in commands.commands.values():
        sentence = " ".join(one.help.split("\n\n")[0].split())
        assert sentence in words
        assert sentence.endswith(".")
        if columns == 80:
            assert re.search(rf"^  {one.name} +{re.escape(sentence)}$", text, re.MULTILINE)


def test_shipped_grammars_are_listed_with_the_tables_they_fit():
    lines = dsgec("grammars").stdout.splitlines()

    assert [line.split()[0] for line in lines] == list(shipped_names(GRAMMARS, ".bnf"))
    assert all(re.search(r" Fits [^.]*\.", line) for line in lines)
    network = next(line for line in lines if line.startswith("network "))
    assert network.endswith("Fits tables with two classes.")


def test_tables_are_listed_with_their_sizes():
    lines = dsgec("tables").stdout.splitlines()
    names = [line.split()[0] for line in lines]

    assert names == [*shipped_names(TABLES, ".csv"), "flame", "ionosphere", "sonar"]
    rows = TABLES.joinpath("wdbc.csv").read_text().splitlines()
    size = f"{len(rows) - 1} rows × {rows[0].count(',')} features"
    assert f"{size}, classification of 2 classes." in lines[names.index("wdbc")]


def test_a_list_is_wrapped_to_the_width_of_a_terminal():
    from dsgec.cli.terminal.shipped import list_lines, shipped_grammars

    broken = "\n".join(list_lines(shipped_grammars(), 60)).splitlines()

    assert max(map(len, broken)) <= 59
    assert " ".join(" ".join(broken).split()) == " ".join(dsgec("grammars").stdout.split())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("evolve one", ["one_layer", "one_layer_softmax", "file"]),
        ("evolve one_layer wd", ["wdbc", "file"]),
        ("study re", ["related", "file"]),
        ("evolve one_layer wdbc --preset p", ["paper"]),
    ],
)
def test_a_shell_completes_shipped_names(words, expected):
    *before, begun = words.split()
    items = BashComplete(commands, {}, "dsgec", "_DSGEC_COMPLETE").get_completions(before, begun)

    assert [item.value if item.type == "plain" else item.type for item in items] == expected
