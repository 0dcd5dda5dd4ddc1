"""With a second objective the engine does what the reference does, and goes on from its states."""

import random
from dataclasses import replace

import numpy as np
import pytest

from dsgec.data.dataset import Dataset
from dsgec.engine.engine import NATIVE
from dsgec.errors import DsgecError
from dsgec.network.cost.chips import CHIPS
from dsgec.network.model import Column
from dsgec.run.search import Search
from dsgec.search.backends import NumpyBackend, ReferenceBackend
from dsgec.search.choose import choose_evolver
from dsgec.search.evolver import LoopEvolver
from dsgec.search.measure import NativeMeasurer, PlainMeasurer
from dsgec.search.presets import Preset, make_settings
from dsgec.search.settings import COSTS, Settings
from tests.support.compilers import fast_engine
from tests.support.engine_runs import (
    OBJECTIVES_OF,
    assert_same_run,
    count_refused_states,
    make,
    make_data,
)
from tests.support.random_grammars import random_grammar

pytestmark = [pytest.mark.needs_cc, pytest.mark.usefixtures("fast_compiler")]

SMALL = {"population": 9, "generations": 5, "elites": 0}
LEARNING = {**SMALL, "variation": "trees", "steps": 1, "crossover": 0.2}


def campaign(*cases):
    """Cases that others stand for in a short test."""
    return [pytest.param(case, marks=pytest.mark.campaign) for case in cases]


def columns_data(seed=1, rows=40, classes=2):
    """Rows of columns of every kind, so that all that is done to a column has its price."""
    rng = np.random.default_rng(seed)
    columns = (
        Column("plain"),
        Column("scaled", center=2.5, scale=4.0),
        Column("filled", fill=1.5, center=0.5, scale=0.3, marked=True),
        Column("constant", "constant"),
        Column("flag", "boolean", ("no", "yes"), fill=0.0),
        Column("color", "category", ("red", "green", "blue")),
    )
    features = tuple(name for column in columns for name in column.features)
    x = rng.normal(size=(rows, len(features))).round(2)
    y = np.arange(rows) % classes if classes else rng.normal(size=rows)
    names = tuple(range(classes))
    return Dataset("columns", features, "y", names, x, y.astype(float), "0", columns)


def run_random(seed, threads=0):
    rng = random.Random(seed)
    learns = rng.random() < 0.6
    representation = "dsge" if learns else rng.choice(["dsge", "sge", "ge"])
    settings = Settings(
        population=rng.randint(2, 14),
        generations=rng.randint(1, 6),
        seed=rng.getrandbits(64),
        tournament=rng.randint(1, 4),
        elites=0,
        minimise=rng.choice(COSTS),
        chip=rng.choice([*CHIPS]),
        dtype="float",
        representation=representation,
        variation="trees" if learns else "lists",
        steps=rng.choice([0, 1, 2]) if learns else 0,
        codons=rng.randint(5, 90),
        crossover=rng.choice([0.95, rng.random()]),
        mutation=rng.choice([0.95, rng.random()]),
        connect=rng.choice(["all", "previous"]),
        max_size=rng.choice([10**6, 2000, rng.randint(1, 300)]),
    )
    data = make_data(seed % 1000, rng.randint(5, 40), rng.randint(1, 4), rng.choice([0, 2, 3]))
    objective = rng.choice(["", *OBJECTIVES_OF[bool(data.classes)]])
    layered = representation == "dsge"
    text = random_grammar(rng) if layered else rng.choice(["one_layer", "formula"])
    if not layered:
        data = make_data(seed % 1000, 20, 3, 0 if text == "formula" else 2)
        objective = ""
    problem = make(text, settings, data, objective)
    return assert_same_run(problem, settings, threads or rng.choice([1, 1, 2]))


@pytest.mark.parametrize("seed", [3, 4, 7])
def test_a_sample_of_random_grammars_runs_as_in_the_reference(seed):
    run_random(seed, threads=1)


@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("block", range(6))
def test_180_random_grammars_run_as_in_the_reference(block):
    states = [run_random(1_000_003 * block + number) for number in range(30)]
    assert any(state and state.invalid < len(state.population) for state in states)


@pytest.mark.parametrize("what", [*campaign("connections"), "flash", *campaign("cycles")])
def test_all_that_is_done_to_columns_has_its_price_as_in_the_reference(what):
    data = columns_data()
    settings = Settings(**LEARNING, minimise=what, seed=3)
    problem = make("network", settings, data, "log-loss")
    state = assert_same_run(problem, settings)
    costs = [one.score.cost for one in state.population if not one.score.reason]
    assert len({*costs}) > 1


@pytest.mark.campaign
def test_vector_code_and_threads_run_as_in_the_reference():
    settings = Settings(**LEARNING, minimise="flash")
    problem = make("multi_layer", settings, make_data(3, 203, 3))
    assert_same_run(problem, settings, threads=2, flags=NATIVE)


def test_with_batches_parents_are_scored_again_as_in_the_reference():
    settings = Settings(**{**LEARNING, "generations": 12}, minimise="connections", batch=16)
    problem = make("network", settings, make_data(3, 53, 3), "log-loss")
    state = assert_same_run(problem, settings)
    plain = replace(settings, batch=0)
    whole = assert_same_run(make("network", plain, make_data(3, 53, 3), "log-loss"), plain)
    assert state.evaluations > whole.evaluations


