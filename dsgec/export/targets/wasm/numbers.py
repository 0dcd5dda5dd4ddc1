"""What of a module depends on its numbers: floats, or the integers of fixed point."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from dsgec.export.fixed.ir import RESULT_BITS
from dsgec.export.targets.wasm.code import SIZES, const, load, op

_NOTHING = -1 << (RESULT_BITS - 1)  # the result of a row that lacks a value


@dataclass(frozen=True, slots=True)
class ValueTypes(ABC):
    """The types in memory of what is given and made, and that of what is made on the stack."""

    given: str
    made: str
    value: str
    nothing: float  # the result of a row that lacks a value
    lowest: float  # no result is below it
    sign: str = ""  # what the names of comparisons end in

    @property
    def given_size(self) -> int:
        return SIZES[self.given]

    @property
    def size(self) -> int:
        """Bytes of a result."""
        return SIZES[self.made]

    def compare(self, name: str) -> bytes:
        """lt, le, gt or ge of two results."""
        return op(f"{self.value}.{name}{self.sign}")

    @abstractmethod
    def is_missing(self, value: bytes) -> bytes:
        """Of a value of a row."""

    @abstractmethod
    def is_number(self, result: bytes) -> bytes:
        """Of a result: whether there is one."""

    @abstractmethod
    def differ(self, found: bytes, wanted: bytes) -> bytes:
        """Whether the results at two addresses have other bits."""


@dataclass(frozen=True, slots=True)
class FloatTypes(ValueTypes):
    """Floats: a NaN is no number, and all of them are as good."""

    word: str = "i64"

    def is_missing(self, value: bytes) -> bytes:
        return value + value + op(f"{self.value}.ne")

    def is_number(self, result: bytes) -> bytes:
        return result + result + op(f"{self.value}.eq")

    def differ(self, found: bytes, wanted: bytes) -> bytes:
        bits = load(self.word, found) + load(self.word, wanted) + op(f"{self.word}.ne")
        numbers = (self.is_number(load(self.made, address)) for address in (found, wanted))
        return bits + b"".join(numbers) + op("i32.or") + op("i32.and")


@dataclass(frozen=True, slots=True)
class IntegerTypes(ValueTypes):
    """Integers, the least of which stands for what is missing."""

    missing: int = 0

    def is_missing(self, value: bytes) -> bytes:
        return value + const("i32", self.missing) + op("i32.eq")

    def is_number(self, result: bytes) -> bytes:
        return result + const("i32", _NOTHING) + op("i32.ne")

    def differ(self, found: bytes, wanted: bytes) -> bytes:
        return load(self.made, found) + load(self.made, wanted) + op("i32.ne")


DOUBLE = FloatTypes("f64", "f64", "f64", float("nan"), float("-inf"), word="i64")
FLOAT = FloatTypes("f32", "f32", "f32", float("nan"), float("-inf"), word="i32")


def integer_types(bits: int, missing: int) -> IntegerTypes:
    """Those of rows of so many bits."""
    made = f"i{RESULT_BITS}"
    return IntegerTypes(f"i{bits}", made, "i32", _NOTHING, _NOTHING - 1, "_s", missing=missing)
