"""An ONNX model: a graph of operations on tables of columns.

Rows and results are in single precision, intermediate values in that of the artefact. Independent
operations of one kind become one operation on all their columns; sums become matrix products. The
runtime has its own arithmetic, so this is the one target with a tolerance.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.arithmetic.procedures import procedures
from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.number_format import REALS
from dsgec.export.tape import TapeStep, TapeWriter
from dsgec.export.targets.running import CannotRun
from dsgec.export.targets.target import Array, Files, Target
from dsgec.export.view import TemplateView
from dsgec.network.ir import Network
from dsgec.program.ir import PRIMITIVES, Invoke, Program, Type
from dsgec.program.walk import Walker

OPSET, IR_VERSION = 17, 8
ROWS, PROBABILITIES, NUMBERS, VALUES = "rows", "probabilities", "class_numbers", "values"
"""The names of the inputs and outputs."""

Place = tuple[str, int]
"""A tensor and one of its columns."""

_BY_SYMBOL = {function.symbol: function for function in ALL_FUNCTIONS.values()}
_STEPS = {"add": "Add", "sub": "Sub", "mul": "Mul", "quotient": "Div"}
_OPERATORS = {
    "+": "Add",
    "-": "Sub",
    "*": "Mul",
    "/": "Div",
    "==": "Equal",
    "<": "Less",
    "<=": "LessOrEqual",
    ">": "Greater",
    ">=": "GreaterOrEqual",
}
_CALLS = {"math.fabs": "Abs", "math.sqrt": "Sqrt"}


def emit_onnx(artefact: Artefact) -> tuple[SourceFile, ...]:
    """Return the network as an ONNX graph, `name.onnx`."""
    onnx = library()
    m = TemplateView(artefact)
    graph = _Graph(onnx, artefact.dtype, {ROWS: m.inputs})
    _results(graph, m, *_outputs(graph, artefact.network))
    helper, kinds = onnx.helper, onnx.TensorProto
    results = PROBABILITIES if m.classes else VALUES
    outputs = [helper.make_tensor_value_info(results, kinds.FLOAT, ["n", m.results])]
    if m.classes:
        outputs.append(helper.make_tensor_value_info(NUMBERS, kinds.INT64, ["n"]))
    inputs = [helper.make_tensor_value_info(ROWS, kinds.FLOAT, ["n", m.inputs])]
    model = helper.make_model(
        helper.make_graph(graph.nodes, artefact.name, inputs, outputs, graph.tensors),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="dsgec",
        producer_version=artefact.version,
    )
    helper.set_model_props(model, {key: _text(value) for key, value in m.metadata.items()})
    onnx.checker.check_model(model)
    return (SourceFile(f"{artefact.name}.onnx", model.SerializeToString(deterministic=True)),)


def library() -> Any:
    """Import the package onnx, or raise DsgecError."""
    try:
        import onnx
    except ImportError as error:
        raise DsgecError(
            "the target onnx needs the package onnx", "Install it: pip install 'dsgec[onnx]'"
        ) from error
    return onnx


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _outputs(graph: "_Graph", network: Network) -> tuple[str, str]:
    """Return the tensors of the outputs in single precision and of the values before softmax."""
    writer = TapeWriter(replace(network, softmax=False))
    outputs = writer.write()
    numbers = {value: number for number, value in writer.constants.values()}
    rows = graph.rows()
    place: dict[int, Place] = {value: (rows, column) for column, value in writer.columns.items()}
    wanted = set(outputs)
    for value, number in numbers.items():
        if value in wanted:
            place[value] = (graph.column([number]), 0)
    for group in _groups(writer.operations, numbers):
        tensor = _apply(graph, group, place, numbers)
        values = [operation.result + i for operation in group for i in range(operation.results)]
        graph.widths[tensor] = len(values)
        place.update({value: (tensor, i) for i, value in enumerate(values)})
    y = graph.stack([place[value] for value in outputs])
    return graph.single(graph.add("Softmax", y, axis=1) if network.softmax else y), y


def _results(graph: "_Graph", m: TemplateView, y: str, sums: str) -> None:
    """Add the results, in single precision, under the names that users see."""
    if m.by_sums:
        largest = _largest(graph, sums)
    graph.dtype = "float"
    if not m.classes:
        graph.name(y, VALUES)
        return
    last = y
    if m.outputs == 1:
        other = graph.add("Sub", graph.constant([1.0]), y)
        graph.name(graph.add("Concat", other, y, axis=1), PROBABILITIES)
    else:
        graph.name(y, PROBABILITIES)
    if m.has_threshold:
        if m.outputs > 1:
            last = graph.add("Gather", y, graph.integers([m.outputs - 1]), axis=1)
        chosen = graph.add("GreaterOrEqual", last, graph.constant([m.threshold]))
        chosen = graph.add("Cast", chosen, to=graph.onnx.TensorProto.INT64)
        _number(graph, chosen, last)
    else:
        chosen = largest if m.by_sums else _largest(graph, y)
        _number(graph, chosen, graph.add("GatherElements", y, chosen, axis=1))


def _largest(graph: "_Graph", y: str) -> str:
    """Return the index of the largest output; NaN is never the largest."""
    lowest = graph.constant([-np.inf])
    comparable = graph.add("Where", graph.add("IsNaN", y), lowest, y)
    return graph.add("ArgMax", comparable, axis=1, keepdims=1)


def _number(graph: "_Graph", chosen: str, value: str) -> None:
    """Add the number of the chosen class, or -1 if its value is NaN."""
    numbered = graph.add("Where", graph.add("IsNaN", value), graph.integers([-1]), chosen)
    graph.name(graph.add("Squeeze", numbered, graph.integers([1])), NUMBERS)


def _groups(operations: list[TapeStep], numbers: dict[int, float]) -> Iterable[list[TapeStep]]:
    """Group operations of one kind that can be done together, in an order of evaluation."""
    level: dict[int, int] = {}
    groups: dict[tuple[Any, ...], list[TapeStep]] = {}
    for operation in operations:
        depth = 1 + max((level.get(argument, 0) for argument in operation.arguments), default=0)
        level.update({operation.result + i: depth for i in range(operation.results)})
        fixed = tuple(argument in numbers for argument in operation.arguments)
        kind = operation.arguments if operation.name == "sum" else fixed
        groups.setdefault((depth, operation.name, kind), []).append(operation)
    for key in sorted(groups, key=lambda key: key[0]):  # stable within a depth
        yield groups[key]


def _apply(
    graph: "_Graph", group: list[TapeStep], place: dict[int, Place], numbers: dict[int, float]
) -> str:
    """Return the tensor of the results of a group of operations."""
    if group[0].name == "sum":
        return _sum(graph, group, place, numbers)
    operands = []
    for arguments in zip(*(operation.arguments for operation in group), strict=True):
        if arguments[0] not in numbers:
            operands.append(graph.stack([place[argument] for argument in arguments]))
        elif all(argument in numbers for argument in group[0].arguments):
            operands.append(graph.column([numbers[argument] for argument in arguments]))
        else:
            operands.append(graph.constant([numbers[argument] for argument in arguments]))
    return graph.function(group[0].name, *operands)


def _sum(
    graph: "_Graph", group: list[TapeStep], place: dict[int, Place], numbers: dict[int, float]
) -> str:
    sources = group[0].arguments
    weights = np.hstack([np.array(operation.weights) for operation in group])
    columns = [i for i, source in enumerate(sources) if source not in numbers]
    bias = np.zeros(weights.shape[1])
    with np.errstate(all="ignore"):
        for i, source in enumerate(sources):
            bias = bias + weights[i] * numbers.get(source, 0.0)
    if not columns:
        return graph.column(bias)
    x = graph.stack([place[sources[i]] for i in columns])
    return graph.add("Gemm", x, graph.constant(weights[columns]), graph.constant(bias))


@dataclass
class _Graph:
    """The nodes and constants of a graph; equal ones are shared."""

    onnx: Any
    dtype: str
    widths: dict[str, int]
    nodes: list[Any] = field(default_factory=list)
    tensors: list[Any] = field(default_factory=list)
    known: dict[Any, str] = field(default_factory=dict)

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        key = (operator, inputs, *sorted(attributes.items()))
        if key not in self.known:
            self.known[key] = f"t{len(self.known)}"
            make_node = self.onnx.helper.make_node
            self.nodes.append(make_node(operator, inputs, [self.known[key]], **attributes))
        return self.known[key]

    def name(self, tensor: str, name: str) -> None:
        self.nodes.append(self.onnx.helper.make_node("Identity", [tensor], [name]))

    def rows(self) -> str:
        """Return the rows in the precision of the artefact."""
        if self.dtype == "float":
            return ROWS
        wide = self.add("Cast", ROWS, to=self.onnx.TensorProto.DOUBLE)
        self.widths[wide] = self.widths[ROWS]
        return wide

    def single(self, tensor: str) -> str:
        """Return a tensor in single precision."""
        if self.dtype == "float":
            return tensor
        return self.add("Cast", tensor, to=self.onnx.TensorProto.FLOAT)

    def constant(self, values: Any) -> str:
        return self._tensor(np.array(values, np.float32 if self.dtype == "float" else np.float64))

    def integers(self, values: list[int]) -> str:
        return self._tensor(np.array(values, np.int64))

    def _tensor(self, array: Any) -> str:
        key = (str(array.dtype), array.shape, array.tobytes())
        if key not in self.known:
            self.known[key] = f"t{len(self.known)}"
            self.tensors.append(self.onnx.numpy_helper.from_array(array, self.known[key]))
        return self.known[key]

    def column(self, values: Any) -> str:
        """Return a tensor with the same values in every row."""
        count = self.add("Gather", self.add("Shape", ROWS), self.integers([0]), axis=0)
        shape = self.add("Concat", count, self.integers([len(values)]), axis=0)
        return self.add("Expand", self.constant([values]), shape)

    def stack(self, places: list[Place]) -> str:
        """Return a tensor of these columns side by side."""
        pieces: list[tuple[str, list[int]]] = []
        for tensor, column in places:
            if not pieces or pieces[-1][0] != tensor:
                pieces.append((tensor, []))
            pieces[-1][1].append(column)
        parts = [self._columns(tensor, columns) for tensor, columns in pieces]
        return parts[0] if len(parts) == 1 else self.add("Concat", *parts, axis=1)

    def _columns(self, tensor: str, columns: list[int]) -> str:
        if columns == list(range(self.widths.get(tensor, 1))):
            return tensor
        return self.add("Gather", tensor, self.integers(columns), axis=1)

    def function(self, symbol: str, *x: str) -> str:
        """Apply an operation or a function: by its entry, or translated step by step."""
        if symbol in _STEPS:
            return self.add(_STEPS[symbol], *x)
        form = _BY_SYMBOL[symbol].onnx if symbol in _BY_SYMBOL else None
        if isinstance(form, str):
            return self.add(form, *x)
        if form:
            return form(_Operators(self), *x)
        return _Tensors(self).result(procedures("double")[symbol], x)


class _Tensors(Walker[str]):
    """Runs functions of the arithmetic on tensors, step by step."""

    def __init__(self, graph: _Graph) -> None:
        super().__init__(Program((), ()))
        self.graph = graph

    def constant(self, value: float, type_: Type) -> str:
        return self.graph.constant([value])

    def known(self, value: str, what: str) -> int:
        raise _no_form()

    def negative(self, value: str) -> str:
        return self.graph.add("Neg", value)

    def binary(self, operator: str, left: str, right: str) -> str:
        if operator == "!=":
            return self.graph.add("Not", self.graph.add("Equal", left, right))
        return self.graph.add(_OPERATORS[operator], left, right)

    def select(self, test: str, yes: str, no: str) -> str:
        return self.graph.add("Where", test, yes, no)

    def invoke(self, call: Invoke, arguments: list[str]) -> str:
        if call.function in _CALLS:
            return self.graph.add(_CALLS[call.function], *arguments)
        if call.function == "math.copysign":
            size, sign = arguments
            below = self.graph.add("Less", sign, self.graph.constant([0.0]))
            return self.graph.add("Where", below, self.negative(size), size)
        if call.function in PRIMITIVES:  # on the bits of floats
            raise _no_form()
        return self.graph.function(call.function, *arguments)

    def fit(self, value: str, type_: Type, where: str) -> str:
        return value


def _no_form() -> DsgecError:
    return DsgecError("a function of this network has no form in ONNX")


class _Operators:
    """The operators of ONNX as methods, for the entries of functions; numbers become constants."""

    def __init__(self, graph: _Graph) -> None:
        self.graph = graph

    def __getattr__(self, operator: str) -> Callable[..., str]:
        def add(*inputs: str | float) -> str:
            tensors = [x if isinstance(x, str) else self.graph.constant([x]) for x in inputs]
            return self.graph.add(operator, *tensors)

        return add


def read_onnx(data: bytes) -> Any:
    """Return the properties of a model, which are its metadata, or None."""
    try:
        model = library().load_from_string(data)
        properties = {entry.key: entry.value for entry in model.metadata_props}
        keys = {"columns", "classes", *({"threshold"} & set(properties))}
        plain = {key: json.loads(properties[key]) for key in keys}
    except DsgecError:
        raise
    except Exception:  # protobuf does not document what it raises
        return None
    return properties | plain


def run_onnx(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Return the results for rows, computed by onnxruntime."""
    try:
        import onnxruntime
    except ImportError as error:
        raise CannotRun("there is no onnxruntime here") from error
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    providers = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(files[0].text, options, providers=providers)
    result: Array = session.run(None, {ROWS: rows})[0].astype(np.float64)
    return result


TARGET = Target(
    ("{}.onnx",),
    emit_onnx,
    read_onnx,
    run_onnx,
    dtypes=REALS,
    rows="float32",
    tolerance=1e-6,
    mark=b"dsgec",
)
