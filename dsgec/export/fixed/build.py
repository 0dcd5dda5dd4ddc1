"""Build the integer program of a network from the ranges of its columns, and bound its error."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.errors import DsgecError
from dsgec.export.fixed.conditions import Conditions
from dsgec.export.fixed.exact import MOST_DIGITS, floor_log2, nearest, power_of_two
from dsgec.export.fixed.forest import IntegerForest, integer_forest
from dsgec.export.fixed.forms import Form, Quantity, add, constant_form, negate, quantity_form
from dsgec.export.fixed.ir import (
    RESULT_BITS,
    STORED_BITS,
    ColumnValue,
    Fixed,
    Format,
    IntegerProgram,
    Operand,
    Slot,
    TreeSum,
    largest,
    trimmed,
)
from dsgec.export.fixed.operations import (
    absolute_power,
    apply_curve,
    clipped,
    larger,
    magnitude,
    multiply,
    quotient,
    rectified,
    smaller,
    whole_power,
)
from dsgec.export.fixed.outputs import decided_by_sum, results, softmax
from dsgec.export.fixed.writer import Writer
from dsgec.export.forest import FoundForest, find_forest, needed_nodes
from dsgec.network.ir import Apply, Constant, Input, Network
from dsgec.network.model import Column, Model
from dsgec.network.ranges import Range, Ranges
from dsgec.network.unknown import without_unknown

_BINARY: dict[str, Callable[[Writer, Form, Form], Form]] = {
    "mul": multiply,
    "div": quotient,
    "min": smaller,
    "max": larger,
    "power": absolute_power,
}
_AFFINE = {"add", "sub", "neg", "fill"}
_LARGEST_ZERO = 1 << 30


def build(model: Model, network: Network, ranges: Ranges, dtype: str) -> Fixed:
    """Build the program of a model, whose network with all encodings is `network`."""
    network, unknown = without_unknown(network) or (network, None)
    writer = Writer(STORED_BITS[dtype])
    conditions = Conditions(writer)
    formats = _formats(model, network, ranges, writer.bits)
    found = find_forest(network)
    trees = _forest(model, network, found, formats, writer.bits) if found else None
    known: dict[int, Form] = {}
    if found and trees:
        known = dict(zip(found.sums, trees.forms, strict=True))
        inner = {*range(len(network.nodes))} - {*needed_nodes(network, found), *known}
        known |= {p: constant_form(0.0) for p in inner if isinstance(network.nodes[p], Apply)}
    values: list[Form] = []
    for position in range(len(network.nodes)):
        if position in known:
            values.append(known[position])
        else:
            values.append(_value(conditions, model, network, formats, values))
            _refuse_infinite(values[-1], network, position)
    outputs = [values[position] for position in network.outputs]
    sums: tuple[Operand, ...] = ()
    if network.softmax:
        outputs, sums = softmax(writer, outputs)
        if unknown is not None:
            outputs, sums = [*outputs, constant_form(unknown)], ()
    elif trees is not None:
        sums = _deciding_trees(outputs)
    operands, fraction, bounds = results(writer, outputs, complement=model.has_lone_probability)
    names = _names(network, values)
    program = IntegerProgram(
        writer.bits,
        tuple(formats),
        tuple(writer.steps),
        tuple(writer.tables),
        operands,
        fraction,
        names,
        sums if model.is_classifier and not model.has_threshold else (),
        forest=trees.forest if trees else None,
    )
    if model.has_lone_probability:
        program = decided_by_sum(program, model.threshold)
    return Fixed(trimmed(program), bounds)


def _value(
    conditions: Conditions,
    model: Model,
    network: Network,
    formats: Sequence[Format],
    values: list[Form],
) -> Form:
    """Return the form of the next node of a network, given those before it."""
    writer = conditions.writer
    match network.nodes[len(values)]:
        case Constant(value):
            return constant_form(value)
        case Input(column):
            return _column(writer, column, formats[column], model)
        case Apply("fill" | "is" | "pow" as function, arguments):
            return _apply_to_column(writer, network, values, function, arguments)
        case Apply(function, arguments):
            return _apply_function(conditions, function, [values[a] for a in arguments])
        case node:
            assert_never(node)


def _forest(
    model: Model, network: Network, found: FoundForest, formats: Sequence[Format], bits: int
) -> IntegerForest | None:
    """Return the trees of a network in integers; None if a column has gaps or categories."""
    columns = [model.columns[column] for column in found.forest.columns]
    if any(column.fill is not None or column.categories for column in columns):
        return None
    averaged = all(
        position in found.sums or _is_share_of(network, position, found)
        for position in network.outputs
    )
    leaves = [value for tree in found.forest.trees for leaf in tree.leaves for value in leaf]
    shares = model.is_classifier and not network.softmax and averaged
    shares = shares and min(leaves) >= 0.0 and max(leaves) <= 1.0
    return integer_forest(found.forest, formats, bits, shares=shares)


def _is_share_of(network: Network, position: int, found: FoundForest) -> bool:
    """Return whether an output is a sum of trees, divided by a number."""
    match network.nodes[position]:
        case Apply("div", (total, number)):
            return total in found.sums and isinstance(network.nodes[number], Constant)
    return False


def _deciding_trees(outputs: Sequence[Form]) -> tuple[Operand, ...]:
    """Return the sums of trees of which all outputs are the same multiple, or nothing.

    Sums that differ then have different results, because a unit of a sum is one of the results.
    """
    found = []
    for form in outputs:
        match form.terms:
            case ((Quantity(operand=TreeSum()) as quantity, weight),) if not form.constant:
                found.append((quantity, weight * quantity.unit))
    if len(found) < len(outputs) or len({unit for _, unit in found}) != 1:
        return ()
    reach = max(abs(Fraction(form.low)) for form in outputs)
    reach = max(reach, *(abs(Fraction(form.high)) for form in outputs))
    if found[0][1] * (1 << (RESULT_BITS - 2)) < reach:
        return ()
    return tuple(quantity.operand for quantity, _ in found)


def _formats(model: Model, network: Network, ranges: Ranges, bits: int) -> list[Format]:
    read = {node.column for node in network.nodes if isinstance(node, Input)}
    lacking = [
        column.name
        for number, column in enumerate(model.columns)
        if number in read and not column.categories and ranges[number] is None
    ]
    if lacking:
        names = ", ".join(f"`{name}`" for name in lacking[:5])
        raise DsgecError(
            f"fixed point needs the range of {names}" + (" and others" if lacking[5:] else ""),
            "Give it with --range COLUMN=LO:HI, or --range '*=LO:HI' for all columns.",
        )
    saturating = _saturating(network)
    formats = []
    for number, column in enumerate(model.columns):
        range_ = ranges[number] if number in read else None
        found = column_format(column, range_ or (0.0, 0.0), bits)
        if number in saturating and not column.categories:
            most = largest(bits)  # the limits of the type need no instruction
            found = replace(found, least=-most, most=most)
        formats.append(found)
    return formats


def column_format(column: Column, range_: Range, bits: int) -> Format:
    """Return the format with the most digits for a range and the value that fills gaps.

    The integers are centred on the range if that gains a digit.
    """
    most = largest(bits)
    if column.categories:
        if len(column.categories) > most:
            raise DsgecError(
                f"the column `{column.name}` has {len(column.categories)} categories, more than"
                f" numbers of {bits} bits can tell apart",
                "Export it as q15." if bits < 16 else "Export it as float.",
            )
        return Format(0, 0, -1, len(column.categories) - 1)
    low, high = map(Fraction, range_)
    if column.fill is not None:
        low, high = min(low, Fraction(column.fill)), max(high, Fraction(column.fill))
    plain = _centred_format(low, high, most, Fraction(0))
    centred = _centred_format(low, high, most, (low + high) / 2)
    return centred if centred.fraction > plain.fraction else plain


def _centred_format(low: Fraction, high: Fraction, most: int, middle: Fraction) -> Format:
    reach = max(high - middle, middle - low)
    size = max(abs(low), abs(high))
    fraction = floor_log2(most / reach) if reach > 0 else MOST_DIGITS
    fraction = min(fraction, floor_log2(_LARGEST_ZERO / size) if size else 0)
    fraction = max(min(fraction, MOST_DIGITS), -MOST_DIGITS)
    while True:
        zero = nearest(middle, fraction)
        least = math.floor(low * power_of_two(fraction)) - zero
        top = math.ceil(high * power_of_two(fraction)) - zero
        if least >= -most and top <= most:
            return Format(fraction, zero, least, top)
        fraction -= 1


def _saturating(network: Network) -> set[int]:
    """Return the columns read only by weighted sums that go into functions that saturate.

    The softmax is one of them.
    """
    good = [True] * len(network.nodes)
    for position in network.outputs:
        good[position] = network.softmax
    for position in range(len(network.nodes) - 1, -1, -1):
        node = network.nodes[position]
        if not isinstance(node, Apply) or node.function == "is":
            continue
        function = ALL_FUNCTIONS.get(node.function)
        if node.function == "clip" or (function is not None and function.is_bounded):
            continue
        numbers = [a for a in node.arguments if not isinstance(network.nodes[a], Constant)]
        if node.function == "mul":
            is_affine = len(numbers) == 1
        elif node.function == "div":
            is_affine = numbers == [node.arguments[0]]
        else:
            is_affine = node.function in _AFFINE
        for argument in node.arguments:
            good[argument] &= is_affine and good[position]
    return {
        node.column
        for position, node in enumerate(network.nodes)
        if isinstance(node, Input) and good[position]
    }


def _column(writer: Writer, number: int, format_: Format, model: Model) -> Form:
    """Return the form of a column; its missing values are filled later or refused before."""
    column = model.columns[number]
    if column.categories:
        return quantity_form(
            Quantity(ColumnValue(number), 0, -1.0, format_.most, 0.0, -1, format_.most)
        )
    raw = Quantity(
        ColumnValue(number),
        format_.fraction,
        format_.low,
        format_.high,
        math.ldexp(0.5, -format_.fraction),
        format_.least,
        format_.most,
        format_.zero,
    )
    return quantity_form(writer.clamped(raw) if column.fill is None else raw)


def _apply_to_column(
    writer: Writer,
    network: Network,
    values: Sequence[Form],
    function: str,
    arguments: tuple[int, ...],
) -> Form:
    """Apply a function of a column and a constant, or a power with a constant exponent."""
    a, b = arguments
    constant = network.nodes[b]
    if function == "pow":
        assert isinstance(constant, Constant)
        return whole_power(writer, values[a], int(constant.value))
    ((quantity, _),) = values[a].terms
    if a == b:
        return quantity_form(writer.present(quantity))
    assert isinstance(constant, Constant)
    if function == "fill":
        return quantity_form(writer.filled(quantity, Fraction(constant.value)))
    return quantity_form(writer.equal(quantity, int(constant.value)))


def _apply_function(conditions: Conditions, function: str, arguments: list[Form]) -> Form:
    """Return the form of a function of forms."""
    writer = conditions.writer
    match function, arguments:
        case "if", (condition, a, b):
            return conditions.choice(condition, a, b)
        case "not", (a,):
            return conditions.negation(a)
        case _, (a, b) if function in conditions.functions:
            return conditions.pair(function, a, b)
        case "add", (a, b):
            return add(a, b)
        case "sub", (a, b):
            return add(a, b, -1)
        case "neg", (a,):
            return negate(a)
        case "relu", (a,):
            return rectified(writer, a)
        case "clip", (a,):
            return clipped(writer, a)
        case "abs", (a,):
            return magnitude(writer, a)
        case _, (a,):
            return apply_curve(writer, function, a)
        case _, (a, b) if function in _BINARY:
            return _BINARY[function](writer, a, b)
        case _:
            raise DsgecError(
                f"fixed point has no `{function}` of {len(arguments)} numbers",
                "Export it as float.",
            )


def _refuse_infinite(form: Form, network: Network, position: int) -> None:
    if form.is_finite:
        return
    node = network.nodes[position]
    what = f"`{node.function}`" if isinstance(node, Apply) else "a number"
    raise DsgecError(
        f"within the ranges of the columns, {what} can be too large for any number",
        "Give narrower ranges with --range COLUMN=LO:HI, or export it as float.",
    )


def _names(network: Network, values: Sequence[Form]) -> tuple[tuple[int, str], ...]:
    """Return the names of the slots that are neurons."""
    names: dict[int, str] = {}
    for number, layer in enumerate(network.layers, 1):
        for index, position in enumerate(layer, 1):
            match values[position].terms:
                case ((Quantity(operand=Slot(slot)), _),):
                    names.setdefault(slot, f"h_{number}_{index}")
    return tuple(sorted(names.items()))
