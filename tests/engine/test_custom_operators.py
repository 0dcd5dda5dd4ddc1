"""A user's operators are called alike by engine and reference, and their errors have a place."""

import random
from dataclasses import replace

import pytest

import dsgec
from dsgec.errors import DsgecError
from dsgec.grammar.genome.derivation_tree import TreeNode
from dsgec.search.operators import Operators
from tests.support.text_searches import KINDS, SELECTIONS, advance, evolve_with, random_search

pytestmark = pytest.mark.needs_cc

GRAMMAR = "<s> ::= <s> <l> | <l>\n<l> ::= a | b | c\n%max-depth s=9\n"


def select_any(population, random):
    """The better of two, by what a candidate has."""
    first, second = (random.below(len(population)) for _ in range(2))
    one, two = population[first], population[second]
    assert one.genotype is not None and (one.phenotype or one.fitness == float("inf"))
    keys = [(len(c.values), c.fitness, len(c.phenotype)) for c in (one, two)]
    return first if keys[0] <= keys[1] else second


def cross_lists(mother, father, random):
    """Exchange one list that both have."""
    common = sorted(mother.keys() & father.keys())
    gene = common[random.below(len(common))] if common else None
    if gene is None:
        return mother, father
    return {**mother, gene: father[gene]}, {**father, gene: mother[gene]}


def mutate_lists(genotype, random):
    """Give an integer the value of another one of its list."""
    genes = [gene for gene in sorted(genotype) if len(genotype[gene]) > 1]
    if not genes:
        return genotype
    gene = genes[random.below(len(genes))]
    values = [*genotype[gene]]
    if gene[0] < 5:  # not probabilities
        values[random.below(len(values))] = values[random.below(len(values))]
    return {**genotype, gene: values}


def graft(tree, random):
    """Replace a node by one of its descendants with the same symbol."""
    within = [child for child in nodes(tree) if child.symbol == tree.symbol and child is not tree]
    return within[random.below(len(within))] if within else tree


def nodes(tree):
    yield tree
    for child in tree.children:
        if isinstance(child, TreeNode):
            yield from nodes(child)


def swap_trees(mother, father, random):
    return (father, mother) if random.chance(0.5) else (graft(mother, random), father)


def with_operators(problem, operators):
    return replace(problem, fitness=replace(problem.fitness, operators=operators))


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_the_engine_calls_operators_as_the_reference_does(kind):
    on_trees = kind[1] == "trees"
    functions = {
        "select": select_any,
        "cross": swap_trees if on_trees else cross_lists,
        "mutate": graft if on_trees else mutate_lists,
    }
    compared = 0
    for seed, names in enumerate((["select"], ["cross"], ["mutate"], [*functions])):
        rng = random.Random(100 + seed)
        problem, settings = random_search(rng, kind, SELECTIONS[seed % 3], crossover=0.7)
        problem = with_operators(problem, Operators(**{name: functions[name] for name in names}))
        found = []
        for backend in ("reference", "engine"):
            try:
                found.append(advance(problem, settings, backend)[:2])
            except DsgecError as error:
                found.append(str(error))
        assert found[0] == found[1], (seed, names)
        compared += not isinstance(found[0], str)
    assert compared >= 2


def search(**operators):
    return dsgec.search(
        GRAMMAR,
        lambda text: abs(text.count("a") - 5) + abs(len(text) - 5),
        **{"population": 30, "generations": 12, "seed": 4, **operators},
    )


def test_operators_on_trees_and_lists_change_what_a_search_finds():
    def to_a(tree, random):
        """Replace every letter by `a` with some probability."""
        if tree.symbol == "l":
            return TreeNode("l", 0, ("a",)) if random.chance(0.5) else tree
        children = (to_a(c, random) if isinstance(c, TreeNode) else c for c in tree.children)
        return TreeNode(tree.symbol, tree.alternative, tuple(children))

    runs = [search(mutate=to_a, mutation=0.9, backend=one) for one in ("engine", "reference")]
    assert runs[0].score == 0.0 and runs[0].best == "aaaaa"
    assert runs[0].record == runs[1].record
    assert runs[0].details.history == runs[1].details.history

    seen = []

    def first(population, random):
        seen.append({c.phenotype for c in population[:3]})
        return 0

    run = search(select=first, mutation=0.0, crossover=0.0)
    assert len({one.phenotype for one in run.individuals()}) == 1  # all are copies of the first
    assert all(one <= {*"abc"} or all({*text} <= {*"abc"} for text in one) for one in seen)


