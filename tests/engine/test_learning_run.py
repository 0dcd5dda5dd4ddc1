"""An engine that learns, or varies trees, makes the generations of the reference, bit for bit."""

import random

import pytest

from dsgec.engine.engine import NATIVE
from dsgec.errors import DsgecError
from dsgec.grammar.genome.genotype import REPRESENTATIONS
from dsgec.run.history import history_row
from dsgec.search.backends import ReferenceBackend
from dsgec.search.choose import choose_evolver
from dsgec.search.evolver import LoopEvolver
from dsgec.search.learner import make_scorer
from dsgec.search.refine import prune
from dsgec.search.settings import Settings
from tests.support.compilers import fast_engine
from tests.support.engine_runs import (
    FAST_FLAGS,
    OBJECTIVES_OF,
    assert_same_run,
    count_refused_states,
    make,
    make_data,
    random_selection,
    random_ways,
)
from tests.support.example_grammars import (
    EMPTY_AND_LONG,
    INDIRECT,
    LAYER_IS_FEATURES,
    NESTED_LAYERS,
    NO_FEATURES,
    SHIPPED,
)
from tests.support.random_grammars import random_grammar

pytestmark = [pytest.mark.needs_cc, pytest.mark.usefixtures("fast_compiler")]

SHALLOW = (("hidden-layers", 2), ("nodes", 3), ("sum", 2))
SMALL = {"population": 9, "generations": 4}


def learning(grammar, variation="trees", **settings):
    """Settings of a run that learns, in which networks of many layers are small."""
    depths = SHALLOW if grammar.startswith("multi_layer") else ()
    return Settings(**{"max_depth": depths, "variation": variation, **SMALL, **settings})


def data_of(grammar):
    return make_data(6, 21, 3, 0 if grammar == "formula" else 2)


@pytest.mark.parametrize("grammar", SHIPPED)
@pytest.mark.parametrize(
    ("steps", "crossover"),
    [
        (3, 0.3),
        *(
            pytest.param(*case, marks=pytest.mark.campaign)
            for case in [(0, 0.0), (0, 0.6), (1, 0.0), (2, 0.6)]
        ),
    ],
    ids=str,
)
def test_every_shipped_grammar_runs_as_in_the_reference(grammar, steps, crossover):
    connect = "previous" if steps % 2 else "all"
    settings = learning(grammar, steps=steps, crossover=crossover, connect=connect, seed=steps + 2)
    assert_same_run(make(grammar, settings, data_of(grammar)), settings)


@pytest.mark.parametrize("text", [LAYER_IS_FEATURES, NO_FEATURES, NESTED_LAYERS, EMPTY_AND_LONG])
def test_odd_grammars_run_as_in_the_reference(text):
    for seed in range(3):
        settings = learning(text, population=20, steps=seed, crossover=0.5, seed=seed)
        assert_same_run(make(text, settings), settings)


UNEVEN = """
<e> ::= <n> * <f> | <e> + <e> | sig(<e>) * <n>
<n> ::= 0.01 | 0.1 | 1 | 5 | 100 | -7 | -0.003 | .5 | 2e-1
<f> ::= x_1 | x_2 | x_3
"""
NEGATIVE = """
<e> ::= <n> * <f> | <e> + <e> | (<e>) - <n> | <n> ^ 2 * <f> | <f> * <n>
<n> ::= -0 | -0.5 | -1 | -2.25
<f> ::= x_1 | x_2 | x_3
"""
SIGNED = """
<e> ::= <n> * <f> | <e> + <n> | <e> - <n> * <f> | <f> <m> | - <n> * <f> | tanh(<e>) + <n> ** 2 | <n>
<n> ::= <d>.<d> | -<d>.<d>
<m> ::= -1 | -0.5 | +2
<d> ::= 0 | 1 | 2
<f> ::= x_1 | x[1] | x_2 ^ 2
"""


@pytest.mark.parametrize("text", [UNEVEN, NEGATIVE, SIGNED], ids=["uneven", "negative", "signed"])
def test_numerals_of_every_kind_are_learned_as_in_the_reference(text):
    for seed in range(3):
        settings = learning(text, population=14, generations=6, steps=1 + seed, seed=seed)
        data = make_data(seed, 21, 3, 0)
        state = assert_same_run(make(text, settings, data), settings)
        assert state.invalid < len(state.population)


@pytest.mark.parametrize("steps", [pytest.param(1, marks=pytest.mark.campaign), 3])
@pytest.mark.parametrize(
    ("representation", "grammar"),
    [
        ("dsge", "one_layer"),
        ("dsge", "multi_layer_softmax"),
        ("sge", "one_layer"),
        ("sge", INDIRECT),
        ("ge", "one_layer"),
        ("ge", "formula"),
        ("psge", "one_layer"),
        ("copsge", "formula"),
    ],
)
def test_lists_learn_as_in_the_reference(representation, grammar, steps):
    settings = learning(
        grammar, "lists", representation=representation, steps=steps, codons=150, wraps=1
    )
    assert_same_run(make(grammar, settings, data_of(grammar)), settings)


