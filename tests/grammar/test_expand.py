"""Dots and GE_RANGE become the alternatives and symbols that they stand for."""

import pytest

from dsgec.errors import DsgecError
from dsgec.grammar.expand import expand, needs_features, needs_outputs
from dsgec.grammar.ir import Alternative, Directives, Dots, Grammar, Rule, Terminal
from dsgec.grammar.load import parse
from dsgec.grammar.text import grammar_text
from dsgec.resources import GRAMMARS, shipped_names


def expanded(written: str, features: int = 3, outputs: int = 2) -> list[str]:
    grammar = expand(parse(f"<s> ::= {written}", "g.bnf"), features, outputs)
    body = grammar_text(grammar).removeprefix("<s> ::= ").removesuffix("\n")
    return body.split("\n      | ")


@pytest.mark.parametrize(
    ("written", "alternatives"),
    [
        ("x_1 | ... | x_n", "x_1 x_2 x_3"),
        ("0 | ... | 9", "0 1 2 3 4 5 6 7 8 9"),
        ("x[0] | ... | x[n-1]", "x[0] x[1] x[2]"),
        ("a | ... | e", "a b c d e"),
        ("h_A | ... | h_C", "h_A h_B h_C"),
        ("i | ... | n", "i j k l m n"),
        ("y1 | ... | ym", "y1 y2"),
        ("0 | ... | m-1", "0 1"),
        ("-2 | ... | 1", "-2 -1 0 1"),
        ("08 | ... | 11", "08 09 10 11"),
        ("x2_1 | ... | x2_3", "x2_1 x2_2 x2_3"),
        ("z | 1 | ... | 3 | y", "z 1 2 3 y"),
        ("0 | ... | 2 | ... | 4", "0 1 2 3 4"),
        ("x_1 | x_2 | ... | x_n", "x_1 x_2 x_3"),
        ("5 | ... | 5", "5"),
        ("GE_RANGE:dataset_n_vars", "0 1 2"),
        ("GE_RANGE:4", "0 1 2 3"),
        ("GE_RANGE:2 | GE_RANGE:2 | z", "0 1 0 1 z"),
        ('"1" | ... | "3"', "1 2 3"),
    ],
)
def test_a_range_in_alternatives_becomes_all_of_them(written, alternatives):
    assert expanded(written) == alternatives.split()


def test_a_range_may_lie_inside_a_longer_alternative():
    assert expanded("x[:, 0 ] | ... | x[:, n-1 ]") == ["x[:, 0 ]", "x[:, 1 ]", "x[:, 2 ]"]


def test_one_feature_makes_one_alternative():
    assert expanded("x_1 | ... | x_n", features=1) == ["x_1"]
    assert expanded("x[0] | ... | x[n-1]", features=1) == ["x[0]"]


@pytest.mark.parametrize(
    ("outputs", "meant"), [(1, "f( y )"), (2, "f( y , y )"), (4, "f( y , y , y , y )")]
)
def test_dots_in_a_sequence_make_a_copy_for_each_output(outputs, meant):
    assert expanded("f( y , ... , y )", outputs=outputs) == [meant]


def test_dots_may_stand_twice_in_a_sequence():
    assert expanded("f( y , ... , y ) ; z + ... + z") == ["f( y , y ) ; z + z"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("x_1 + ... + x_n", "x_1 + x_2 + x_3"),
        ("<s> * x_1 + ... + <s> * x_n + 1 | 2", "<s> * x_1 + <s> * x_2 + <s> * x_3 + 1"),
        ("f( x[0] , ... , x[n-1] ) ; y + ... + y", "f( x[0] , x[1] , x[2] ) ; y + y"),
        ("5 * a + ... + 5 * c", "5 * a + 5 * b + 5 * c"),
    ],
)
def test_a_range_in_a_sequence_becomes_a_term_for_each(written, meant):
    assert expanded(written)[0] == meant


