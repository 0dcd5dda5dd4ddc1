"""Recursion agrees with analysis by hand, and derivations are as large as in the paper."""

import pytest

from dsgec.errors import DsgecError
from dsgec.grammar.expand import expand
from dsgec.grammar.ir import Grammar, NonTerminal
from dsgec.grammar.load import parse
from dsgec.grammar.recursion import (
    DEFAULT_MAX_DEPTH,
    analyse_recursion,
    depth_limits,
    make_size_bound,
)
from dsgec.resources import GRAMMARS


def shipped(name: str) -> Grammar:
    return expand(parse(GRAMMARS.joinpath(f"{name}.bnf").read_bytes(), name), 5, 3)


def largest(grammar: Grammar, counted: str, symbol: str, **overrides: int) -> int:
    """Return how many `counted` symbols a derivation from `symbol` can have."""
    values = depth_limits(grammar, overrides)
    limits = {rule.name: value for rule, value in zip(grammar.rules, values, strict=True)}

    def weight(alternative):
        return sum(s == NonTerminal(counted) for s in alternative.symbols)

    return make_size_bound(grammar, analyse_recursion(grammar), limits, weight)(symbol)


def test_the_one_layer_grammar_has_at_most_7_neurons_of_8_connections():
    grammar = shipped("one_layer")
    assert largest(grammar, "node", "sigexpr") == 7
    assert largest(grammar, "features", "node") == 8
    assert largest(grammar, "features", "sigexpr") == 56


def test_the_multi_layer_grammar_has_at_most_8_layers_and_16_connections_a_neuron():
    grammar = shipped("multi_layer")
    assert largest(grammar, "layer", "start") == 8
    assert largest(grammar, "features", "node") == 16
    assert largest(grammar, "node", "layer") == 64
    assert largest(grammar, "node", "start") == 512


def test_softmax_has_an_output_for_each_class():
    assert largest(shipped("multi_layer_softmax"), "output", "start") == 3


def test_an_override_goes_before_the_directive():
    assert largest(shipped("one_layer"), "node", "sigexpr", sigexpr=0) == 1
    assert largest(shipped("one_layer"), "features", "node", sum=1) == 2


def test_the_measures_of_the_one_layer_grammar_are_those_worked_out_by_hand():
    grammar = shipped("one_layer")
    recursion = analyse_recursion(grammar)
    by_name = {rule.name: index for index, rule in enumerate(grammar.rules)}
    assert recursion.recursive[by_name["sigexpr"]] == (False, True)
    assert recursion.exit_depth[by_name["sigexpr"]] == (0, 1)
    assert recursion.recursive[by_name["sum"]] == (False, True)
    assert [rule.name for rule in grammar.rules if recursion.cyclic[by_name[rule.name]]] == [
        "sigexpr",
        "sum",
    ]
    assert len(recursion.groups) == len(grammar.rules)


def test_indirect_recursion_is_one_group():
    grammar = parse("<a> ::= <b>\n<b> ::= <a> | x", "g")
    recursion = analyse_recursion(grammar)
    assert recursion.groups == ((0, 1),)
    assert recursion.group == (0, 0)
    assert recursion.cyclic == (True, True)
    assert recursion.recursive == ((True,), (True, False))
    assert recursion.exit_depth == ((1,), (2, 0))
    assert largest(grammar, "a", "a", a=4, b=4) == 1
    assert largest(grammar, "a", "a", a=5, b=5) == 2


def test_groups_come_callees_first():
    grammar = parse("<a> ::= <b> | <a> x\n<b> ::= <c> | y\n<c> ::= <b> z | w\n<d> ::= <a>", "g")
    recursion = analyse_recursion(grammar)
    assert recursion.groups == ((1, 2), (0,), (3,))
    assert recursion.exit_depth == ((0, 1), (1, 0), (1, 0), (0,))
    assert recursion.recursive == ((False, True), (True, False), (True, False), (False,))


def test_the_exit_depth_takes_the_best_way_out_of_the_worst_symbol():
    text = "<a> ::= <b> <c> | <a>\n<b> ::= <a> | x\n<c> ::= <d>\n<d> ::= <a> | y"
    assert analyse_recursion(parse(text, "g")).exit_depth == ((2, 3), (3, 0), (1,), (3, 0))


def test_when_no_alternative_fits_the_shortest_way_out_is_taken():
    grammar = parse("<a> ::= <b> <b>\n<b> ::= <c> | <a>\n<c> ::= x | <a>", "g")
    assert analyse_recursion(grammar).exit_depth == ((2,), (1, 3), (0, 3))
    assert largest(grammar, "c", "a", a=0, b=0, c=0) == 2


def test_a_symbol_that_is_called_from_outside_its_group_starts_at_depth_zero():
    grammar = parse("<a> ::= <s> | <a> <a>\n<s> ::= x | <s> + <s>", "g")
    assert largest(grammar, "s", "a", a=2, s=2) == 4 * (1 + 2 + 4)


def test_deep_and_long_grammars_need_no_recursion():
    count = 5000
    chain = "\n".join(f"<r{i}> ::= <r{i + 1}> | <r{i}> x" for i in range(count))
    grammar = parse(chain + f"\n<r{count}> ::= y", "g")
    assert largest(grammar, f"r{count}", "r0") == 1
    ring = "\n".join(f"<r{i}> ::= <r{(i + 1) % count}>" for i in range(count)) + " | x"
    assert analyse_recursion(parse(ring, "g")).exit_depth[0] == (count - 1,)
    deep = parse("<a> ::= <a> <a> | x", "g")
    assert largest(deep, "a", "a", a=5000) == 2**5001 - 2


def test_limits_come_from_the_override_then_the_directive_then_the_default():
    grammar = parse("%max-depth a=3 b=4\n<a> ::= <b> | <a>\n<b> ::= <c> | <b>\n<c> ::= x|<c>", "g")
    assert depth_limits(grammar, {"a": 9}) == (9, 4, DEFAULT_MAX_DEPTH)
    assert DEFAULT_MAX_DEPTH == 6


def test_an_override_for_an_unknown_symbol_names_the_nearest():
    with pytest.raises(DsgecError, match=r"no symbol `<sun>` to limit\n  Did you mean `sum`\?"):
        depth_limits(shipped("one_layer"), {"sun": 3})


def test_an_override_out_of_range_is_refused():
    with pytest.raises(DsgecError, match="whole number from 0"):
        depth_limits(shipped("one_layer"), {"sum": -1})
