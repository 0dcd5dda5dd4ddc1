"""A grammar of signals names features of windows; columns of a table take their place."""

import pytest

from dsgec.errors import DsgecError
from dsgec.grammar.expand import expand
from dsgec.grammar.load import load_grammar, parse
from dsgec.grammar.signal import expand_signal, has_channels

NET = "<start> ::= sig(<sum>)\n<sum> ::= <f> * 0.5 | <f> * 0.5 + <sum>\n"
CHANNELS = ("ax", "ay", "az", "t")


def features_of(rules, channels=CHANNELS, window=16):
    return expand_signal(parse(NET + rules, "g.bnf"), channels, window)


def texts(found):
    return [str(call) for call in found.calls]


def test_all_texts_of_a_symbol_are_enumerated_on_the_channels_of_a_log():
    found = features_of(
        "<f> ::= mean(<c>) | goertzel(<c>, <k>)\n<c> ::= c_1 | c_4\n<k> ::= 2 | 5\n"
    )

    assert texts(found) == [
        "mean(ax)",
        "mean(t)",
        "goertzel(ax, 2)",
        "goertzel(ax, 5)",
        "goertzel(t, 2)",
        "goertzel(t, 5)",
    ]


def test_a_range_of_channels_has_all_of_them_and_axes_those_of_a_sensor():
    rules = "<f> ::= <s>(<x>)\n<s> ::= min | max\n<x> ::= c_1 | ... | c_n | magnitude(axes)\n"

    assert texts(features_of(rules)) == [
        *(f"min({name})" for name in CHANNELS),
        "min(magnitude(ax, ay, az))",
        *(f"max({name})" for name in CHANNELS),
        "max(magnitude(ax, ay, az))",
    ]
    assert "min(magnitude(u, v, w))" in texts(features_of(rules, ("u", "v", "w")))


def test_numbers_that_a_window_is_too_short_for_are_left_out():
    rules = "<f> ::= goertzel(c_1, <k>)\n<k> ::= 1 | ... | 9\n"

    assert len(features_of(rules, window=64).calls) == 9
    assert texts(features_of(rules, window=8)) == [f"goertzel(ax, {k})" for k in (1, 2, 3)]


def test_columns_take_the_place_of_features():
    found = features_of("<f> ::= <s>(<c>)\n<s> ::= min | max\n<c> ::= c_1 | ... | c_n\n")
    by_text = {str(call): call for call in found.calls}
    grammar = found.on_columns([by_text["max(az)"], by_text["min(ax)"], by_text["max(t)"]])

    assert [rule.name for rule in grammar.rules] == ["start", "sum", "f"]
    assert [a.symbols[0].text for a in grammar.rule("f").alternatives] == ["x_1", "x_2", "x_3"]
    assert not has_channels(grammar)


def test_symbols_that_name_other_features_have_other_columns():
    rules = "<f> ::= <slow> * 0.5 + <fast>\n<slow> ::= mean(<c>)\n<fast> ::= mean_change(<c>)\n"
    found = features_of(rules + "<c> ::= c_1 | c_2\n")
    grammar = found.on_columns(found.calls)

    own = {
        rule.name: [a.symbols[0].text for a in rule.alternatives]
        for rule in grammar.rules
        if rule.name in found.symbols
    }
    assert own == {"slow": ["x_1", "x_2"], "fast": ["x_3", "x_4"]}


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            "<f> ::= sdt(<c>)\n<c> ::= c_1 | c_2\n",
            r"g.bnf:3:9: .*not a feature: unknown feature `sdt`",
        ),
        ("<f> ::= std(<c>, 3)\n<c> ::= c_1\n", "std has too many numbers"),
        ("<f> ::= <c>\n<c> ::= c_1 | c_2\n", "`c_1` stands outside of a feature"),
        ("<f> ::= mean(<c>) | x_1\n<c> ::= c_1\n", "outside of a feature"),
        (
            "<f> ::= mean(<c>)\n<c> ::= c_1 | lowpass(<c>, 3)\n",
            "`<c>` refers to itself, so that features have no end",
        ),
        (
            "<f> ::= goertzel(c_1, 9) | band(c_1, 5, 4)\n",
            "`<f>` has no feature for a window of 16 samples",
        ),
        (
            "<f> ::= std(lowpass(lowpass(<c>, <s>), <s>))\n<c> ::= <b> | diff(<b>)\n"
            "<b> ::= c_1 | lowpass(c_1, <s>) | highpass(lowpass(c_1, <s>), <s>)\n"
            "<s> ::= 1 | ... | 8\n",
            "more than 5,000 features",
        ),
    ],
)
def test_a_mistake_has_its_place_and_advice(rules, message):
    with pytest.raises(DsgecError, match=message):
        features_of(rules)


@pytest.mark.parametrize("name", ["signal", "signal_softmax", "signal_regression"])
def test_the_shipped_grammars_are_those_of_tables_on_features(name):
    table = {"signal": "shared", "signal_softmax": "shared_softmax"}.get(name, "regression")
    found = expand_signal(load_grammar(name).grammar, CHANNELS, 64)
    own = expand(found.on_columns(found.calls), len(found.calls), 3)
    other = expand(load_grammar(table).grammar, len(found.calls), 3)

    assert own == other
