"""A model to what its C takes of a chip, without a compiler: flash, stack and cycles.

Each is linear in counts that can be read off the network, with whole coefficients: those of
`chips.toml`, which `python -m benchmarks.chips` makes of images that it links and runs.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from dsgec.errors import DsgecError, listed
from dsgec.network.chips import CHIPS, USUAL_CHIP
from dsgec.network.decide import without_finish
from dsgec.network.ir import Apply, Constant, Input, Network, Node
from dsgec.network.model import Model, composed
from dsgec.network.powers import multiplications
from dsgec.toml import read_toml

_TABLE = "chips.toml"


@dataclass(frozen=True, slots=True)
class Cost:
    """Bytes of flash, compiler's routines included, bytes of stack, and cycles for a row."""

    flash: int
    stack: int
    cycles: int


@dataclass(frozen=True, slots=True)
class Prices:
    """The coefficients of a chip and a type.

    `flash`, `cycles` and `stack` are for each of a kind, and "" is what every network takes. `once`
    is bytes of what is linked once, functions and the compiler's routines: `needs` names them for
    each kind. Of the stack that calls take, by kinds, the `deepest` counts.
    """

    flash: Mapping[str, int]
    cycles: Mapping[str, int]
    stack: Mapping[str, int]
    deepest: Mapping[str, int]
    once: Mapping[str, int]
    needs: Mapping[str, tuple[str, ...]]

    def of(self, counts: Mapping[str, int]) -> Cost:
        """What a network of these counts takes."""
        linked = {part for kind in ("", *counts) for part in self.needs.get(kind, ())}
        return Cost(
            _sum(self.flash, counts) + sum(self.once[part] for part in linked),
            _sum(self.stack, counts) + max(self.deepest.get(kind, 0) for kind in ("", *counts)),
            _sum(self.cycles, counts),
        )


def _sum(prices: Mapping[str, int], counts: Mapping[str, int]) -> int:
    return prices[""] + sum(count * prices.get(kind, 0) for kind, count in counts.items())


@cache
def prices(chip: str, dtype: str) -> Prices:
    """The coefficients of a chip and a type; a DsgecError where there are none."""
    types = _table().get(chip)
    if types is None:
        raise DsgecError(f"unknown chip `{chip}`", f"Choose from {', '.join(CHIPS)}.")
    if dtype not in types:
        raise DsgecError(
            f"there is no estimate for {dtype} on {chip}",
            f"There is one for {' and '.join(types)}.",
        )
    own = types[dtype]
    needs = {kind: tuple(parts) for kind, parts in own["needs"].items()}
    return Prices(own["flash"], own["cycles"], own["stack"], own["deepest"], own["once"], needs)


def dtypes_of(chip: str) -> tuple[str, ...]:
    """The types that a chip has coefficients for."""
    return tuple(_table()[chip])


@cache
def _table() -> dict[str, dict[str, dict[str, Any]]]:
    return read_toml(files("dsgec.network").joinpath(_TABLE), _TABLE)


def cost(model: Model, chip: str = USUAL_CHIP, dtype: str = "double") -> Cost:
    """What the C of a model takes of a chip, for a row, if it computes with IEEE numbers."""
    return priced(work(model), chip, dtype)


def priced(counts: Mapping[str, int], chip: str, dtype: str) -> Cost:
    """What C that does this work takes of a chip; a DsgecError where there is no estimate."""
    own = prices(chip, dtype)
    unknown = sorted(counts.keys() - own.needs.keys())
    if unknown:
        raise DsgecError(
            f"there is no estimate of {listed(unknown)} on {chip}",
            "In a clone of the project, `python -m benchmarks.chips` measures new functions.",
        )
    return own.of(counts)


