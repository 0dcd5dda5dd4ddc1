"""Growth, mapping, mutation and crossover respect the grammar, its limits and its layers."""

import random
import re
from collections import Counter

import pytest

from dsgec.grammar.expand import expand
from dsgec.grammar.genome.dsge import Dsge
from dsgec.grammar.genome.genotype import find_sources
from dsgec.grammar.genome.rule_tables import make_rule_tables
from dsgec.grammar.load import load_grammar, parse
from dsgec.network.parse import parse_phenotype as parse_network
from dsgec.random import Stream

BIG = 1_000_000


def tables_of(text, **limits):
    return make_rule_tables(expand(parse(text, "test"), 3, 2), limits)


def shipped(name, **limits):
    return make_rule_tables(expand(load_grammar(name).grammar, 5, 3), limits)


def evolved(tables, connect, seed, steps=20):
    """Yield derivations as a run makes them: grown, crossed, mutated and repaired."""
    dsge = Dsge(tables, connect, BIG)
    population = [dsge.express({}, Stream(seed, 0, i)) for i in range(8)]
    rng = random.Random(seed)
    for step in range(steps):
        stream = Stream(seed, step + 1, 0)
        mother, father = rng.sample(population, 2)
        for child in dsge.crossover(mother.genotype, father.genotype, stream):
            derivation = dsge.express(child, stream)
            derivation = dsge.express(dsge.mutate(derivation, stream), stream)
            yield derivation
            population[rng.randrange(8)] = derivation


@pytest.mark.parametrize("name", ["one_layer", "multi_layer", "multi_layer_softmax", "formula"])
@pytest.mark.parametrize("connect", ["all", pytest.param("previous", marks=pytest.mark.campaign)])
def test_every_offspring_is_a_network_and_maps_again_without_a_draw(name, connect):
    tables = shipped(name)
    layered = name.startswith("multi")
    for derivation in evolved(tables, connect, seed=3):
        network = parse_network(derivation.phenotype, layered=layered, inputs=5)
        assert len(network.outputs) == (3 if name.endswith("softmax") else 1)
        again = Dsge(tables, connect, BIG).express(derivation.genotype, NoDraws())
        assert again == derivation


class NoDraws(Stream):
    def __init__(self):
        pass

    def word(self):
        raise AssertionError("a mended genotype needs no draw")


def test_the_limits_of_the_one_layer_grammar_hold():
    for derivation in evolved(shipped("one_layer"), "all", seed=5, steps=100):
        neurons = derivation.phenotype.split("sig(")[1:]
        assert 1 <= len(neurons) <= 7
        assert all(1 <= neuron.count("x_") <= 8 for neuron in neurons)


def test_the_limits_of_the_multi_layer_grammar_hold():
    for derivation in evolved(shipped("multi_layer"), "all", seed=5, steps=60):
        *hidden, output = derivation.phenotype.split("--")
        assert 1 <= len(hidden) <= 8
        for layer in [*hidden, output]:
            neurons = layer.split("sig(")[1:]
            assert len(neurons) <= 64
            assert all(1 <= len(re.findall(r"[xh]_", neuron)) <= 16 for neuron in neurons)
        assert "x_" not in output


def test_every_layer_that_is_there_has_a_rule_of_its_own():
    tables = shipped("multi_layer")
    for derivation in evolved(tables, "all", seed=11, steps=30):
        layers = derivation.phenotype.count("--") + 1
        read = {layer for rule, layer in derivation.read if rule == tables.features}
        assert read == set(range(1, layers + 1))


def test_a_connection_to_a_neuron_that_is_gone_is_mended_and_others_stay():
    tables = tables_of(
        "<start> ::= <layer> -- <output-layer>\n<layer> ::= <node> | <node> - <node>\n"
        "<node> ::= sig(<features>)\n<output-layer> ::= <features> + <features> + <features>\n"
        "<features> ::= x_1 | ... | x_n\n"
    )
    layer, features = tables.names.index("layer"), tables.features
    first, second = 3, 4  # the codes of h_1_1 and h_1_2: behind the three features
    start = {(0, 0): (0,), (layer, 0): (1,), (features, 1): (0, 2)}
    start[features, 2] = (first, second, first)
    before = Dsge(tables, "all", BIG).express(start, Stream(1, 0, 0))
    assert before.phenotype == "sig(x_1)-sig(x_3)--h_1_1+h_1_2+h_1_1"
    assert before.genotype[features, 2] == (first, second, first)

    shrunk = {**before.genotype, (layer, 0): (0,)}
    after = Dsge(tables, "all", BIG).express(shrunk, Stream(1, 1, 0))

    assert after.phenotype == "sig(x_1)--h_1_1+h_1_1+h_1_1"
    assert after.genotype == {**shrunk, (features, 2): (first, first, first)}


