"""Operations on integers as a graph: each has operands before it, and limits of its values.

Equal operations are one. What is known beforehand is computed here, and what a circuit does better
than a processor is rewritten: the low bits of a number are wires, and tables are read once.
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass

INT32 = (-(1 << 31), (1 << 31) - 1)
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
_MOST_SHIFT = 31

Interval = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Gate:
    """An operation on nodes of lower numbers; its values are from `low` to `high`.

    `value` is the number of a `constant`, of a `column` and of the `rom` that is read, the bits
    that are `cut` off, and otherwise 0.
    """

    operation: str
    operands: tuple[int, ...]
    value: int
    low: int
    high: int

    @property
    def is_truth(self) -> bool:
        return self.operation in COMPARISONS

    @property
    def bits(self) -> int:
        """What its values take, with the sign."""
        return 1 if self.is_truth else max(bits_of(self.low), bits_of(self.high))


def bits_of(value: int) -> int:
    """The bits of a number, with the sign."""
    return (value if value >= 0 else -1 - value).bit_length() + 1


class Circuit:
    """Nodes, and the contents of the tables that they read; a node is known by its number."""

    def __init__(self) -> None:
        self.nodes: list[Gate] = []
        self.roms: list[tuple[int, ...]] = []
        self._known: dict[tuple[str, tuple[int, ...], int, Interval], int] = {}

    def _add(self, name: str, operands: tuple[int, ...], value: int, interval: Interval) -> int:
        low, high = max(interval[0], INT32[0]), min(interval[1], INT32[1])
        if low > high:  # of what is never computed
            low, high = INT32
        key = (name, operands, value, (low, high))
        if key not in self._known:
            self._known[key] = len(self.nodes)
            self.nodes.append(Gate(name, operands, value, low, high))
        return self._known[key]

    def constant(self, value: int) -> int:
        return self._add("constant", (), value, (value, value))

    def column(self, number: int, bits: int) -> int:
        return self._add("column", (), number, (-1 << (bits - 1), (1 << (bits - 1)) - 1))

    def number(self, node: int) -> int | None:
        """What a node is always, if that is known."""
        found = self.nodes[node]
        return found.low if found.low == found.high else None

    def limited(self, node: int, low: int, high: int) -> int:
        """The same node, of which it is known that it is between limits."""
        found = self.nodes[node]
        if found.low >= low and found.high <= high:
            return node
        interval = max(low, found.low), min(high, found.high)
        return self._add("limited", (node,), 0, interval)

    def apply(self, name: str, left: int, right: int) -> int:
        """One of + - * << >> or a comparison."""
        return (
            self.compare(name, left, right) if name in COMPARISONS else self._of(name, left, right)
        )

    def _of(self, name: str, left: int, right: int) -> int:
        a, b = self.number(left), self.number(right)
        if name in ("<<", ">>") and b == 0:
            return left
        if name == "+" and a == 0:
            return right
        if name in ("+", "-") and b == 0:
            return left
        if name == "*" and (a is not None or b is not None):
            return self._product(left, right)
        return self._rewritten(name, left, right) or self._computed(name, left, right)

    def _product(self, left: int, right: int) -> int:
        """By a number: where that is a power of two, by a shift."""
        if self.number(left) is not None:
            left, right = right, left
        factor = self.number(right)
        assert factor is not None
        if factor > 0 and factor & (factor - 1) == 0:
            return self._of("<<", left, self.constant(factor.bit_length() - 1))
        return self._computed("*", left, right)

    def _computed(self, name: str, left: int, right: int) -> int:
        a, b = self.nodes[left], self.nodes[right]
        ends = (b.low, b.high)
        if name in ("<<", ">>"):
            ends = max(b.low, 0), max(min(b.high, _MOST_SHIFT), 0)
        if name == "-":
            found = [a.low - b.high, a.high - b.low]
        elif name == "+":
            found = [a.low + b.low, a.high + b.high]
        else:
            found = [_ARITHMETIC[name](x, y) for x in (a.low, a.high) for y in ends]
        interval = min(found), max(found)
        if interval[0] == interval[1]:
            return self.constant(interval[0])
        return self._add(name, (left, right), 0, interval)

    def _rewritten(self, name: str, left: int, right: int) -> int | None:
        """A difference of what stands in tables at one place, and a - ((a >> n) << n)."""
        if name != "-":
            return None
        a, b = self.nodes[left], self.nodes[right]
        if a.operation == b.operation == "rom" and a.operands == b.operands:
            pairs = zip(self.roms[a.value], self.roms[b.value], strict=False)
            return self.read([x - y for x, y in pairs], a.operands[0])
        if b.operation == "<<":
            inner, count = self.nodes[b.operands[0]], self.number(b.operands[1])
            if (
                inner.operation == ">>"
                and inner.operands == (left, b.operands[1])
                and count
                and a.low >= 0
            ):
                return self._add("cut", (left,), count, (0, (1 << count) - 1))
        return None

    def compare(self, name: str, left: int, right: int) -> int:
        """Its value is 0 or 1."""
        a, b = self.nodes[left], self.nodes[right]
        test = COMPARISONS[name]
        found = {test(x, y) for x in (a.low, a.high) for y in (b.low, b.high)}
        overlap = a.low <= b.high and b.low <= a.high
        if name in ("==", "!="):
            is_known = not overlap or (a.low == a.high == b.low == b.high)
        else:
            is_known = len(found) == 1
        if is_known:
            return self.constant(int(found.pop()))
        return self._add(name, (left, right), 0, (0, 1))

    def choose(self, test: int, yes: int, no: int) -> int:
        """`yes` where the test holds, otherwise `no`."""
        known = self.number(test)
        if known is not None:
            return yes if known else no
        if yes == no:
            return yes
        return self._add("choose", (test, yes, no), 0, self._chosen(test, yes, no))

    def _chosen(self, test: int, yes: int, no: int) -> Interval:
        name, operands = self.nodes[test].operation, self.nodes[test].operands
        a, b = self.nodes[yes], self.nodes[no]
        if set(operands) == {yes, no} and name in ("<", "<=", ">", ">="):
            if (operands[0] == yes) == (name in ("<", "<=")):
                return min(a.low, b.low), min(a.high, b.high)
            return max(a.low, b.low), max(a.high, b.high)
        is_below_0 = name == "<" and operands[0] == no and self.number(operands[1]) == 0
        if is_below_0 and a.operation == "-" and a.operands == (operands[1], no):
            return max(b.low, 0), max(-b.low, b.high)  # the size of a number
        return min(a.low, b.low), max(a.high, b.high)

    def read(self, entries: Sequence[int], index: int) -> int:
        """The entry of a table at an index; at i + 1 it is that of another table at i."""
        node = self.nodes[index]
        if node.operation == "+":
            step = self.number(node.operands[1])
            if step is not None and self.nodes[node.operands[0]].low >= 0:
                return self.read(entries[step:], node.operands[0])
        known = self.number(index)
        if known is not None:
            return self.constant(entries[known])
        content = tuple(entries[: node.high + 1])
        if content not in self.roms:
            self.roms.append(content)
        interval = min(content), max(content)
        if interval[0] == interval[1]:
            return self.constant(interval[0])
        return self._add("rom", (index,), self.roms.index(content), interval)
