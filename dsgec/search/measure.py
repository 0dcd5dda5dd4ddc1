"""Measure the networks of phenotypes: sizes, costs, and metrics on training and test rows."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.engine.engine import NativeEngine
from dsgec.export.artefact import QUICK, Artefact
from dsgec.network.cost.chips import Cost, chip_prices
from dsgec.network.cost.work import count_work
from dsgec.network.evaluate import evaluate
from dsgec.network.structure import Size, measure_size
from dsgec.network.text import network_text
from dsgec.search import metrics
from dsgec.search.metrics import Intervals, class_intervals, error_intervals
from dsgec.search.models import choose_threshold, choose_unknown, make_model, make_network
from dsgec.search.native_input import EngineBuild, make_costs, make_test_tables, single_parameters
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings
from dsgec.search.walk.integers import DTYPE, column_ranges

Figures = dict[str, dict[str, float | None]]
"""The metrics by part, "train" and "test"."""

_NUMBER = re.compile("@([0-9a-f]{16})")


def row_parts(problem: Problem) -> tuple[tuple[str, NDArray[np.intp]], ...]:
    """Return the training and the test rows, by the names of their figures."""
    return ("train", problem.split.train), ("test", problem.split.test)


def measure_outputs(problem: Problem, outputs: NDArray[np.float64]) -> Figures:
    """Return the metrics on the training and on the test rows, given the outputs of all rows."""
    threshold = choose_threshold(problem, outputs[problem.split.train])
    return {
        part: _part_figures(problem, rows, outputs[rows], threshold)
        for part, rows in row_parts(problem)
    }


@np.errstate(all="ignore")  # a network may overflow on test rows
def _part_figures(
    problem: Problem, rows: NDArray[np.intp], outputs: NDArray[np.float64], threshold: float
) -> dict[str, float | None]:
    dataset = problem.dataset
    if not dataset.classes:
        return metrics.regression(outputs, dataset.y[rows])
    count = len(dataset.classes)
    return metrics.classification(outputs, dataset.class_numbers[rows], count, threshold)


@np.errstate(all="ignore")
def find_intervals(problem: Problem, outputs: NDArray[np.float64]) -> Intervals:
    """Return the confidence intervals of the metrics on the test rows, if there are such rows."""
    dataset, rows = problem.dataset, problem.split.test
    if not len(rows):
        return {}
    if not dataset.classes:
        return error_intervals(outputs[rows], dataset.y[rows])
    threshold = choose_threshold(problem, outputs[problem.split.train])
    numbers, count = dataset.class_numbers[rows], len(dataset.classes)
    return class_intervals(outputs[rows], numbers, count, threshold)


@dataclass(frozen=True, slots=True)
class Measurement:
    """The metrics of a network, its score on the training rows, and its limits of classes."""

    figures: Figures
    score: float
    threshold: float
    unknown: float | None = None


class Measurer(ABC):
    """Measures the networks of a problem's phenotypes."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @abstractmethod
    def describe(self, phenotype: str) -> tuple[Size, str]:
        """Return the size and the text of the simplified network."""

    @abstractmethod
    def outputs(self, phenotype: str) -> NDArray[np.float64]:
        """Return the outputs for all rows, in the units of the target."""

    @abstractmethod
    def count_work(self, phenotype: str) -> Mapping[str, int]:
        """Return the number of operations of each kind that the C of the network does for a row."""

    def measure(self, phenotype: str) -> Measurement:
        """Return the metrics, the score without penalties, and the threshold."""
        outputs = self.outputs(phenotype)
        learned = outputs[self.problem.split.train]
        return Measurement(
            measure_outputs(self.problem, outputs),
            self.problem.score(learned),
            choose_threshold(self.problem, learned),
            choose_unknown(self.problem, learned),
        )

    def cost(self, phenotype: str) -> Cost | None:
        """Return the cost on the problem's chip, if it can be estimated."""
        own = chip_prices(self.problem.cost.chip, self.problem.cost.dtype)
        counts = self.count_work(phenotype)
        # The table of prices may be older than a function.
        return own.cost(counts) if counts.keys() <= own.needs.keys() else None


class PlainMeasurer(Measurer):
    """A measurer in Python, which is the specification of the native one."""

    def describe(self, phenotype: str) -> tuple[Size, str]:
        network = make_network(self.problem, phenotype)
        return measure_size(network), network_text(network)

    def outputs(self, phenotype: str) -> NDArray[np.float64]:
        return evaluate(make_network(self.problem, phenotype), self.problem.dataset.x)

    def count_work(self, phenotype: str) -> Mapping[str, int]:
        return count_work(make_model(self.problem, phenotype))


class IntegerMeasurer(PlainMeasurer):
    """A measurer of the integers that are exported for a budget: their results are the outputs."""

    def outputs(self, phenotype: str) -> NDArray[np.float64]:
        dataset = self.problem.dataset
        model = make_model(self.problem, phenotype)
        ranges = column_ranges(self.problem)
        artefact = Artefact(model, "network", DTYPE, selftest=QUICK, ranges=ranges)
        rows = dataset.x if dataset.raw is None else dataset.raw
        found = artefact.number_format.results(rows)
        return found[:, -1:] if model.has_lone_probability else found


class NativeMeasurer(Measurer):
    """A measurer with two engines, one of the training rows and one of the test rows.

    It cannot be used with a scaled target or a linear output, since an engine gives outputs only in
    the units that it learns in.
    """

    def __init__(self, problem: Problem, settings: Settings, build: EngineBuild) -> None:
        super().__init__(problem)
        self._tables = build.tables, make_test_tables(problem)
        parameters, costs = single_parameters(problem, settings), make_costs(problem)
        self._engines = [
            NativeEngine(build.library, parameters, tables, costs) for tables in self._tables
        ]

    def describe(self, phenotype: str) -> tuple[Size, str]:
        sizes, answer = self._engines[0].describe(phenotype)
        return Size(**sizes), _decode_numbers(answer)

    def outputs(self, phenotype: str) -> NDArray[np.float64]:
        each = [engine.evaluate(phenotype) for engine in self._engines]
        assert each[0] is not None  # or it would have no score
        found = np.empty((len(self.problem.dataset.y), each[0].shape[1]))
        for (_, rows), own, tables in zip(row_parts(self.problem), each, self._tables, strict=True):
            assert own is not None
            found[rows] = own[tables.places]
        return found

    def count_work(self, phenotype: str) -> Mapping[str, int]:
        if isinstance(self.problem.threshold, str):  # some networks may have the default one
            return PlainMeasurer(self.problem).count_work(phenotype)
        return self._engines[0].work(phenotype)


def _decode_numbers(answer: str) -> str:
    """Replace the hexadecimal bits of each number in an engine's text by its decimal form."""
    pieces = _NUMBER.split(answer)  # every second one is the bits of a number
    numbers = np.frombuffer(bytes.fromhex("".join(pieces[1::2])), ">f8")
    pieces[1::2] = map(repr, numbers.tolist())
    return "".join(pieces)
