"""An edit of one place of a derivation tree changes nothing else, and references follow."""

import random
import re
from collections import Counter

import pytest

from dsgec.grammar.expand import expand
from dsgec.grammar.genome import derive, edit
from dsgec.grammar.genome.constants import FIRST_GROWTH, fold_constants
from dsgec.grammar.genome.dsge import Dsge
from dsgec.grammar.genome.genotype import STRIDE
from dsgec.grammar.genome.neurons import Gaps, find_anchors, find_neurons
from dsgec.grammar.genome.rule_tables import NONE, make_rule_tables
from dsgec.grammar.genome.tree import build_tree, child_positions, collect_genes, set_ends
from dsgec.grammar.load import load_grammar, parse
from dsgec.network.parse import parse_phenotype
from dsgec.network.syntax import PhenotypeError, count_neurons, split_layers
from dsgec.random import Stream
from tests.support.random_grammars import random_grammar

SHIPPED = (
    "float",
    "one_layer",
    "one_layer_softmax",
    "multi_layer",
    "multi_layer_softmax",
    "formula",
)
SHALLOW = {"hidden-layers": 2, "nodes": 3, "sum": 2}
CHANGES = pytest.mark.parametrize("count", [150, pytest.param(1000, marks=pytest.mark.campaign)])
"""The number of consecutive changes."""
LAYERED = ("multi_layer", "multi_layer_softmax")
INPUTS = 3
EXPRESSIONS = """
%max-depth hidden=3 nodes=4 e=3
<start>  ::= <hidden> -- <output-layer>
<hidden> ::= <layer> | <layer> -- <hidden> | <hidden> -- <hidden>
<layer>  ::= <nodes>
<nodes>  ::= <pair> | <e> - <nodes>
<pair>   ::= sig(<e> - <w>) - <e>
<e>      ::= <features>*<w> | <e> + <e> | tanh(<e> - <e>)
<output-layer> ::= sig(<e>)
<w>      ::= <d>.<d><d> | -<d>.<d><d>
<d>      ::= 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9
<features> ::= x_1 | ... | x_n
"""
"""Neurons without a symbol of their own, of which two can stand in one production."""


class Trees:
    """The tables and the representation of a grammar."""

    def __init__(self, grammar, connect="all", max_size=20_000):
        depths = SHALLOW if grammar in LAYERED else {}
        if isinstance(grammar, str):
            grammar = parse(grammar, "g") if "::=" in grammar else load_grammar(grammar).grammar
        self.tables = fold_constants(make_rule_tables(expand(grammar, INPUTS, 2), depths))
        self.neurons = find_neurons(self.tables)
        self.dsge = Dsge(self.tables, connect, max_size, FIRST_GROWTH)

    def grow(self, seed):
        derivation = self.dsge.express({}, Stream(seed, 0, 0))
        return None if derivation.fault else derivation

    def mutate(self, derivation, stream):
        """Return the result of the edit and its derivation, or None if that is too large."""
        edited = edit.mutate(self.tables, self.neurons, derivation.genotype, stream)
        return edited, self.express(edited, stream)

    def cross(self, mother, father, stream):
        parents = (mother.genotype, father.genotype)
        edited = edit.exchange_subtrees(self.tables, self.neurons, *parents, stream)
        return edited, self.express(edited, stream)

    def express(self, edited, stream):
        derivation = self.dsge.express(edited.genotype, stream)
        return None if derivation.fault else derivation

    def chain(self, seed, count):
        """Yield pairs of parent and child with the result of the edit, in chains."""
        stream = Stream(seed, 1, 0)
        mother = None
        for number in range(count):
            if mother is None or number % 50 == 0:
                mother = self.grow(seed + number)
            if mother is None:
                continue
            edited, child = self.mutate(mother, stream)
            if child is not None:
                yield mother, edited, child
            mother = child


def assert_whole(trees, derivation):
    """Assert that a tree and its genotype agree, and that depth limits hold."""
    tables = trees.tables
    nodes = build_tree(tables, derivation.genotype)
    assert collect_genes(tables, nodes) == derivation.genotype
    assert nodes == set_ends(tables, nodes)
    assert [node.origin for node in nodes] == [*range(len(nodes))]
    for at, node in enumerate(nodes):
        if node.rule != tables.features:
            assert node.choice in tables.options(node.rule, node.depth)
        for child in child_positions(tables, nodes, at):
            assert at < child < nodes[child].end <= node.end
    text = derivation.phenotype.encode("utf-8", "surrogatepass")
    for number in derivation.constants:
        numeral = text[number.offset : number.offset + number.length]
        assert float(numeral) == tables.constants[number.rule][number.rank]
        assert derivation.genotype[number.gene][number.index] == number.rank


