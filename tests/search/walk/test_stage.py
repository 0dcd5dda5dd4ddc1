"""The walk as a stage of a run: engine and reference, any threads, interrupted or not."""

import math
import threading

import numpy as np
import pytest

import dsgec
from dsgec.errors import DsgecError
from dsgec.grammar.load import load_grammar
from dsgec.pipeline import prepare, run
from dsgec.run.session import Session
from dsgec.search.backends import ReferenceBackend
from dsgec.search.choose import choose_evolver
from dsgec.search.defaults import with_defaults
from dsgec.search.evolver import LoopEvolver
from dsgec.search.packing import pack, unpack
from dsgec.search.presets import Preset, make_settings
from dsgec.search.refine import combine_fronts
from dsgec.search.settings import Settings
from dsgec.search.walk import front
from tests.support.compilers import fast_engine
from tests.support.engine_runs import make, make_data
from tests.support.learning_runs import LEARNING_SETTINGS, evolve_generations
from tests.support.runs import begun, go, made, stop_after
from tests.support.shared_layers import random_shared_grammar

pytestmark = [pytest.mark.needs_cc, pytest.mark.usefixtures("fast_compiler")]


@pytest.fixture(autouse=True)
def few_widths(monkeypatch):
    monkeypatch.setattr(front, "WIDTHS", (0, 3, 6))


def walk_of(evolver):
    walker = evolver.walker()
    for _ in walker.slices(math.inf):
        pass
    return walker.champions()


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(n, marks=pytest.mark.campaign) for n in range(6, 300))]
)
def test_the_engine_walks_as_the_reference_on_random_grammars(seed):
    classes = 2 + seed % 3
    settings = Settings(
        population=4,
        generations=1,
        walk=20,
        tuning=5,
        weights=["real", "grammar"][seed % 2],
        minimise=["none", "connections"][seed % 5 == 4],
        seed=seed,
        elites=0,
        **LEARNING_SETTINGS,
    )
    grammar = random_shared_grammar(seed, classes)
    problem = make(grammar, settings, make_data(seed, classes=classes), "log-loss")
    engine = evolve_generations(fast_engine(problem, settings), 1)
    reference = evolve_generations(LoopEvolver(problem, settings, ReferenceBackend()), 1)
    walked = walk_of(engine)
    assert walked, grammar
    assert walked == walk_of(reference), grammar
    assert engine.refine() == reference.refine(), grammar
    represented = problem.represent(settings)
    for one in walked:
        assert represented.is_valid(one.genotype)
        assert one.size == problem.language.connections(one.phenotype)
        score = engine.score(one.phenotype) + problem.learning.penalty * sum(
            value * value for value in one.weights.values
        )
        assert one.fitness == pytest.approx(score + settings.parsimony * one.size, rel=1e-12)


def test_what_a_walk_finds_is_a_front():
    settings = Settings(population=4, generations=0, walk=300, tuning=5, **LEARNING_SETTINGS)
    problem = make("shared_softmax", settings, make_data(rows=150, classes=3), "log-loss")
    engine = evolve_generations(fast_engine(problem, settings), 0)
    champions = combine_fronts(problem, engine.refine(), walk_of(engine))
    sizes, fitness = zip(*((one.size, one.fitness) for one in champions), strict=True)
    assert list(sizes) == sorted(set(sizes))
    assert list(fitness) == sorted(set(fitness), reverse=True)
    assert len(champions) > 10
    assert all(one.weights for one in champions[1:])


@pytest.mark.parametrize(
    ("grammar", "objective", "classes", "changes"),
    [
        ("shared_softmax", "log-loss", 3, {"walk": 0}),
        ("shared_softmax", "mse", 3, {}),
        ("network_softmax", "log-loss", 3, {}),
        ("shared", "log-loss", 2, {"variation": "lists"}),
    ],
)
def test_other_searches_have_no_walk(grammar, objective, classes, changes):
    values = {**LEARNING_SETTINGS, "walk": 20, **changes}
    settings = Settings(population=4, generations=0, **values)
    problem = make(grammar, settings, make_data(classes=classes), objective)
    assert evolve_generations(fast_engine(problem, settings), 0).walker() is None


def walking_job(out, **settings):
    values = {"walk": 60, "tuning": 5, "population": 6, "choose": "cv", **LEARNING_SETTINGS}
    chosen = Settings(generations=12, seed=5, **values, **settings)
    return prepare("shared", "wdbc", chosen, out=out)