@pytest.mark.parametrize("what", [*campaign("connections"), "flash"])
def test_what_is_pruned_and_tuned_in_the_end_is_that_of_the_reference(what):
    given = {"minimise": what, "pruning": 6, "tuning": 20, "weights": "real", "generations": 8}
    settings = Settings(**{**LEARNING, **given})
    problem = make("network", settings, columns_data(), "log-loss")
    engine = fast_engine(problem, settings)
    loop = LoopEvolver(problem, settings, ReferenceBackend())
    found, expected = Search(engine).run(), Search(loop).run()
    assert found.champions == expected.champions
    assert found.last == expected.last
    costs = [champion.cost for champion in found.champions]
    assert costs == sorted({*costs})
    fitness = [champion.fitness for champion in found.champions]
    assert fitness == sorted({*fitness}, reverse=True)


@pytest.mark.parametrize("variation", ["trees", "lists"])
def test_engine_and_loop_go_on_from_each_others_state(variation):
    given = {"variation": variation, "steps": int(variation == "trees"), "minimise": "flash"}
    settings = Settings(**{**SMALL, **given, "generations": 8})
    problem = make("network", settings, make_data(2, 30, 3), "log-loss")
    whole = [*LoopEvolver(problem, settings, NumpyBackend()).generations()]
    engine = fast_engine(problem, settings)
    engine.step(4)
    loop = LoopEvolver(problem, settings, NumpyBackend())
    loop.restore(engine.save())
    assert loop.save() == engine.save()
    assert [*loop.generations()] == whole[4:]
    last = fast_engine(problem, settings)
    last.restore(loop.save())
    assert last.save() == loop.save()
    assert last.champions == loop.champions


@pytest.mark.parametrize("variation", [*campaign("trees"), "lists"])
def test_a_damaged_state_is_refused_or_goes_on(variation):
    settings = Settings(**SMALL, variation=variation, minimise="flash")
    problem = make("one_layer", settings, make_data(2, 30, 3))
    assert count_refused_states(problem, settings) > 20


def test_a_state_of_another_cost_is_that_of_another_run():
    settings = Settings(**LEARNING, minimise="flash")
    data = make_data(2, 30, 3)
    problem = make("network", settings, data, "log-loss")
    engine = fast_engine(problem, settings)
    engine.step(1)
    for given in ({"minimise": "cycles"}, {"chip": "rv32imc"}, {"dtype": "float"}):
        other = replace(settings, **given)
        with pytest.raises(DsgecError, match="another run"):
            fast_engine(make("network", other, data, "log-loss"), other).restore(engine.save())


@pytest.mark.parametrize("backend", ["engine", *campaign("numpy")])
def test_islands_exchange_the_first_of_their_fronts(backend):
    given = {"islands": 3, "migrate_every": 2, "minimise": "connections", "population": 6}
    settings = Settings(**{**LEARNING, **given})
    problem = make("network", settings, make_data(2, 30, 3), "log-loss")
    found = Search(choose_evolver(problem, settings, backend)).run()
    expected = Search(choose_evolver(problem, settings, "reference")).run()
    assert found.last == expected.last
    assert found.champions == expected.champions


@pytest.mark.parametrize(("classes", "threshold"), [(2, 0.5), (2, 0.3), (2, "auto"), (3, 0.5)])
def test_native_costs_are_those_of_the_model(classes, threshold):
    settings = Settings(**LEARNING, chip="avr", dtype="float")
    grammar = "network" if classes == 2 else "network_softmax"
    problem = make(grammar, settings, columns_data(classes=classes), "log-loss")
    problem = replace(problem, threshold=threshold)
    engine = fast_engine(problem, settings)
    engine.step(6)
    texts = [champion.phenotype for champion in engine.champions]
    native, plain = engine.measurer(), PlainMeasurer(problem)
    assert isinstance(native, NativeMeasurer)
    costs = [native.cost(text) for text in texts]
    assert costs == [plain.cost(text) for text in texts]
    assert len({*costs}) > 3


@pytest.mark.parametrize(
    "text",
    [
        "x_1^5*x_2^-3 + x_1/8 + x_2/3 - 0.5 + (x_3 - x_1) / x_2",
        "min(x_1, 2)*max(x_2, -2) + power(x_1, 2.5) + abs(-x_3) + -(x_2)",
        "sig(tanh(x_1)*2 + 2) + exp(x_2)/0.25 + log(x_1) + sin(cos(sqrt(x_3))) + relu(x_1)",
        "x_1 - 0 + -0*x_2 + 0*x_3",
        "2.5",
        "x_2",
    ],
)
def test_every_operation_is_counted_as_by_the_model(text):
    settings = Settings(**LEARNING)
    problem = make("formula", settings, columns_data(classes=0), "rmse")
    native = fast_engine(problem, settings).measurer()
    assert native.cost(text) == PlainMeasurer(problem).cost(text)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"minimise": "flash", "ensemble": 3}, "the mean of networks"),
        ({"minimise": "flash", "elites": 2}, "all parents compete"),
        ({"minimise": "bytes"}, "Choose from none, connections, flash, cycles"),
        ({"minimise": "flash", "chip": "z80"}, "Choose from cortex-m0plus"),
    ],
)
def test_settings_that_contradict_one_another_are_refused(given, message):
    with pytest.raises(DsgecError, match=message):
        make_settings(given, Preset())


def test_the_front_replaces_an_elite():
    settings = make_settings({"minimise": "cycles"}, Preset())
    assert (settings.elites, settings.minimise) == (0, "cycles")
    assert make_settings({}, Preset()).elites == 1
