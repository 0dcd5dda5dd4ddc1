"""Constant symbols are found, and folded into one choice of their numerals."""

import statistics

import pytest

from dsgec.grammar.expand import expand
from dsgec.grammar.genome.constants import draw_gaussian, fold_constants, nearest_rank
from dsgec.grammar.genome.rule_tables import make_rule_tables
from dsgec.grammar.load import load_grammar, parse
from dsgec.random import Stream


def folded(text):
    tables = fold_constants(make_rule_tables(expand(parse(text, "test"), 3, 2), {}))
    numbers = tables.constants or [()] * len(tables.names)
    return {name: values for name, values in zip(tables.names, numbers, strict=True) if values}


def test_a_number_is_every_value_that_its_symbol_can_write():
    tables = fold_constants(make_rule_tables(expand(load_grammar("one_layer").grammar, 4, 1), {}))
    weight = tables.names.index("weight")
    assert tables.constants[weight] == tuple(k / 100 for k in range(-999, 1000))
    texts = [text for (text,) in tables.productions[weight]]
    assert [float(text) for text in texts] == list(tables.constants[weight])
    assert texts[999] == "0.00"  # and not -0.00
    assert tables.options(weight, 0) == tuple(range(1999))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("<s> ::= <d> * x_1\n<d> ::= 1 | 2 | 3", {"d": (1.0, 2.0, 3.0)}),
        ("<s> ::= x_<d> * 2\n<d> ::= 1 | 2 | 3", {}),  # the number of a feature
        ("<s> ::= x[<d>] + 1\n<d> ::= 1 | 2", {}),
        ("<s> ::= <d>.<e> * x_1\n<d> ::= 1 | 2\n<e> ::= <d> | <d><e>", {}),  # endless
        ("<s> ::= <a> * x_1\n<a> ::= 1 | x_2", {}),  # not always a number
        ("<s> ::= <a> * x_1\n<a> ::= 7", {}),  # no choice
        ("<s> ::= <a><b> * x_1\n<a> ::= 1 | 2\n<b> ::= 3 | 4", {}),  # two that are one numeral
        ("<s> ::= <a> * x_1\n<a> ::= <b>e<b>\n<b> ::= 1 | 2", {"a": (10.0, 20.0, 100.0, 200.0)}),
        ("<s> ::= (<a>) * x_1\n<a> ::= -.5 | +1", {}),  # a sign of its own
    ],
)
def test_only_symbols_that_stand_for_numbers_are_folded(text, numbers):
    assert folded(text) == numbers


def test_the_nearest_of_two_is_the_lower():
    values = (-1.0, 0.0, 0.5)
    found = [nearest_rank(values, wanted) for wanted in (-9, -0.5, -0.49, 0.25, 0.26, 9)]
    assert found == [0, 0, 1, 1, 2, 2]


def test_draws_are_those_of_a_normal_distribution():
    draws = [draw_gaussian(Stream(1, 2, number)) for number in range(20_000)]
    assert abs(statistics.fmean(draws)) < 0.02
    assert abs(statistics.pstdev(draws) - 1) < 0.02
    assert abs(sum(abs(draw) < 1 for draw in draws) / len(draws) - 0.6827) < 0.01
