"""The trees that a run compares with its networks: single and boosted ones of several sizes."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.network.evaluate import evaluate
from dsgec.network.readers.ensembles import Ensemble
from dsgec.network.trees import reached_leaves
from dsgec.random import Stream
from dsgec.search.individual import LARGEST_CHAMPION, Champion
from dsgec.search.models import make_network
from dsgec.search.objectives import OBJECTIVES
from dsgec.search.problem import Problem
from dsgec.search.trees.boost import boost, probabilities
from dsgec.search.trees.ensembles import boosted_ensemble, tree_ensemble
from dsgec.search.trees.grow import Array, grow, prune
from dsgec.search.trees.phenotype import Threshold, ensemble_phenotype

LEAVES = (2, 3, 4, 5, 6, 8, 11, 16, 23, 32, 45, 64, 90, 128)
"""The most leaves of single trees."""
BOOSTED = ((2, 4), (3, 6), (5, 4), (5, 8), (10, 4), (10, 8), (20, 4), (20, 8), (40, 6))
"""Rounds of boosting, and the leaves of each tree."""
MOST_SPLITS = 1_500
"""The most splits of all boosted trees together."""
MOST_ROWS = 4_096
"""Trees grow from so many training rows, which are drawn at random if there are more."""


@dataclass(frozen=True, slots=True)
class TreeSetting:
    """The size of a tree, or of boosted trees with so many `rounds`."""

    leaves: int
    rounds: int = 0


def tree_candidates(problem: Problem) -> dict[TreeSetting, Champion]:
    """Return the trees of all training rows as champions; of equal ones, the first."""
    found: dict[TreeSetting, Champion] = {}
    known = set()
    for setting, ensemble in grow_trees(problem, problem.rows):
        champion = tree_champion(problem, ensemble, lambda _, limit: limit)
        if champion.size <= LARGEST_CHAMPION and champion.phenotype not in known:
            known.add(champion.phenotype)
            found[setting] = champion
    return found


def tree_champion(problem: Problem, ensemble: Ensemble, threshold: Threshold) -> Champion:
    """Return trees as a champion, with the objective as its fitness."""
    phenotype = ensemble_phenotype(ensemble, threshold)
    outputs = evaluate(make_network(problem, phenotype), problem.rows)
    fitness = OBJECTIVES[problem.objective].fitness(outputs, problem.targets(outputs.shape[1]))
    return Champion(problem.language.connections(phenotype), fitness, phenotype)


def grow_trees(problem: Problem, rows: Array) -> Iterator[tuple[TreeSetting, Ensemble]]:
    """Yield trees for the classes of a problem, given its training rows in any form."""
    own, count = _drawn_rows(len(rows)), len(problem.dataset.classes)
    by = problem.row_weights
    rows, weights = rows[own], np.ones(len(own)) if by is None else by[own]
    targets = np.eye(count)[problem.dataset.class_numbers[problem.split.train[own]]]
    front = prune(grow(rows, targets, weights, most_leaves=LEAVES[-1]))
    for leaves in LEAVES:
        chosen = next(tree for tree in front if tree.leaves <= leaves)
        yield TreeSetting(leaves), tree_ensemble(chosen)
    outputs = 1 if count == 2 else count
    for rounds, leaves in BOOSTED:
        if rounds * leaves * outputs <= MOST_SPLITS:
            found = boost(rows, targets, weights, rounds=rounds, leaves=leaves)
            yield TreeSetting(leaves, rounds), boosted_ensemble(found)


def _drawn_rows(count: int) -> NDArray[np.intp]:
    """Return the numbers of the training rows that trees grow from, in ascending order.

    A table may be sorted, so the first rows may lack a class.
    """
    if count <= MOST_ROWS:
        return np.arange(count)
    stream, found = Stream(0, 0, 0), set[int]()
    while len(found) < MOST_ROWS:
        found.add(stream.below(count))
    return np.array(sorted(found))


def tree_outputs(ensemble: Ensemble, rows: Array) -> Array:
    """Return the outputs of an ensemble for rows: shares, or probabilities of sums."""
    found = np.tile([0.0 if start is None else start for start in ensemble.starts], (len(rows), 1))
    for tree in ensemble.trees:
        leaves = np.array(tree.leaves)
        found[:, list(tree.outputs)] += leaves[reached_leaves(tree, rows)]
    return found if ensemble.link == "mean" else probabilities(found)
