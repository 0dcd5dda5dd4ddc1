"""Operators of ONNX that only move values of a row, and those that choose a class."""

from typing import Any

import numpy as np

from dsgec.foreign.layers import Vector
from dsgec.foreign.onnx.step import Block, ClassChoice, GraphStep, Value

_FLOATS = (1, 10, 11, 16)  # FLOAT, FLOAT16, DOUBLE, BFLOAT16


def same(step: GraphStep) -> tuple[Value, ...]:
    value = step.value(0)
    if value is None:
        raise step.refuse("it has no input")
    return (value,)


def cast(step: GraphStep) -> tuple[Value, ...]:
    if isinstance(step.value(0), Vector) and step.attributes.get("to") not in _FLOATS:
        raise step.refuse("it makes whole numbers, truth values or texts of computed values")
    return same(step)


def flatten(step: GraphStep) -> tuple[Value, ...]:
    value = step.value(0)
    if step.attributes.get("axis", 1) != 1:
        raise step.refuse("its axis is not 1, behind that of the rows")
    return (value.vector,) if isinstance(value, Block) else same(step)


def reshape(step: GraphStep) -> tuple[Value, ...]:
    value = step.value(0)
    if isinstance(value, ClassChoice):
        return (value,)
    shape = step.whole_numbers(1, "shape") or []
    if isinstance(value, Vector | Block):
        x = value.vector if isinstance(value, Block) else value
        is_table = len(shape) == 2 and shape[0] in (-1, 0, 1) and shape[1] in (-1, len(x))
        if is_table and shape != [-1, -1]:
            return (x,)
        if len(x) == 1 and shape in ([-1], [0]):
            return (x,)
        raise step.refuse(f"the shape {shape} does not keep the {len(x)} values of a row together")
    return (_reshaped(step, step.numbers(0), shape),)


def _reshaped(step: GraphStep, values: Any, shape: list[int]) -> Any:
    try:
        return values.reshape([values.shape[i] if n == 0 else n for i, n in enumerate(shape)])
    except (ValueError, IndexError) as error:
        raise step.refuse(f"the shape {shape} does not fit") from error


def transpose(step: GraphStep) -> tuple[Value, ...]:
    values = step.numbers(0)
    order = step.attributes.get("perm", list(range(values.ndim))[::-1])
    if sorted(order) != list(range(values.ndim)):
        raise step.refuse(f"{order} is not an order of its {values.ndim} axes")
    return (values.transpose(order),)


def squeeze(step: GraphStep) -> tuple[Value, ...]:
    value = step.value(0)
    if isinstance(value, Vector) and len(value) > 1:
        raise step.refuse(f"it would change the shape of {len(value)} values")
    if isinstance(value, np.ndarray):
        return (value.reshape([n for n in value.shape if n != 1]),)
    return same(step)


def unsqueeze(step: GraphStep) -> tuple[Value, ...]:
    value = step.value(0)
    if isinstance(value, Vector) and len(value) > 1:
        raise step.refuse(f"it would change the shape of {len(value)} values")
    if isinstance(value, np.ndarray):
        raise step.refuse("its input is a constant", "Fold constants before the export.")
    return same(step)


def concat(step: GraphStep) -> tuple[Value, ...]:
    if not step.is_last_axis():
        raise step.refuse("its axis is not that of the values of a row")
    return (step.layers.join(step.vector(place) for place in range(len(step.inputs))),)


def constant(step: GraphStep) -> tuple[Value, ...]:
    for name in ("value", "value_float", "value_int", "value_floats", "value_ints"):
        if name in step.attributes:
            return (np.asarray(step.attributes[name]),)
    raise step.refuse("its value is of a kind that dsgec does not read")


def select(step: GraphStep) -> tuple[Value, ...]:
    """Columns of a table by constant numbers, or the label of the class that was chosen."""
    first, second = step.value(0), step.value(1)
    if isinstance(first, np.ndarray) and isinstance(second, ClassChoice):
        labels = tuple(first.ravel().tolist())
        if len(labels) < len(second.scores):
            raise step.refuse(f"there are {len(labels)} labels for {len(second.scores)} scores")
        return (ClassChoice(second.scores, labels),)
    x = step.vector(0)
    if "axis" in step.attributes and not step.is_last_axis():
        raise step.refuse("its axis is not that of the values of a row")
    places = [int(place) for place in step.numbers(1).ravel()]
    if not places or not all(-len(x) <= place < len(x) for place in places):
        raise step.refuse(f"it selects columns that are not among {len(x)}")
    return (step.layers.select(x, places),)


def argmax(step: GraphStep) -> tuple[Value, ...]:
    if not step.is_last_axis(default=0) or step.attributes.get("select_last_index", 0):
        raise step.refuse("it is not the first of the greatest values of a row")
    return (ClassChoice(step.vector()),)
