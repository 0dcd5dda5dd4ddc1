"""Operators of ONNX that only rearrange values, and those that choose a class."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dsgec.network.readers.onnx.file import DTYPES, TYPES, stored_type
from dsgec.network.readers.onnx.values import (
    Array,
    ClassChoice,
    ComputedTensor,
    ConstantTensor,
    GraphStep,
    Tensor,
    Value,
)

_CASTS = {**TYPES, 8: "string"}
_EXACT_LABEL = 2**24  # whole numbers below it are exact in every type


def identity(step: GraphStep) -> Value:
    return step.tensor()


def dropout(step: GraphStep) -> Value:
    if step.has(2):
        mode = step.tensor(2)
        if not isinstance(mode, ConstantTensor) or mode.array.any():
            raise step.refuse("it is in training mode", "Export the model for inference.")
    return identity(step)


def cast(step: GraphStep) -> Value:
    x = step.tensor()
    to = _CASTS.get(step.attributes.get("to", 0), "")
    if isinstance(x, ClassChoice):
        is_whole = all(isinstance(label, int) and abs(label) < _EXACT_LABEL for label in x.labels)
        if to != x.type and not (is_whole and to in DTYPES and x.type in DTYPES):
            raise step.refuse("it makes another kind of value of a label")
        return replace(x, type=to)
    if isinstance(x, ComputedTensor):
        if to not in ("float", "double", x.type):
            raise step.refuse(
                "it rounds or truncates computed values", "Values can be cast to float or double."
            )
        return replace(x, type=to)
    if to not in DTYPES or x.type not in DTYPES:
        raise step.refuse(f"it casts a constant from {x.type}", "Fold constants before the export.")
    limits = np.iinfo(np.int32 if to == "int32" else np.int64)
    fits = (x.array > float(limits.min)) & (x.array < float(limits.max))  # NaN does not
    if to.startswith("int") and not fits.all():
        raise step.refuse("a constant does not fit into a whole number")
    with np.errstate(all="ignore"):
        return ConstantTensor(x.array.astype(DTYPES[to]), None, to)


# --- shapes ------------------------------------------------------------------------------------


def flatten(step: GraphStep) -> Value:
    x = step.tensor()
    axis = step.axis(x.array.ndim, 1, end=True)
    shape = x.array.shape
    sizes = [math.prod(shape[:axis]), math.prod(shape[axis:])]
    return _reshape(step, x, sizes, None if x.batch is None else int(x.batch >= axis))


def reshape(step: GraphStep) -> Value:
    x = step.tensor()
    shape = step.whole_numbers("shape")
    if shape is None:
        raise step.refuse("it has no shape")
    if 0 in shape and step.flag("allowzero"):
        raise step.refuse("allowzero=1 makes tensors without values")
    rank = x.array.ndim
    if any(size < -1 or (size == 0 and n >= rank) for n, size in enumerate(shape)):
        raise step.refuse(f"the shape {shape} does not fit")
    batch = None if x.batch is None else _batch_of_shape(step, shape, x.batch)
    sizes = [x.array.shape[n] if size == 0 else size for n, size in enumerate(shape)]
    if batch is not None:
        sizes[batch] = 1
    if -1 in sizes:
        others = -math.prod(sizes)
        if others <= 0 or x.array.size % others:
            raise step.refuse(f"the shape {shape} does not fit")
        sizes[sizes.index(-1)] = x.array.size // others
    return _reshape(step, x, sizes, batch)


def _batch_of_shape(step: GraphStep, shape: list[int], before: int) -> int:
    """Return the axis of the rows in the argument of Reshape, given the axis before."""
    if before < len(shape) and shape[before] == 0:
        return before
    if -1 in shape:
        return shape.index(-1)
    raise step.refuse(
        f"the shape {shape} fixes the number of rows",
        "Export the model with a dynamic batch axis, or its input with a batch of 1.",
    )


def _reshape(step: GraphStep, x: Tensor, sizes: Sequence[int], batch: int | None) -> Tensor:
    """Return x in a new shape; raise a DsgecError unless the values of each row stay together."""
    if math.prod(sizes) != x.array.size:
        raise step.refuse(
            f"{list(sizes)} does not keep the {x.array.size} values of a row together"
            if x.batch is not None
            else f"the shape {list(sizes)} does not fit"
        )
    if x.batch is not None:
        assert batch is not None
        before = math.prod(x.array.shape[: x.batch])
        if sizes[batch] != 1 or math.prod(sizes[:batch]) != before:
            raise step.refuse("it does not keep the values of a row together")
    return x.with_array(x.array.reshape(sizes), batch)


def transpose(step: GraphStep) -> Value:
    x = step.tensor()
    rank = x.array.ndim
    order = step.attributes.get("perm", list(range(rank))[::-1])
    if sorted(order) != list(range(rank)):
        raise step.refuse(f"{order} is not an order of its {rank} axes")
    batch = None if x.batch is None else order.index(x.batch)
    return x.with_array(x.array.transpose(order), batch)


def squeeze(step: GraphStep) -> Value:
    x = step.tensor()
    rank = x.array.ndim
    given = step.whole_numbers("axes")
    if given is None:
        if x.batch is not None:
            raise step.refuse("it has no axes, so a batch of one row would lose its axis")
        axes = [axis for axis in range(rank) if x.array.shape[axis] == 1]
    else:
        axes = [step.place(axis, rank) for axis in given]
    step.keep_rows_apart(x, axes)
    if any(x.array.shape[axis] != 1 for axis in axes):
        raise step.refuse(f"it removes axes {axes} of the shape {list(x.array.shape)}")
    kept = [axis for axis in range(rank) if axis not in axes]
    batch = None if x.batch is None else kept.index(x.batch)
    return x.with_array(x.array.reshape([x.array.shape[axis] for axis in kept]), batch)


def unsqueeze(step: GraphStep) -> Value:
    x = step.tensor()
    given = step.whole_numbers("axes") or []
    rank = x.array.ndim + len(given)
    axes = {step.place(axis, rank) for axis in given}
    if len(axes) < len(given):
        raise step.refuse(f"it names an axis twice: {given}")
    kept = [axis for axis in range(rank) if axis not in axes]
    batch = None if x.batch is None else kept[x.batch]
    return x.with_array(np.expand_dims(x.array, tuple(axes)), batch)


def concat(step: GraphStep) -> Value:
    values = [step.tensor(place) for place in range(len(step.inputs))]
    axis = step.axis(values[0].array.ndim)
    step.layers.charge(sum(value.array.size for value in values))
    if all(isinstance(value, ConstantTensor) for value in values):
        return ConstantTensor(np.concatenate([value.array for value in values], axis))
    parts = [step.computed(place, whole=True) for place in range(len(values))]
    batches = {part.batch for part in parts}
    if len(batches) > 1:
        raise step.refuse(
            "some of its inputs have a row for each of the batch, others have one for all"
        )
    (batch,) = batches
    step.keep_rows_apart(parts[0], [axis])
    return ComputedTensor(np.concatenate([part.array for part in parts], axis), batch)


def constant(step: GraphStep) -> Value:
    for name, dtype in (
        ("value", None),
        ("value_float", np.float32),
        ("value_floats", np.float32),
        ("value_int", np.int64),
        ("value_ints", np.int64),
        ("value_string", object),
        ("value_strings", object),
    ):
        if name in step.attributes:
            array = np.asarray(step.attributes[name], dtype)
            return ConstantTensor(array, None, stored_type(array))
    raise step.refuse("its value is of a kind that dsgec does not read")


# --- selections --------------------------------------------------------------------------------


def gather(step: GraphStep) -> Value:
    x, places = step.tensor(0), step.tensor(1)
    axis = step.axis(x.array.ndim, 0)
    if isinstance(places, ClassChoice):
        return _with_labels(step, x, places)
    step.keep_rows_apart(x, [axis])
    found = _indices(step, x.array.shape[axis])
    step.layers.charge(x.array.size // x.array.shape[axis] * found.size)
    batch = x.batch
    if batch is not None and batch > axis:
        batch += found.ndim - 1
    return x.with_array(np.take(x.array, found, axis), batch)


def extract_features(step: GraphStep) -> Value:
    """Select values along the last axis; the result has two axes at least."""
    x, places = step.tensor(0), step.tensor(1)
    if isinstance(places, ClassChoice):
        chosen = _with_labels(step, x, places)
        is_row = x.array.ndim == 1 and places.batch is not None
        return chosen.with_array(chosen.array.reshape(1, 1), 1 if is_row else places.batch)
    step.keep_rows_apart(x, [x.array.ndim - 1])
    found = _indices(step, x.array.shape[-1]).ravel()
    if (found < 0).any():
        raise step.refuse("it selects columns by negative numbers")
    step.layers.charge(x.array.size // x.array.shape[-1] * found.size)
    y = np.take(x.array, found, -1)
    return x.with_array(y[np.newaxis] if y.ndim == 1 else y, x.batch)


def _indices(step: GraphStep, count: int) -> Array:
    """Return the constant indices among `count` values that the second input selects."""
    places = step.numbers(1).astype(np.int64)
    if not places.size or (places < -count).any() or (places >= count).any():
        raise step.refuse(f"it selects values that are not among {count}")
    return places


def _with_labels(step: GraphStep, labels: Tensor, choice: ClassChoice) -> ClassChoice:
    """Return the choice of a class with the labels of the classes."""
    if not isinstance(labels, ConstantTensor) or choice.labels:
        raise step.refuse("it selects values by the number of a class")
    found = tuple(labels.array.ravel().tolist())
    if len(found) != choice.scores.size or labels.array.shape[-1] != len(found):
        raise step.refuse(f"there are {len(found)} labels for {choice.scores.size} scores")
    return replace(choice, labels=found, type=labels.type)


def argmax(step: GraphStep) -> Value:
    x = step.computed(whole=True)
    axis = step.axis(x.array.ndim, 0)
    step.keep_rows_apart(x, [axis])
    if step.flag("select_last_index"):
        raise step.refuse("it is not the first of the greatest values of a row")
    if x.array.size != x.array.shape[axis]:
        raise step.refuse("it chooses several classes for a row")
    shape = [1] * x.array.ndim
    batch = x.batch
    if not step.flag("keepdims", 1):
        del shape[axis]
        batch = None if batch is None else batch - (batch > axis)
    zero = np.zeros(shape, np.int64)
    return ClassChoice(zero, batch, "int64", x.array.ravel(), tensor=step.names[0])
