"""The trees that a run compares with its networks: single ones, boosted ones and forests."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

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
from dsgec.search.trees.boost import boost, grow_forest, probabilities
from dsgec.search.trees.ensembles import boosted_ensemble, forest_ensemble, tree_ensemble
from dsgec.search.trees.grow import Array, bin_rows, grow, prune
from dsgec.search.trees.phenotype import Threshold, ensemble_phenotype

LEAVES = (2, 3, 4, 5, 6, 8, 11, 16, 23, 32, 45, 64, 90, 128)
"""The most leaves of single trees."""
BOOSTED = {2: (5, 10, 20, 40, 80), 4: (3, 5, 10, 20, 40), 8: (5, 10, 20, 40)}
"""Rounds of boosting, by the leaves of each tree."""
FOREST = {16: (5, 10, 20, 40), 32: (10, 20, 40)}
"""Trees of a forest, by the leaves of each."""
MOST_SPLITS = 1_500
"""The most splits of all boosted trees together."""
FOREST_SEED = 1
MOST_ROWS = 4_096
"""Trees grow from so many training rows, which are drawn at random if there are more."""


Kind = Literal["single", "boosted", "forest", "votes"]


@dataclass(frozen=True, slots=True)
class TreeSetting:
    """The size of a tree, or of several with so many leaves each."""

    kind: Kind
    leaves: int
    count: int = 1


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
    binned, weights = bin_rows(rows[own]), np.ones(len(own)) if by is None else by[own]
    targets = np.eye(count)[problem.dataset.class_numbers[problem.split.train[own]]]
    front = prune(grow(binned, targets, weights, most_leaves=LEAVES[-1]))
    for leaves in LEAVES:
        chosen = next(tree for tree in front if tree.leaves <= leaves)
        yield TreeSetting("single", leaves), tree_ensemble(chosen)
    outputs = 1 if count == 2 else count
    for leaves, counts in BOOSTED.items():
        used = [rounds for rounds in counts if rounds * (leaves - 1) * outputs <= MOST_SPLITS]
        if used:
            found = boost(binned, targets, weights, rounds=used[-1], leaves=leaves)
            for rounds in used:
                yield TreeSetting("boosted", leaves, rounds), boosted_ensemble(found.first(rounds))
    for leaves, counts in FOREST.items():
        forest = grow_forest(
            binned, targets, weights, count=counts[-1], leaves=leaves, seed=FOREST_SEED
        )
        for some in counts:
            yield (
                TreeSetting("forest", leaves, some),
                forest_ensemble(forest[:some], votes=False),
            )
            if count > 2:
                ensemble = forest_ensemble(forest[:some], votes=True)
                yield TreeSetting("votes", leaves, some), ensemble


def count_bytes(ensemble: Ensemble) -> int:
    """Return about how many bytes the trees of an ensemble take when packed."""
    splits = sum(len(tree.columns) for tree in ensemble.trees)
    different = {leaf for tree in ensemble.trees for leaf in tree.leaves}
    is_listed = len(different) <= len(ensemble.starts)
    values = sum(
        len(tree.leaves) * (1 if is_listed else len(tree.outputs)) for tree in ensemble.trees
    )
    return 3 * splits + values


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
    return probabilities(found) if ensemble.link in ("sigmoid", "softmax") else found
