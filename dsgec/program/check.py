"""The checker of programs: it runs them on ranges, and so proves their rules for every row.

Loops run as often as they will run, because that does not depend on the row. So a range that a sum
of products has at its end is the one that it can have, and no wider.
"""

from collections.abc import Callable
from dataclasses import dataclass

from dsgec.program.ir import (
    LIMITS,
    Binary,
    ConstantTable,
    Expression,
    Procedure,
    Program,
    Select,
    Type,
    Variable,
)
from dsgec.program.walk import InvalidProgram, Walker


@dataclass(frozen=True, slots=True)
class Extent:
    """All integers from `least` to `most`."""

    least: int
    most: int

    @property
    def ends(self) -> tuple[int, int]:
        return self.least, self.most


def _spanned(*ends: int) -> Extent:
    return Extent(min(ends), max(ends))


def _product(a: Extent, b: Extent) -> Extent:
    return _spanned(*(p * q for p in a.ends for q in b.ends))


_OPERATIONS: dict[str, Callable[[Extent, Extent], Extent]] = {
    "+": lambda a, b: Extent(a.least + b.least, a.most + b.most),
    "-": lambda a, b: Extent(a.least - b.most, a.most - b.least),
    "*": _product,
    "&": lambda a, b: _masked(a, b),
    "==": lambda a, b: Extent(int(a.ends == b.ends and a.least == a.most), int(_meet(a, b))),
    "!=": lambda a, b: Extent(int(not _meet(a, b)), int(a.ends != b.ends or a.least != a.most)),
    "<": lambda a, b: Extent(int(a.most < b.least), int(a.least < b.most)),
    "<=": lambda a, b: Extent(int(a.most <= b.least), int(a.least <= b.most)),
    ">": lambda a, b: Extent(int(a.least > b.most), int(a.most > b.least)),
    ">=": lambda a, b: Extent(int(a.least >= b.most), int(a.most >= b.least)),
}


def _masked(a: Extent, mask: Extent) -> Extent:
    if a.least == a.most and mask.least == mask.most:
        return Extent(a.least & mask.least, a.least & mask.least)
    if a.least < 0 or mask.least < 0:
        raise InvalidProgram("an operand of & can be negative")
    return Extent(0, min(a.most, mask.most))


def _meet(a: Extent, b: Extent) -> bool:
    return a.least <= b.most and b.least <= a.most


def _absolute(a: Extent) -> Extent:
    least = 0 if a.least <= 0 <= a.most else min(map(abs, a.ends))
    return Extent(least, max(map(abs, a.ends)))


def _minimum(a: Extent, b: Extent) -> Extent:
    return Extent(min(a.least, b.least), min(a.most, b.most))


def _maximum(a: Extent, b: Extent) -> Extent:
    return Extent(max(a.least, b.least), max(a.most, b.most))


def _shifted(a: Extent, shift: Extent) -> Extent:
    return _spanned(*(end >> count for end in a.ends for count in shift.ends))


_FUNCTIONS: dict[str, Callable[..., Extent]] = {
    "absolute": _absolute,
    "minimum": _minimum,
    "maximum": _maximum,
    "clamp": lambda a, least, most: _minimum(_maximum(a, least), most),
    "equals": lambda a, b: _OPERATIONS["=="](a, b),
    # Only `missing` is replaced; at the least value of the type that leaves the others.
    "fill": lambda a, missing, b: _filled(a, missing, b),
    "shifted": _shifted,
    "rounded": lambda a, shift: _shifted(
        Extent(a.least + ((1 << shift.most) >> 1), a.most + ((1 << shift.most) >> 1)), shift
    ),
}


def _filled(a: Extent, missing: Extent, b: Extent) -> Extent:
    least = a.least + 1 if missing.ends == (a.least, a.least) else a.least
    return Extent(min(least, b.least), max(a.most, b.most))


