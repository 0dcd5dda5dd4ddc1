"""Pruning, tuning and ensembles give the same in the engine and in the reference."""

import math

import numpy as np
import pytest

import dsgec
from dsgec.network.evaluate import evaluate
from dsgec.network.parse import parse_phenotype
from dsgec.search.backends import NumpyBackend, ReferenceBackend
from dsgec.search.choose import choose_evolver
from dsgec.search.evolver import LoopEvolver
from dsgec.search.islands import mean_phenotype
from dsgec.search.settings import Settings
from dsgec.study.cluster_islands import ClusterIslands
from tests.support.clusters import ImmediateCluster
from tests.support.command_line import dsgec as command
from tests.support.compilers import fast_engine
from tests.support.engine_runs import make, make_data
from tests.support.learning_runs import ENDING_SETTINGS, LEARNING_SETTINGS, evolve_generations

pytestmark = [pytest.mark.needs_cc, pytest.mark.usefixtures("fast_compiler")]

CASES = [
    ("one_layer", "log-loss"),
    ("one_layer_softmax", "accuracy"),
    ("multi_layer", "exp-rmse"),
    ("formula", "rmse"),
]


@pytest.mark.parametrize(
    ("grammar", "objective", "weights"),
    [
        *((*case, "real") for case in (CASES[1], CASES[3])),
        (*CASES[0], "grammar"),
        *(
            pytest.param(*case, weights, marks=pytest.mark.campaign)
            for case, weights in (
                *((case, "real") for case in (CASES[0], CASES[2])),
                *((case, "grammar") for case in CASES[1:]),
            )
        ),
    ],
)
def test_the_engine_prunes_and_tunes_as_the_reference(grammar, objective, weights):
    settings = Settings(
        population=8, generations=4, weights=weights, **LEARNING_SETTINGS, **ENDING_SETTINGS
    )
    data = make_data(classes=0) if objective == "rmse" else None
    problem = make(grammar, settings, data, objective)
    engine = evolve_generations(fast_engine(problem, settings), 4)
    reference = evolve_generations(LoopEvolver(problem, settings, ReferenceBackend()), 4)

    found = engine.refine()
    assert found == reference.refine()
    assert min(one.fitness for one in found) <= engine.best.fitness
    sizes, fitness = zip(*((one.size, one.fitness) for one in found), strict=True)
    assert list(sizes) == sorted(set(sizes))
    assert list(fitness) == sorted(fitness, reverse=True)  # a larger one is a better one


def test_generated_numpy_code_ends_as_the_reference():
    settings = Settings(
        population=6, generations=2, weights="real", **LEARNING_SETTINGS, **ENDING_SETTINGS
    )
    problem = make("one_layer", settings)
    ends = [
        evolve_generations(LoopEvolver(problem, settings, backend), 2).refine()
        for backend in (NumpyBackend(), ReferenceBackend())
    ]
    assert ends[0] == ends[1]


def test_numerals_of_the_grammar_stay_numerals():
    settings = Settings(
        population=8, generations=3, weights="grammar", **LEARNING_SETTINGS, **ENDING_SETTINGS
    )
    problem = make("one_layer", settings)
    engine = evolve_generations(fast_engine(problem, settings), 3)
    individuals = problem.represent(settings)
    for one in engine.refine():
        words = one.phenotype.replace("*", "+").replace("(", "+").replace(")", "+").split("+")
        for word in words:
            if word and not word.startswith(("x_", "sig")):
                assert len(word.lstrip("-")) == 4  # such as 1.25
        assert individuals.is_valid(one.genotype)


def test_a_mean_is_that_of_the_logits():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(20, 2))
    a, b = "1.5*x_1+-0.5", "sig(x_2)*2.0"

    def logits(text):
        return evaluate(parse_phenotype(text, layered=False, inputs=2), rows)[:, 0]

    mean = parse_phenotype(mean_phenotype([a, b]), layered=False, output="sigmoid", inputs=2)
    expected = [1 / (1 + math.exp(-(p + q) / 2)) for p, q in zip(logits(a), logits(b), strict=True)]
    np.testing.assert_allclose(evaluate(mean, rows)[:, 0], expected, rtol=1e-14)
    several = mean_phenotype([f"softmax({a},min(x_1,x_2))", f"softmax({b},x_1)"])
    assert several == f"softmax(0.5*(({a})+({b})),0.5*((min(x_1,x_2))+(x_1)))"


