"""What a template sees of fixed point: formats of columns, tables, the bound."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dsgec.codegen.environment import Code
from dsgec.codegen.golden import Golden, Loss, rounded_up
from dsgec.fixed.evaluate import quantise
from dsgec.fixed.ir import RESULT_BITS, Fixed, Format, FunctionTable, IntegerProgram, largest

_LINE = 14  # entries of a table


@dataclass(frozen=True)
class FixedView:
    """Beside what `TemplateView` has."""

    proved: Fixed
    measured: Loss | None
    used: tuple[int, ...]

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
    def tables(self) -> tuple[FunctionTable, ...]:
        return self.program.tables

    def lines(self, table: FunctionTable) -> list[Code]:
        """Its entries, as lines of numbers."""
        entries = table.entries
        return [
            Code(", ".join(map(str, entries[start : start + _LINE])))
            for start in range(0, len(entries), _LINE)
        ]

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


def golden_integers(
    golden: Golden, program: IntegerProgram
) -> tuple[list[list[int]], list[list[int]]]:
    """The golden rows, and their results, as integers."""
    rows = np.array(golden.rows).reshape(len(golden.rows), len(program.columns))
    unit = 2.0**program.fraction
    results = [[round(value * unit) for value in row] for row in golden.results]
    return quantise(program, rows).tolist(), results


def integer_threshold(threshold: float, fraction: int) -> int:
    """The least result that reaches a threshold."""
    scaled = np.ldexp(threshold, fraction)
    return int(np.clip(np.ceil(scaled), -32768, 32767)) if scaled <= 32767 else 32768