def _where_equal(a: Extent, b: Extent) -> tuple[Extent, Extent]:
    equal = Extent(max(a.least, b.least), min(a.most, b.most))
    if b.least < b.most:
        return equal, a
    least, most = a.least + (a.least == b.least), a.most - (a.most == b.least)
    return equal, Extent(least, most)


_NARROWED: dict[str, Callable[[Extent, Extent], tuple[Extent, Extent]]] = {
    "<": lambda a, b: (
        Extent(a.least, min(a.most, b.most - 1)),
        Extent(max(a.least, b.least), a.most),
    ),
    ">": lambda a, b: (
        Extent(max(a.least, b.least + 1), a.most),
        Extent(a.least, min(a.most, b.most)),
    ),
    "==": _where_equal,
}
"""The parts of a range in which a comparison can hold, and in which it can fail."""


class RangeWalker(Walker[Extent]):
    """Values are the ranges that they can have."""

    def constant(self, value: int) -> Extent:
        return Extent(value, value)

    def known(self, value: Extent, what: str) -> int:
        if value.least != value.most:
            raise InvalidProgram(f"{what} depends on the row")
        return value.least

    def binary(self, operator: str, left: Extent, right: Extent) -> Extent:
        return _OPERATIONS[operator](left, right)

    def value(self, expression: Expression) -> Extent:
        """Return the range of an expression; in a selection, the test narrows what it compares."""
        match expression:
            case Select(Binary(operator, Variable(name), right), yes, no) if operator in _NARROWED:
                whole, limit = self.value(Variable(name)), self.value(right)
                found = []
                for part, choice in zip(_NARROWED[operator](whole, limit), (yes, no), strict=True):
                    if part.least <= part.most:
                        self.variables[name] = part
                        found.append(self.value(choice))
                        self.variables[name] = whole
                return _spanned(*(end for extent in found for end in extent.ends))
            case _:
                return super().value(expression)

    def select(self, test: Extent, yes: Extent, no: Extent) -> Extent:
        if test.least == test.most:
            return yes if test.least else no
        return _spanned(*yes.ends, *no.ends)

    def element(self, array: str, index: Extent) -> Extent:
        self.check_places(array, *index.ends)
        found = [self.element_at(array, place) for place in range(index.least, index.most + 1)]
        return found[0] if len(found) == 1 else _spanned(*(e for one in found for e in one.ends))

    def invoke(self, function: str, table: ConstantTable | None, arguments: list[Extent]) -> Extent:
        if table is None:
            return _FUNCTIONS[function](*arguments)
        least, most = min(table.values), max(table.values)
        if function == "look_odd":
            total = arguments[-1].least
            return Extent(min(least, total - most), max(most, total - least))
        return Extent(least, most)

    def fit(self, value: Extent, type_: Type, where: str) -> Extent:
        low, high = LIMITS[type_]
        if value.least < low or value.most > high:
            raise InvalidProgram(f"{where} goes from {value.least} to {value.most}: not {type_}")
        return value


def check(program: Program, procedure: Procedure) -> dict[str, list[Extent]]:
    """Prove the rules of a procedure for all rows, or raise `InvalidProgram`.

    Returns the ranges of all elements of its arrays after it has run.
    """
    for table in program.tables:
        low, high = LIMITS[table.type]
        if not table.values or min(table.values) < low or max(table.values) > high:
            raise InvalidProgram(f"the table {table.name} is empty, or no {table.type} has it")
    walker = RangeWalker(program)
    given = {p.name: [Extent(*ends) for ends in p.ranges] for p in procedure.parameters}
    walker.run(procedure, given)
    found: dict[str, list[Extent]] = {}
    for parameter in procedure.parameters:
        elements = [span for span in walker.arrays[parameter.name] if span is not None]
        if len(elements) < parameter.size:
            raise InvalidProgram(f"{procedure.name} leaves elements of {parameter.name} unwritten")
        found[parameter.name] = elements
    return found
