"""The text of a grammar parses to the same grammar."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsgec.errors import DsgecError
from dsgec.grammar.ir import Alternative, Directives, Dots, Grammar, NonTerminal, Rule, Terminal
from dsgec.grammar.load import parse, parse_with_warnings
from dsgec.grammar.text import grammar_text
from dsgec.resources import GRAMMARS, shipped_names

FOREIGN = Path(__file__).with_name("foreign")
NAMES = ["a", "layer", "features", "output-layer", "none", "hidden layer", "x.1", "größe", "9_"]
ODD = [
    "|",
    "#",
    '"',
    "'",
    "\\",
    "\n",
    "\t",
    " ",
    "<",
    ">",
    "<a>",
    "<-",
    "::=",
    ":=",
    ":",
    "%",
    "%start",
]
ODD += [
    "...",
    "…",
    "None",
    "\\eb",
    "{:",
    "+",
    "*",
    "\xa0",
    "\u2028",
    "\x0b",
    "é",
    "𝔘",
    "\ufeff",
    "n",
]

pieces = st.one_of(
    st.sampled_from(ODD),
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\0\r"),
)
terminals = st.lists(pieces, min_size=1, max_size=4).map("".join).map(Terminal)


@st.composite
def grammars(draw):
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True))
    references = st.sampled_from(names).map(NonTerminal)
    sequences = st.lists(st.one_of(terminals, references), max_size=4).map(tuple)
    repeats = references.map(lambda a: (a, Terminal(","), Dots(), Terminal(","), a))
    series = st.just([Terminal(t) for t in ("x_1", "+")]).map(
        lambda start: (*start, Dots(), start[1], Terminal("x_n"))
    )
    ranges = st.just([(Terminal("x_1"),), (Dots(),), (Terminal("x_n"),)])
    rules = []
    for name in names:
        bodies = draw(st.lists(st.one_of(sequences, repeats, series), max_size=3))
        bodies += draw(st.one_of(st.just([()]), ranges))
        rules.append(Rule(name, tuple(map(Alternative, bodies))))
    role = st.sampled_from(["", *names])
    layer, features, output = draw(role), draw(role), draw(role)
    depths = draw(st.dictionaries(st.sampled_from(names), st.integers(0, 10_000)))
    start = draw(st.sampled_from(names))
    function = draw(st.sampled_from(["", "sigmoid"]))
    stated = Directives(start, layer, features, output, function, tuple(depths.items()))
    return Grammar(tuple(rules), stated)


@pytest.mark.parametrize("count", [50, pytest.param(1000, marks=pytest.mark.campaign)])
def test_a_made_grammar_comes_back_from_its_text(count):
    @settings(max_examples=count, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(grammars())
    def check(grammar):
        try:
            assert parse(grammar_text(grammar), "g") == grammar
        except DsgecError as error:
            assert all("GE_RANGE" in fault.message for fault in error.faults), error

    check()


@pytest.mark.parametrize("name", shipped_names(GRAMMARS, ".bnf"))
def test_a_shipped_grammar_comes_back_from_its_text(name):
    grammar = parse(GRAMMARS.joinpath(f"{name}.bnf").read_bytes(), name)
    assert parse(grammar_text(grammar), name) == grammar
    assert grammar_text(parse(grammar_text(grammar), name)) == grammar_text(grammar)


@pytest.mark.parametrize("path", sorted(FOREIGN.iterdir()), ids=lambda path: path.name)
def test_a_grammar_of_the_field_comes_back_from_its_text(path):
    try:
        grammar = parse(path.read_bytes(), path.name)
    except DsgecError:
        return
    assert parse(grammar_text(grammar), path.name) == grammar


def test_the_text_makes_no_warning_about_words_that_were_quoted():
    written = '<s> ::= "None" | "..." | x "+" | \'*\''
    _, warnings = parse_with_warnings(grammar_text(parse(written, "g")), "g")
    assert warnings == ()


def test_only_directives_that_differ_from_the_defaults_are_written():
    written = "%start s\n%output none\n%layer none\n%max-depth s=3\n<s> ::= x\n    | <s> y\n"
    assert grammar_text(parse(written, "g")) == "%max-depth s=3\n\n<s> ::= x\n      | <s> y\n"
