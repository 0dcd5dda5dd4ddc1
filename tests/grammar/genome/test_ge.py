"""Grammatical Evolution: codons by modulus, worked by hand."""

import pytest

from dsgec.grammar.expand import expand
from dsgec.grammar.genome.ge import Ge
from dsgec.grammar.genome.rule_tables import make_rule_tables
from dsgec.grammar.load import load_grammar, parse
from dsgec.network.parse import parse_phenotype
from dsgec.random import Stream

EXPRESSION = """
<expr> ::= <expr> <op> <expr> | <var>
<op>   ::= + | - | *
<var>  ::= x_1 | x_2
"""


def individuals(text=EXPRESSION, codons=200, wraps=0, **limits):
    return Ge(make_rule_tables(expand(parse(text, "test"), 2, 1), limits), 10_000, codons, wraps)


def mapped(ge, *codons):
    return ge.express({(0, 0): codons}, Stream(1, 0, 0))


def test_a_codon_is_read_for_every_symbol_and_taken_by_modulus():
    # expr 8 % 2: expr op expr; expr 3 % 2: var; var 5 % 2: x_2; op 7 % 3: -;
    # expr 1 % 2: var; var 10 % 2: x_1
    derivation = mapped(individuals(codons=8), 8, 3, 5, 7, 1, 10, 99, 99)

    assert derivation.phenotype == "x_2-x_1"
    assert derivation.read == {(0, 0): 6}
    assert derivation.fault == ""


def test_a_symbol_without_a_choice_takes_a_codon_too():
    ge = individuals("<a> ::= <b> + <c>\n<b> ::= x_1\n<c> ::= 1 | 2\n", codons=3)

    assert mapped(ge, 5, 5, 1).phenotype == "x_1+2"


def test_an_individual_whose_codons_run_out_has_no_phenotype():
    derivation = mapped(individuals(codons=5), 8, 3, 5, 7, 1)

    assert derivation.fault == "the codons run out"
    assert derivation.phenotype == ""


def test_wrapping_reads_the_codons_again():
    # As above, and the sixth codon is the first again: var 8 % 2 is x_1.
    derivation = mapped(individuals(codons=5, wraps=1), 8, 3, 5, 7, 1)

    assert derivation.phenotype == "x_2-x_1"
    assert derivation.read == {(0, 0): 6}


def test_without_an_end_wrapping_ends():
    derivation = mapped(individuals(codons=2, wraps=3, expr=100), 0, 0)

    assert derivation.fault == "the codons run out"
    assert derivation.read == {(0, 0): 8}


def test_at_the_depth_limit_the_remainder_is_among_what_is_allowed():
    # With a limit of 1, the two inner expressions can only be variables, whatever the codon.
    derivation = mapped(individuals(codons=7, expr=1), 0, 0, 1, 2, 0, 0, 0)

    assert derivation.phenotype == "x_2*x_1"


def test_mutation_changes_one_codon_that_was_read():
    ge = individuals(codons=40)
    seen = set()
    for seed in range(200):
        before = ge.express(ge.grow(Stream(seed, 0, 0)), Stream(0, 0, 0))
        codons = before.genotype[0, 0]
        after = ge.mutate(before, Stream(seed, 1, 0))[0, 0]
        changed = [i for i in range(40) if codons[i] != after[i]]
        assert len(changed) <= 1
        assert all(i < before.read[0, 0] for i in changed)
        seen.update(changed)
    assert {0, 1, 2} <= seen


def test_crossover_exchanges_the_tails():
    ge = individuals(codons=10)
    mother, father = {(0, 0): tuple(range(10))}, {(0, 0): tuple(range(10, 20))}
    points = set()
    for seed in range(200):
        first, second = (child[0, 0] for child in ge.crossover(mother, father, Stream(seed, 0, 0)))
        point = next(i for i in range(10) if first[i] >= 10)
        points.add(point)
        assert first == tuple(range(point)) + tuple(range(10 + point, 20))
        assert second == tuple(range(10, 10 + point)) + tuple(range(point, 10))
    assert points == set(range(1, 10))


def test_codons_are_spread_over_their_whole_range():
    codons = individuals(codons=100_000).grow(Stream(3, 0, 0))[0, 0]

    assert max(codons) > 2.14e9
    assert sum(codon % 60 == 59 for codon in codons) == pytest.approx(100_000 / 60, rel=0.1)


def test_networks_keep_to_the_bounds_of_the_one_layer_grammar():
    tables = make_rule_tables(expand(load_grammar("one_layer").grammar, 5, 1), {})
    ge = Ge(tables, 10**6, 2000, 0)
    widest = most = 0
    for seed in range(400):
        stream = Stream(seed, 0, 0)
        derivation = ge.express(ge.grow(stream), stream)
        assert not derivation.fault
        parse_phenotype(derivation.phenotype, layered=False, inputs=5)
        neurons = derivation.phenotype.split("sig(")[1:]
        most = max(most, len(neurons))
        widest = max(widest, *(neuron.split(")")[0].count("x_") for neuron in neurons))
    assert (most, widest) == (7, 8)
