"""The self-test fails for a network that is almost the right one."""

import random
import struct
from dataclasses import replace

import numpy as np
import pytest

from dsgec.export.artefact import Artefact
from dsgec.export.golden import golden
from dsgec.export.mutants import MOST_ROWS, NetworkMutants
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Apply, Constant, Input
from dsgec.network.model import compose, unnamed_model
from dsgec.network.parse import parse
from tests.support.artefacts import (
    COMPILERS,
    python_module,
    random_model,
    random_rows,
    run_selftest,
    write_c,
)
from tests.support.models import IRIS, dense
from tests.support.random_networks import same_bits


def flip(value, bit):
    (word,) = struct.unpack("<Q", struct.pack("<d", value))
    return struct.unpack("<d", struct.pack("<Q", word ^ 1 << bit))[0]


def mutants(network, rng):
    """Yield mutants: flipped bits of numbers, dropped terms of sums, swapped columns."""
    exponents = {
        node.arguments[1]
        for node in network.nodes
        if isinstance(node, Apply) and node.function == "pow"
    }
    for position, node in enumerate(network.nodes):
        if isinstance(node, Constant) and position not in exponents:
            for bit in (0, rng.randrange(64)):
                value = flip(node.value, bit)
                if np.isfinite(value):
                    yield with_node(network, position, Constant(value))
        if isinstance(node, Apply) and node.function in ("add", "sub"):
            for kept in node.arguments:
                yield without_term(network, position, kept)
    used = [node.column for node in network.nodes if isinstance(node, Input)]
    for a in used:
        b = rng.randrange(network.inputs)
        if a != b:
            swap = {a: b, b: a}
            nodes = [
                Input(swap.get(n.column, n.column)) if isinstance(n, Input) else n
                for n in network.nodes
            ]
            yield replace(network, nodes=tuple(nodes))


def with_node(network, position, node):
    nodes = list(network.nodes)
    nodes[position] = node
    return replace(network, nodes=tuple(nodes))


def without_term(network, position, kept):
    """Return the network in which readers of a sum read one of its terms instead."""
    nodes = [
        Apply(n.function, tuple(kept if a == position else a for a in n.arguments))
        if isinstance(n, Apply)
        else n
        for n in network.nodes
    ]
    outputs = tuple(kept if p == position else p for p in network.outputs)
    return replace(network, nodes=tuple(nodes), outputs=outputs)


def catches(model, seed, count=400):
    """Count the mutants that rows of this test detect, and those that the golden rows miss."""
    network = compose(model)
    rows = np.array(golden(model, network).rows)
    expected = evaluate(network, rows)
    other = random_rows(model, seed, count)
    truth = evaluate(network, other)
    found = missed = 0
    for mutant in mutants(network, random.Random(seed)):
        if same_bits(evaluate(mutant, other), truth):
            continue  # as far as these rows tell, it is the same function
        found += 1
        missed += same_bits(evaluate(mutant, rows), expected)
    return found, missed


def built(network, mutant):
    """Return the mutant as a network of its own."""
    for position, other in mutant.items():
        if isinstance(other, int):
            network = without_term(network, position, other)
        else:
            network = with_node(network, position, other)
    return network


@pytest.mark.parametrize("seed", [2, 4, 9, 12])
def test_differences_are_those_of_the_mutants_as_networks_of_their_own(seed):
    model = random_model(seed)
    network = compose(model)
    rows = random_rows(model, seed, 20)
    truth = evaluate(network, rows)
    subject = NetworkMutants(network, model.columns, "double")
    some = random.Random(seed).sample(subject.mutants, 60)
    found, _ = subject.detect(subject.evaluate(rows), some)

    assert found.any()
    for mutant, differs in zip(some, found, strict=True):
        outputs = evaluate(built(network, mutant), rows)
        alike = [same_bits(a, b) for a, b in zip(outputs, truth, strict=True)]
        assert differs.tolist() == [not same for same in alike], mutant