def test_a_connection_means_the_same_neuron_when_another_layer_grows():
    small, large = find_sources([2, 3], 4, "all", False), find_sources([5, 3], 4, "all", False)

    assert set(small.members) < set(large.members)


def test_half_of_the_connections_go_to_the_previous_layer():
    choice = find_sources([4, 6], 10, "all", False)
    stream = Stream(1, 0, 0)
    drawn = Counter(choice.draw(stream) for _ in range(30_000))
    previous = list(choice.groups[0])

    share = sum(drawn[code] for code in previous) / 30_000
    assert 0.49 < share < 0.51
    assert all(0.07 < drawn[code] / 30_000 < 0.1 for code in previous)  # 1/12 each
    assert all(0.028 < drawn[code] / 30_000 < 0.044 for code in choice.groups[1])  # 1/28 each


def test_indirect_recursion_is_limited_too():
    tables = tables_of("<a> ::= <b> <b>\n<b> ::= <a> | x_1 +\n", a=4, b=4)
    for seed in range(50):
        derivation = Dsge(tables, "all", BIG).express({}, Stream(seed, 0, 0))
        assert derivation.phenotype.count("x_1") <= 2**3


def test_repeated_alternatives_double_their_probability():
    tables = tables_of("<a> ::= x_1 | x_2 | x_2\n")
    texts = Counter(
        Dsge(tables, "all", BIG).express({}, Stream(s, 0, 0)).phenotype for s in range(6000)
    )

    assert 0.63 < texts["x_2"] / 6000 < 0.70


def test_a_phenotype_that_grows_too_large_is_a_fault_and_not_an_endless_loop():
    tables = tables_of("<a> ::= <a> <a> <a> | x_1\n%max-depth a=100\n")
    faults = [Dsge(tables, "all", 5000).express({}, Stream(s, 0, 0)) for s in range(20)]

    assert any(derivation.fault for derivation in faults)
    assert all("larger than 5000" in d.fault for d in faults if d.fault)


def test_mutation_changes_exactly_one_integer_to_one_that_is_allowed():
    tables = shipped("multi_layer")
    for seed in range(60):
        dsge = Dsge(tables, "all", BIG)
        before = dsge.express({}, Stream(seed, 0, 0))
        after = dsge.mutate(before, Stream(seed, 1, 0))
        changed = [
            (gene, i)
            for gene, values in before.genotype.items()
            for i, value in enumerate(values)
            if after[gene][i] != value
        ]
        assert len(changed) == 1
        assert changed[0] in {(choice.gene, choice.index) for choice in before.choices}


def test_an_individual_without_a_choice_is_left_as_it_is():
    tables = tables_of("<a> ::= x_1 + <b>\n<b> ::= 2\n")
    dsge = Dsge(tables, "all", BIG)
    before = dsge.express({}, Stream(1, 0, 0))

    assert dsge.mutate(before, NoDraws()) == before.genotype


def test_only_genes_that_both_parents_have_are_exchanged():
    mother = {(0, 0): (0,), (5, 1): (1,), (5, 2): (2,), (6, 0): (3,)}
    father = {(0, 0): (9,), (5, 1): (8,), (6, 0): (7,)}
    dsge = Dsge(shipped("float"), "all", BIG)
    for seed in range(20):
        first, second = dsge.crossover(mother, father, Stream(seed, 0, 0))
        assert first[5, 2] == (2,)
        assert (5, 2) not in second
        assert first[0, 0] == (0,)  # the first gene stands before every cutting point
        assert first[6, 0] == (7,)  # and the last behind every one


def test_a_draw_depends_only_on_seed_generation_individual_and_place():
    first = [Stream(1, 2, 3).below(1000) for _ in range(3)]
    other = Stream(1, 2, 4)
    other.below(1000)
    stream = Stream(1, 2, 3)

    assert len(set(first)) == 1
    assert stream.below(1000) == first[0]
    streams = [(1, 2, 3), (2, 1, 3), (3, 2, 1), (1, 3, 2), (0, 0, 0), (1, 2, 4)]
    assert len({Stream(*key).word() for key in streams}) == len(streams)


def test_the_stream_is_splitmix64():
    """First outputs for the state 1234567, from the authors' published test vector."""
    stream = Stream(0, 0, 0)
    stream.state = 1234567

    assert [stream.word() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_draws_are_even():
    stream = Stream(7, 0, 0)
    counts = Counter(stream.below(10) for _ in range(50_000))

    assert all(4700 < counts[i] < 5300 for i in range(10))
    assert 9_300 < sum(stream.chance(0.95) for _ in range(10_000)) < 9_700