@pytest.mark.parametrize(
    "trees", [True, pytest.param(False, marks=pytest.mark.campaign)], ids=["trees", "lists"]
)
@pytest.mark.parametrize(
    ("objective", "classes"),
    [
        # tests/search/learning compares the slopes of every objective.
        pytest.param(
            *(name, 3 if of else 0),
            marks=[pytest.mark.campaign] * (of and name not in ("exp-rmse", "log-loss")),
        )
        for of, names in OBJECTIVES_OF.items()
        for name in names
    ],
)
def test_every_objective_is_learned_as_in_the_reference(objective, classes, trees):
    grammar = "one_layer_softmax" if classes else "formula"
    variation = "trees" if trees else "lists"
    settings = learning(grammar, variation, steps=2, generations=3, l2=0.3, parsimony=0.01)
    data = make_data(classes, 25, 3, classes)
    assert_same_run(make(grammar, settings, data, objective), settings)


@pytest.mark.parametrize("rates", [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)], ids=str)
def test_any_rates_run_as_in_the_reference(rates):
    crossover, mutation = rates
    settings = learning("multi_layer", steps=1, crossover=crossover, mutation=mutation, elites=3)
    assert_same_run(make("multi_layer", settings, data_of("multi_layer")), settings)


@pytest.mark.parametrize("max_size", [60, 150, 300])
def test_texts_that_are_too_large_are_faults_as_in_the_reference(max_size):
    for grammar in ("one_layer", "multi_layer"):
        settings = learning(grammar, steps=1, max_size=max_size, crossover=0.5)
        assert_same_run(make(grammar, settings), settings)


def test_vector_code_and_threads_learn_as_in_the_reference():
    settings = learning("multi_layer", steps=2, crossover=0.3, generations=3)
    problem = make("multi_layer", settings, make_data(3, 203, 3))
    assert_same_run(problem, settings, threads=2, flags=NATIVE)


LONG = {"population": 13, "generations": 12, "elites": 2, "seed": 7, "steps": 2, "crossover": 0.3}


@pytest.fixture(scope="module")
def settings():
    return learning("multi_layer", **LONG)


@pytest.fixture(scope="module")
def problem(settings):
    return make("multi_layer", settings, make_data(2, 30, 3))


def run_whole(problem, settings, threads=1, flags=FAST_FLAGS, seconds=float("inf")):
    engine = fast_engine(problem, settings, threads, flags)
    rows = []
    while len(rows) <= settings.generations:
        rows += engine.step(settings.generations + 1 - len(rows), seconds)
    return rows, engine.save()


def test_threads_flags_and_slices_give_the_same_bytes(problem, settings):
    whole = run_whole(problem, settings)
    assert run_whole(problem, settings, threads=2) == whole
    assert run_whole(problem, settings, threads=2, seconds=0.0) == whole
    assert run_whole(problem, settings, flags=NATIVE) == whole


@pytest.mark.parametrize("done", [0, 1, 5])
def test_a_restored_engine_goes_on_with_the_same_bytes(problem, settings, done):
    rows, last = run_whole(problem, settings)
    first = fast_engine(problem, settings)
    first.step(done)
    saved = first.save()
    second = fast_engine(problem, settings, threads=2)
    second.restore(saved)
    assert second.save() == saved
    if done:
        for number in range(settings.population):
            assert first.individual(number) == second.individual(number)
        assert first.champions == second.champions
    assert list(second.generations()) == rows[done:]
    assert second.save() == last


@pytest.mark.parametrize(
    ("grammar", "representation", "variation"),
    [
        ("multi_layer", "dsge", "trees"),
        ("one_layer", "dsge", "trees"),
        ("one_layer", "sge", "lists"),
        ("one_layer", "ge", "lists"),
    ],
)
def test_a_damaged_state_is_refused_and_harms_nobody(grammar, representation, variation):
    settings = learning(grammar, variation, representation=representation, steps=2, population=6)
    problem = make(grammar, settings)
    # A bit of a rate, of a fitness or of a codon can be any.
    assert count_refused_states(problem, settings, attempts=40) >= 8


def test_the_state_of_a_run_that_does_not_learn_is_refused(problem, settings):
    plain = learning("multi_layer", "lists", **{**LONG, "steps": 0})
    other = fast_engine(make("multi_layer", plain, make_data(2, 30, 3)), plain)
    with pytest.raises(DsgecError, match="another run"):
        fast_engine(problem, settings).restore(other.save())


