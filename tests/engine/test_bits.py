"""Logical networks run on 64 rows at a time, with the results of the reference."""

import random

import numpy as np
import pytest

from dsgec.network.evaluate import evaluate
from dsgec.search.settings import Settings
from tests.support.compilers import fast_engine
from tests.support.engine_runs import assert_same_run, make, make_data
from tests.support.random_networks import same_bits

pytestmark = pytest.mark.needs_cc

LOGICAL = ("and", "or", "xor", "nand", "nor")
ENDS = {"plain": (0.0, 1.0), "scaled": (-0.57, 1.73)}


def boolean_data(rows, features, kind, seed=1):
    """Return a table of two values in every column, which need not be 0 and 1."""
    data = make_data(seed, rows, features, 2)
    rng = np.random.default_rng(seed)
    data.x[:] = np.where(rng.random(data.x.shape) < 0.5, *ENDS[kind])
    return data


def gates(rng, depth, features):
    """Return the text of a random logical function."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice([f"x_{rng.randint(1, features)}"] * 9 + ["1", "0", "0.3", "-2"])
    inner = [gates(rng, depth - 1, features) for _ in range(3)]
    match rng.randint(0, 3):
        case 0:
            return f"not({inner[0]})"
        case 1:
            return f"if({inner[0]}, {inner[1]}, {inner[2]})"
        case _:
            return f"{rng.choice(LOGICAL)}({inner[0]}, {inner[1]})"


@pytest.mark.parametrize("kind", ENDS)
@pytest.mark.parametrize("rows", [3, 63, 700, 2048])
def test_outputs_are_those_of_the_reference(rows, kind):
    settings = Settings(population=2, tournament=1)
    problem = make("boolean", settings, boolean_data(rows, 5, kind), "rmse")
    engine = fast_engine(problem, settings)
    rng = random.Random(rows)
    differing = set()
    for _ in range(60):
        text = gates(rng, rng.randint(0, 6), 5)
        network = problem.language.parse(text)
        wanted = evaluate(network, problem.rows)
        found = engine.native.evaluate(text)
        assert same_bits(wanted, np.ascontiguousarray(found[: len(wanted)])), text
        differing.add(wanted.tobytes())
    assert len(differing) > (3 if rows == 3 else 20)


@pytest.mark.parametrize("kind", ENDS)
@pytest.mark.parametrize("objective", ["accuracy", "exp-rmse"])
def test_the_engine_runs_as_the_reference(objective, kind):
    settings = Settings(population=12, generations=5, seed=3)
    problem = make("boolean", settings, boolean_data(150, 4, kind), objective)
    assert_same_run(problem, settings)


def test_batches_are_those_of_the_reference():
    """Batches begin anywhere, not only where a word does."""
    settings = Settings(population=9, generations=12, variation="trees", steps=2, batch=24, seed=2)
    problem = make("boolean", settings, boolean_data(150, 4, "plain"), "log-loss")
    assert_same_run(problem, settings)


def test_a_table_with_a_column_of_numbers_gives_the_same():
    data = boolean_data(100, 3, "plain")
    data.x[:, 1] = np.random.default_rng(2).normal(size=100)
    settings = Settings(population=12, generations=4, seed=5)
    assert_same_run(make("boolean", settings, data, "accuracy"), settings)
