"""What a template sees of fixed point: formats of columns, tables, the bound."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dsgec.export.fixed.decide import least_result
from dsgec.export.fixed.evaluate import quantise
from dsgec.export.fixed.ir import RESULT_BITS, Fixed, Format, FunctionTable, IntegerProgram, largest
from dsgec.export.golden import Golden, Loss, rounded_up
from dsgec.literals import number_lines
from dsgec.rendering import Code


@dataclass(frozen=True)
class FixedView:
    """Beside what `TemplateView` has."""

    proved: Fixed
    measured: Loss | None
    used: tuple[int, ...]
    limit: float  # the threshold of the second of two classes

    @property
    def program(self) -> IntegerProgram:
        return self.proved.program

    @property
    def bits(self) -> int:
        """Of a column, a weight and a value that is kept."""
        return self.program.bits

    @property
    def result_bits(self) -> int:
        return RESULT_BITS

    @property
    def most(self) -> int:
        return largest(self.bits)

    @property
    def missing(self) -> int:
        return self.program.missing

    @property
    def fraction(self) -> int:
        """Of the results."""
        return self.program.fraction

    @property
    def unit(self) -> float:
        """What a result of 1 stands for."""
        return 2.0**-self.program.fraction

    @cached_property
    def formats(self) -> tuple[tuple[int, Format], ...]:
        """Of the columns that are read, with their numbers."""
        return tuple((number, self.program.columns[number]) for number in self.used)

    @property
    def fractions(self) -> list[int]:
        """Of all columns; 0 of those that are not read."""
        return [f.fraction if n in self.used else 0 for n, f in enumerate(self.program.columns)]

    @property
    def zeros(self) -> list[int]:
        return [f.zero if n in self.used else 0 for n, f in enumerate(self.program.columns)]

    @cached_property
    def scales(self) -> tuple[tuple[int, float, float, float, int], ...]:
        """How a column becomes an integer: number, factor, least and most product, zero."""
        return tuple(
            (
                number,
                2.0**format_.fraction,
                float(format_.zero - self.most),
                float(format_.zero + self.most),
                format_.zero,
            )
            for number, format_ in self.formats
        )

    @property
    def threshold(self) -> int:
        """The least result that reaches the threshold."""
        return least_result(self.limit, self.fraction)

    def golden_rows(self, golden: Golden) -> list[list[int]]:
        """The rows of the self-test as integers."""
        shape = len(golden.rows), len(self.program.columns)
        rows: list[list[int]] = quantise(self.program, np.reshape(golden.rows, shape)).tolist()
        return rows

    def golden_results(self, golden: Golden) -> list[list[int]]:
        """What must come of them."""
        return [[round(value / self.unit) for value in row] for row in golden.results]

    @property
    def tables(self) -> tuple[FunctionTable, ...]:
        return self.program.tables

    def lines(self, table: FunctionTable) -> list[Code]:
        """Its entries, as lines of numbers."""
        return [*map(Code, number_lines(table.entries))]

    def limits(self, table: FunctionTable) -> Code:
        """What is passed behind the table and the argument."""
        return Code(", ".join(map(str, table.limits)))

    @property
    def bound(self) -> float:
        """No result of any row is farther from double precision."""
        return rounded_up(max(self.proved.bounds))

    @property
    def rows(self) -> int:
        return self.measured.rows if self.measured else 0

    @property
    def worst(self) -> float:
        """The greatest difference that was measured."""
        return self.measured.worst if self.measured else 0.0

    @property
    def flips(self) -> int:
        return self.measured.flips if self.measured else 0
