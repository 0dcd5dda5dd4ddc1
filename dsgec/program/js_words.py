"""Words of 64 bits in JavaScript, which has none: two words of 32 bits, high and low.

Only those that something reads are printed. Shifts, and a DataView, take any number modulo 2^32, so
the number of a word may be larger, or negative.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from dsgec.program import ir

_HALF, _WHOLE = 32, 64
_MASK = 0xFFFFFFFF


class WordPrinter:
    """Writes the words of a procedure; `write` is for what is no word. A parameter is one word."""

    def __init__(
        self, assigned: Sequence[ir.Declare | ir.Update], write: Callable[[ir.Expression], str]
    ) -> None:
        self.assigned, self.write = assigned, write
        self.long: set[str] = set()  # variables that may be 2^32 or more
        self.loose: set[str] = set()  # variables whose low words may be larger, or negative
        self.needed: dict[str, int] = {}  # how many of the low bits of a variable are read

    def analyse(self, procedure: ir.Procedure) -> None:
        """Find out what is read of the variables of a procedure."""
        for part in procedure.expressions:
            self.visit(part)
        while True:
            before = {*self.long}, {*self.loose}, {**self.needed}
            for assignment in reversed(self.assigned):
                name, value = assignment.variable.name, assignment.value
                self.need(value, self.needed.get(name, 0))
                self.long |= set() if self.is_short(value) else {name}
                self.loose |= set() if self.is_exact(value) else {name}
            if before == (self.long, self.loose, self.needed):
                return

    # What is known of words.

    def visit(self, part: ir.Expression) -> None:
        """Note what an expression that is no word reads of words."""
        match part:
            case ir.Invoke("from_bits", (word,)):
                self.need(word, _WHOLE)
            case ir.Invoke(_, arguments):
                for argument in arguments:
                    self.need(argument, _HALF)
            case ir.Binary(operator, left, right) if operator in ir.COMPARISONS:
                self.need(left, _WHOLE)
                self.need(right, _WHOLE)

    def need(self, word: ir.Expression, bits: int) -> None:
        """Note that so many of the low bits of a word are read."""
        if bits <= 0 or word.type != "uint64":
            return
        match word:
            case ir.Variable(name):
                self.needed[name] = max(self.needed.get(name, 0), bits)
            case ir.Binary("<<", left, count):
                self.need(left, bits - known(count))
            case ir.Binary(">>", left, count):
                self.need(left, min(bits + known(count), _WHOLE))
            case ir.Binary("&", left, ir.Number(mask)):
                self.need(left, min(bits, int(mask).bit_length()))
            case ir.Binary(_, left, right) | ir.Select(_, left, right):
                self.need(left, bits)
                self.need(right, bits)

    def is_short(self, word: ir.Expression) -> bool:
        """Return whether a word is below 2^32."""
        match word:
            case ir.Number(value):
                return value <= _MASK
            case ir.Variable(name):
                return name not in self.long
            case ir.Binary(">>", left, count):
                return known(count) >= _HALF or self.is_short(left)
            case ir.Binary("&", left, right):
                return self.is_short(left) or self.is_short(right)
            case ir.Binary("|", left, right) | ir.Select(_, left, right):
                return self.is_short(left) and self.is_short(right)
            case _:
                return False

    def is_exact(self, word: ir.Expression) -> bool:
        """Return whether the low word is a number from 0 to 2^32 - 1."""
        match word:
            case ir.Number() | ir.Invoke():
                return True
            case ir.Variable(name):
                return name not in self.loose
            case ir.Binary(">>", left, count):
                return known(count) > _HALF or self.is_short(left)
            case ir.Binary("&", _, ir.Number(mask)):
                return mask <= _MASK >> 1
            case ir.Select(_, left, right):
                return self.is_exact(left) and self.is_exact(right)
            case _:
                return False

    # Text. Where a word is read, so many of its low bits are needed as `need` noted.

    def assign(self, name: str, value: ir.Expression) -> Iterator[tuple[str, str]]:
        """Yield the names and the values of the words of a variable, the high one first."""
        bits = self.needed.get(name, 0)
        if self.has_high(name):
            yield f"{name}_high", self.high(value, bits)
        yield self.spell(name), self.low(value, bits)

    def has_high(self, name: str) -> bool:
        """Return whether a variable has a high word that is read."""
        return name in self.long and self.needed.get(name, 0) > _HALF

    def spell(self, name: str) -> str:
        """Return the name of the low word of a variable."""
        return f"{name}_low" if self.has_high(name) else name

    def compare(self, comparison: ir.Binary) -> str:
        """Return the comparison of two words."""
        operator = {"==": "===", "!=": "!=="}.get(comparison.operator, comparison.operator)
        left, right = comparison.left, comparison.right
        lows = self.exact(left), self.exact(right)
        if self.is_short(left) and self.is_short(right):
            return f"{_inner(lows[0])} {operator} {_inner(lows[1])}"
        highs = [_inner(f"{_inner(self.high(word))} >>> 0") for word in (left, right)]
        return f"({' - '.join(highs)} || {' - '.join(map(_inner, lows))}) {operator} 0"

    def argument(self, word: ir.Expression) -> str:
        """Return a word that is passed to a function."""
        if not self.is_short(word):
            raise ValueError("JavaScript passes words below 2^32 only")
        return self.exact(word)

    def exact(self, word: ir.Expression) -> str:
        """Return the low word as a number from 0 to 2^32 - 1."""
        text = self.low(word)
        return text if self.is_exact(word) or text == "0" else f"{_inner(text)} >>> 0"

    def low(self, word: ir.Expression, bits: int = _HALF) -> str:
        """Return the low word."""
        if bits <= 0:
            return "0"
        match word:
            case ir.Variable(name):
                return self.spell(name)
            case ir.Number(value):
                return _literal(int(value) & _MASK)
            case ir.Invoke("bits", (argument,)):
                return f"low_bits({self.write(argument)})"
            case ir.Binary("<<", left, count):
                k = known(count)
                return "0" if k >= _HALF else _shift(self.low(left, bits - k), "<<", k)
            case ir.Binary(">>", left, count):
                k = known(count)
                more = min(bits + k, _WHOLE)
                if k >= _HALF:
                    return _shift(self.high(left, more), ">>>", k - _HALF)
                low = _shift(self.low(left, more), ">>>", k)
                if more <= _HALF or self.is_short(left):
                    return low
                return _join_words("|", low, _shift(self.high(left, more), "<<", _HALF - k))
            case ir.Binary("*", left, right):
                return f"Math.imul({self.low(left, bits)}, {self.low(right, bits)})"
            case ir.Binary("&", left, ir.Number(mask) as right):
                few = min(bits, int(mask).bit_length())
                return _join_words("&", self.low(left, few), self.low(right))
            case ir.Binary(operator, left, right):
                return _join_words(operator, self.low(left, bits), self.low(right, bits))
            case ir.Select(test, left, right):
                lows = _inner(self.low(left, bits)), _inner(self.low(right, bits))
                return f"{_inner(self.write(test))} ? {lows[0]} : {lows[1]}"
        raise ValueError(f"JavaScript has no words of {word}")

    def high(self, word: ir.Expression, bits: int = _WHOLE) -> str:
        """Return the high word."""
        if self.is_short(word) or bits <= _HALF:
            return "0"
        match word:
            case ir.Variable(name):
                return f"{name}_high"
            case ir.Number(value):
                return _literal(int(value) >> _HALF)
            case ir.Invoke("bits", (argument,)):
                return f"high_bits({self.write(argument)})"
            case ir.Binary("<<", left, count):
                k = known(count)
                low = self.low(left, bits - k)
                if k >= _HALF:
                    return _shift(low, "<<", k - _HALF)
                high = _shift(self.high(left, bits - k), "<<", k)
                return _join_words("|", high, _shift(low, ">>>", _HALF - k))
            case ir.Binary(">>", left, count):
                k = known(count)
                return _shift(self.high(left, min(bits + k, _WHOLE)), ">>>", k)
            case ir.Binary("+" | "-" | "|" | "&" as operator, left, right):
                high = _join_words(operator, self.high(left, bits), self.high(right, bits))
                carried = self.carried(operator, left, right)
                return high if carried == "0" else _join_words(operator, high, carried)
            case ir.Select(test, left, right):
                highs = _inner(self.high(left, bits)), _inner(self.high(right, bits))
                return f"{_inner(self.write(test))} ? {highs[0]} : {highs[1]}"
        raise ValueError(f"JavaScript has no high word of {word}")

    def carried(self, operator: str, left: ir.Expression, right: ir.Expression) -> str:
        """Return what is carried from the sum or difference of low words, 0 or 1."""
        if operator not in ("+", "-"):
            return "0"
        a, b = self.exact(left), self.exact(right)
        if b == "0" or (a == "0" and operator == "+"):
            return "0"
        if operator == "+":
            return f"{_inner(a)} + {_inner(b)} > 0xffffffff ? 1 : 0"
        return f"{_inner(a)} < {_inner(b)} ? 1 : 0"


def known(count: ir.Expression) -> int:
    """Return the count of a shift, which must be a constant from 1 to 63."""
    if not isinstance(count, ir.Number) or not 0 < count.value < _WHOLE:
        raise ValueError("JavaScript shifts words by a constant only")
    return int(count.value)


def _literal(word: int) -> str:
    """Return a number; one that is no small count is in hexadecimal."""
    return f"0x{word:08x}" if word >= 1 << 16 else str(word)


def _shift(text: str, operator: str, count: int) -> str:
    return text if text == "0" or not count else f"{_inner(text)} {operator} {count}"


def _inner(text: str) -> str:
    is_whole = text.startswith("(") and text.endswith(")") and text.count("(") == 1
    return f"({text})" if " " in text and not is_whole else text


def _join_words(operator: str, left: str, right: str) -> str:
    """Return an operation on two words, simplified if one of them is 0."""
    if "0" in (left, right) and operator == "&":
        return "0"
    if right == "0":
        return left
    if left == "0" and operator in "+|":
        return right
    first = left if operator == "+" and _is_sum(left) else _inner(left)
    return f"{first} {operator} {_inner(right)}"


def _is_sum(text: str) -> bool:
    """Return whether a text is a sum of two names or literals."""
    return re.fullmatch(r"\w+ \+ \w+", text) is not None