def test_an_ensemble_is_the_same_with_any_backend_and_resumed():
    settings = Settings(population=6, generations=3, ensemble=2, **LEARNING_SETTINGS, tuning=20)
    problem = make("one_layer", settings)
    ends = []
    for backend in ("engine", "reference"):
        evolver = choose_evolver(problem, settings, backend)
        states = [one for _ in range(4) for one in evolver.advance(1, math.inf)]
        champions = evolver.refine()
        ends.append((champions, evolver.winner(champions, states[-1])))
    assert ends[0] == ends[1]
    saved = choose_evolver(problem, settings, "engine")
    saved.advance(1, math.inf)
    resumed = choose_evolver(problem, settings, "reference")
    resumed.restore(saved.save())
    last = [one for _ in range(3) for one in resumed.advance(1, math.inf)][-1]
    champions = resumed.refine()
    assert (champions, resumed.winner(champions, last)) == ends[0]


def test_islands_end_the_same_here_and_on_a_cluster():
    """End also right after an exchange, when the best may be on another island."""
    settings = Settings(
        population=6,
        generations=4,
        islands=3,
        migrate_every=2,
        migrants=2,
        **LEARNING_SETTINGS,
        **ENDING_SETTINGS,
    )
    problem = make("one_layer", settings)
    ends = []
    for evolver in (
        choose_evolver(problem, settings, "engine"),
        choose_evolver(problem, settings, "reference"),
        ClusterIslands(problem, settings, ImmediateCluster(), "reference"),
    ):
        states = []
        while len(states) < 3:
            states += evolver.advance(1, math.inf)
        ends.append(evolver.refine())
    assert ends[0] == ends[1] == ends[2]
    assert min(one.fitness for one in ends[0]) <= states[-1].best


def test_of_many_islands_only_the_best_is_pruned_and_tuned(monkeypatch):
    settings = Settings(
        population=4, generations=1, islands=9, **LEARNING_SETTINGS, **ENDING_SETTINGS
    )
    evolver = choose_evolver(make("one_layer", settings), settings, "reference")
    evolver.advance(1, math.inf)
    called = []
    for name in ("prune", "tune"):
        monkeypatch.setattr(LoopEvolver, name, lambda *_, name=name: called.append(name) or [])
    evolver.refine()
    assert called == ["prune", "tune"]


def test_an_ensemble_of_layers_is_refused(tmp_path):
    answer = command("evolve", "multi_layer", "wdbc", "--ensemble", "2", "--out", tmp_path, code=1)
    assert "an ensemble needs a grammar without layers" in answer.stderr
    answer = command(
        *("evolve", "one_layer", "wdbc", "--ensemble", "2", "--islands", "3", "--out", tmp_path),
        code=1,
    )
    assert "members of an ensemble have no islands" in answer.stderr


def test_what_was_learned_is_better_than_what_the_paper_found():
    quick = {"generations": 30, "population": 40, "seed": 3}
    learned = dsgec.evolve("one_layer", "wdbc", **quick)
    paper = dsgec.evolve("one_layer", "wdbc", preset="paper", **quick)
    assert learned.metrics["train"]["auroc"] > paper.metrics["train"]["auroc"]
    assert (learned.record["data"]["scale"], "scale" in paper.record["data"]) == ("standard", False)


def test_the_paper_preset_is_the_paper():
    run = dsgec.evolve("one_layer", "wdbc", preset="paper", generations=2, population=8)
    expected = Settings(generations=2, population=8).as_json()
    assert run.record["settings"] == expected
    assert run.record["result"]["objective"] == "exp-rmse"
    learned = {"variation", "steps", "parsimony", "tuning", "pruning", "weights"}
    assert not learned & run.record["settings"].keys()
