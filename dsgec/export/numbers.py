"""The numbers that an export computes with, double, float or fixed point, behind one interface."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError, counted
from dsgec.export.candidates import TYPES, integer_candidates
from dsgec.export.fixed.build import build
from dsgec.export.fixed.cost import integer_work
from dsgec.export.fixed.evaluate import dequantise, evaluate_integers, quantise, saturate
from dsgec.export.fixed.ir import STORED_BITS, Fixed
from dsgec.export.golden import (
    Golden,
    Loss,
    classes_of,
    classes_of_results,
    golden,
    golden_of,
    loss,
    loss_of,
    loss_rows,
    results_of,
    rounded_up,
)
from dsgec.export.integer_mutants import cover_integers, integer_rows_around
from dsgec.network.cost.work import count_work
from dsgec.network.decide import DEFAULT_THRESHOLD
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Constant, Network
from dsgec.network.model import Model
from dsgec.network.ranges import Ranges

Array = NDArray[Any]

_LARGEST = {"double": 1.7976931348623157e308, "float": 3.4028234e38}
_COMPARED, _LATER_PART = 20_000, 99
_MOST_VALUES = 8_000_000  # of all steps for all rows

REALS = tuple(_LARGEST)
"""The types that compute with IEEE numbers."""

DTYPES = (*REALS, *STORED_BITS)


class NumberSystem(Protocol):
    """What of an export depends on its numbers."""

    def refuse_unfit(self) -> None:
        """A DsgecError where the network cannot be computed with such numbers."""

    def golden(self, effort: str) -> Golden:
        """Rows, and what must come of them."""

    def results(self, rows: Array) -> Array:
        """Probabilities or values of raw rows, in the type that `rows` are given in."""

    def remark(self, rows: Array) -> str:
        """What else is to be said of raw rows that were tried."""

    @property
    def row_type(self) -> Any:
        """The type of raw rows."""

    @property
    def loss(self) -> Loss | None:
        """What they cost beside double precision."""

    @property
    def measured_rows(self) -> Array | None:
        """The raw rows that the loss is measured on; None of double."""

    @property
    def fixed(self) -> Fixed | None:
        """The program of integers, if it is one."""

    @property
    def work(self) -> Counter[str]:
        """What the C does for a row, by kinds: what its cost is estimated from."""


@dataclass(frozen=True)
class RealNumbers:
    """IEEE numbers."""

    model: Model
    network: Network
    dtype: str
    fixed: None = None

    def refuse_unfit(self) -> None:
        numbers = [n.value for n in self.network.nodes if isinstance(n, Constant)]
        numbers.append(self.model.threshold)
        large = [number for number in numbers if abs(number) > _LARGEST[self.dtype]]
        if large:
            raise DsgecError(
                f"{large[0]} is too large for the type {self.dtype}", "Export it as double."
            )

    def golden(self, effort: str) -> Golden:
        return golden(self.model, self.network, self.dtype, effort)

    def results(self, rows: Array) -> Array:
        return results_of(self.model, evaluate(self.network, rows))

    def remark(self, rows: Array) -> str:
        return ""

    @property
    def row_type(self) -> Any:
        return TYPES[self.dtype]

    @property
    def work(self) -> Counter[str]:
        return count_work(self.model)

    @cached_property
    def loss(self) -> Loss | None:
        return loss(self.model, self.network) if self.dtype == "float" else None

    @property
    def measured_rows(self) -> Array | None:
        return loss_rows(self.model, self.network) if self.dtype == "float" else None


@dataclass(frozen=True)
class FixedNumbers:
    """Integers: raw rows are doubles, which become integers, and results are exact doubles."""

    model: Model
    network: Network
    dtype: str
    ranges: Ranges

    def refuse_unfit(self) -> None:
        _ = self.fixed

    @cached_property
    def fixed(self) -> Fixed:
        return build(self.model, self.network, self.ranges, self.dtype)

    @property
    def work(self) -> Counter[str]:
        return integer_work(self.model, self.network, self.fixed.program)

    def golden(self, effort: str) -> Golden:
        program = self.fixed.program
        rows = cover_integers(program, self.model.columns, effort)
        if self.model.threshold != DEFAULT_THRESHOLD:
            around = integer_rows_around(program, self.model.columns, self.model.threshold)
            rows = np.vstack([rows, around])
        results = evaluate_integers(program, rows) * 2.0**-program.fraction
        classes = classes_of_results(self.model, results)
        return golden_of(dequantise(program, rows), results, classes)

    def results(self, rows: Array) -> Array:
        program = self.fixed.program
        found: Array = evaluate_integers(program, quantise(program, rows)) * 2.0**-program.fraction
        read = {n.column for n in self.network.nodes if hasattr(n, "column")}
        required = [n for n in read if self.model.columns[n].fill is None]
        found[np.isnan(rows[:, required]).any(axis=1)] = np.nan
        return found

    @property
    def row_type(self) -> Any:
        return np.float64

    @cached_property
    def loss(self) -> Loss:
        return self.loss_on(self.measured_rows)

    @property
    def measured_rows(self) -> Array:
        """Rows within the ranges, and a little beyond."""
        program = self.fixed.program
        count = max(min(_COMPARED, _MOST_VALUES // (len(program.steps) + 1)), 1)
        wholes = integer_candidates(program, self.model.columns, count, _LATER_PART)
        rows = dequantise(program, wholes)
        random = np.random.RandomState(_LATER_PART)
        for number, (column, format_) in enumerate(
            zip(self.model.columns, program.columns, strict=True)
        ):
            if not column.categories:
                rows[:, number] += random.uniform(-0.5, 0.5, count) * 2.0**-format_.fraction
        return rows

    def loss_on(self, rows: Array) -> Loss:
        """What is lost on some raw rows, beside the double network on the saturated ones."""
        saturated = saturate(self.fixed.program, rows)
        exact = results_of(self.model, evaluate(self.network, saturated))
        results = self.results(rows)
        wanted = classes_of(self.model, self.network, saturated)
        flips = np.not_equal(wanted, classes_of_results(self.model, results))
        return loss_of(self.model, exact, results, flips, relative=False)

    def remark(self, rows: Array) -> str:
        found, bound = self.loss_on(rows), rounded_up(max(self.fixed.bounds))
        labels = f"; {counted(found.flips, 'label')} differ" if self.model.is_classifier else ""
        return f", at most {found.worst:g} from double precision (proved: {bound:g}){labels}"


def numbers_of(model: Model, network: Network, dtype: str, ranges: Ranges) -> NumberSystem:
    """Those of an export of a type; only fixed point needs the ranges of columns."""
    if dtype in STORED_BITS:
        return FixedNumbers(model, network, dtype, ranges or (None,) * len(model.columns))
    return RealNumbers(model, network, dtype)
