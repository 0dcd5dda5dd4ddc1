"""BNF as in the paper and in other systems is parsed to the intended grammar."""

import time
from pathlib import Path

import pytest

from dsgec.errors import DsgecError
from dsgec.grammar.ir import Alternative, Dots, NonTerminal, Terminal
from dsgec.grammar.load import parse, parse_with_warnings
from dsgec.resources import GRAMMARS, shipped_names

FOREIGN = Path(__file__).with_name("foreign")


def symbols(text: str):
    """Return the alternatives of the first rule: names as <name>, terminals as they are."""
    shown = {NonTerminal: lambda s: f"<{s.name}>", Terminal: lambda s: s.text, Dots: lambda s: s}
    rule = parse(text, "g.bnf").rules[0]
    return [[shown[type(s)](s) for s in alternative.symbols] for alternative in rule.alternatives]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a b", [["a", "b"]]),
        ("a|b", [["a"], ["b"]]),
        ("<s>.<s> | x", [["<s>", ".", "<s>"], ["x"]]),
        ("a |", [["a"], []]),
        ("", [[]]),
        ('""', [[]]),
        ('a "" b', [["a", "b"]]),
        ("\n a\n\n | b # c | d\n", [["a"], ["b"]]),
        ("x[0] | x[:, <s>]", [["x[0]"], ["x[:,", "<s>", "]"]]),
        ("a <- b", [["a", "<-", "b"]]),
        ("a<-b | a<=b", [["a<-b"], ["a<=b"]]),
        ("a < b | <", [["a", "<", "b"], ["<"]]),
        ("<> | <<", [["<>"], ["<<"]]),
        ("a > b", [["a", ">", "b"]]),
        ('"a | # b" c', [["a | # b", "c"]]),
        (r'"\"\\\n\t" ' + r"'\''", [['"\\\n\t', "'"]]),
        ("'\"' \"'\"", [['"', "'"]]),
        (r"a \eb b | c\eb", [["a", "|", "b"], ["c|"]]),
        (r'"\eb"', [["|"]]),
        (r"a\nb", [["a\\nb"]]),
        ("+ | - | * | / | %", [["+"], ["-"], ["*"], ["/"], ["%"]]),
        ("a\n | %\n | b", [["a"], ["%"], ["b"]]),
        ("a\n % b", [["a", "%", "b"]]),
        ("a : b := c", [["a", ":", "b", ":=", "c"]]),
        ("0 | ... | 9", [["0"], [Dots()], ["9"]]),
        ('"..."', [["..."]]),
        ("<s> , ... , <s> | x", [["<s>", ",", Dots(), ",", "<s>"], ["x"]]),
        ("GE_RANGE:7", [["GE_RANGE:7"]]),
        ("x | x | x", [["x"], ["x"], ["x"]]),
        ("größe → ∞", [["größe", "→", "∞"]]),
    ],
)
def test_what_is_written_is_what_is_meant(written, meant):
    assert symbols(f"<s> ::= {written}") == meant


def test_names_have_letters_digits_signs_and_single_spaces():
    names = ["a", "hidden-layers", "x_1", "a.b", "hidden layer", "9", "größe"]
    pairs = zip(names, [*names[1:], "a"], strict=True)
    text = "\n".join(f"<{name}> ::= <{after}> | x" for name, after in pairs)
    assert [rule.name for rule in parse(text, "g").rules] == names


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_make_no_difference(newline, mark):
    text = "# c\n<s> ::= a\n\n  | <t>\n<t> ::= b\n"
    written = mark + text.replace("\n", newline)
    assert parse(written, "g") == parse(written.encode(), "g") == parse(text, "g")


def test_every_symbol_knows_where_it_stood():
    grammar = parse("<s> ::= ab <s>\n     | 'c'\n     |", "g.bnf")
    rule = grammar.rules[0]
    places = [str(a.span) for a in rule.alternatives]
    assert places == ["g.bnf:1:9", "g.bnf:2:8", "g.bnf:3:6"]
    assert [(str(s.span), s.span.length) for s in rule.alternatives[0].symbols] == [
        ("g.bnf:1:9", 2),
        ("g.bnf:1:12", 3),
    ]
    assert rule.alternatives[0].span.length == 6
    assert str(rule.span) == "g.bnf:1:1"


def test_the_start_is_the_first_rule_unless_stated():
    assert parse("<a> ::= x\n<b> ::= <a>", "g").directives.start == "a"
    assert parse("%start <b>\n<a> ::= x\n<b> ::= <a>", "g").directives.start == "b"