@pytest.mark.parametrize("written", ["x_1 + ... * x_n", "x_1 + ... + y_n", "... + x_n", "a + ..."])
def test_dots_in_a_sequence_between_no_ends_are_an_error(written):
    with pytest.raises(DsgecError, match=r"is not between two equal symbols"):
        expanded(written)


@pytest.mark.parametrize(
    ("written", "features", "outputs"),
    [
        ("<s> * x_1 + ... + <s> * x_n | 1", True, False),
        ("y_1 , ... , y_m", False, True),
        ("x_1 | ... | x_n", True, False),
        ("x[0] | ... | x[n-1]", True, False),
        ("GE_RANGE:dataset_n_vars", True, False),
        ("0 | ... | m-1", False, True),
        ("y , ... , y", False, True),
        ("a | ... | n", False, False),
        ("GE_RANGE:3", False, False),
        ("x_n | 0 | ... | 9", False, False),
    ],
)
def test_what_a_grammar_needs_to_know_of_the_data(written, features, outputs):
    grammar = parse(f"<s> ::= {written}", "g")
    assert (needs_features(grammar), needs_outputs(grammar)) == (features, outputs)


@pytest.mark.parametrize("name", shipped_names(GRAMMARS, ".bnf"))
def test_a_shipped_grammar_expands_and_then_needs_nothing(name):
    grammar = parse(GRAMMARS.joinpath(f"{name}.bnf").read_bytes(), name)
    assert needs_features(grammar) == (name != "float")
    assert needs_outputs(grammar) == name.endswith("_softmax")
    whole = expand(grammar, 4, 3)
    assert not needs_features(whole)
    assert not needs_outputs(whole)
    assert expand(whole, 9, 9) == whole


@pytest.mark.parametrize(
    ("written", "features", "place", "message"),
    [
        ("x_1 | x_2 | ... | x_n", 1, "g.bnf:1:21", "`x_2 | ... | x_1` runs backwards"),
        ("x_1 | ... | x_n", 0, "g.bnf:1:15", "`x_1 | ... | x_0` runs backwards"),
        ("GE_RANGE:dataset_n_vars", 0, "g.bnf:1:9", "no alternatives"),
        ("x_2 + ... + x_n", 1, "g.bnf:1:15", "runs backwards"),
        ("x_1 + ... + x_n", 10**12, "g.bnf:1:1", "more than 250000 alternatives in total"),
        ("x_1 | ... | x_n", 10**12, "g.bnf:1:1", "more than 250000 alternatives in total"),
        ("1 | ... | 170000 | a | 1 | ... | n", 100_000, "g.bnf:1:1", "more than 250000"),
    ],
)
def test_a_range_without_sense_for_the_data_is_told_with_its_place(
    written, features, place, message
):
    with pytest.raises(DsgecError) as caught:
        expanded(written, features)
    (fault,) = caught.value.faults
    assert str(fault.span) == place
    assert message in fault.message
    assert f"{features} features" in fault.advice
    assert fault.line_text == f"<s> ::= {written}"


@pytest.mark.parametrize(
    "alternatives",
    [
        [Dots()],
        [Terminal("x_1"), Dots(), Terminal("y_9")],
        [Terminal("x_1"), Dots()],
    ],
)
def test_a_grammar_made_by_hand_with_impossible_dots_is_refused(alternatives):
    rule = Rule("s", tuple(Alternative((symbol,)) for symbol in alternatives))
    with pytest.raises(DsgecError, match=r"is not between the ends"):
        expand(Grammar((rule,), Directives("s")), 3, 1)


def test_impossible_dots_in_a_sequence_made_by_hand_are_refused():
    rule = Rule("s", (Alternative((Terminal("a"), Dots())),))
    with pytest.raises(DsgecError, match=r"is not between two equal symbols"):
        expand(Grammar((rule,), Directives("s")), 3, 1)
