"""First generations are as they are planned: ramped half-and-half and position-independent grow."""

import pytest

from dsgec.grammar.expand import expand
from dsgec.grammar.genome.genotype import PI_GROW, RAMPED, RANDOM
from dsgec.grammar.genome.plan import MOST_NODES, plan_tree
from dsgec.grammar.genome.represent import represent
from dsgec.grammar.genome.rule_tables import NONE, make_rule_tables
from dsgec.grammar.load import load_grammar, parse_grammar
from dsgec.random import Stream

TEXT = "<e> ::= ( <e> <o> <e> ) | <v> | - <e>\n<o> ::= + | *\n<v> ::= x | <d>\n<d> ::= 1 | 2\n"


def tables_of(depth):
    grammar = expand(parse_grammar(TEXT, any_text=True).grammar, 1, 1)
    return make_rule_tables(grammar, {"e": depth})


def depths_of(plan):
    """The depths of <e>, and those at which it takes the alternative that ends."""
    return [d for rule, d, _ in plan if rule == 0], [d for r, d, c in plan if (r, c) == (0, 1)]


def test_every_second_ramped_tree_is_full_and_depths_rise():
    tables = tables_of(5)
    for number in range(60):
        plan = plan_tree(tables, RAMPED, number, Stream(number, 0, number))
        limit = 1 + number // 2 % 5
        depths, ends = depths_of(plan)
        assert max(depths) <= limit
        if number % 2:
            assert {*ends} == {limit}
    grown = [max(depths_of(plan_tree(tables, RAMPED, 8, Stream(s, 0, 0)))[0]) for s in range(50)]
    assert {*grown} == {0, 1, 2, 3, 4, 5}


def test_position_independent_grow_reaches_its_depth_in_one_branch():
    tables = tables_of(6)
    early = 0
    for number in range(120):
        plan = plan_tree(tables, PI_GROW, number, Stream(1, 0, number))
        limit = 1 + number % 6
        depths, ends = depths_of(plan)
        assert max(depths) == limit
        early += min(ends) < limit
    assert early > 40  # and many are not full


@pytest.mark.parametrize("representation", ["dsge", "sge", "ge", "psge", "copsge"])
@pytest.mark.parametrize("initialisation", [RAMPED, PI_GROW])
def test_an_individual_has_the_tree_that_was_planned(representation, initialisation):
    tables = tables_of(4)
    own = represent(representation, tables, connect="all", max_size=10**6, codons=900, wraps=0)
    for number in range(40):
        stream = Stream(7, 0, number)
        plan = plan_tree(tables, initialisation, number, stream)
        genotype = own.grow(stream, plan)
        assert own.is_valid(genotype)
        derivation = own.express(genotype, stream)
        assert [*derivation.expansions] == [(rule, choice) for rule, _, choice in plan]


def test_a_symbol_is_expanded_by_any_of_its_alternatives():
    tables = tables_of(3)
    for initialisation in (RAMPED, PI_GROW):
        seen = {
            (rule, choice)
            for number in range(200)
            for rule, _, choice in plan_tree(tables, initialisation, number, Stream(3, 0, number))
        }
        assert seen == {(r, c) for r, own in enumerate(tables.productions) for c in range(len(own))}


def test_a_random_individual_is_not_planned_and_a_large_one_ends():
    assert plan_tree(tables_of(3), RANDOM, 5, Stream(1, 0, 0)) == ()
    large = plan_tree(tables_of(30), RAMPED, 59, Stream(1, 0, 0))
    assert MOST_NODES < len(large) < 20 * MOST_NODES
    assert all(choice != NONE for _, _, choice in large)


def test_connections_of_layers_are_left_to_the_mapping():
    tables = make_rule_tables(expand(load_grammar("multi_layer").grammar, 4, 1), {})
    own = represent("dsge", tables, connect="all", max_size=10**6, codons=1, wraps=0)
    for number in range(12):
        stream = Stream(2, 0, number)
        plan = plan_tree(tables, RAMPED, number, stream)
        opened = [choice for rule, _, choice in plan if rule == tables.features]
        assert opened and {*opened} == {NONE}
        planned = [(rule, choice) for rule, _, choice in plan if rule != tables.features]
        expansions = own.express(own.grow(stream, plan), stream).expansions
        assert [one for one in expansions if one[0] != tables.features] == planned
