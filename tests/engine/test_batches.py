"""Generations by some of the rows: the same in engine and reference, and compared by all rows."""

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.grammar.load import load_grammar
from dsgec.run.search import Search
from dsgec.search.backends import NumpyBackend, ReferenceBackend
from dsgec.search.choose import choose_evolver
from dsgec.search.evolver import Ending, LoopEvolver
from dsgec.search.problem import make_problem
from dsgec.search.rows import WHOLE_EVERY, batch_rows
from dsgec.search.settings import Settings
from tests.support.compilers import fast_engine
from tests.support.engine_runs import assert_same_run, make, make_data

SMALL = {"population": 9, "generations": 12, "variation": "trees", "steps": 2, "batch": 16}


def test_every_row_is_in_one_batch_and_every_tenth_generation_has_all():
    whole = [g for g in range(40) if batch_rows(g, 50, 16) == slice(0, 50)]
    assert whole == [0, 10, 20, 30]
    starts = [batch_rows(g, 50, 16).start for g in range(1, 10)]
    assert starts == [0, 16, 32] * 3
    assert batch_rows(11, 50, 16).start == 0  # on from where generation 9 was
    assert batch_rows(12, 50, 16) == slice(16, 32)
    assert batch_rows(7, 50, 0) == slice(0, 50)


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("grammar", "classes", "objective", "elites"),
    [
        pytest.param(*case, elites, marks=() if elites in quick else pytest.mark.campaign)
        for *case, quick in (
            ("network", 2, "log-loss", (0,)),
            ("network_softmax", 3, "accuracy", ()),
            ("multi_layer", 2, "mae", ()),
            ("regression", 0, "rmse", (0,)),
            ("formula", 0, "r2", (1, 3)),
        )
        for elites in (0, 1, 3)
    ],
)
def test_the_engine_runs_as_the_reference(grammar, classes, objective, elites):
    settings = Settings(**SMALL, elites=elites, crossover=0.2, seed=elites + 4)
    problem = make(grammar, settings, make_data(3, 53, 3, classes), objective)
    assert_same_run(problem, settings)


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("generations", "pruning"),
    [(10, 5), *(pytest.param(13, n, marks=pytest.mark.campaign) for n in (5, 0))],
)
def test_the_end_is_that_of_the_reference_and_by_all_rows(generations, pruning):
    chosen = {**SMALL, "generations": generations}
    settings = Settings(**chosen, pruning=pruning, tuning=30, weights="real")
    problem = make("regression", settings, make_data(3, 53, 3, 0), "rmse")
    engine = fast_engine(problem, settings)
    loop = LoopEvolver(problem, settings, ReferenceBackend())
    found, expected = Search(engine).run(), Search(loop).run()

    assert found.champions == expected.champions
    assert found.last == expected.last
    rmse = engine.score(found.last.phenotype)
    assert rmse <= found.last.best  # which has penalties
    assert found.last.best < rmse + 1.0
    assert found.last.best == min(champion.fitness for champion in found.champions)


@pytest.mark.needs_cc
def test_a_run_is_resumed_within_a_batch_and_on_another_backend():
    settings = Settings(**SMALL)
    problem = make("network", settings, make_data(3, 53, 3, 2), "log-loss")
    whole = fast_engine(problem, settings)
    whole.step(13)
    begun = LoopEvolver(problem, settings, NumpyBackend())
    for _ in range(4):
        begun.advance(1, 1.0)
    rest = fast_engine(problem, settings, threads=2)
    rest.restore(begun.save())
    rest.step(9)
    assert rest.save() == whole.save()


@pytest.mark.needs_cc
def test_training_rows_are_shuffled_only_where_there_are_batches():
    data = make_data(3, 80, 3, 2)
    grammar = load_grammar("network").grammar
    plain = make_problem(grammar, data, Settings(variation="trees"))
    batched = make_problem(grammar, data, Settings(**SMALL, objective="log-loss"))
    assert (np.diff(plain.split.train) > 0).all()
    assert sorted(batched.split.train) == plain.split.train.tolist()
    assert batched.split.train.tolist() != plain.split.train.tolist()
    large = make_problem(grammar, data, Settings(variation="trees", batch=56))
    assert large.batch == 0  # there are no more rows
    assert large.split.train.tolist() == plain.split.train.tolist()
    assert choose_evolver(batched, Settings(**SMALL), "auto").problem.batch == 16


@pytest.mark.needs_cc
def test_fewer_test_rows_than_a_batch_are_measured():
    settings = Settings(**SMALL, objective="log-loss", test=0.1)
    problem = make_problem(load_grammar("network").grammar, make_data(3, 60, 3, 2), settings)
    assert len(problem.split.test) < problem.batch
    engine = fast_engine(problem, settings)
    loop = LoopEvolver(problem, settings, ReferenceBackend())
    for text in ("sig(0.4*x_1)", "sig(x_2-x_3)"):
        assert engine.measurer().measure(text) == loop.measurer().measure(text)


def test_only_generations_of_all_rows_end_a_run():
    settings = Settings(**{**SMALL, "generations": 300}, patience=15, stop_at=0.1)
    ending = Ending(make("network", settings, make_data(3, 53, 3, 2), "log-loss"), settings)
    for generation in range(2 * WHOLE_EVERY):
        ending.update(generation, 0.5 if generation % WHOLE_EVERY == 0 else 0.01)
        assert not ending.reason
    ending.update(2 * WHOLE_EVERY, 0.5)
    assert ending.reason == "patience"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"variation": "trees", "objective": "exp-rmse"}, "measures the rows of each class"),
        ({}, "remembers scores"),
    ],
)
def test_batches_are_refused_where_all_rows_are_needed(given, message):
    data = make_data(3, 53, 3, 2)
    with pytest.raises(DsgecError, match=message):
        make_problem(load_grammar("network").grammar, data, Settings(**given, batch=16))
