"""Network + ranges of columns to its program of integers, and the bound of its error."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.errors import DsgecError
from dsgec.export.fixed.columns import column_format
from dsgec.export.fixed.decide import decided_by_sum
from dsgec.export.fixed.forms import Form, Quantity, add, constant_form, negate, quantity_form
from dsgec.export.fixed.ir import (
    STORED_BITS,
    ColumnValue,
    Fixed,
    Format,
    IntegerProgram,
    Slot,
    largest,
)
from dsgec.export.fixed.operations import (
    apply_curve,
    larger,
    magnitude,
    multiply,
    power_of_two_numbers,
    quotient,
    rectified,
    smaller,
    whole_power,
)
from dsgec.export.fixed.outputs import results, softmax
from dsgec.export.fixed.trim import trimmed
from dsgec.export.fixed.writer import Writer
from dsgec.network.ir import Apply, Constant, Input, Network
from dsgec.network.model import Model
from dsgec.network.ranges import Ranges

_BINARY: dict[str, Callable[[Writer, Form, Form], Form]] = {
    "mul": multiply,
    "div": quotient,
    "min": smaller,
    "max": larger,
    "power": power_of_two_numbers,
}
_AFFINE = {"add", "sub", "neg", "fill"}


def build(model: Model, network: Network, ranges: Ranges, dtype: str) -> Fixed:
    """The program of a model whose composed network is `network`; `ranges` are of its columns."""
    writer = Writer(STORED_BITS[dtype])
    formats = _formats(model, network, ranges, writer.bits)
    values: list[Form] = []
    for node in network.nodes:
        match node:
            case Constant(value):
                values.append(constant_form(value))
            case Input(column):
                values.append(_column(writer, column, formats[column], model))
            case Apply("fill" | "is" | "pow" as function, arguments):
                values.append(_encoded(writer, network, values, function, arguments))
            case Apply(function, arguments):
                values.append(_applied(writer, function, [values[a] for a in arguments]))
            case _:
                assert_never(node)
        _refuse_infinite(values[-1], network, len(values) - 1)
    outputs = [values[position] for position in network.outputs]
    found, sums = softmax(writer, outputs) if network.softmax else (outputs, ())
    operands, fraction, bounds = results(writer, found, complement=_is_lone(model))
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
    )
    if _is_lone(model):
        program = decided_by_sum(program, model.threshold)
    return Fixed(trimmed(program), bounds)


def _is_lone(model: Model) -> bool:
    """Whether the one output is the probability of the second of two classes."""
    return model.is_classifier and len(model.network.outputs) == 1


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
            most = largest(bits)  # the type itself is the limit: no instruction is needed
            found = replace(found, least=-most, most=most)
        formats.append(found)
    return formats


def _saturating(network: Network) -> set[int]:
    """The columns that only weighted sums read which go into functions that saturate."""
    good = [True] * len(network.nodes)
    for position in network.outputs:
        good[position] = False
    for position in range(len(network.nodes) - 1, -1, -1):
        node = network.nodes[position]
        if not isinstance(node, Apply) or node.function == "is":
            continue
        if node.function in ALL_FUNCTIONS and ALL_FUNCTIONS[node.function].is_bounded:
            continue
        numbers = [a for a in node.arguments if not isinstance(network.nodes[a], Constant)]
        is_affine = (
            node.function in _AFFINE
            or (node.function in ("mul", "div") and numbers == [node.arguments[0]])
            or (node.function == "mul" and len(numbers) == 1)
        )
        for argument in node.arguments:
            good[argument] = good[argument] and is_affine and good[position]
    return {
        node.column
        for position, node in enumerate(network.nodes)
        if isinstance(node, Input) and good[position]
    }


def _column(writer: Writer, number: int, format_: Format, model: Model) -> Form:
    """A column without its missing values, which are filled, or refused before."""
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


def _encoded(
    writer: Writer,
    network: Network,
    values: Sequence[Form],
    function: str,
    arguments: tuple[int, ...],
) -> Form:
    """What only columns go into, and powers, whose exponent is a number."""
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


def _applied(writer: Writer, function: str, arguments: list[Form]) -> Form:
    match function, arguments:
        case "add", (a, b):
            return add(a, b)
        case "sub", (a, b):
            return add(a, b, -1)
        case "neg", (a,):
            return negate(a)
        case "relu", (a,):
            return rectified(writer, a)
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
    """What slots are called that are neurons."""
    names: dict[int, str] = {}
    for number, layer in enumerate(network.layers, 1):
        for index, position in enumerate(layer, 1):
            match values[position].terms:
                case ((Quantity(operand=Slot(slot)), _),):
                    names.setdefault(slot, f"h_{number}_{index}")
    return tuple(sorted(names.items()))
