"""A split to a network of dsgec: the one place of the benchmarks that calls dsgec to learn.

A new option of dsgec becomes a variant here, `name: settings`.
"""

import re
import time
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.learner import TASKS, Learner, Model, Request
from benchmarks.splits import Split
from dsgec import DSGEClassifier, DSGERegressor, evolve
from dsgec.network.ir import Apply, Network
from dsgec.network.text import network_text
from dsgec.search.defaults import THOROUGH_ENSEMBLE

REFERENCE = "dsgec"
"""The variant that others are compared with, and that gives `auto` seconds and `mlp-n` neurons."""

FORMULA = "dsgec-formula"
"""The variant that makes formulas; for numeric targets only."""

VARIANTS: dict[str, dict[str, Any]] = {
    REFERENCE: {},
    "dsgec-ensemble": {"ensemble": 3},
    "dsgec-thorough": {"ensemble": THOROUGH_ENSEMBLE},
    FORMULA: {"grammar": "formula", "parsimony": 1e-3},
    "dsgec-paper": {"preset": "paper", "generations": 200, "scale": "standard"},
}
"""Keywords of the estimators, where they are not the defaults."""

_ENDLESS = 10_000_000
_NUMERAL = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def dsgec_learner(name: str, settings: dict[str, Any]) -> Learner:
    """dsgec with these settings under this name."""
    tasks = ("regression",) if name == FORMULA else TASKS
    return Learner(name, partial(fit_dsgec, settings), tasks, is_timed=True)


def fit_dsgec(settings: dict[str, Any], split: Split, request: Request) -> Model:
    """The default estimator with `settings`; with seconds, what it has found when they are over."""
    chosen = {"threads": 1, **settings}
    if request.seconds is None:
        estimator = DSGEClassifier if split.classes else DSGERegressor
        model = estimator(random_state=request.seed, **chosen).fit(split.x_train, split.y_train)
        run = model.run_
    else:
        end = time.process_time() + request.seconds
        chosen = {"scale": "standard", **chosen, "generations": _ENDLESS}
        run = evolve(
            split.x_train,
            split.y_train,
            test=0,
            task="classification" if split.classes else "regression",
            seed=request.seed,
            callback=lambda progress: time.process_time() >= end,
            **chosen,
        )
    network = run.network

    def predict(rows: NDArray[Any]) -> NDArray[Any]:
        found = network.predict(rows)
        # A row whose outputs are not numbers has no class: it is counted as wrong.
        return np.array([-1 if c is None else c for c in found]) if split.classes else found

    weights, length = count_numbers(network_text(network.model.network)), None
    if not split.classes:
        length = count_nodes(network.model.network)
    return Model(predict, weights, network.size["neurons"], length)


def count_nodes(network: Network) -> int:
    """The nodes of a network with one output as one expression, in which nothing has a name."""
    counts: list[int] = []
    for node in network.nodes:
        arguments = node.arguments if isinstance(node, Apply) else ()
        counts.append(1 + sum(counts[argument] for argument in arguments))
    return counts[network.outputs[0]]


def count_numbers(formula: str) -> int:
    """The numbers in a network's equations; the first line counts its inputs."""
    return len(_NUMERAL.findall(formula.partition("\n")[2]))
