"""The checker of programs: it runs them on ranges, and so proves their rules for every row.

Loops run as often as they will run, because that does not depend on the row. So a range that a sum
of products has at its end is the one that it can have, and no wider.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dsgec.program import ir
from dsgec.program.scopes import check_scopes
from dsgec.program.walk import InvalidProgram, Walker

_MOST_STATES = 2_000_000


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
    ends = a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most
    return Extent(min(ends), max(ends))


_OPERATIONS: dict[str, Callable[[Extent, Extent], Extent]] = {
    "+": lambda a, b: Extent(a.least + b.least, a.most + b.most),
    "-": lambda a, b: Extent(a.least - b.most, a.most - b.least),
    "*": _product,
    ">>": lambda a, b: _shifted(a, b),
    "<<": lambda a, b: _spanned(*(end << count for end in a.ends for count in b.ends)),
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
    if mask.least == mask.most >= 0 and mask.least & (mask.least + 1) == 0:
        return Extent(0, mask.least)
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


def _rounded(a: Extent, shift: Extent) -> Extent:
    return _spanned(
        *((end + ((1 << count) >> 1)) >> count for end in a.ends for count in shift.ends)
    )


_FUNCTIONS: dict[str, Callable[..., Extent]] = {
    "absolute": _absolute,
    "minimum": _minimum,
    "maximum": _maximum,
    "clamp": lambda a, least, most: _minimum(_maximum(a, least), most),
    "equals": lambda a, b: _OPERATIONS["=="](a, b),
    "greater": lambda a, b: _OPERATIONS[">"](a, b),
    "selected": lambda c, a, b: _spanned(
        *(a.ends if c.most > 0 else ()), *(b.ends if c.least <= 0 else ())
    ),
    # Only `missing` is replaced; at the least value of the type that leaves the others.
    "fill": lambda a, missing, b: _filled(a, missing, b),
    "shifted": _shifted,
    "product": lambda a, b, shift: _rounded(_product(a, b), shift),
    "room": lambda a: Extent(0, 14),
    "excess": lambda a: Extent(0, 17),
    "reciprocal": lambda m: Extent((1 << 14) - 1, (1 << 15) - 1),
    "quotient": lambda a, b, shift: Extent(*ir.LIMITS["int32"]),
    "rounded": lambda a, shift: _rounded(a, shift),
    "between": lambda a, b, part: _union_of(a, b),
}


def _union_of(a: Extent, b: Extent) -> Extent:
    return _spanned(*a.ends, *b.ends)


def _filled(a: Extent, missing: Extent, b: Extent) -> Extent:
    least = a.least + 1 if missing.ends == (a.least, a.least) else a.least
    return Extent(min(least, b.least), max(a.most, b.most))


@dataclass(frozen=True, slots=True)
class Anything:
    """All floats, or all words: nothing is proved of them."""

    @property
    def ends(self) -> tuple[int, int]:
        raise InvalidProgram("nothing is known of the limits of a float")


ANYTHING = Anything()
Ranged = Extent | Anything


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


def _union(ranges: list[Ranged]) -> Ranged:
    if any(isinstance(range_, Anything) for range_ in ranges):
        return ANYTHING
    return _spanned(*(end for range_ in ranges for end in range_.ends))


class RangeWalker(Walker[Ranged]):
    """Values are the ranges that they can have."""

    def __init__(self, program: ir.Program, proves_limits: bool = True) -> None:
        super().__init__(program)
        self.proves_limits = proves_limits
        self.way: list[bool] | None = None  # the choices to make, of those that the row makes
        self.made = 0

    def constant(self, value: int | float, type_: ir.Type) -> Ranged:
        return Extent(int(value), int(value)) if type_ in ir.LIMITS else ANYTHING

    def known(self, value: Ranged, what: str) -> int:
        if isinstance(value, Anything) or value.least != value.most:
            raise InvalidProgram(f"{what} depends on the row")
        return value.least

    def negative(self, value: Ranged) -> Ranged:
        return value

    def binary(self, operator: str, left: Ranged, right: Ranged) -> Ranged:
        if isinstance(left, Anything) or isinstance(right, Anything):
            return Extent(0, 1) if operator in ir.COMPARISONS else ANYTHING
        return _OPERATIONS[operator](left, right)

    def repeat(self, loop: ir.While) -> None:
        """Follow all ways through a loop, state by state, and prove that each of them ends."""
        names = [*dict.fromkeys(update.variable.name for update in loop.body)]
        start = tuple(self.variables[name] for name in names)
        after: dict[tuple[Ranged, ...], list[tuple[Ranged, ...]]] = {}
        ends: list[tuple[Ranged, ...]] = []
        waiting = [start]
        while waiting:
            state = waiting.pop()
            if state in after:
                continue
            if len(after) > _MOST_STATES:
                raise InvalidProgram("a loop that depends on the row has too many states")
            self.variables.update(zip(names, state, strict=True))
            test = self.value(loop.test)
            assert isinstance(test, Extent)
            if test.least == 0:
                ends.append(state)
            after[state] = self._ways(loop.body, names, state) if test.most else []
            waiting += after[state]
        if not ends or _has_circle(after):
            raise InvalidProgram("a loop that depends on the row may have no end")
        for name, *found in zip(names, *ends, strict=True):
            self.variables[name] = _union(found)

    def _ways(
        self, body: Sequence[ir.Update], names: Sequence[str], state: tuple[Ranged, ...]
    ) -> list[tuple[Ranged, ...]]:
        """Return the states after updates, for all choices that the row can make."""
        found = []
        scripts: list[list[bool]] = [[]]
        while scripts:
            given = scripts.pop()
            self.variables.update(zip(names, state, strict=True))
            self.way, self.made = [*given], 0
            self.do(body)
            scripts += [[*self.way[:at], False] for at in range(len(given), len(self.way))]
            self.way = None
            found.append(tuple(self.variables[name] for name in names))
        return found

    def value(self, expression: ir.Expression) -> Ranged:
        """Return the range of an expression; in a selection, the test narrows what it compares."""
        match expression:
            case ir.Variable() | ir.Element():
                return super().value(expression)
            case ir.Select(test, yes, no) if self.way is not None:
                range_ = self.value(test)
                assert isinstance(range_, Extent)
                if range_.least == range_.most:
                    return self.value(yes if range_.least else no)
                if self.made == len(self.way):
                    self.way.append(True)
                self.made += 1
                return self.value(yes if self.way[self.made - 1] else no)
            case ir.Select(ir.Binary(operator, ir.Variable(name), right), yes, no) if (
                operator in _NARROWED
            ):
                whole, limit = self.value(ir.Variable(name)), self.value(right)
                if isinstance(whole, Anything) or isinstance(limit, Anything):
                    return super().value(expression)
                found = []
                for part, choice in zip(_NARROWED[operator](whole, limit), (yes, no), strict=True):
                    if part.least <= part.most:
                        self.variables[name] = part
                        found.append(self.value(choice))
                        self.variables[name] = whole
                return _union(found)
            case ir.Binary("*", ir.Variable() as one, other) if one == other:  # a square
                range_ = self.value(one)
                size = range_ if isinstance(range_, Anything) else _absolute(range_)
                return self.fit(self.binary("*", size, size), expression.type, "a square")
            case _:
                return super().value(expression)

    def select(self, test: Ranged, yes: Ranged, no: Ranged) -> Ranged:
        assert isinstance(test, Extent)
        if test.least == test.most:
            return yes if test.least else no
        return _union([yes, no])

    def element(self, array: str, index: Ranged) -> Ranged:
        if isinstance(index, Anything):
            raise InvalidProgram(f"an index of {array} is a float")
        self.check_places(array, *index.ends)
        if index.least == index.most:
            return self.element_at(array, index.least)
        return _union(
            [self.element_at(array, place) for place in range(index.least, index.most + 1)]
        )

    def invoke(self, call: ir.Invoke, arguments: list[Ranged]) -> Ranged:
        if call.type not in ir.LIMITS:
            return ANYTHING
        if call.function in self.procedures and call.function not in _FUNCTIONS:
            return self.result(self.procedures[call.function], arguments, call.table)
        if not call.table:
            return _FUNCTIONS[call.function](*arguments)
        table = self.tables[call.table]
        least, most = int(min(table.values)), int(max(table.values))
        if call.function == "look_odd":
            total = self.known(arguments[-1], "the last argument of look_odd")
            return Extent(min(least, total - most), max(most, total - least))
        return Extent(least, most)

    def fit(self, value: Ranged, type_: ir.Type, where: str) -> Ranged:
        if isinstance(value, Anything):
            return value
        low, high = ir.LIMITS[type_]
        if self.proves_limits and (value.least < low or value.most > high):
            raise InvalidProgram(f"{where} goes from {value.least} to {value.most}: not {type_}")
        if low <= value.least and value.most <= high:
            return value
        return Extent(min(max(value.least, low), high), min(max(value.most, low), high))


def _has_circle(after: Mapping[tuple[Ranged, ...], list[tuple[Ranged, ...]]]) -> bool:
    """Return whether a state can come again."""
    coming = Counter(state for states in after.values() for state in states)
    free = [state for state in after if not coming[state]]
    seen = 0
    while free:
        seen += 1
        for state in after[free.pop()]:
            coming[state] -= 1
            if not coming[state]:
                free.append(state)
    return seen < len(after)


def check(
    program: ir.Program, procedure: ir.Procedure, *, proves_limits: bool = True
) -> dict[str, list[Ranged]]:
    """Prove the rules of a procedure for all rows, or raise `InvalidProgram`.

    Returns the ranges of all elements of its arrays after it has run. Where the limits of integers
    were proved before, from more than their ranges, only the other rules are checked.
    """
    for table in program.tables:
        low, high = ir.LIMITS.get(table.type, (-math.inf, math.inf))
        if not table.values or min(table.values) < low or max(table.values) > high:
            raise InvalidProgram(f"the table {table.name} is empty, or no {table.type} has it")
    for each in (procedure, *program.procedures):
        check_types(each)
        check_scopes(each, program.tables)
    walker = RangeWalker(program, proves_limits)
    walker.run(procedure, {p.name: _given(p) for p in procedure.arrays})
    found: dict[str, list[Ranged]] = {}
    for parameter in procedure.arrays:
        elements = [element for element in walker.arrays[parameter.name] if element is not None]
        if len(elements) < parameter.size:
            raise InvalidProgram(f"{procedure.name} leaves elements of {parameter.name} unwritten")
        found[parameter.name] = elements
    return found


def _given(parameter: ir.ArrayParameter) -> list[Ranged]:
    if parameter.type not in ir.LIMITS and not parameter.is_written:
        return [ANYTHING] * parameter.size
    return [Extent(*ends) for ends in parameter.ranges]


def check_types(procedure: ir.Procedure) -> None:
    """Check the types of all operations, or raise `InvalidProgram`.

    Floats and words stand beside values of their own type only; a uint64 also beside a uint32.
    """
    for part in procedure.expressions:
        if not _is_typed(part):
            raise InvalidProgram(f"{procedure.name} mixes types in {part}")
    for instruction in ir.instructions(procedure.body):
        match instruction:
            case ir.Declare(variable, value) | ir.Update(variable, value):
                if not _alike(variable.type, value.type):
                    raise InvalidProgram(f"{procedure.name}: {variable.name} is no {value.type}")


def _is_typed(expression: ir.Expression) -> bool:
    match expression:
        case ir.Negative(operand, type_):
            return type_ in ir.REALS and operand.type == type_
        case ir.Binary(operator, left, right, type_):
            is_wider = (left.type, right.type) == ("uint64", "uint32")
            if not (_alike(left.type, right.type) or is_wider):
                return False
            if operator in ir.COMPARISONS:
                return type_ == "bool"
            return _alike(type_, left.type) and (operator == "/") <= (type_ in ir.REALS)
        case ir.Select(test, yes, no, type_):
            return test.type == "bool" and _alike(yes.type, type_) and _alike(no.type, type_)
        case _:
            return True


_INTEGERS = ir.LIMITS.keys() - {"bool"}


def _alike(one: ir.Type, other: ir.Type) -> bool:
    """Return whether values of two types may meet: exact integers, or those of one type."""
    return one == other or (one in _INTEGERS and other in _INTEGERS)
