"""A split with a numeric target to a formula of gplearn or pyoperon, within some CPU seconds.

Settings are those of SRBench (La Cava et al., 2021), with features and target standardised.
"""

import re
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor
from sklearn.preprocessing import StandardScaler

from benchmarks.learner import Model, Request
from benchmarks.splits import Split

SECONDS = 10.0
"""Where neither the command nor a run of dsgec gives any."""

_ENDLESS = 10_000_000
_TIMED_EVALUATIONS = 10_000
_LINE = 4  # a + b * formula: the nodes that take a standardised target back
_GPLEARN_NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+")


def fit_gplearn(split: Split, request: Request) -> Model:
    """gplearn, a generation at a time until the seconds are over."""
    from gplearn.genetic import SymbolicRegressor

    end = time.process_time() + (request.seconds or SECONDS)
    scaled = _Scaled(split)
    model = SymbolicRegressor(
        population_size=1000,
        generations=1,
        tournament_size=20,
        init_depth=(2, 6),
        metric="rmse",  # of SRBench's settings the only one changed: R² is what is measured
        parsimony_coefficient=0.001,
        p_crossover=0.9,
        p_subtree_mutation=0.01,
        p_hoist_mutation=0.01,
        p_point_mutation=0.01,
        function_set=("add", "sub", "mul", "div", "log", "sqrt", "sin", "cos"),
        warm_start=True,
        low_memory=True,
        random_state=request.seed,
    )
    model.fit(scaled.x, scaled.y)
    while time.process_time() < end:
        model.set_params(generations=model.generations + 1)
        model.fit(scaled.x, scaled.y)
    weights = len(_GPLEARN_NUMBER.findall(str(model._program)))
    return Model(
        lambda rows: scaled.back(model.predict(scaled.rows(rows))),
        max(1, weights),
        length=model._program.length_ + _LINE,
    )


def fit_pyoperon(split: Split, request: Request) -> Model:
    """pyoperon for as many evaluations as take the seconds.

    Its own limit is by the clock, which others that use the core would shorten. So a first run of
    few evaluations is timed, which, as the forest, is not part of the seconds.
    """
    scaled = _Scaled(split)
    noise = _forest_error(scaled)
    start = time.process_time()
    _operon(noise, request.seed, _TIMED_EVALUATIONS).fit(scaled.x, scaled.y)
    rate = _TIMED_EVALUATIONS / (time.process_time() - start)
    evaluations = round(rate * (request.seconds or SECONDS))
    model = _operon(noise, request.seed, evaluations)
    model.fit(scaled.x, scaled.y)
    # Each constant is a number, and each variable has a factor.
    nodes = model.model_.Nodes
    weights = sum(node.IsLeaf for node in nodes)
    # A variable is written factor * variable; the line to the target is there already.
    length = len(nodes) + 2 * sum(node.IsVariable for node in nodes)
    return Model(
        lambda rows: scaled.back(model.predict(scaled.rows(rows))), max(1, weights), length=length
    )


def _operon(noise: float, seed: int, evaluations: int) -> Any:
    from pyoperon.sklearn import SymbolicRegressor

    return SymbolicRegressor(
        allowed_symbols="add,sub,mul,aq,sin,exp,log,sqrt,constant,variable",
        objectives=["r2", "length"],
        uncertainty=[noise],
        model_selection_criterion="minimum_description_length",
        population_size=1000,
        max_length=50,
        optimizer_iterations=1,
        generations=_ENDLESS,
        max_evaluations=evaluations,
        n_threads=1,
        random_state=seed,
    )


def _forest_error(scaled: "_Scaled") -> float:
    """The error that a description length takes for noise: a forest's, as SRBench has it."""
    forest = RandomForestRegressor(random_state=0).fit(scaled.x, scaled.y)
    return float(np.sqrt(np.mean((scaled.y - forest.predict(scaled.x)) ** 2)))


class _Scaled:
    """Training rows to mean 0 and deviation 1, and predictions back again."""

    def __init__(self, split: Split) -> None:
        self._features = StandardScaler().fit(split.x_train)
        self._target = StandardScaler().fit(split.y_train.reshape(-1, 1))
        self.x = self.rows(split.x_train)
        self.y = self._target.transform(split.y_train.reshape(-1, 1))[:, 0]

    def rows(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.ascontiguousarray(self._features.transform(rows))

    def back(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        numbers = self._target.inverse_transform(np.reshape(values, (-1, 1)))
        return np.asarray(numbers[:, 0], dtype=np.float64)