def test_engine_and_loop_go_on_from_each_others_state():
    settings = learning("one_layer", steps=2, crossover=0.4, generations=7)
    problem = make("one_layer", settings, data_of("one_layer"))
    rows, last = run_whole(problem, settings)
    engine = fast_engine(problem, settings)
    engine.step(4)
    loop = LoopEvolver(problem, settings, ReferenceBackend())
    loop.restore(engine.save())
    assert loop.next_generation == 4
    assert loop.save() == engine.save()
    assert loop.champions == engine.champions
    while loop.next_generation < 6:
        loop.advance(1, float("inf"))
    engine = fast_engine(problem, settings)
    engine.restore(loop.save())
    assert [*map(history_row, engine.generations())] == [*map(history_row, rows[6:])]
    assert engine.save() == last


@pytest.mark.parametrize(
    ("grammar", "variation"),
    [("one_layer", "lists"), pytest.param("multi_layer", "trees", marks=pytest.mark.campaign)],
)
def test_islands_exchange_what_they_have_learned(grammar, variation):
    settings = learning(
        grammar, variation, steps=1, generations=7, islands=3, migrate_every=2, migrants=2
    )
    problem = make(grammar, settings, data_of(grammar))
    whole = []
    for backend in ("reference", "engine"):
        evolver = choose_evolver(problem, settings, backend)
        whole.append(([history_row(row) for row in evolver.generations()], evolver.save()))
    assert whole[0] == whole[1]


def run(seed):
    """Run a random grammar with random settings; return whether it has a valid individual."""
    rng = random.Random(seed)
    population = rng.randint(2, 12)
    representation = rng.choice(["dsge", "dsge", "dsge", *REPRESENTATIONS])
    settings = Settings(
        representation=representation,
        variation=rng.choice(["trees", "trees", "lists"]) if representation == "dsge" else "lists",
        steps=rng.choice([0, 1, 2, 3]),
        l2=rng.choice([0.0, 0.15, 3.0]),
        parsimony=rng.choice([0.0, 0.01]),
        population=population,
        generations=rng.randint(1, 6),
        seed=rng.getrandbits(64),
        tournament=rng.randint(1, population),
        elites=rng.randint(0, min(population - 1, 4)),
        crossover=rng.choice([0.0, 0.95, rng.random()]),
        mutation=rng.choice([0.95, rng.random()]),
        connect=rng.choice(["all", "previous"]),
        max_size=rng.choice([2000, 2000, rng.randint(1, 300)]),
        codons=rng.choice([200, rng.randint(1, 60)]),
        wraps=rng.choice([0, rng.randint(0, 3)]),
        **random_ways(rng),
        **random_selection(rng),
    )
    data = make_data(seed % 1000, rng.randint(5, 30), rng.randint(1, 4), rng.choice([0, 2, 3]))
    objective = rng.choice(OBJECTIVES_OF[bool(data.classes)])
    problem = make(random_grammar(rng), settings, data, objective)
    try:
        problem.represent(settings)
    except DsgecError:
        return False
    state = assert_same_run(problem, settings, rng.choice([1, 2]))
    return bool(state and state.invalid < len(state.population))


def test_a_sample_of_random_grammars_runs_as_in_the_reference():
    assert sum(run(seed) for seed in range(3)) >= 1


@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("block", range(10))
def test_300_random_grammars_run_as_in_the_reference(block):
    networks = [run(1_000_003 * block + number) for number in range(30)]
    assert sum(networks) >= 5  # of many random grammars no text is a network of the task


def test_a_state_of_a_run_that_learns_holds_no_texts():
    settings = learning("one_layer", steps=1)
    problem = make("one_layer", settings)
    state = fast_engine(problem, settings).save()
    place = 32 + 16 + 4 * 8  # behind the identity, the kind and the other counts
    one_text = state[:place] + (1).to_bytes(8, "little") + bytes(29) + state[place + 8 :]
    for evolver in (
        fast_engine(problem, settings),
        LoopEvolver(problem, settings, ReferenceBackend()),
    ):
        evolver.restore(state)
    for evolver in (
        fast_engine(problem, settings),
        LoopEvolver(problem, settings, ReferenceBackend()),
    ):
        with pytest.raises(DsgecError, match="damaged"):
            evolver.restore(one_text)


@pytest.mark.parametrize("grammar", ["one_layer", "multi_layer", "formula"])
def test_the_best_is_pruned_as_in_the_reference(grammar):
    settings = learning(grammar, steps=1, population=12, generations=3, pruning=8)
    problem = make(grammar, settings, data_of(grammar))
    engine = fast_engine(problem, settings)
    engine.step(4)
    loop = LoopEvolver(problem, settings, ReferenceBackend())
    loop.restore(engine.save())
    scorer = make_scorer(problem, ReferenceBackend())
    expected = prune(problem, settings, scorer, loop.state.best, 8)
    assert engine.prune() == expected