def work(model: Model) -> Counter[str]:
    """What the C of a model does for a row, by kinds, and what it is made of.

    Of a classifier it is what gives the class: probabilities are not computed. Operations have the
    names of their functions. `div_number` is a division by a number, which needs no protection;
    `flag_add` and the like have an operand that is the flag of a category. `number` and `read` are
    operands that are numbers and columns, `distinct` the different numbers, `kept` the operands
    that are not the value before, and `live` the most values to be kept at a time.
    """
    network = composed(model)
    if model.is_classifier:
        network = without_finish(network, model.threshold)
    counts = _operations(network) + work_around(model, network)
    counts["live"] = _live(network)
    if network.softmax:
        counts["softmax"] = 1
        counts["softmax_output"] = len(network.outputs)
    return +counts


def work_around(model: Model, network: Network) -> Counter[str]:
    """What is done before and after the composed network of a model: values that are missing are
    refused, outputs stored, classes chosen."""
    counts: Counter[str] = Counter()
    columns = [node.column for node in network.nodes if isinstance(node, Input)]
    required = sum(model.columns[column].fill is None for column in columns)
    counts["column"] = len(columns)
    counts["required"] = required
    counts["refusing"] = int(required > 0)
    counts["listed"] = required if required < len(model.columns) else 0
    counts["output"] = len(network.outputs)
    if model.has_threshold:
        counts["two_classes"] = 1
        counts["lone_output"] = int(len(network.outputs) == 1)
    elif model.is_classifier:
        counts["classes"] = 1
        counts["class"] = len(network.outputs)
    return +counts


def _operations(network: Network) -> Counter[str]:
    counts: Counter[str] = Counter()
    numbers: set[float] = set()
    flags: set[int] = set()  # of categories, and products with them
    before = -1
    for position, node in enumerate(network.nodes):
        if not isinstance(node, Apply):
            continue
        arguments = node.arguments
        if node.function == "pow":
            exponent = network.nodes[arguments[1]]
            assert isinstance(exponent, Constant)
            counts["mul"] += len(multiplications(int(exponent.value)))
            counts["div"] += exponent.value < 0
            arguments = arguments[:1]
        else:
            kind = kind_of(network, node)
            if flags & {*arguments} and kind in FLAGGED:
                kind = f"flag_{kind}"
            if kind in {"is", "flag_mul"}:
                flags.add(position)
            counts[kind] += 1
        for argument in arguments:
            match network.nodes[argument]:
                case Constant(value):
                    counts["number"] += 1
                    numbers.add(value)
                case Input():
                    counts["read"] += 1
                case _:
                    counts["kept"] += argument != before
        before = position
    counts["distinct"] = len(numbers)
    return counts


def kind_of(network: Network, node: Apply) -> str:
    """The kind of an operation as compilers have it, who prefer a cheaper one of the same bits."""
    *_, last = arguments = [network.nodes[argument] for argument in node.arguments]
    match node.function:
        case "add" if any(map(_is_negated, arguments)):
            return "sub"
        case "sub" if _is_negated(last):
            return "add"
        case "mul":
            cheaper = (_TIMES.get(one.value) for one in arguments if isinstance(one, Constant))
            return next((kind for kind in cheaper if kind), "mul")
        case "div" if isinstance(last, Constant):
            return "mul" if math.frexp(last.value)[0] in {0.5, -0.5} else "div_number"
        case function:
            return function


_TIMES = {-1.0: "neg", 2.0: "add"}
"""What numbers make of a multiplication by them."""


FLAGGED = ("add", "sub", "mul")
"""What many routines of compilers do faster with a flag, which is mostly 0."""


def _is_negated(node: Node) -> bool:
    negated = isinstance(node, Apply) and node.function == "neg"
    return negated or (isinstance(node, Constant) and node.value < 0)


def _live(network: Network) -> int:
    """The most values at a time that are still to be used; outputs are stored at the end."""
    last: dict[int, int] = {}
    for position, node in enumerate(network.nodes):
        if isinstance(node, Apply):
            last |= dict.fromkeys(node.arguments, position)
    last |= dict.fromkeys(network.outputs, len(network.nodes))
    most = live = 0
    for position, node in enumerate(network.nodes):
        if isinstance(node, Apply):
            ending = (a for a in {*node.arguments} if last[a] == position)
            live += 1 - sum(isinstance(network.nodes[a], Apply) for a in ending)
            most = max(most, live)
    return most