def assert_only_connections_repaired(trees, edited, child, only_open):
    """Assert that the mapping drew nothing but connections."""
    for gene, values in edited.genotype.items():
        mended = child.genotype[gene]
        assert len(values) == len(mended)
        for before, after in zip(values, mended, strict=True):
            if before != after:
                assert gene[0] == trees.tables.features
                assert before == NONE or not only_open
    assert set(edited.genotype) == set(child.genotype)


def assert_origins(trees, edited, child, *parents):
    """Assert that each kept constant comes from one of the same symbol, whose value may differ
    if it is the one that moved."""
    numbers = [number for parent in parents for number in parent.constants]
    assert len(edited.origins) == len(child.constants)
    kept = [
        (numbers[origin], number)
        for origin, number in zip(edited.origins, child.constants, strict=True)
        if origin != NONE
    ]
    assert all(before.rule == after.rule for before, after in kept)
    assert sum(before.rank != after.rank for before, after in kept) <= 1
    found = [origin for origin in edited.origins if origin != NONE]
    assert len(set(found)) == len(found)


REFERENCE = re.compile(r"h_(\d+)_(\d+)|x_(\d+)")

NUMERAL = re.compile(r"\d+\.\d+")


class Wiring:
    """The neurons of a phenotype, each with a mark: its text without its sources."""

    def __init__(self, text):
        self.marks, self.reads = {}, {}
        for layer, neurons in enumerate(split_layers(text), 1):
            for place, (start, end) in enumerate(neurons, 1):
                own = text[start:end]
                self.marks[layer, place] = REFERENCE.sub("?", own).strip()
                self.reads[layer, place] = REFERENCE.findall(own)
        self.counts = Counter(self.marks.values())

    def identifies(self, mark):
        """Return whether a mark identifies a neuron: only one has it, and hardly by chance."""
        return self.counts[mark] == 1 and len(NUMERAL.findall(mark)) > 1

    def named(self):
        """Return the sources of each neuron that its mark identifies: inputs, and marks of neurons,
        None for a mark that identifies none."""
        return {
            self.marks[neuron]: [self.source(*read) for read in reads]
            for neuron, reads in self.reads.items()
            if self.identifies(self.marks[neuron])
        }

    def source(self, layer, place, feature):
        if feature:
            return f"x_{feature}"
        mark = self.marks[int(layer), int(place)]
        return mark if self.identifies(mark) else None


def compare_wiring(mother, child):
    """Return how many connections between common neurons were compared, and how many changed."""
    before, after = Wiring(mother.phenotype), Wiring(child.phenotype)
    old, new = before.named(), after.named()
    looked = changed = 0
    for mark in old.keys() & new.keys():
        for source, now in zip(old[mark], new[mark], strict=True):
            stays = source is not None and (source.startswith("x_") or source in new)
            looked += stays and not source.startswith("x_")
            changed += stays and source != now
    if changed:  # a mutation of what a neuron reads, which changes nothing else
        assert before.marks == after.marks
    return looked, changed


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("grammar", [*SHIPPED, EXPRESSIONS], ids=lambda text: text[:20].strip())
def test_mutations_leave_whole_trees(grammar, count):
    trees = Trees(grammar)
    for mother, edited, child in trees.chain(1, count):
        assert_whole(trees, child)
        assert_only_connections_repaired(trees, edited, child, only_open=True)
        assert_origins(trees, edited, child, mother)


@CHANGES
@pytest.mark.parametrize("grammar", [*LAYERED, EXPRESSIONS], ids=lambda text: text[:20].strip())
def test_a_reference_to_a_neuron_stays_with_that_neuron(grammar, count):
    trees = Trees(grammar)
    seen = [compare_wiring(mother, child) for mother, _, child in trees.chain(7, count)]
    assert all(changed <= 1 for _, changed in seen)
    assert sum(looked for looked, _ in seen) > 3 * count
    assert sum(changed for _, changed in seen) < 0.2 * count