@pytest.mark.parametrize(
    "text",
    [
        "sig(" + " + ".join(f"{i % 97}.5 * x_{i % 31 + 1}" for i in range(3000)) + ")",
        "x_1" + "^64" * 300 + " + 1.5",
    ],
    ids=["sum", "powers"],
)
def test_the_work_for_a_large_network_is_bounded(text, monkeypatch):
    took = []
    detect = NetworkMutants.detect

    def counted(*arguments):
        found, work = detect(*arguments)
        took.append(work)
        return found, work

    monkeypatch.setattr(NetworkMutants, "detect", counted)
    model = unnamed_model(parse(text))

    assert golden(model, compose(model)).rows
    assert 0 < sum(took) < 1.4e9


@pytest.mark.parametrize("seed", range(4))
def test_a_mutant_of_an_evolved_network_is_caught(seed):
    found, missed = catches(dense(seed), seed)

    assert found > 100
    assert missed == 0


def test_mutants_of_random_networks_are_caught():
    counts = [catches(random_model(seed), seed) for seed in range(3)]
    found, missed = map(sum, zip(*counts, strict=True))

    assert found > 25
    assert missed == 0


@pytest.mark.campaign
def test_mutants_of_300_random_networks_are_caught():
    counts = [catches(random_model(seed), seed) for seed in range(3000, 3300)]
    found, missed = map(sum, zip(*counts, strict=True))
    print(f"{found} mutants, {missed} missed")

    assert found > 5000
    assert missed == 0


@pytest.mark.campaign
def test_hardly_a_mutant_of_a_dense_network_is_missed():
    """The network has 7 neurons that read all of 30 features, and all bits of weights are tried."""
    rng = np.random.default_rng(1)
    neurons = [
        " + ".join(f"({w!r}) * x_{i}" for i, w in enumerate(rng.normal(size=30).tolist(), 1))
        for _ in range(7)
    ]
    outer = zip(rng.normal(size=7).tolist(), neurons, strict=True)
    terms = [f"({w!r}) * sig({neuron} + 0.1)" for w, neuron in outer]
    model = unnamed_model(parse(f"sig({' + '.join(terms)})"))
    network = compose(model)
    subject = NetworkMutants(network, model.columns, "double")
    rows = subject.evaluate(np.array(golden(model, network).rows))
    every = subject.mutants
    parts = [every[start : start + 200] for start in range(0, len(every), 200)]
    missed = sum(int((~subject.detect(rows, part)[0].any(axis=1)).sum()) for part in parts)
    print(f"{len(every)} mutants, {missed} missed")

    assert len(every) > 14_000
    assert missed <= len(every) / 1000


CHANGES = [
    ("0.52 *", "0.5200000000000001 *"),
    ("x[0]", "x[1]"),
    ("t0 + t1", "t0"),
    ("0.3;", "0.31;"),
]


@pytest.mark.needs_cc
@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_the_selftest_of_the_c_fails_where_the_file_was_changed(old, new, tmp_path):
    write_c(IRIS, "iris", tmp_path)
    text = (tmp_path / "iris.c").read_text()
    assert old in text
    (tmp_path / "iris.c").write_text(text.replace(old, new, 1))

    code, text = run_selftest(tmp_path, "iris", COMPILERS[0])
    assert code > 0
    assert text.startswith(f"iris: row {code} of ")


@pytest.mark.parametrize("target", ["python", "numpy"])
@pytest.mark.parametrize(("old", "new"), [*CHANGES[:3], ("+ 0.3\n", "+ 0.31\n")])
def test_the_selftest_of_a_module_fails_where_the_file_was_changed(target, old, new):
    from dsgec.engine.module import load_module
    from dsgec.export.targets.target import TARGETS

    text = TARGETS[target].emit(Artefact(IRIS, "iris"))[0].text
    head, tail = text[: text.index("def _iris_sums")], text[text.index("def _iris_sums") :]
    assert old in tail

    assert load_module(head + tail.replace(old, new, 1), "iris").selftest() is False
    assert python_module(IRIS, target).selftest() is True


def test_rows_are_few_and_short():
    rows = Artefact(IRIS, "iris").golden.rows

    assert 1 <= len(rows) <= MOST_ROWS
    assert all(len(repr(v)) <= 24 for row in rows for v in row)


def test_a_network_that_knows_no_number_has_golden_rows_too():
    model = unnamed_model(parse("x_1 * 1e308 * 1e308 - x_1 * 1e308 * 1e308"))

    assert 1 <= len(golden(model, compose(model)).rows) <= MOST_ROWS