def test_a_stopped_run_goes_on_to_the_same_bytes_by_any_backend(tmp_path):
    whole = made(go(walking_job(tmp_path / "whole")).folder)
    job = walking_job(tmp_path / "stopped")
    stop, look = stop_after(4)
    assert go(job, "numpy", stop=stop, on_generation=look).ended == "interrupted"
    assert made(go(job).folder) == whole


def stop_in_the_walk(number):
    """An event, and a session that sets it after some of the walk."""
    stop, seen = threading.Event(), []

    def look(progress):
        seen.append(progress)
        if len(seen) > number:
            stop.set()

    return stop, Session(on_walk=look)


@pytest.mark.parametrize("backends", [("engine", "numpy"), ("numpy", "engine")])
def test_a_walk_that_is_stopped_goes_on_to_the_same_bytes(tmp_path, monkeypatch, backends):
    whole = made(go(walking_job(tmp_path / "whole")).folder)
    monkeypatch.setattr("dsgec.run.search.SLICE", 0.0)
    job = walking_job(tmp_path / "stopped")
    for number in (0, 3, 40):
        stop, session = stop_in_the_walk(number)
        ended = go(job, backends[number % 2], session, stop)
        assert ended.ended == "interrupted"
        assert begun(ended.folder)
    assert ended.record.result.generations == 12
    assert made(go(job).folder) == whole
    assert not begun(ended.folder)


def test_a_damaged_walk_is_refused(tmp_path):
    job = walking_job(tmp_path)
    evolver = choose_evolver(job.problem, job.settings, "engine")
    walker = evolver.walker()
    for progress in walker.slices(0.01):
        if progress.done > 2:
            break
    state = walker.save()
    again = evolver.walker()
    again.restore(state)
    assert again.save() == state
    for damaged in (state[:-8], state + b"12345678", b"", state[:4], b"\xff" * 8 + state[8:]):
        with pytest.raises(DsgecError, match="the saved state is not one of this run"):
            evolver.walker().restore(damaged)
    (walk,) = unpack(state, 1)
    head, _, body = walk.partition(b"\n")
    wrong = np.frombuffer(body, np.float64).copy()
    wrong[0] = 1e9
    for damaged in (walk[:-8], walk + b"12345678", b"", head, head + b"\n" + wrong.tobytes()):
        with pytest.raises(ValueError, match="its walk"):
            evolver.walker().restore(pack([damaged]))


def test_a_walk_that_cannot_be_made_is_refused():
    for grammar, table, changes, why in (
        ("network", "wdbc", {}, "the grammar has no networks"),
        ("shared", "wdbc", {"objective": "mse"}, "not learned by log-loss"),
    ):
        values = {"walk": 60, **LEARNING_SETTINGS, **changes}
        with pytest.raises(DsgecError, match=f"walk has no effect: .*{why}"):
            prepare(grammar, table, Settings(**values))


def test_threads_do_not_change_a_run(tmp_path):
    folders = []
    for threads in (1, 2):
        job = walking_job(tmp_path / str(threads))
        evolver = choose_evolver(job.problem, job.settings, "engine", threads)
        folders.append(made(run(job, evolver, lambda _: None).folder))
    assert folders[0] == folders[1]


def test_a_grammar_with_a_shared_layer_walks_by_default():
    preset = Preset()
    data = make_data(classes=3)
    chosen = {}
    for grammar in ("shared_softmax", "network_softmax"):
        file = load_grammar(grammar)
        chosen[grammar] = with_defaults(make_settings({}, preset), {}, preset, data, file.grammar)
    assert (chosen["shared_softmax"].walk, chosen["shared_softmax"].generations) == (1000, 0)
    assert chosen["network_softmax"].walk == 0
    given = {"generations": 7, "l2": 0.3}
    own = with_defaults(
        make_settings(given, preset), given, preset, data, load_grammar("shared_softmax").grammar
    )
    assert (own.walk, own.generations, own.l2) == (1000, 7, 0.3)
    paper = Preset(preset="paper")
    assert with_defaults(make_settings({}, paper), {}, paper, data, file.grammar).walk == 0


def test_row_weights_count_in_a_walk():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(120, 2))
    y = (x[:, 0] > 0).astype(int)
    y[:20] = 1 - y[:20]
    options = {"walk": 300, "population": 4, "test": 0, "seed": 1, "choose": "fitness"}
    weights = np.ones(120)
    weights[:20] = 1e-6
    plain = dsgec.evolve("shared", x, y, **options)
    weighed = dsgec.evolve("shared", x, y, sample_weight=weights, **options)
    right = [np.mean(one.network.predict(x[20:]) == y[20:]) for one in (plain, weighed)]
    assert right[1] > max(right[0], 0.97)
