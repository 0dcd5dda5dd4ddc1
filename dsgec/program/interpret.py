"""The interpreter of programs, which every printer is compared with."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.printed import vector_integer
from dsgec.program.ir import LIMITS, ConstantTable, Procedure, Program, Type
from dsgec.program.walk import InvalidProgram, Walker

Rows = NDArray[np.int64]

_OPERATIONS: dict[str, Any] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "&": np.bitwise_and,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


class _RowValues(Walker[Any]):
    """Values are integers that are the same for all rows, or arrays with one for each row."""

    def constant(self, value: int) -> int:
        return value

    def known(self, value: Any, what: str) -> int:
        if isinstance(value, np.ndarray):
            raise InvalidProgram(f"{what} depends on the row")
        return int(value)

    def binary(self, operator: str, left: Any, right: Any) -> Any:
        result = _OPERATIONS[operator](left, right)
        return result if isinstance(result, np.ndarray) else int(result)

    def select(self, test: Any, yes: Any, no: Any) -> Any:
        if isinstance(test, np.ndarray):
            return np.where(test, yes, no)
        return yes if test else no

    def element(self, array: str, index: Any) -> Any:
        if not isinstance(index, np.ndarray):
            return super().element(array, index)
        least, most = int(index.min()), int(index.max())
        self.check_places(array, least, most)
        if array in self.tables:
            return np.array(self.tables[array].values, np.int64)[index]
        places = range(least, most + 1)
        found = [np.broadcast_to(self.element_at(array, place), index.shape) for place in places]
        return np.stack(found)[index - least, np.arange(len(index))]

    def invoke(self, function: str, table: ConstantTable | None, arguments: list[Any]) -> Any:
        first = [] if table is None else [np.array(table.values, np.int64)]
        result = getattr(vector_integer, function)(*first, *arguments)
        return result if np.ndim(result) else int(result)

    def fit(self, value: Any, type_: Type, where: str) -> Any:
        low, high = LIMITS[type_]
        if np.any(np.less(value, low)) or np.any(np.greater(value, high)):
            raise InvalidProgram(f"{where} has a value outside {type_}")
        return value


def interpret(
    program: Program, procedure: Procedure, **given: Rows
) -> tuple[dict[str, list[Any]], Any]:
    """Run a procedure on arrays of rows; return the arrays that it writes, and its result.

    Each given array has a row of values for each row; an element of a written array is an integer
    or has a value for each row.
    """
    walker = _RowValues(program)
    columns: dict[str, Sequence[Any]] = {name: [*rows.T] for name, rows in given.items()}
    result = walker.run(procedure, columns)
    written = {p.name: walker.arrays[p.name] for p in procedure.parameters if p.is_written}
    return written, result
