"""Boosted trees of one depth as bytes, which a hand-written loop reads."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.kilobyte.candidate import Candidate
from benchmarks.kilobyte.case import Array, Case, Predict
from benchmarks.kilobyte.loops import label_of, predict_encoded
from benchmarks.kilobyte.packed import kernel_source

DEPTHS = (1, 2, 3)
BYTES = (90, 200, 400, 800, 1700, 3600, 7600)
"""The bytes of tables that are tried: about those that are left at the budgets."""
MOST_ROUNDS = 100


def boosted(case: Case) -> Iterator[Candidate]:
    """Yield LightGBM's trees, of the depth that is best in cross-validation at each size."""
    encoding = case.bytes
    rows = encoding(case.x)
    outputs = 1 if case.classes == 2 else case.classes
    best: dict[int, tuple[float, int, int, tuple[Array, Array]]] = {}
    for depth in DEPTHS:
        size = outputs * (3 * 2**depth - 2)
        counts = {most: min(most // size, MOST_ROUNDS) for most in BYTES if most >= size}
        if not counts:
            continue
        rounds = max(counts.values())
        fitted = {number: _fit(case, rows, train, depth, rounds) for number, train in case.parts}
        for most, count in counts.items():
            cut = {number: _packed(trees[:count], depth) for number, trees in fitted.items()}
            labels = {number: _labels(packed, depth) for number, packed in cut.items()}
            validated = case.validated(partial(_of_fold, labels), rows)
            if most not in best or validated > best[most][0]:
                best[most] = validated, depth, count, cut[-1]
    for validated, depth, count, (starts, trees) in best.values():
        numbers = {"OUTPUTS": outputs, "DEPTH": depth, "ROUNDS": len(trees)}
        predict = _labels((starts, trees), depth)
        yield Candidate(
            f"depth {depth}, {count} rounds",
            validated,
            kernel_source("boosted", numbers, {"starts": starts, "trees": trees}),
            encoding,
            partial(predict_encoded, predict, encoding),
            least=trees.size,
            is_exact=True,
        )


def _of_fold(labels: dict[int, Predict], fold: int, _: Array) -> Predict:
    return labels[fold]


def _fit(case: Case, rows: Array, train: Array, depth: int, rounds: int) -> list[Array]:
    """Return the complete trees of each round and class: columns, thresholds and leaves."""
    import lightgbm

    settings = {
        **{"objective": "multiclass", "num_class": case.classes},
        **{"max_depth": depth, "num_leaves": 2**depth, "learning_rate": 0.3, "verbose": -1},
        **{"min_data_in_leaf": 5, "max_bin": 255, "num_threads": 1, "seed": 1},
    }
    if case.classes == 2:
        settings = {**settings, "objective": "binary", "num_class": 1}
    data = lightgbm.Dataset(rows[train].astype(float), case.y[train], params=settings)
    model = lightgbm.train(settings, data, rounds)
    outputs = 1 if case.classes == 2 else case.classes
    infos = model.dump_model()["tree_info"]
    trees = [_complete(info["tree_structure"], depth) for info in infos]
    # LightGBM stops when no split helps.
    return [np.array(trees[at : at + outputs]) for at in range(0, len(trees), outputs)]


def _complete(tree: dict[str, Any], depth: int) -> Array:
    """Return a tree as column and threshold of each node, then the leaves."""
    nodes = np.zeros((2**depth - 1, 2))
    leaves = np.zeros(2**depth)

    def fill(own: dict[str, Any], node: int) -> None:
        if "split_feature" in own:
            nodes[node] = own["split_feature"], np.floor(own["threshold"])
            left, right = own["left_child"], own["right_child"]
        else:
            left = right = own
        for child, number in ((left, 2 * node + 1), (right, 2 * node + 2)):
            if number < len(nodes):
                fill(child, number)
            else:
                leaves[number - len(nodes)] = child["leaf_value"]

    fill(tree, 0)
    return np.concatenate([nodes.ravel(), leaves])


def _packed(trees: list[Array], depth: int) -> tuple[Array, Array]:
    """Return the sums to start from, and the trees with leaves of one scale, as bytes."""
    found = np.array(trees)
    nodes = 2 * (2**depth - 1)
    leaves = found[:, :, nodes:]
    # The first round has the shares of the classes, which would take most of a byte's range.
    middle = np.zeros_like(leaves)
    middle[0] = leaves[0].mean(axis=1, keepdims=True)
    scale = 127 / max(np.abs(leaves - middle).max(), 1e-9)
    found[:, :, nodes:] = np.rint((leaves - middle) * scale)
    starts = np.clip(np.rint(middle[0, :, 0] * scale), -20000, 20000)
    return starts.astype(np.int16), found.astype(np.int8)


def _labels(packed: tuple[Array, Array], depth: int) -> Predict:
    starts, trees = packed
    inner = 2**depth - 1

    def labels(encoded: Array) -> Array:
        sums = np.tile(starts.astype(np.int64), (len(encoded), 1))
        every = np.arange(len(encoded))
        for round_ in trees:
            for output, tree in enumerate(round_):
                node = np.zeros(len(encoded), int)
                for _ in range(depth):
                    column = tree[2 * node].astype(np.uint8)
                    node = 2 * node + 1 + (encoded[every, column] > tree[2 * node + 1])
                sums[:, output] += tree[inner + node]
        return label_of(sums)

    return labels
