"""A model that is exported: its network, number format, metadata and self-test rows."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from dsgec import __version__
from dsgec.export.cover import WORK
from dsgec.export.fixed.packed import PackedNetwork, pack
from dsgec.export.golden import Golden, Loss
from dsgec.export.names import check_name
from dsgec.export.number_format import DTYPES, NumberFormat, number_format
from dsgec.network.cost.chips import Cost
from dsgec.network.cost.work import work_cost
from dsgec.network.description import describe_model, model_identity
from dsgec.network.ir import Input, Network
from dsgec.network.model import Model, compose
from dsgec.network.ranges import Range
from dsgec.network.text import network_text

__all__ = ["DTYPES", "EFFORTS", "FULL", "QUICK", "Artefact", "SourceFile"]

QUICK, FULL = EFFORTS = tuple(WORK)

FLAT, PACKED = LAYOUTS = "flat", "packed"
"""How C in fixed point is laid out: straight-line code, or tables that one loop reads."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The name of a file, relative to the folder of an export, and its content."""

    name: str
    text: str | bytes


@dataclass(frozen=True)
class Artefact:
    """A model that is exported under a name; all targets share what is computed from it.

    `selftest` is the effort spent on the rows of the self-test. `ranges` has the ranges of the
    columns for fixed point, with None for a column that is not read or has categories. `checked`
    states whether the C is compiled and its self-test run before it is written; it is None for the
    exports of a run, which are the same on machines without a compiler. `layout` is one of LAYOUTS.
    """

    model: Model
    name: str
    dtype: str = "double"
    version: str = __version__
    selftest: str = FULL
    ranges: tuple[Range | None, ...] = ()
    checked: bool | None = field(default=None, compare=False)
    layout: str = FLAT

    def __post_init__(self) -> None:
        check_name(self.name)
        self.number_format.refuse_unfit()

    @cached_property
    def number_format(self) -> NumberFormat:
        """Everything that depends on the type of its numbers."""
        return number_format(self.model, self.network, self.dtype, self.ranges)

    @cached_property
    def network(self) -> Network:
        """The network from raw columns to outputs, which is exported."""
        return compose(self.model)

    @cached_property
    def packed(self) -> PackedNetwork | None:
        """The network in the packed layout; None for the flat layout, or if it has no neurons."""
        fixed = self.number_format.fixed
        if self.layout != PACKED or fixed is None:
            return None
        read = {node.column for node in self.network.nodes if isinstance(node, Input)}
        required = [column for column in sorted(read) if self.model.columns[column].fill is None]
        return pack(fixed.program, required)

    @cached_property
    def golden(self) -> Golden:
        """The rows of the self-test with their results."""
        return self.number_format.golden(self.selftest)

    @cached_property
    def loss(self) -> Loss | None:
        """The difference from double precision; None for double itself."""
        return self.number_format.loss

    def cost(self, chip: str) -> Cost:
        """Estimate what its C costs on a chip, for one row."""
        return work_cost(self.number_format.work, chip, self.dtype)

    @cached_property
    def model_id(self) -> str:
        return model_id(self.model)

    @cached_property
    def metadata(self) -> dict[str, Any]:
        """Plain data, the same in every target, from which the artefact can be made again."""
        return {
            "model_id": self.model_id,
            "generator": f"dsgec {self.version}",
            "name": self.name,
            "dtype": self.dtype,
            **({"ranges": [range_ and [*range_] for range_ in self.ranges]} if self.ranges else {}),
            **({} if self.selftest == FULL else {"selftest": self.selftest}),
            **({} if self.checked is None else {"checked": self.checked}),
            **({} if self.layout == FLAT else {"layout": self.layout}),
            "network": network_text(self.model.network),
            **describe_model(self.model),
        }


def model_id(model: Model) -> str:
    """Return a digest of what the model computes, the same in every target."""
    return identity_digest(model_identity(model))


def identity_digest(text: str) -> str:
    """Return the `model_id` of the model with this identity."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
