"""Split a long procedure into parts that compilers take in reasonable time."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from dsgec.program import ir


def in_parts(long: ir.Procedure, stores: int, longest: int) -> tuple[ir.Procedure, ...]:
    """Return the parts of a long procedure of (x, y, t), and one of (x, y) that calls them.

    The parts share the array t, or several. So many stores to y at its end are in parts if they
    are long.
    """
    x, y, *shared = long.arrays
    end = len(long.body) - stores
    body, last = long.body[:end], long.body[end:]
    match shared:
        case [ir.ArrayParameter("t") as t] if all(isinstance(step, ir.Store) for step in long.body):
            variables = _Variables(long.body, end, longest)
            body, last = variables.body, variables.last
            shared = [replace(t, size=len(variables.places))]
    pieces = [ir.Procedure("", "", (x, *shared), piece) for piece in _split(body, longest)]
    if stores > longest:
        pieces += [ir.Procedure("", "", (x, *shared, y), piece) for piece in _split(last, longest)]
        last = ()
    named = [replace(part, name=f"part{number}") for number, part in enumerate(pieces)]
    calls = [ir.Perform(part.name, tuple(own.name for own in part.arrays)) for part in named]
    locals_ = [ir.LocalArray(array.name, array.type, array.size) for array in shared]
    return (*named, replace(long, parameters=(x, y), body=(*locals_, *calls, *last)))


class _Variables:
    """Turns elements of t that only one part reads into variables, which compile much faster.

    `places` are those of the other elements, which are counted again.
    """

    def __init__(self, body: Sequence[ir.Instruction], end: int, longest: int) -> None:
        self.longest, self.end = longest, end
        self.places: dict[int, int] = {}
        self.values: dict[int, ir.Variable] = {}  # the variables in place of elements
        stores = [store for store in body if isinstance(store, ir.Store)]
        self.shared = self._shared(stores)
        found = [self._store(number, store) for number, store in enumerate(stores)]
        self.body, self.last = tuple(found[:end]), tuple(found[end:])

    def _shared(self, stores: Sequence[ir.Store]) -> set[int]:
        """Return the stores whose elements are not only read in their own part."""
        written: dict[int, int] = {}
        elsewhere: set[int] = set()
        read: set[int] = set()
        for number, store in enumerate(stores):
            for part in ir.parts(store.value):
                match part:
                    case ir.Element("t", ir.Number(place)):
                        source = written[int(place)]
                        read.add(source)
                        if number >= self.end or source // self.longest != number // self.longest:
                            elsewhere.add(source)
            match store:
                case ir.Store("t", ir.Number(place)):
                    written[int(place)] = number
        return {*range(self.end)} - read | elsewhere

    def _store(self, number: int, store: ir.Store) -> ir.Instruction:
        value = ir.rewrite(store.value, self._read)
        match store:
            case ir.Store("t", ir.Number(place)) if number in self.shared:
                self.values.pop(int(place), None)
                return ir.Store("t", index(self._place(int(place))), value)
            case ir.Store("t", ir.Number(place)):
                variable = ir.Variable(f"t{number}", value.type)
                self.values[int(place)] = variable
                return ir.Declare(variable, value)
            case _:
                return replace(store, value=value)

    def _read(self, part: ir.Expression) -> ir.Expression | None:
        match part:
            case ir.Element("t", ir.Number(place), type_):
                own = self.values.get(int(place))
                return own or ir.Element("t", index(self._place(int(place))), type_)
            case _:
                return None

    def _place(self, place: int) -> int:
        return self.places.setdefault(place, len(self.places))


def _split(body: Sequence[ir.Instruction], longest: int) -> Iterable[tuple[ir.Instruction, ...]]:
    """Yield pieces of at most so many instructions."""
    for start in range(0, len(body), longest):
        yield tuple(body[start : start + longest])


def index(value: int) -> ir.Number:
    """Return a constant index."""
    return ir.Number(value, "uint16" if value < 1 << 16 else "int32")
