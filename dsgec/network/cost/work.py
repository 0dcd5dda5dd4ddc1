"""Count the work that the C of a model does for a row, and estimate its cost without a compiler."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from dsgec.errors import DsgecError, join_names
from dsgec.network.cost.chips import DEFAULT_CHIP, Cost, chip_prices
from dsgec.network.cost.kinds import FLAGGED
from dsgec.network.decide import strip_finish
from dsgec.network.ir import Apply, Constant, Input, Network, Node, multiplications
from dsgec.network.model import Model, compose

_TIMES = {-1.0: "neg", 2.0: "add"}
"""Constants by which a multiplication is compiled as a cheaper operation."""


def model_cost(model: Model, chip: str = DEFAULT_CHIP, dtype: str = "double") -> Cost:
    """Return the cost of the C of a model that computes with IEEE numbers."""
    return work_cost(count_work(model), chip, dtype)


def work_cost(counts: Mapping[str, int], chip: str, dtype: str) -> Cost:
    """Return the cost of C that does this work; raise a DsgecError if there is no estimate."""
    prices = chip_prices(chip, dtype)
    unknown = prices.unpriced(counts)
    if unknown:
        raise DsgecError(
            f"there is no estimate of {join_names(unknown)} on {chip}",
            "In a clone of the project, `python -m benchmarks.chips` measures new functions.",
        )
    return prices.cost(counts)


def count_work(model: Model) -> Counter[str]:
    """Count the work of the C of a model for a row, by kinds.

    For a classifier it is the work of choosing the class: probabilities are not computed. The
    kinds are those of `dsgec.network.cost.kinds`.
    """
    network = compose(model, folds_tests=False)
    if model.is_classifier:
        network = strip_finish(network, model.threshold)
    counts = _count_operations(network) + count_surrounding_work(model, network)
    counts["live"] = _count_live(network)
    if network.softmax:
        counts["softmax"] = 1
        counts["softmax_output"] = len(network.outputs)
    return +counts


def count_surrounding_work(model: Model, network: Network) -> Counter[str]:
    """Count the work before and after the composed network of a model.

    Missing values are refused, outputs stored, classes chosen.
    """
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


def _count_operations(network: Network) -> Counter[str]:
    counts: Counter[str] = Counter()
    numbers: set[float] = set()
    flags: set[int] = set()  # nodes that are flags of categories, and products with them
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
            kind = operation_kind(network, node)
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


def operation_kind(network: Network, node: Apply) -> str:
    """Return the kind of work of a node; compilers choose a cheaper operation if it is exact."""
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


def _is_negated(node: Node) -> bool:
    negated = isinstance(node, Apply) and node.function == "neg"
    return negated or (isinstance(node, Constant) and node.value < 0)


def _count_live(network: Network) -> int:
    steps = {
        position: node for position, node in enumerate(network.nodes) if isinstance(node, Apply)
    }
    numbers = {position: number for number, position in enumerate(steps)}
    reads = [[numbers[a] for a in node.arguments if a in numbers] for node in steps.values()]
    return most_live(reads, [numbers[output] for output in network.outputs if output in numbers])


def most_live(reads: Sequence[Sequence[int]], results: Iterable[int]) -> int:
    """Return the most values that are needed later at any time.

    Each step computes one value and reads those of earlier steps, which `reads` lists by number;
    the results are needed until the end.
    """
    last: dict[int, int] = {}
    for number, sources in enumerate(reads):
        last |= dict.fromkeys(sources, number)
    last |= dict.fromkeys(results, len(reads))
    ending = Counter(last.values())
    most = live = 0
    for number in range(len(reads)):
        live += 1 - ending[number]
        most = max(most, live)
    return most
