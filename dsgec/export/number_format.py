"""The number formats that an export computes with: double, float and fixed point."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

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
    round_up,
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
_MOST_NODE_VALUES = 100_000_000  # of all nodes of the network for all rows

REALS = tuple(_LARGEST)
"""The types of IEEE numbers."""

DTYPES = (*REALS, *STORED_BITS)


@dataclass(frozen=True)
class FloatFormat:
    """The IEEE formats double and float."""

    model: Model
    network: Network
    dtype: str
    fixed: None = None

    def refuse_unfit(self) -> None:
        """Raise a DsgecError if the network cannot be computed in this format."""
        numbers = [n.value for n in self.network.nodes if isinstance(n, Constant)]
        numbers.append(self.model.threshold)
        large = [number for number in numbers if abs(number) > _LARGEST[self.dtype]]
        if large:
            raise DsgecError(
                f"{large[0]} is too large for the type {self.dtype}", "Export it as double."
            )

    def golden(self, effort: str) -> Golden:
        """Return the rows of the self-test with their results."""
        return golden(self.model, self.network, self.dtype, effort)

    def results(self, rows: Array) -> Array:
        """Return the probabilities or values of raw rows, in the type of the rows."""
        return results_of(self.model, evaluate(self.network, rows))

    def remark(self, rows: Array) -> str:
        """Return a remark about raw rows on which an export was run, or an empty text."""
        return ""

    @property
    def row_type(self) -> Any:
        """The numpy type of raw rows."""
        return TYPES[self.dtype]

    @property
    def work(self) -> Counter[str]:
        """The operations of the C for a row, by kind, from which its cost is estimated."""
        return count_work(self.model)

    @cached_property
    def loss(self) -> Loss | None:
        """The difference from double precision; None for double itself."""
        return loss(self.model, self.network) if self.dtype == "float" else None

    @property
    def measured_rows(self) -> Array | None:
        """The raw rows that the loss is measured on; None for double."""
        return loss_rows(self.model, self.network) if self.dtype == "float" else None


@dataclass(frozen=True)
class FixedFormat:
    """Fixed point: raw rows are doubles that become integers, and results are exact doubles."""

    model: Model
    network: Network
    dtype: str
    ranges: Ranges

    def refuse_unfit(self) -> None:
        _ = self.fixed

    @cached_property
    def fixed(self) -> Fixed:
        """The integer program, with its proved bounds."""
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
        """Random rows within the ranges, and a little beyond."""
        program = self.fixed.program
        most = min(
            _MOST_VALUES // (len(program.steps) + 1),
            _MOST_NODE_VALUES // (len(self.network.nodes) + 1),
        )
        count = max(min(_COMPARED, most), 1)
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
        """Return the difference on raw rows from the double network on the saturated rows."""
        saturated = saturate(self.fixed.program, rows)
        exact = results_of(self.model, evaluate(self.network, saturated))
        results = self.results(rows)
        wanted = classes_of(self.model, self.network, saturated)
        flips = np.not_equal(wanted, classes_of_results(self.model, results))
        return loss_of(self.model, exact, results, flips, relative=False)

    def remark(self, rows: Array) -> str:
        found, bound = self.loss_on(rows), round_up(max(self.fixed.bounds))
        labels = f"; {counted(found.flips, 'label')} differ" if self.model.is_classifier else ""
        return f", at most {found.worst:g} from double precision (proved: {bound:g}){labels}"


NumberFormat = FloatFormat | FixedFormat


def number_format(model: Model, network: Network, dtype: str, ranges: Ranges) -> NumberFormat:
    """Return the number format of a type; only fixed point needs the ranges of the columns."""
    if dtype in STORED_BITS:
        return FixedFormat(model, network, dtype, ranges or (None,) * len(model.columns))
    return FloatFormat(model, network, dtype)
