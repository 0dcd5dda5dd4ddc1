"""What networks cost, as an engine is given it: kinds of work by their names to arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.engine.library import Library

MOST_PARTS = 64
"""Parts that are paid for once: a bit each."""


@dataclass(frozen=True, slots=True)
class EngineOperation:
    """One of those that are done to the columns before a network.

    It has a kind and arguments, which are operations before it; or it is a `column`, or else, a
    number.
    """

    kind: str = ""
    arguments: tuple[int, ...] = ()
    column: int = -1
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class EnginePrices:
    """What each of a kind costs, "" what every network does, and once the parts that kinds need."""

    each: Mapping[str, int]
    once: Mapping[str, int]
    needs: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class EngineCosts:
    """See `dsgec_engine_prologue`; without `prices`, the engine counts work, and no costs."""

    operations: tuple[EngineOperation, ...]
    features: tuple[int, ...]
    required: tuple[bool, ...]
    classes: int
    has_threshold: bool
    prices: EnginePrices | None = None


class NativeCosts:
    """The structs of an engine's settings, and the arrays that they point to."""

    def __init__(self, library: Library, costs: EngineCosts | None) -> None:
        self._library = library
        self.arrays: list[NDArray[Any]] = []  # which stay where they are
        self.prologue = self.prices = library.ffi.NULL
        if costs is not None:
            self.kinds = engine_kinds(library)
            self.prologue = self._prologue(costs)
            if costs.prices is not None:
                self.prices = self._prices(costs.prices)

    def _prologue(self, costs: EngineCosts) -> Any:
        numbers = {kind: number for number, kind in enumerate(self.kinds)}
        leaves = {name: value for value, name in self._library.names("dsgec_engine_leaf").items()}
        made = np.zeros(len(costs.operations), self._library.dtype("dsgec_engine_operation"))
        for place, one in zip(made, costs.operations, strict=True):
            place["value"], place["b"] = one.value, -1
            if one.kind:
                place["kind"] = numbers[one.kind]
                place["a"], place["b"] = (*one.arguments, -1)[:2]
            else:
                place["kind"] = leaves["COLUMN_LEAF" if one.column >= 0 else "CONSTANT_LEAF"]
                place["a"] = one.column
        features = np.array(costs.features, np.int32)
        required = np.array(costs.required, np.int32)
        self.arrays += [made, features, required]
        return self._library.struct(
            "dsgec_engine_prologue",
            operations=made,
            features=features,
            required=required,
            count=len(made),
            columns=len(required),
            classes=costs.classes,
            has_threshold=int(costs.has_threshold),
        )

    def _prices(self, prices: EnginePrices) -> Any:
        parts = sorted({part for own in prices.needs.values() for part in own})
        if len(parts) > MOST_PARTS:
            raise ValueError(f"{len(parts)} parts are more than {MOST_PARTS}")
        bits = {part: 1 << number for number, part in enumerate(parts)}

        def needs(kind: str) -> int:
            return sum(bits[part] for part in {*prices.needs.get(kind, ())})

        each = np.array([prices.each.get(kind, 0) for kind in self.kinds], np.int64)
        once = np.array([*(prices.once[part] for part in parts), 0], np.int64)
        masks = np.array([needs(kind) for kind in self.kinds], np.uint64)
        self.arrays += [each, once, masks]
        return self._library.struct(
            "dsgec_engine_prices",
            each=each,
            once=once,
            needs=masks,
            base=prices.each[""],
            base_needs=needs(""),
        )


def engine_kinds(library: Library) -> list[str]:
    """The kinds of work that an engine counts, by their numbers."""
    kinds: list[str] = []
    while (name := library.functions.dsgec_engine_kind(len(kinds))) != library.ffi.NULL:
        kinds.append(library.ffi.string(name).decode())
    return kinds
