"""The interpreter of programs, which every printer is compared with."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.program.ir import LIMITS, Invoke, Procedure, Program, Type, While
from dsgec.program.walk import InvalidProgram, Walker

Rows = NDArray[Any]
Library = Mapping[str, Procedure]

_TYPES: dict[Type, Any] = {
    "double": np.float64,
    "float": np.float32,
    "uint32": np.uint32,
    "uint64": np.uint64,
}
"""The types of numpy for floats and words; exact integers are Python's, or of 64 bits."""

_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "<<": np.left_shift,
    ">>": np.right_shift,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_WORD_OF: dict[Any, Any] = {np.float64: np.uint64, np.float32: np.uint32}
_REAL_OF = {word: real for real, word in _WORD_OF.items()}
_PRIMITIVES: dict[str, Callable[..., Any]] = {
    "bits": lambda x: x.view(_WORD_OF[x.dtype.type]),
    "from_bits": lambda n: n.view(_REAL_OF[n.dtype.type]),
    "math.fabs": np.abs,
    "math.sqrt": np.sqrt,
    "math.copysign": np.copysign,
    "wide": lambda n: n.astype(np.uint64),
    "signed": lambda n: n.view(np.int64).astype(np.float32),
}


class _RowValues(Walker[Any]):
    """Values are numbers that are the same for all rows, or arrays with one for each row."""

    def __init__(self, program: Program, library: Library) -> None:
        super().__init__(program)
        self.library = library
        self.looked: dict[int, NDArray[Any]] = {}  # tables that the row looks into

    def constant(self, value: int | float, type_: Type) -> Any:
        return _TYPES[type_](value) if type_ in _TYPES else value

    def known(self, value: Any, what: str) -> int:
        if isinstance(value, np.ndarray):
            raise InvalidProgram(f"{what} depends on the row")
        return int(value)

    def negative(self, value: Any) -> Any:
        return np.negative(value)

    def binary(self, operator: str, left: Any, right: Any) -> Any:
        return _plain(_OPERATIONS[operator](left, right))

    def select(self, test: Any, yes: Any, no: Any) -> Any:
        if isinstance(test, np.ndarray):
            return np.where(test, yes, no)
        return yes if test else no

    def repeat(self, loop: While) -> None:
        while np.any(test := self.value(loop.test)):
            if not isinstance(test, np.ndarray):
                self.do(loop.body)
                continue
            going = np.flatnonzero(test)  # only these rows go on
            variables, arrays = self.variables, self.arrays
            self.variables = {name: _take_rows(value, going) for name, value in variables.items()}
            self.arrays = {
                name: [_take_rows(value, going) for value in values]
                for name, values in arrays.items()
            }
            self.do(loop.body)
            inner, self.variables, self.arrays = self.variables, variables, arrays
            for name in dict.fromkeys(update.variable.name for update in loop.body):
                whole = np.array(np.broadcast_to(variables[name], test.shape))
                whole[going] = inner[name]
                variables[name] = whole

    def invoke(self, call: Invoke, arguments: list[Any]) -> Any:
        if call.function in _PRIMITIVES:
            return _PRIMITIVES[call.function](*arguments)
        procedure = self.procedures.get(call.function) or self.library[call.function]
        return self.result(procedure, arguments, call.table)

    def element(self, array: str, index: Any) -> Any:
        if not isinstance(index, np.ndarray):
            return super().element(array, index)
        least, most = int(index.min()), int(index.max())
        self.check_places(array, least, most)
        if array in self.tables:
            table = self.tables[array]  # a parameter's name stands for another in each call
            if id(table) not in self.looked:
                self.looked[id(table)] = np.array(table.values, _TYPES.get(table.type))
            return self.looked[id(table)][index]
        places = range(least, most + 1)
        found = [np.broadcast_to(self.element_at(array, place), index.shape) for place in places]
        return np.stack(found)[index - least, np.arange(len(index))]

    def fit(self, value: Any, type_: Type, where: str) -> Any:
        if type_ in _TYPES:
            if np.asarray(value).dtype != _TYPES[type_]:
                raise InvalidProgram(f"{where} is no {type_}")
            return value
        low, high = LIMITS[type_]
        if np.any(np.less(value, low)) or np.any(np.greater(value, high)):
            raise InvalidProgram(f"{where} has a value outside {type_}")
        return value


def _take_rows(value: Any, rows: NDArray[Any]) -> Any:
    """Return the value for some rows."""
    """Return a value for some rows."""
    return value[rows] if isinstance(value, np.ndarray) else value


def _plain(value: Any) -> Any:
    """Return an exact integer or a truth that does not depend on the row as Python's."""
    if isinstance(value, np.ndarray | np.floating | np.unsignedinteger):
        return value
    return int(value)


def interpret(
    program: Program, procedure: Procedure, library: Library, **given: Rows | int
) -> tuple[dict[str, list[Any]], Any]:
    """Run a procedure on arrays of rows; return the arrays that it writes, and its result.

    `library` has the functions of the arithmetic that are called. Each given array has a row of
    values for each row, a given scalar is the same for all; an element of a written array is a
    number or has one for each row.
    """
    walker = _RowValues(program, library)
    columns: dict[str, Sequence[Any]] = {}
    scalars: dict[str, int] = {}
    for parameter in procedure.parameters:
        value = given.get(parameter.name)
        if isinstance(value, int):
            scalars[parameter.name] = value
        elif value is not None:
            type_ = _TYPES.get(parameter.type, np.int64)
            columns[parameter.name] = [*value.astype(type_).T]
    with np.errstate(all="ignore"):
        result = walker.run(procedure, columns, scalars)
    written = {p.name: walker.arrays[p.name] for p in procedure.arrays if p.is_written}
    return written, result