@pytest.mark.parametrize("backend", ["engine", "reference"])
@pytest.mark.parametrize(
    ("operators", "message"),
    [
        ({"mutate": lambda tree, random: 1 / 0}, "`mutate` raised ZeroDivisionError"),
        ({"mutate": lambda tree, random: None}, "must be a derivation tree"),
        ({"mutate": lambda tree, random: TreeNode("s", 7, ())}, "must be a derivation tree"),
        ({"mutate": lambda tree, random: TreeNode("l", 0, ("a",))}, "must be a derivation tree"),
        ({"cross": lambda mother, father, random: mother}, "It must be a pair"),
        ({"select": lambda population, random: len(population)}, "from 0 to 29"),
        ({"select": lambda population, random: "first"}, "from 0 to 29"),
        (
            {"mutate": lambda lists, random: {(9, 9): (1,)}, "variation": "lists"},
            "must be lists of the representation",
        ),
        (
            {"mutate": lambda lists, random: {(0, 0): (2**31,)}, "variation": "lists"},
            "must be lists of the representation",
        ),
        ({"mutate": 5}, "not a dictionary of functions"),
    ],
    ids=[*map(str, range(10))],
)
def test_a_wrong_operator_is_an_error_with_its_place(operators, message, backend):
    with pytest.raises(DsgecError) as raised:
        search(**operators, backend=backend, mutation=1.0, crossover=0.9)
    assert message in str(raised.value)
    if "dictionary" not in message:
        assert "test_custom_operators.py" in str(raised.value)


def test_after_ctrl_c_in_an_operator_the_search_ends_with_what_it_has():
    calls = []

    def stop(tree, random):
        calls.append(tree)
        if len(calls) == 100:
            raise KeyboardInterrupt
        return tree

    run = search(mutate=stop, mutation=1.0)
    assert run.ended == "interrupted"
    assert run.generations == 3  # the hundredth call is in the fourth
    whole = search(mutate=lambda tree, random: tree, mutation=1.0)
    same = run.generations + 1
    assert run.details.history == whole.details.history[:same]


def test_an_interrupted_generation_begins_again_with_the_same_bytes():
    problem, settings = random_search(
        random.Random(3),
        KINDS[1],
        {"values": 4},
        population=12,
        generations=5,
        elites=1,
        max_size=10**6,
    )
    fails = [False]

    def mutate(genotype, stream):
        if fails[0] and stream.chance(0.2):
            raise KeyboardInterrupt
        return mutate_lists(genotype, stream)

    problem = with_operators(problem, Operators(mutate=mutate))
    whole = advance(problem, settings, "engine")[1]
    evolver = evolve_with(problem, settings, "engine")
    states = []
    while evolver.next_generation <= settings.generations:
        fails[0] = len(states) in (2, 4) and not fails[0]
        try:
            evolver.advance(1, float("inf"))
        except KeyboardInterrupt:
            assert evolver.next_generation == len(states)
            continue
        states.append(evolver.save())
    assert states == whole


def test_a_saved_state_goes_on_in_the_other_backend_with_the_same_bytes():
    for seed, kind, mutate in ((3, KINDS[0], graft), (3, KINDS[-1], mutate_lists)):
        problem, settings = random_search(
            *(random.Random(seed), kind, {"values": 3}),
            **{"population": 14, "generations": 6, "elites": 1, "max_size": 10**6},
        )
        problem = with_operators(problem, Operators(select=select_any, mutate=mutate))
        states = advance(problem, settings, "engine")[1]
        for number in range(1, 6):
            evolver = evolve_with(problem, settings, ("reference", "engine")[number % 2])
            evolver.restore(states[number - 1])
            assert evolver.next_generation == number
            evolver.advance(1, float("inf"))
            assert evolver.save() == states[number]
