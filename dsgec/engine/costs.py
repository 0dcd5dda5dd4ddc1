"""Give an engine the columns' prologue and the prices of a chip, to count costs of networks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.engine.library import Library
from dsgec.network.cost.chips import Prices
from dsgec.network.cost.work import operation_kind
from dsgec.network.ir import Apply, Constant, Input
from dsgec.network.model import Column, prologue

MOST_PARTS = 64
"""The most parts of code that are linked once: a bit each."""


@dataclass(frozen=True, slots=True)
class EngineCosts:
    """The columns and classes around the networks, and the prices of what is minimised.

    `minimise` is flash or cycles; without `prices`, the engine counts work, and no costs.
    """

    columns: tuple[Column, ...]
    classes: int
    has_threshold: bool
    prices: Prices | None = None
    minimise: str = ""


class NativeCosts:
    """The cost structs of an engine's settings, and the arrays that they point to."""

    def __init__(self, library: Library, costs: EngineCosts | None) -> None:
        self._library = library
        self.arrays: list[NDArray[Any]] = []  # kept alive: the engine reads them where they are
        self.prologue = self.prices = library.ffi.NULL
        if costs is not None:
            self.kinds = engine_kinds(library)
            self.prologue = self._prologue(costs)
            if costs.prices is not None and costs.minimise == "cycles":
                self.prices = self._prices(costs.prices.cycles, {}, {})
            elif costs.prices is not None:
                own = costs.prices
                self.prices = self._prices(own.flash, own.once, own.needs)

    def _prologue(self, costs: EngineCosts) -> Any:
        numbers = {kind: number for number, kind in enumerate(self.kinds)}
        leaves = {name: value for value, name in self._library.names("dsgec_engine_leaf").items()}
        before = prologue(costs.columns)
        operations = np.zeros(len(before.nodes), self._library.dtype("dsgec_engine_operation"))
        for place, node in zip(operations, before.nodes, strict=True):
            place["a"] = place["b"] = place["c"] = -1
            match node:
                case Constant(value):
                    place["kind"], place["value"] = leaves["CONSTANT_LEAF"], value
                case Input(column):
                    place["kind"], place["a"] = leaves["COLUMN_LEAF"], column
                case Apply(_, arguments):
                    place["kind"] = numbers[operation_kind(before, node)]
                    place["a"], place["b"] = (*arguments, -1)[:2]
        features = np.array(before.outputs, np.int32)
        required = np.array([column.fill is None for column in costs.columns], np.int32)
        self.arrays += [operations, features, required]
        return self._library.struct(
            "dsgec_engine_prologue",
            operations=operations,
            features=features,
            required=required,
            count=len(operations),
            columns=len(required),
            classes=costs.classes,
            has_threshold=int(costs.has_threshold),
        )

    def _prices(
        self,
        each: Mapping[str, int],
        once: Mapping[str, int],
        needs: Mapping[str, tuple[str, ...]],
    ) -> Any:
        """Return the prices: `each` for one of each kind of work, `once` for parts it needs."""
        # Parts that the same kinds need come together, so they share a bit and a price.
        users: dict[str, list[str]] = {}
        for kind in ("", *self.kinds):
            for part in {*needs.get(kind, ())}:
                users.setdefault(part, []).append(kind)
        groups: dict[tuple[str, ...], list[str]] = {}
        for part in sorted(users):
            groups.setdefault(tuple(users[part]), []).append(part)
        parts = [*groups.values()]
        if len(parts) > MOST_PARTS:
            raise ValueError(f"{len(parts)} parts are more than {MOST_PARTS}")
        bits = {part: 1 << number for number, own in enumerate(parts) for part in own}

        def mask(kind: str) -> int:
            return sum({bits[part] for part in needs.get(kind, ())})

        arrays = {
            "each": np.array([each.get(kind, 0) for kind in self.kinds], np.int64),
            "once": np.array([*(sum(once[part] for part in own) for own in parts), 0], np.int64),
            "needs": np.array([mask(kind) for kind in self.kinds], np.uint64),
        }
        self.arrays += arrays.values()
        return self._library.struct(
            "dsgec_engine_prices", **arrays, base=each[""], base_needs=mask("")
        )


def engine_kinds(library: Library) -> list[str]:
    """Return the kinds of work that an engine counts, by their numbers."""
    kinds: list[str] = []
    while (name := library.functions.dsgec_engine_kind(len(kinds))) != library.ffi.NULL:
        kinds.append(library.ffi.string(name).decode())
    return kinds
