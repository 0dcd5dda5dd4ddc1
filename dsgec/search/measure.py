"""Phenotypes to what people compare networks by: sizes, and metrics on training and test rows."""

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from dsgec.engine.engine import NativeEngine
from dsgec.network.cost.chips import chip_prices
from dsgec.network.cost.work import count_work
from dsgec.network.evaluate import evaluate
from dsgec.network.structure import Size, measure_size
from dsgec.network.text import network_text
from dsgec.search import metrics
from dsgec.search.intervals import Intervals, class_intervals, error_intervals
from dsgec.search.native_input import Machine, make_costs, make_parameters, make_test_tables
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings

Figures = dict[str, dict[str, float | None]]
"""The metrics by part, "train" and "test"."""

T = TypeVar("T")

Taken = tuple[int, int] | None
"""Bytes of flash and cycles for a row, where they can be estimated."""

_NUMBER = re.compile("@([0-9a-f]{16})")


class Measurer(Protocol):
    """Measures the networks of a problem's texts."""

    def describe(self, phenotype: str) -> tuple[Size, str]:
        """The size of the simplified network, and its text."""

    def figures(self, phenotypes: Sequence[str]) -> list[Figures]:
        """For each text, the metrics on the training and on the test rows."""

    def thresholds(self, phenotypes: Sequence[str]) -> list[float]:
        """For each text, what decides between two classes."""

    def scores(self, phenotypes: Sequence[str]) -> list[float]:
        """For each text, the score on the training rows that people read: without penalties."""

    def costs(self, phenotypes: Sequence[str]) -> list[Taken]:
        """For each text, what its C takes of the problem's chip."""


def measured(problem: Problem, outputs: NDArray[np.float64]) -> Figures:
    """Return the metrics on the training and on the test rows, given the outputs of all rows."""
    threshold = problem.choose_threshold(outputs[problem.split.train])
    return {
        part: _part_figures(problem, rows, outputs[rows], threshold)
        for part, rows in parts(problem)
    }


def _part_figures(
    problem: Problem, rows: NDArray[np.intp], outputs: NDArray[np.float64], threshold: float
) -> dict[str, float | None]:
    dataset = problem.dataset
    with np.errstate(all="ignore"):  # a network may overflow on rows that it never saw
        if dataset.classes:
            numbers, count = dataset.class_numbers[rows], len(dataset.classes)
            return metrics.classification(outputs, numbers, count, threshold)
        return metrics.regression(outputs, dataset.y[rows])


def test_intervals(problem: Problem, outputs: NDArray[np.float64]) -> Intervals:
    """Return the confidence intervals of the metrics on the test rows; none without such rows."""
    dataset, rows = problem.dataset, problem.split.test
    if not len(rows):
        return {}
    with np.errstate(all="ignore"):
        if not dataset.classes:
            return error_intervals(outputs[rows], dataset.y[rows])
        threshold = problem.choose_threshold(outputs[problem.split.train])
        numbers, count = dataset.class_numbers[rows], len(dataset.classes)
        return class_intervals(outputs[rows], numbers, count, threshold)


def parts(problem: Problem) -> tuple[tuple[str, NDArray[np.intp]], ...]:
    """The rows that are measured together."""
    return ("train", problem.split.train), ("test", problem.split.test)


