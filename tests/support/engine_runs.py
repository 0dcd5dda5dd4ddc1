"""Problems on random data, and comparisons of the engine with the reference."""

import random

import numpy as np

from dsgec.data.dataset import Dataset, Split
from dsgec.errors import DsgecError
from dsgec.grammar.expand import expand
from dsgec.grammar.genome.genotype import INITIALISATIONS
from dsgec.grammar.load import load_grammar, parse
from dsgec.search.backends import ReferenceBackend
from dsgec.search.evolver import summarize
from dsgec.search.learner import make_scorer
from dsgec.search.loop import evolve
from dsgec.search.objectives import objectives_of
from dsgec.search.problem import CostObjective, Problem, make_language, make_learning
from dsgec.search.settings import SELECTIONS
from dsgec.search.state import identify, save
from tests.support.compilers import FAST_FLAGS, fast_engine

OBJECTIVES_OF = {True: objectives_of("classification"), False: objectives_of("regression")}
"""Objectives by whether the target has classes."""


def make_data(seed=0, rows=43, features=3, classes=2):
    """Return random rows, not a multiple of the lanes; without classes, with a numeric target."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, features)).round(3)
    y = rng.integers(0, classes, rows).astype(float) if classes else rng.normal(size=rows)
    if classes:
        y[:classes] = range(classes)
    names = tuple(f"c{i}" for i in range(features))
    return Dataset("random", names, "y", tuple(range(classes)), x, y, "0")


def make(grammar, settings, dataset=None, objective=""):
    """Return a problem, without checking that every phenotype of the grammar is a network."""
    dataset = dataset or make_data()
    if isinstance(grammar, str):
        grammar = parse(grammar, "test") if "::=" in grammar else load_grammar(grammar).grammar
    outputs = max(len(dataset.classes), 1)
    expanded = expand(grammar, len(dataset.features), outputs)
    everything = np.arange(len(dataset.y))
    learning = make_learning(settings, len(everything))
    return Problem(
        make_language(expanded, len(dataset.features), settings),
        dataset=dataset,
        split=Split(everything, everything[:0]),
        objective=objective or ("exp-rmse" if dataset.classes else "rmse"),
        learning=learning,
        cost=CostObjective(settings.minimise, settings.chip, settings.dtype),
    )


def random_ways(rng):
    """Return random settings of the first generation and of probabilities."""
    return {
        "initialisation": rng.choice(INITIALISATIONS),
        "adaptive": rng.random() < 0.5,
        "learning_factor": rng.choice([0.01, rng.random()]),
        "grammar_mutation": rng.choice([0.05, rng.random()]),
        "grammar_deviation": rng.choice([0.5, 5 * rng.random()]),
        "rate_mutation": rng.random(),
        "rate_deviation": rng.random(),
    }


def random_selection(rng):
    """Return a random method of selection for networks, by rows in half of the cases."""
    return {
        "selection": rng.choice([SELECTIONS[0], *SELECTIONS]),
        "down_sample": rng.choice([1.0, rng.random()]),
    }


def assert_same_run(problem, settings, threads=1, flags=FAST_FLAGS):
    """Compare every individual and count of every generation, and the last saved state.

    Return the last state of the reference.
    """
    engine = fast_engine(problem, settings, threads, flags)
    scorer = make_scorer(problem, ReferenceBackend())
    reference = evolve(problem, settings, scorer)
    state = None
    for generation in range(settings.generations + 1):
        (row,) = engine.step(1)
        try:
            state = next(reference)
        except DsgecError as error:
            assert generation == 0
            assert row.invalid == settings.population
            assert str(engine.explain()) == str(error)
            return None
        assert_same_population(engine, state)
        assert row == summarize(state)
        assert engine.best.phenotype == state.best.derivation.phenotype
    identity = identify(problem, settings)
    assert engine.save() == save(identity, state, scorer, settings.population)
    assert engine.champions == scorer.hall.champions
    return state


def assert_same_population(engine, state):
    for number, individual in enumerate(state.population):
        view = engine.individual(number)
        derivation = individual.derivation
        assert view.genotype == dict(derivation.genotype)
        assert view.phenotype == derivation.phenotype
        assert bool(view.fault) == bool(derivation.fault)
        assert view.invalid == bool(individual.score.reason)
        assert view.fitness == individual.fitness, derivation.phenotype
        assert view.rates == individual.rates


def count_refused_states(problem, settings, generations=3, attempts=100):
    """Return how many damaged copies of a saved state are refused; the others must run on."""
    begun = fast_engine(problem, settings)
    begun.step(generations)
    state = begun.save()
    rng = random.Random(1)
    refused = 0
    for _ in range(attempts):
        damaged = bytearray(state)
        at = rng.randrange(32, len(damaged))
        if rng.random() < 0.3:
            del damaged[at : at + rng.choice([1, 4, len(damaged)])]
        else:
            damaged[at] ^= 1 << rng.randrange(8)
        other = fast_engine(problem, settings)
        try:
            other.restore(bytes(damaged))
        except DsgecError:
            refused += 1
        else:
            assert len(other.step(2)) == 2
    return refused
