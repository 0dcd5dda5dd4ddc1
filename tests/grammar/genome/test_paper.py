"""The worked examples of the paper, with its own numbers."""

import pytest

from dsgec.grammar.expand import expand
from dsgec.grammar.genome.dsge import Dsge
from dsgec.grammar.genome.genotype import find_sources, neuron_name
from dsgec.grammar.genome.rule_tables import make_rule_tables
from dsgec.grammar.load import load_grammar
from dsgec.random import Stream

FLOAT = make_rule_tables(expand(load_grammar("float").grammar, 1, 1), {})
DSGE = Dsge(FLOAT, "all", 1000)


class Scripted(Stream):
    """A stream of scripted choices; drawing more than these fails."""

    def __init__(self, *choices):
        self.choices = list(choices)

    def below(self, count):
        if count == 1:
            return 0
        choice = self.choices.pop(0)
        assert choice < count
        return choice


def genotype(*genes):
    return {(rule, 0): tuple(values) for rule, values in enumerate(genes)}


def genes(genotype):
    return [list(genotype[gene]) for gene in sorted(genotype)]


def mapped(*values, stream=None):
    return DSGE.express(genotype(*values), stream or Scripted())


def test_the_genes_are_in_the_order_of_the_grammar():
    assert FLOAT.names == ("start", "float", "first", "second", "digit")


def test_the_genotype_of_the_figure_maps_to_its_number():
    derivation = mapped([0], [0], [1], [0, 0, 1], [2, 5, 9])

    assert derivation.phenotype == "1.259"
    assert genes(derivation.genotype) == [[0], [0], [1], [0, 0, 1], [2, 5, 9]]
    assert derivation.read == {(0, 0): 1, (1, 0): 1, (2, 0): 1, (3, 0): 3, (4, 0): 3}


def test_every_integer_is_read_in_the_order_of_the_table():
    """Table mapping_example: which integer each derivation step takes, and from which gene."""
    derivation = mapped([0], [0], [1], [0, 0, 1], [2, 5, 9])

    read = [(FLOAT.names[choice.gene[0]], choice.index) for choice in derivation.choices]
    assert read == [
        ("first", 0),
        ("second", 0),
        ("digit", 0),
        ("second", 1),
        ("digit", 1),
        ("second", 2),
        ("digit", 2),
    ]


def test_the_mutation_of_the_text():
    before = mapped([0], [0], [1], [0, 0, 1], [2, 5, 9])

    # The first of the integers that can change is that of <first>; its other values are 0 and 2.
    after = DSGE.mutate(before, Scripted(0, 1))

    assert genes(after) == [[0], [0], [2], [0, 0, 1], [2, 5, 9]]
    assert mapped(*genes(after)).phenotype == "2.259"


def test_symbols_without_a_choice_are_never_mutated():
    before = mapped([0], [0], [1], [0, 0, 1], [2, 5, 9])

    assert {FLOAT.names[choice.gene[0]] for choice in before.choices} == {
        "first",
        "second",
        "digit",
    }


def test_the_crossover_of_the_text():
    mother = genotype([0], [0], [2], [0, 0, 1], [2, 5, 9])
    father = genotype([0], [0], [1], [0, 0, 0, 1], [1, 0, 2, 4])

    # The cutting points lie behind genes 1 to 4; the third is the text's.
    first, second = DSGE.crossover(mother, father, Scripted(2))

    assert genes(first) == [[0], [0], [2], [0, 0, 0, 1], [1, 0, 2, 4]]
    assert genes(second) == [[0], [0], [1], [0, 0, 1], [2, 5, 9]]
    assert mapped(*genes(first)).phenotype == "2.1024"
    assert mapped(*genes(second)).phenotype == "1.259"


def test_missing_integers_are_drawn_and_kept():
    derivation = mapped([0], [0], [1], [0, 0, 1], [2], stream=Scripted(7, 8))

    assert derivation.phenotype == "1.278"
    assert genes(derivation.genotype)[-1] == [2, 7, 8]


def test_integers_that_are_not_read_are_kept():
    derivation = mapped([0], [0], [1], [1, 0, 0], [2, 5, 9])

    assert derivation.phenotype == "1.2"
    assert genes(derivation.genotype) == [[0], [0], [1], [1, 0, 0], [2, 5, 9]]
    assert derivation.read[3, 0] == derivation.read[4, 0] == 1


def test_the_depth_limit_holds_for_integers_that_are_there_already():
    shallow = make_rule_tables(expand(load_grammar("float").grammar, 1, 1), {"second": 1})
    start = genotype([0], [0], [1], [0, 0, 1], [2, 5, 9])

    derivation = Dsge(shallow, "all", 1000).express(start, Scripted())

    assert derivation.phenotype == "1.25"
    assert genes(derivation.genotype)[3] == [0, 1, 1]  # mended in the genotype, too


@pytest.mark.parametrize(
    ("layer", "connect", "expected"),
    [
        (1, "all", ["x_1 x_2 x_3"]),
        (2, "previous", ["h_1_1 h_1_2 h_1_3 h_1_4"]),
        (3, "previous", ["h_2_1 h_2_2 h_2_3"]),
        (2, "all", ["h_1_1 h_1_2 h_1_3 h_1_4", "x_1 x_2 x_3"]),
    ],
)
def test_the_features_of_each_layer_for_4_and_3_nodes(layer, connect, expected):
    """The paper's list is that of option (ii), the previous layer only."""
    widths = [4, 3][: layer - 1]

    assert described(find_sources(widths, 3, connect, False)) == expected


def test_the_output_layer_reads_hidden_neurons_only():
    assert described(find_sources([4, 3], 3, "all", True)) == [
        "h_2_1 h_2_2 h_2_3",
        "h_1_1 h_1_2 h_1_3 h_1_4",
    ]
    assert described(find_sources([4], 3, "all", True)) == ["h_1_1 h_1_2 h_1_3 h_1_4"]
    assert described(find_sources([4, 3], 3, "previous", True)) == ["h_2_1 h_2_2 h_2_3"]


def described(choice):
    names = [f"x_{i}" for i in range(1, 4)]
    return [
        " ".join(names[code] if code < 3 else neuron_name(code, 3) for code in group)
        for group in choice.groups
    ]