class PlainMeasurer:
    """Parses, simplifies and evaluates in Python: the specification of the other."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def describe(self, phenotype: str) -> tuple[Size, str]:
        network = self.problem.network(phenotype)
        return measure_size(network), network_text(network)

    def figures(self, phenotypes: Sequence[str]) -> list[Figures]:
        networks = map(self.problem.network, phenotypes)
        return [
            measured(self.problem, evaluate(network, self.problem.dataset.x))
            for network in networks
        ]

    def thresholds(self, phenotypes: Sequence[str]) -> list[float]:
        rows, choose = self.problem.rows, self.problem.choose_threshold
        return [choose(evaluate(self.problem.network(text), rows)) for text in phenotypes]

    def scores(self, phenotypes: Sequence[str]) -> list[float]:
        rows = self.problem.rows
        networks = map(self.problem.network, phenotypes)
        return [self.problem.score(evaluate(network, rows)) for network in networks]

    def costs(self, phenotypes: Sequence[str]) -> list[Taken]:
        models = map(self.problem.model, phenotypes)
        return [_taken(self.problem, count_work(model)) for model in models]


def _taken(problem: Problem, counts: Mapping[str, int]) -> Taken:
    own = chip_prices(problem.chip, problem.dtype)
    if not counts.keys() <= own.needs.keys():
        return None  # the table of prices is older than a function
    cost = own.cost(counts)
    return cost.flash, cost.cycles


class NativeMeasurer:
    """Has engines do it: for either part of the rows one a thread, all on the same tables.

    Not of a scaled target or a linear output: an engine knows no other units than those that it
    learns in.
    """

    def __init__(
        self, problem: Problem, settings: Settings, machine: Machine, threads: int
    ) -> None:
        self._problem, self._threads = problem, threads
        self._parts: dict[str, _NativePart] = {}
        costs = make_costs(problem)
        one = make_parameters(problem, settings) | {"population": 1, "elites": 0, "batch": 0}
        for name, rows in parts(problem):
            tables = machine.tables if name == "train" else make_test_tables(problem)
            engines = [NativeEngine(machine.library, one, tables, costs) for _ in range(threads)]
            self._parts[name] = _NativePart(rows, tables.places, engines)

    def describe(self, phenotype: str) -> tuple[Size, str]:
        sizes, answer = self._parts["train"].engines[0].describe(phenotype)
        return Size(**sizes), _printed(answer)

    def figures(self, phenotypes: Sequence[str]) -> list[Figures]:
        def figures(text: str, thread: int) -> Figures:
            threshold = self._threshold(text, thread)
            return {
                name: _part_figures(self._problem, part.rows, part.outputs(text, thread), threshold)
                for name, part in self._parts.items()
            }

        return self._each(figures, phenotypes)

    def thresholds(self, phenotypes: Sequence[str]) -> list[float]:
        return self._each(self._threshold, phenotypes)

    def _threshold(self, text: str, thread: int) -> float:
        if not isinstance(self._problem.threshold, str):
            return self._problem.threshold
        return self._problem.choose_threshold(self._parts["train"].outputs(text, thread))

    def scores(self, phenotypes: Sequence[str]) -> list[float]:
        engines = self._parts["train"].engines

        def score(text: str, thread: int) -> float:
            return self._problem.natural(engines[thread].score(text)[1])

        return self._each(score, phenotypes)

    def _each(self, measure: Callable[[str, int], T], phenotypes: Sequence[str]) -> list[T]:
        """The measure of each text, by the engines of all threads."""

        def some(thread: int) -> list[T]:
            return [measure(text, thread) for text in phenotypes[thread :: self._threads]]

        with ThreadPoolExecutor(self._threads) as pool:
            found = list(pool.map(some, range(self._threads)))
        return [found[i % self._threads][i // self._threads] for i in range(len(phenotypes))]

    def costs(self, phenotypes: Sequence[str]) -> list[Taken]:
        if isinstance(self._problem.threshold, str):  # it may be the usual one for some networks
            return PlainMeasurer(self._problem).costs(phenotypes)
        engine = self._parts["train"].engines[0]
        return [_taken(self._problem, engine.work(phenotype)) for phenotype in phenotypes]


@dataclass(frozen=True, slots=True, eq=False)
class _NativePart:
    """Some rows, where they stand in the engines' table, and an engine for each thread."""

    rows: NDArray[np.intp]
    places: NDArray[np.int64]
    engines: Sequence[NativeEngine]

    def outputs(self, phenotype: str, thread: int) -> NDArray[np.float64]:
        """Return the outputs of a phenotype, for each row."""
        found = self.engines[thread].evaluate(phenotype)
        assert found is not None  # or it would have no score
        return found[self.places]


def _printed(answer: str) -> str:
    """An engine's text with its numbers as `dsgec.network.text` prints them."""
    pieces = _NUMBER.split(answer)  # every second one is the bits of a number
    numbers = np.frombuffer(bytes.fromhex("".join(pieces[1::2])), ">f8")
    pieces[1::2] = map(repr, numbers.tolist())
    return "".join(pieces)
