"""Networks with one shared hidden layer are derivations of many grammars, and of no others."""

from dataclasses import replace

import numpy as np
import pytest

from dsgec.grammar.expand import expand
from dsgec.grammar.genome.constants import fold_constants
from dsgec.grammar.genome.dsge import Dsge
from dsgec.grammar.genome.rule_tables import make_rule_tables
from dsgec.grammar.genome.shared_layer import Affine, find_shared_layer
from dsgec.grammar.load import load_grammar, parse
from dsgec.network.evaluate import evaluate
from dsgec.network.parse import parse_phenotype
from dsgec.random import Stream
from dsgec.search.walk.layer import ACTIVATIONS
from tests.support.shared_layers import outputs_of, random_layer, random_shared_grammar


def find(grammar, features, classes):
    expanded = expand(grammar, features, classes)
    tables = fold_constants(make_rule_tables(expanded, {}))
    return find_shared_layer(tables, ACTIVATIONS, expanded.directives.output)


def parts_of(net):
    first = net.first
    parts = [
        Affine([(int(net.sources[c]), c) for c in range(first[k], first[k + 1])], net.size + k)
        for k in range(net.count)
    ]
    return parts[: net.hidden], parts[net.hidden :]


@pytest.mark.parametrize("seed", range(60))
def test_a_network_is_derived_with_the_nearest_numerals(seed):
    outputs = 1 + seed % 3
    _, net = random_layer(seed, "clip", outputs, share=0.6)
    text = random_shared_grammar(seed, max(outputs, 2))
    own = find(parse(text, "test"), net.shape.inputs, max(outputs, 2))
    assert own is not None, text
    if own.outputs != outputs:
        return
    made = own.derive(*parts_of(net), net.values.tolist())
    counts = np.bincount(net.neurons, minlength=net.count)
    fits = (
        net.hidden <= own.widest
        and counts.max() <= own.longest
        and (own.bare is not None or counts[net.hidden :].all())
        and (net.hidden or own.linear is not None)
    )
    assert (made is not None) == bool(fits), text
    if made is None:
        return
    derived = Dsge(own.tables, "all", 250_000).express(made.genotype, Stream(0, 0, 0))
    assert derived.genotype == made.genotype  # nothing was repaired
    found = parse_phenotype(derived.phenotype, layered=True, inputs=net.shape.inputs)
    numerals = [own.tables.constants[one.rule][one.rank] for one in derived.constants]
    rounded = net.copy()
    for number, value in zip(made.order, numerals, strict=True):
        assert abs(value - net.values[number]) <= 0.5  # the coarsest grammar has whole numbers
        rounded.values[number] = value
    rows = np.random.default_rng(seed).normal(size=(17, net.shape.inputs))
    values = evaluate(found, rows)
    z = activated(own.activation, rounded, rows.T)
    expected = 1 / (1 + np.exp(-z)) if outputs == 1 else softmax(z)
    assert pytest.approx(expected, rel=1e-9, abs=1e-12) == values.T


def activated(activation, net, columns):
    return outputs_of(replace(net, shape=replace(net.shape, activation=activation)), columns)


def softmax(z):
    e = np.exp(z - z.max(axis=0))
    return e / e.sum(axis=0)


@pytest.mark.parametrize("name", ["one_layer", "network", "network_softmax", "formula", "dense"])
def test_other_grammars_have_no_shared_layer(name):
    assert find(load_grammar(name).grammar, 4, 3) is None


@pytest.mark.parametrize(
    "broken",
    [
        ("clip(<sum> + <bias>)", "clip(<sum>)"),
        ("clip(", "exp("),
        ("<weight> * <features>", "<features>"),
        ("softmax( <output> , ... , <output> )", "sig(<output>)"),
    ],
)
def test_a_grammar_without_one_of_the_parts_has_no_shared_layer(broken):
    text = "\n".join(load_grammar("shared_softmax").grammar.lines)
    assert find(parse(text, "test"), 4, 3) is not None
    assert broken[0] in text
    assert find(parse(text.replace(*broken), "test"), 4, 3) is None
