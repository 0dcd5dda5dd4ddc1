"""Trees that a run compares with its networks: what scikit-learn grows, and difficult tables."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from dsgec.data.dataset import Dataset, Split
from dsgec.export.artefact import Artefact
from dsgec.network.evaluate import evaluate
from dsgec.network.trees import reached_leaves
from dsgec.search.models import make_model
from dsgec.search.settings import Settings
from dsgec.search.trees.boost import boost, grow_forest
from dsgec.search.trees.ensembles import boosted_ensemble, forest_ensemble
from dsgec.search.trees.family import MOST_ROWS, grow_trees, tree_champion, tree_outputs
from dsgec.search.trees.grow import MOST_BINS, bin_rows, class_shares, grow
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


def impurity(labels, leaves):
    """Return Gini's impurity of the leaves that rows reach, times the number of rows."""
    counts = [np.bincount(labels[leaves == leaf]) for leaf in np.unique(leaves)]
    return sum(count.sum() - (count**2).sum() / count.sum() for count in counts)


@pytest.mark.parametrize("leaves", [2, 3, 5, 9])
@pytest.mark.parametrize(
    "load", [load_iris, load_wine, load_breast_cancer], ids=lambda one: one.__name__
)
def test_trees_are_as_pure_as_those_of_scikit_learn(load, leaves):
    rows, labels = load(return_X_y=True)
    targets = np.eye(labels.max() + 1)[labels]
    grown = grow(bin_rows(rows), targets, np.ones(len(rows)), most_leaves=leaves)
    tree = grown.tree(class_shares(grown), tuple(range(targets.shape[1])))
    peer = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=1).fit(rows, labels)
    own = impurity(labels, reached_leaves(tree, rows))
    # Equal gains are split otherwise, so later splits may differ by a little.
    assert own == pytest.approx(impurity(labels, peer.apply(rows)), rel=0.05, abs=0.5)
    assert grown.leaves == leaves


def test_a_split_is_the_best_of_all_thresholds():
    rng = np.random.default_rng(1)
    for case in range(20):
        rows = rng.integers(0, 6, (40, 3)) + rng.integers(0, 2, (40, 3)) * 0.5
        targets, weights = rng.normal(size=(40, 2)), rng.integers(0, 3, 40) * 0.5
        grown = grow(bin_rows(rows), targets, weights, most_leaves=2, least=2.0)
        best, whole = -1.0, squares(targets, weights, np.ones(40, bool))
        for column in range(3):
            for limit in np.unique(rows[:, column])[:-1]:
                left = rows[:, column] <= limit
                if min(weights[left].sum(), weights[~left].sum()) >= 2.0:
                    parts = [squares(targets, weights, side) for side in (left, ~left)]
                    best = max(best, sum(parts) - whole)
        assert grown.gains[0] == pytest.approx(best), case
        left = rows[:, grown.columns[0]] <= grown.thresholds[0]
        assert min(weights[left].sum(), weights[~left].sum()) >= 2.0


def squares(targets, weights, side):
    total = (targets[side] * weights[side, None]).sum(axis=0)
    return (total**2).sum() / weights[side].sum()


def test_columns_with_many_values_have_bins():
    rows = np.random.default_rng(1).normal(size=(5 * MOST_BINS, 2))
    binned = bin_rows(rows)
    assert binned.bins == MOST_BINS
    codes = binned.codes - np.arange(2) * MOST_BINS
    assert np.array_equal(np.bincount(codes[:, 0]), np.full(MOST_BINS, 5))
    for column in range(2):
        order = np.argsort(rows[:, column])
        assert np.all(np.diff(codes[order, column]) >= 0)


def test_boosting_lowers_the_loss_and_fewer_rounds_are_the_first_ones():
    rows, labels = load_breast_cancer(return_X_y=True)
    binned, weights = bin_rows(rows), np.ones(len(rows))
    boosted = boost(binned, np.eye(2)[labels], weights, rounds=12, leaves=3)
    assert boosted.first(4) == boost(binned, np.eye(2)[labels], weights, rounds=4, leaves=3)
    losses = []
    for rounds in (1, 4, 12):
        chances = tree_outputs(boosted_ensemble(boosted.first(rounds)), rows)[:, 0]
        losses.append(-np.log(np.where(labels, chances, 1 - chances)).mean())
    assert losses[0] > losses[1] > losses[2] and losses[2] < 0.1


@pytest.mark.parametrize("votes", [False, True])
def test_forests_are_means_of_their_trees(votes):
    rows, labels = load_wine(return_X_y=True)
    weights = np.ones(len(rows))
    forest = grow_forest(bin_rows(rows), np.eye(3)[labels], weights, count=7, leaves=6, seed=1)
    assert len({one.columns for one in forest}) > 3
    wanted = np.zeros((len(rows), 3))
    for one in forest:
        shares = class_shares(one)
        tree = one.tree(shares, (0, 1, 2))
        found = np.array(tree.leaves)[reached_leaves(tree, rows)]
        wanted += np.eye(3)[found.argmax(axis=1)] if votes else found
    found = tree_outputs(forest_ensemble(forest, votes=votes), rows)
    assert np.allclose(found, wanted / 7)
    assert (found.argmax(axis=1) == labels).mean() > 0.95


def test_outputs_are_probabilities_in_double_precision_and_in_integers():
    problem = sorted_problem(300)
    kinds = set()
    for setting, ensemble in grow_trees(problem, problem.rows):
        if setting.kind in kinds:
            continue
        kinds.add(setting.kind)
        champion = tree_champion(problem, ensemble, lambda _, limit: limit)
        model = make_model(problem, champion.phenotype)
        outputs = evaluate(model.network, problem.rows)
        np.testing.assert_allclose(outputs, tree_outputs(ensemble, problem.rows), atol=1e-12)
        fixed = Artefact(model, "own", "q7", ranges=((-1.0, 1.0),)).number_format
        for found, room in ((outputs, 1e-12), (fixed.results(problem.rows), 0.03)):
            assert found.min() >= 0.0
            np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=room)
    assert kinds == {"single", "boosted", "forest", "votes"}
