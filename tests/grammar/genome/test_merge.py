"""Terms of one source in one sum are merged, and the network computes the same."""

import numpy as np
import pytest

from dsgec.grammar.expand import expand
from dsgec.grammar.genome.constants import FIRST_GROWTH, fold_constants
from dsgec.grammar.genome.merge import merge_repeated_terms
from dsgec.grammar.genome.represent import represent
from dsgec.grammar.genome.rule_tables import make_rule_tables
from dsgec.grammar.genome.sums import find_sums
from dsgec.grammar.genome.tree import build_tree
from dsgec.grammar.load import load_grammar, parse_grammar
from dsgec.network.evaluate import evaluate
from dsgec.random import Stream
from tests.support.repeated_terms import count_repeated_terms, parse_network

INPUTS = 3
NUMBER = "<n> ::= <d>.<d> | -<d>.<d>\n<d> ::= 0 | ... | 9\n<f> ::= x_1 | ... | x_n\n"
GRAMMARS = {
    "right recursion": "<s> ::= <t> | <t> + <s>\n<t> ::= <n> * <f>\n",
    "left recursion": "<s> ::= <t> | <s> - <t>\n<t> ::= <f> * <n>\n",
    "minus": "<s> ::= <n> * <f> | <s> + <s> | <s> - <n> * <f> | <s> - <t>\n<t> ::= <n> * <f>\n",
    "biases": "<o> ::= tanh(<s> + <n>) - <n>\n<s> ::= <n> | <n> * <f> | <s> + <s>\n",
    "named features": "<s> ::= <t> | <s> + <s>\n<t> ::= <n> * x_1 | x_2 * <n> | <n>*x[2]\n",
    "symbols of features": "<s> ::= <n> * <i> | <s> + <s>\n<i> ::= <f> | x1 | <j>\n<j> ::= x_2\n",
    "bare features": "<s> ::= <f> | <n> * <f> | <s> + <s>\n",
    "parentheses": "<s> ::= <n> * <f> | (<s> - <s>) | (<s> + <s>) | sin(<s>) | <s> * <s>\n",
    "operators": "<s> ::= <n> * <f> | <f> | <n> | (<s> <o> <s>)\n<o> ::= + | - | * | /\n",
    "a factor before a sum": "<e> ::= <n> * <s> + <s>\n<s> ::= <n> * <f> | <s> + <s>\n",
    "two sums": "<e> ::= <n> * (<s>) + max(<s>, <s> + 1) - (<s>)\n<s> ::= <n> * <f> | <s> + <s>\n",
}
SHIPPED = ("network", "network_softmax", "one_layer", "regression", "multi_layer", "formula")


def tables_of(name):
    if name in SHIPPED:
        return fold_constants(make_rule_tables(expand(load_grammar(name).grammar, INPUTS, 3), {}))
    source = f"%max-depth s=4\n{GRAMMARS[name]}{NUMBER}"
    return fold_constants(make_rule_tables(expand(parse_grammar(source).grammar, INPUTS, 1), {}))


def individuals(tables, count):
    """Yield the derivations of random individuals before and after merging."""
    sums = find_sums(tables)
    mapping = represent(
        "dsge", tables, connect="all", max_size=100_000, codons=1, wraps=0, growth=FIRST_GROWTH
    )
    for number in range(count):
        stream = Stream(7, 0, number)
        before = mapping.express(mapping.grow(stream), stream)
        merged = merge_repeated_terms(tables, sums, before.genotype)
        yield before, mapping.express(merged.genotype, stream) if merged else before, merged


@pytest.mark.parametrize("name", [*GRAMMARS, *SHIPPED])
def test_a_merged_network_gives_what_it_gave(name):
    tables = tables_of(name)
    rows = np.random.default_rng(1).normal(size=(20, INPUTS))
    count = 0
    for before, after, merged in individuals(tables, 60):
        if merged is None:
            continue
        count += 1
        assert len(after.phenotype) < len(before.phenotype)
        assert len(merged.kept) == len(after.constants) < len(before.constants) or name in (
            "bare features",
            "operators",
            "formula",
        )
        if any(
            tables.constants[n.rule][n.rank]
            in (tables.constants[n.rule][0], tables.constants[n.rule][-1])
            for n in after.constants
        ):
            continue  # a sum that no numeral can be
        one, other = (evaluate(parse_network(d.phenotype, tables), rows) for d in (before, after))
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-9, equal_nan=True)
    assert count > 5


@pytest.mark.parametrize(
    "name",
    [
        *("right recursion", "left recursion", "biases", "named features", "symbols of features"),
        *("network", "network_softmax", "one_layer", "regression", "multi_layer"),
    ],
)
def test_no_repeated_term_is_left(name):
    tables = tables_of(name)
    found = [
        (
            count_repeated_terms(parse_network(before.phenotype, tables)),
            parse_network(after.phenotype, tables),
        )
        for before, after, _ in individuals(tables, 60)
    ]
    assert sum(count for count, _ in found) > 20
    assert [count_repeated_terms(network) for _, network in found] == [0] * 60


def test_a_sum_that_no_numeral_can_be_is_the_nearest():
    tables = tables_of("right recursion")
    sums = find_sums(tables)
    mapping = represent(
        "dsge", tables, connect="all", max_size=1000, codons=1, wraps=0, growth=FIRST_GROWTH
    )
    names = {name: rule for rule, name in enumerate(tables.names)}
    last = len(tables.constants[names["n"]]) - 1
    genotype = {
        (names["s"], 0): (1, 1, 0),
        (names["t"], 0): (0, 0, 0),
        (names["n"], 0): (last, 0, last),
        (names["f"], 0): (0, 1, 0),
    }
    assert mapping.express(genotype, Stream(0, 0, 0)).phenotype == "9.9*x_1+-9.9*x_2+9.9*x_1"
    merged = merge_repeated_terms(tables, sums, genotype)
    # The first goes: of the last, nothing is left beside it.
    assert mapping.express(merged.genotype, Stream(0, 0, 0)).phenotype == "-9.9*x_2+9.9*x_1"
    assert merged.kept == (1, 2)


@pytest.mark.parametrize("name", ["network", "formula", "multi_layer"])
def test_an_individual_without_repeats_stays_as_it_is(name):
    tables = tables_of(name)
    sums = find_sums(tables)
    for _, after, merged in individuals(tables, 50):
        assert build_tree(tables, after.genotype)
        if merged is not None and name != "formula":
            assert merge_repeated_terms(tables, sums, after.genotype) is None


def test_a_grammar_whose_terms_cannot_go_is_left_alone():
    source = f"<s> ::= <n> * <f> + <n> * <f>\n{NUMBER}"
    tables = fold_constants(make_rule_tables(expand(parse_grammar(source).grammar, INPUTS, 1), {}))
    assert find_sums(tables) is None


@pytest.mark.parametrize("depth", [90, 5000])
def test_deep_parentheses_need_no_recursion(depth):
    """Sums inside of very many parentheses are left alone."""
    deep = f"<s> ::= <s> + <s> | {'(' * depth}<n> * <f>{')' * depth}\n{NUMBER}"
    tables = make_rule_tables(expand(parse_grammar(deep).grammar, INPUTS, 1), {})
    assert (find_sums(fold_constants(tables)) is not None) == (depth < 100)
