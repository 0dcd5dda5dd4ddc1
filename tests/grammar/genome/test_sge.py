"""Structured Grammatical Evolution: sizes of genes and the mapping, worked by hand."""

import pytest

from dsgec.errors import DsgecError
from dsgec.grammar.expand import expand
from dsgec.grammar.genome.represent import represent
from dsgec.grammar.genome.rule_tables import make_rule_tables
from dsgec.grammar.genome.sge import Sge, gene_sizes
from dsgec.grammar.load import load_grammar, parse
from dsgec.network.parse import parse_phenotype
from dsgec.random import Stream

SGE_PAPER = """
<start> ::= <expr> <op> <expr> | <expr>
<expr>  ::= <term> <op> <term> | (<term> <op> <term>)
<op>    ::= + | - | / | *
<term>  ::= x_1 | 0.5
"""


def tables_of(text, **limits):
    return make_rule_tables(expand(parse(text, "test"), 2, 1), limits)


def sizes_of(tables):
    sizes = gene_sizes(tables)
    return {(tables.names[rule], depth): size for (rule, depth), size in sizes.items()}


def test_the_sizes_of_the_sge_papers_example():
    assert sizes_of(tables_of(SGE_PAPER)) == {
        ("start", 0): 1,
        ("expr", 0): 2,
        ("op", 0): 3,
        ("term", 0): 4,
    }


def test_the_sizes_of_the_one_layer_grammar():
    tables = make_rule_tables(expand(load_grammar("one_layer").grammar, 30, 1), {})

    # Sums at four depths: 7 + 14 + 28 + 56 = 105, each of which can mention a weight and a feature;
    # 105 weights of connections and 7 of neurons; 112 weights and 7 biases are numbers.
    assert sizes_of(tables) == {
        **{("sigexpr", depth): 1 for depth in range(7)},
        ("node", 0): 7,
        **{("sum", depth): 7 * 2**depth for depth in range(4)},
        ("features", 0): 105,
        ("weight", 0): 112,
        ("bias", 0): 7,
        ("number", 0): 119,
        ("digit", 0): 357,
    }


def test_recursion_is_unrolled_and_the_deepest_level_ends_it():
    tables = tables_of("<s> ::= <s> + x_1 | 1 | 2\n", s=2)
    sge = Sge(tables, 1000)
    genes = {(0, 0): (0,), (0, 1): (0,), (0, 2): (2,)}

    assert sizes_of(tables) == {("s", 0): 1, ("s", 1): 1, ("s", 2): 1}
    derivation = sge.express(genes, Stream(1, 0, 0))
    assert derivation.phenotype == "2+x_1+x_1"
    assert [(c.gene, c.options) for c in derivation.choices] == [
        ((0, 0), (0, 1, 2)),
        ((0, 1), (0, 1, 2)),
        ((0, 2), (1, 2)),
    ]


def test_a_new_individual_has_all_its_integers_and_each_is_allowed():
    sge = Sge(make_rule_tables(expand(load_grammar("one_layer").grammar, 4, 1), {}), 10**6)
    seen = set()
    for seed in range(30):
        stream = Stream(seed, 0, 0)
        genotype = sge.grow(stream)
        assert {gene: len(values) for gene, values in genotype.items()} == dict(sge.sizes)
        for (rule, depth), values in genotype.items():
            assert set(values) <= set(sge.tables.options(rule, depth))
            seen |= {(rule, depth, value) for value in values}
        derivation = sge.express(genotype, stream)
        assert derivation.genotype == genotype
        parse_phenotype(derivation.phenotype, layered=False, inputs=4)
    everything = {(r, d, o) for r, d in sge.sizes for o in sge.tables.options(r, d)}
    assert seen == everything


def test_mutation_changes_one_integer_that_was_read_to_one_that_is_allowed():
    sge = Sge(tables_of("<s> ::= <s> + <a> | <a>\n<a> ::= x_1 | x_2 | 1\n", s=3), 1000)
    for seed in range(100):
        stream = Stream(seed, 0, 0)
        before = sge.express(sge.grow(stream), stream)
        after = sge.mutate(before, stream)
        changed = [
            (gene, index)
            for gene, values in before.genotype.items()
            for index, value in enumerate(values)
            if after[gene][index] != value
        ]
        ((gene, index),) = changed
        assert index < before.read[gene]
        assert after[gene][index] in sge.tables.options(*gene)
        assert sge.express(after, stream).phenotype != before.phenotype


def test_crossover_takes_each_gene_whole_from_one_parent():
    sge = Sge(tables_of(SGE_PAPER), 1000)
    mother = {gene: (0,) * size for gene, size in sge.sizes.items()}
    father = {gene: (1,) * size for gene, size in sge.sizes.items()}
    patterns = set()
    for seed in range(200):
        first, second = sge.crossover(mother, father, Stream(seed, 0, 0))
        pattern = tuple(first[gene][0] for gene in sge.sizes)
        patterns.add(pattern)
        for gene, taken in zip(sge.sizes, pattern, strict=True):
            assert first[gene] == (father if taken else mother)[gene]
            assert second[gene] == (mother if taken else father)[gene]
    assert len(patterns) == 2**4


def test_what_would_be_too_large_is_refused_with_advice():
    tables = make_rule_tables(expand(load_grammar("one_layer").grammar, 4, 1), {"sum": 40})
    with pytest.raises(DsgecError) as refused:
        represent("sge", tables, connect="all", max_size=10**6, codons=200, wraps=0)
    assert "would have" in str(refused.value)
    assert "such as max_depth={" in str(refused.value)


@pytest.mark.parametrize("representation", ["sge", "ge", "psge", "copsge"])
def test_rules_that_are_made_while_mapping_are_refused(representation):
    tables = make_rule_tables(expand(load_grammar("multi_layer").grammar, 4, 1), {})
    with pytest.raises(DsgecError, match="only DSGE can do that"):
        represent(representation, tables, connect="all", max_size=10**6, codons=200, wraps=0)