@pytest.mark.parametrize("grammar", [*LAYERED, EXPRESSIONS], ids=lambda text: text[:20].strip())
def test_every_neuron_has_an_anchor_of_its_own(grammar):
    trees = Trees(grammar)
    for _, _, child in trees.chain(3, 60):
        found = find_anchors(trees.tables, trees.neurons, build_tree(trees.tables, child.genotype))
        *hidden, _ = split_layers(child.phenotype)
        assert sorted(found) == [
            INPUTS + layer * STRIDE + place
            for layer, neurons in enumerate(hidden)
            for place in range(len(neurons))
        ]
        assert len(set(found.values())) == len(found)


@pytest.mark.parametrize("count", [20, pytest.param(150, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("connect", ["all", "previous"])
@pytest.mark.parametrize("grammar", [*SHIPPED, EXPRESSIONS], ids=lambda text: text[:20].strip())
def test_an_exchange_of_parts_leaves_whole_trees(grammar, connect, count):
    trees = Trees(grammar, connect)
    grown = [one for one in map(trees.grow, range(count // 4)) if one]
    stream = Stream(5, 0, 0)
    for number in range(count):
        mother, father = (grown[stream.below(len(grown))] for _ in range(2))
        edited, child = trees.cross(mother, father, stream)
        if child:
            assert_whole(trees, child)
            assert_only_connections_repaired(trees, edited, child, only_open=False)
            assert_origins(trees, edited, child, mother, father)
            grown[number % len(grown)] = child


def widths_of(trees, derivation):
    """Return the number of neurons in each hidden layer."""
    with pytest.MonkeyPatch.context() as patch:
        found = []
        patch.setattr(
            derive, "count_neurons", lambda text: found.append(count_neurons(text)) or found[-1]
        )
        trees.dsge.express(derivation.genotype, Stream(0, 0, 0))
    return found


def run_random_grammar(seed):
    """Return the number of networks in which every neuron has an anchor."""
    rng = random.Random(seed)
    trees = Trees(random_grammar(rng), rng.choice(["all", "previous"]), 3000)
    anchored = 0
    for mother, edited, child in trees.chain(seed, 60):
        assert_whole(trees, child)
        assert_only_connections_repaired(trees, edited, child, only_open=False)
        assert_origins(trees, edited, child, mother)
        if trees.neurons is None or not is_network(child.phenotype):
            continue
        found = find_anchors(trees.tables, trees.neurons, build_tree(trees.tables, child.genotype))
        codes = {
            INPUTS + layer * STRIDE + place
            for layer, width in enumerate(widths_of(trees, child))
            for place in range(width)
        }
        assert found.keys() <= codes
        anchored += found.keys() == codes
    return anchored


def is_network(text):
    try:
        parse_phenotype(text, layered=True, output="", inputs=INPUTS)
    except PhenotypeError:
        return False
    return True


def test_mutations_leave_whole_trees_of_random_grammars():
    assert sum(map(run_random_grammar, range(8))) > 40


@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_mutations_leave_whole_trees_of_many_random_grammars():
    assert sum(map(run_random_grammar, range(1000, 2000))) > 5000


@pytest.mark.parametrize("grammar", ["one_layer", *LAYERED, EXPRESSIONS])
def test_every_way_to_change_a_structure_occurs(grammar, monkeypatch):
    ways = Counter()
    for way in (edit._ChangeAlternative, edit._Wrap, edit._Hoist):

        def apply(self, stream, way=way, real=way.apply):
            ways[way] += 1
            return real(self, stream)

        monkeypatch.setattr(way, "apply", apply)
    list(Trees(grammar).chain(2, 100))
    assert len(ways) == 3
    assert min(ways.values()) > 3


NUMBERED = """
%max-depth nodes=9
<start>  ::= <layer> -- <layer> -- <output-layer>
<layer>  ::= <nodes>
<nodes>  ::= <node> | <node> - <nodes>
<node>   ::= sig(<w>*<features>)
<output-layer> ::= sig(<features> + <features> + <features>)
<w>      ::= 1 | 2 | 3 | 4 | 5 | 6
<features> ::= x_1 | ... | x_n
"""


def numbered(trees):
    """`sig(1*x_1) - sig(2*x_2) - sig(3*x_3) -- sig(4*h_1_3) -- sig(h_1_1 + h_1_2 + h_2_1)`."""
    names = {name: number for number, name in enumerate(trees.tables.names)}
    neuron = [INPUTS + place for place in range(3)]
    genotype = {
        (names["start"], 0): (0,),
        (names["layer"], 0): (0, 0),
        (names["nodes"], 0): (1, 1, 0, 0),
        (names["node"], 0): (0, 0, 0, 0),
        (names["output-layer"], 0): (0,),
        (names["w"], 0): (0, 1, 2, 3),
        (names["features"], 1): (0, 1, 2),
        (names["features"], 2): (neuron[2],),
        (names["features"], 3): (neuron[0], neuron[1], INPUTS + STRIDE),
    }
    derivation = trees.dsge.express(genotype, Stream(0, 0, 0))
    assert dict(derivation.genotype) == genotype
    return derivation, names


def without_second_neuron(trees):
    """Return the edited genotype, made by hand as `_Hoist` would."""
    derivation, names = numbered(trees)
    nodes = build_tree(trees.tables, derivation.genotype)
    at = [i for i, node in enumerate(nodes) if node.rule == names["nodes"]][1]
    inner = child_positions(trees.tables, nodes, at)[1]
    kept = [*nodes[:at], *nodes[inner : nodes[inner].end], *nodes[nodes[at].end :]]
    return edit._finish_edit(trees.tables, trees.neurons, nodes, (), kept), names


def test_a_removed_neuron_moves_those_behind_it_with_their_references():
    trees = Trees(NUMBERED)
    edited, names = without_second_neuron(trees)
    features = names["features"]
    assert edited.genotype[features, 2] == (INPUTS + 1,)
    assert edited.genotype[features, 3] == (INPUTS, NONE, INPUTS + STRIDE)
    assert edited.origins == (0, 2, 3)


def test_without_an_analysis_references_keep_their_places():
    trees = Trees(NUMBERED)
    trees.neurons = None
    edited, names = without_second_neuron(trees)
    assert edited.genotype[names["features"], 3] == (INPUTS, INPUTS + 1, INPUTS + STRIDE)


def test_a_part_of_the_father_keeps_its_codes():
    trees = Trees(NUMBERED)
    derivation, _ = numbered(trees)
    nodes = build_tree(trees.tables, derivation.genotype)
    moved = [node._replace(origin=node.origin + len(nodes)) for node in nodes]
    edited = edit._finish_edit(trees.tables, trees.neurons, nodes, nodes, moved)
    assert edited.genotype == derivation.genotype
    assert edited.origins == (4, 5, 6, 7)


def gaps_of(production):
    text = f"<s> ::= <layer> -- <layer>\n<layer> ::= {production}\n<a> ::= x_1\n"
    text += "<features> ::= <a>\n%output-layer none\n"
    tables = make_rule_tables(expand(parse(text, "g"), INPUTS, 1), {})
    neurons = find_neurons(tables)
    return neurons and neurons.gaps[tables.layer][0]


@pytest.mark.parametrize(
    ("production", "gaps"),
    [
        ("<a> - <a>", Gaps((0, 1), (False, False), 0)),
        ("<a>-x_1-<a>-x_2", Gaps((0, 2), (False, False), 1)),
        ("sig(<a> - <a>) - <a>", Gaps((0, 0, 1), (True, True, False), 0)),
        ("<a> * -<a>", Gaps((0, 0), (False, False), 0)),
        ("<a> ^ - <a> - 1", Gaps((0, 0), (False, False), 1)),
        ("2e-3*<a> - <a>", Gaps((0, 1), (False, False), 0)),
        ("<a> - -<a>", Gaps((0, 1), (False, False), 0)),
        ("<a> -- <a>", Gaps((0, 1), (False, False), 0)),
        ("max(<a>, -<a>) - x_1 - x_2", Gaps((0, 0), (True, True), 2)),
        ("x_1", Gaps((), (), 0)),
    ],
)
def test_the_separators_of_a_production(production, gaps):
    assert gaps_of(production) == gaps


@pytest.mark.parametrize(
    "production", ["-<a>", "<a> +", '""', '" "', "<a>)", "(<a>", "<a> -", "x_1 | -(<a>)"]
)
def test_a_grammar_whose_symbols_do_not_tell_neurons_apart_is_left_alone(production):
    assert gaps_of(production) is None


@pytest.mark.parametrize("grammar", ["one_layer", "formula", "float"])
def test_a_grammar_without_layers_has_no_neurons_to_name(grammar):
    assert Trees(grammar).neurons is None