LAYERED = "<s> ::= <layer> <output-layer>\n<layer> ::= <features>\n<output-layer> ::= <features>\n"


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        (LAYERED + "<features> ::= x", ("layer", "features", "output-layer")),
        (LAYERED.replace("layer>", "level>") + "<features> ::= x", ("", "", "")),
        ("%layer none\n" + LAYERED + "<features> ::= x", ("", "", "")),
        ("%output-layer none\n" + LAYERED + "<features> ::= x", ("layer", "features", "")),
        ("%layer s\n" + LAYERED + "<features> ::= x", ("s", "features", "output-layer")),
        ("%layer <none>\n%features s\n<s> ::= <none>\n<none> ::= x", ("none", "s", "")),
    ],
)
def test_roles_are_stated_or_the_papers_names(text, roles):
    stated = parse(text, "g").directives
    assert (stated.layer, stated.features, stated.output_layer) == roles


def test_depths_may_be_stated_in_several_lines_and_for_names_with_spaces():
    text = "%max-depth a=3 <b>=4\n%max-depth c d = 0 a=3 # again\n%output none\n<a> ::= <b>|<a>|x\n"
    stated = parse(text + "<b> ::= <c d> | <b>\n<c d> ::= x | <c d>", "g").directives
    assert stated.max_depth == (("a", 3), ("b", 4), ("c d", 0))
    assert stated.output == ""


@pytest.mark.parametrize("name", shipped_names(GRAMMARS, ".bnf"))
def test_a_shipped_grammar_parses_without_a_warning_and_says_what_it_is_for(name):
    text = GRAMMARS.joinpath(f"{name}.bnf").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert "Fits" in text.split("\n\n")[0]
    assert parse_with_warnings(text, name)[1] == ()


def test_the_papers_repeated_alternatives_are_kept():
    grammar = parse(GRAMMARS.joinpath("multi_layer.bnf").read_bytes(), "multi_layer.bnf")
    alternatives = grammar.rule("sum").alternatives
    assert len(alternatives) == 3
    assert alternatives[1] == alternatives[2]


REFUSED = {
    "ponyge_classes.bnf": [(2, 12, "GE_RANGE:dataset_n_is"), (3, 12, "GE_RANGE:dataset_n_os")],
    "ponyge_code.pybnf": [(1, 24, "code block"), (2, 28, "code block"), (3, 55, "code block")],
    "sge_ant.pybnf": [(3, 23, "code block")],
    "sge_no_bracket.bnf": [(1, 8, "`::=` does not follow")],
}


@pytest.mark.parametrize("path", sorted(FOREIGN.iterdir()), ids=lambda path: path.name)
def test_a_grammar_of_the_field_parses_or_is_refused_with_place_and_reason(path):
    expected = REFUSED.get(path.name, [])
    try:
        parse(path.read_bytes(), path.name)
        faults = ()
    except DsgecError as error:
        faults = [fault for fault in error.faults if not fault.warning]
    assert len(faults) == len(expected), "\n".join(map(str, faults))
    for fault, (line, column, reason) in zip(faults, expected, strict=True):
        assert (fault.span.line, fault.span.column) == (line, column)
        assert reason in fault.message


def test_text_that_looks_like_a_bracket_stays_text():
    grammar = parse(FOREIGN.joinpath("gramevol_assign.bnf").read_bytes(), "g")
    first, second = grammar.rule("prog").alternatives
    assert first == second
    assert first == Alternative((NonTerminal("var"), Terminal("<-"), NonTerminal("expr")))


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"<r{i}> ::= <r{i + 1}> | x" for i in range(10_000)) + "\n<r10000> ::= y",
        "<a> ::= b | " + "<a> + " * 50_000,
        "<a> ::= " + "<a" * 10_000,
        "<a> ::= " + "'" * 50_001,
        "<a" + " " * 50_000 + "\n" + " " * 50_000 + "<b>" + " " * 50_000,
        "<a> ::= x |\n" + "<a> = y |\n" * 5_000,
        "\n".join(f"<r{i}> ::= <r{(i + 1) % 5_000}>" for i in range(5_000)),
        "<a> ::= " + " ".join(f"<u{i}>" for i in range(10_000)),
    ],
    ids=["rules", "symbols", "unclosed", "quotes", "blanks", "continued", "ring", "undefined"],
)
def test_long_input_takes_no_more_than_its_length(text):
    began = time.process_time()
    try:
        parse(text, "g")
    except DsgecError as error:
        assert len(error.faults) <= 1001
    assert time.process_time() - began < 2.5
