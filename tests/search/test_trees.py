"""Trees that a run compares with its networks, on tables of difficult orders and sizes."""

from dataclasses import replace

import numpy as np

from dsgec.data.dataset import Dataset, Split
from dsgec.search.settings import Settings
from dsgec.search.trees.family import MOST_ROWS, grow_trees, tree_outputs
from tests.support.engine_runs import make
from tests.support.learning_runs import LEARNING_SETTINGS


def sorted_problem(rows):
    """Return a problem whose rows are sorted by their class, with most rows in the first one."""
    x = np.linspace(-1.0, 1.0, rows)[:, None]
    y = (x[:, 0] > 0.6).astype(float) + (x[:, 0] > 0.8)
    dataset = Dataset("sorted", ("a",), "y", ("p", "q", "r"), x, y, "0")
    problem = make("shared_softmax", Settings(**LEARNING_SETTINGS), dataset, "log-loss")
    train = np.flatnonzero(np.arange(rows) % 5 > 0)
    return replace(problem, split=Split(train, np.flatnonzero(np.arange(rows) % 5 == 0)))


def test_trees_learn_all_classes_of_a_large_sorted_table():
    problem = sorted_problem(2 * MOST_ROWS)
    test = problem.split.test
    for setting, ensemble in grow_trees(problem, problem.rows):
        outputs = tree_outputs(ensemble, problem.dataset.x[test])
        wrong = (outputs.argmax(axis=1) != problem.dataset.y[test]).mean()
        assert wrong < (0.15 if setting.leaves == 2 else 0.01), setting
