"""A model that is exported: its network, number format, metadata and self-test rows."""

import hashlib
from collections import Counter
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from dsgec import __version__
from dsgec.errors import DsgecError
from dsgec.export.cover import WORK
from dsgec.export.fixed.forest_cost import forest_cost, is_decided_by_trees
from dsgec.export.fixed.lower import integer_program
from dsgec.export.fixed.packed import PackedNetwork, pack
from dsgec.export.fixed.packed_cost import packed_work
from dsgec.export.fixed.packed_entry import packed_integer_program
from dsgec.export.golden import Golden, Loss
from dsgec.export.lower import LONGEST_FUNCTION, network_program
from dsgec.export.names import check_name
from dsgec.export.number_format import DTYPES, NumberFormat, number_format
from dsgec.export.packed_floats import packed_network_program
from dsgec.network.cost.chips import DEFAULT_CHIP, Cost, packed_list
from dsgec.network.cost.work import work_cost
from dsgec.network.description import describe_model, model_identity
from dsgec.network.ir import Input, Network
from dsgec.network.model import Model, compose
from dsgec.network.ranges import Range
from dsgec.network.text import network_text
from dsgec.program.check import check
from dsgec.program.ir import Program, Real

__all__ = ["DTYPES", "EFFORTS", "FULL", "QUICK", "Artefact", "SourceFile"]

QUICK, FULL = EFFORTS = tuple(WORK)

FLAT, PACKED = LAYOUTS = "flat", "packed"
"""How C and Verilog in fixed point are laid out: flat, or as tables that one loop reads."""

AUTO = "auto"
"""The choice of the layout that takes less flash, by dsgec's estimate."""


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

    def with_layout(self, layout: str) -> "Artefact":
        """Return the artefact in a layout; what does not depend on it is not computed again."""
        other = copy(self)
        object.__setattr__(other, "layout", layout)
        for name in ("packed", "program", "metadata"):
            vars(other).pop(name, None)
        return other

    @cached_property
    def program(self) -> Program:
        """The program of a row, in its type of numbers and its layout, which targets print.

        Its entry is `outputs(x, y)`, from raw columns to outputs, or `sums(x, y)`, to what goes
        into a softmax; in fixed point it is `integers(x, y)`. A missing value is NaN, or the
        integer `missing` of fixed point; required columns are checked before.
        """
        return self.split_program(LONGEST_FUNCTION)

    def split_program(self, longest: int) -> Program:
        """Return its program with at most so many statements in a function of fixed point."""
        fixed = self.number_format.fixed
        if fixed is None:
            return self.program_of(self.network)
        packed = None
        if self.layout == PACKED:
            packed = packed_integer_program(fixed.program, self._neurons, longest)
        return _checked(packed or integer_program(fixed.program, longest=longest))

    def program_of(self, network: Network) -> Program:
        """Return the program of a network of floats: its own, or that without the last step."""
        real: Real = "float" if self.dtype == "float" else "double"
        packed = packed_network_program(network, real) if self.layout == PACKED else None
        return _checked(packed or network_program(network, real))

    @cached_property
    def _neurons(self) -> PackedNetwork | None:
        """The network in the packed layout for rows in which nothing is missing, if it has one."""
        assert self.number_format.fixed is not None
        return pack(self.number_format.fixed.program, (), finds_class=False)

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
        cost = work_cost(self.work, chip, self.price_list)
        fixed = self.number_format.fixed
        if fixed is None or fixed.program.forest is None:
            return cost
        trees = forest_cost(fixed.program, chip, packed=self.layout == PACKED)
        others = 0 if is_decided_by_trees(fixed.program) else cost.flash
        return Cost(others + trees.flash, cost.stack + trees.stack, cost.cycles + trees.cycles)

    @property
    def price_list(self) -> str:
        """Return the name of the list of prices for its C."""
        return packed_list(self.dtype) if self.packed else self.dtype

    @property
    def work(self) -> Counter[str]:
        """Return the work of its C for a row, by kind, from which its cost is estimated."""
        fixed = self.number_format.fixed
        if self.packed is None or fixed is None:
            return self.number_format.work
        return packed_work(self.model, self.network, fixed.program, self.packed)

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


def _checked(program: Program) -> Program:
    """Return a program that keeps the rules; the limits of integers were proved before."""
    check(program, program.entry, proves_limits=False)
    return program


def with_smaller_layout(artefact: Artefact, chip: str = DEFAULT_CHIP) -> Artefact:
    """Return an artefact in the layout that takes less flash on a chip, by its estimate.

    It is the flat layout for numbers that are not in fixed point, and if there is no estimate.
    """
    flat, packed = (artefact.with_layout(layout) for layout in LAYOUTS)
    fixed = flat.number_format.fixed
    if fixed is not None and fixed.program.forest is not None:
        flash = [forest_cost(fixed.program, chip, packed=one).flash for one in (False, True)]
        return packed if flash[1] < flash[0] else flat
    if packed.packed is None:
        return flat
    try:
        return packed if packed.cost(chip).flash < flat.cost(chip).flash else flat
    except DsgecError:
        return flat


def model_id(model: Model) -> str:
    """Return a digest of what the model computes, the same in every target."""
    return identity_digest(model_identity(model))


def identity_digest(text: str) -> str:
    """Return the `model_id` of the model with this identity."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
