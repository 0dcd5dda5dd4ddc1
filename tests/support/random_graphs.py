"""Random valid ONNX graphs, made without code of dsgec: ONNX infers their shapes.

A node is tried with random inputs, attributes, axes and constants; it stays if ONNX can infer its
shape. So most graphs act on each row by itself, and some mix rows or compute with whole numbers.
"""

import math
import random
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TYPES = {TensorProto.FLOAT: np.float32, TensorProto.DOUBLE: np.float64}
WHOLE = {TensorProto.INT32: np.int32, TensorProto.INT64: np.int64}
ALL_TYPES = TYPES | WHOLE
ML = "ai.onnx.ml"
BATCH = "N"

UNARY = {
    "Relu": 7, "Sigmoid": 7, "Tanh": 7, "Abs": 7, "Neg": 7, "Softplus": 7, "Softsign": 7,
    "HardSigmoid": 7, "HardSwish": 14, "LeakyRelu": 7, "Elu": 7, "Selu": 7, "Identity": 7,
    "Exp": 7, "Sqrt": 7, "Reciprocal": 7, "Erf": 9, "Mish": 18, "Gelu": 20,
}  # fmt: skip
ATTRIBUTES = {
    "HardSigmoid": ("alpha", "beta"), "LeakyRelu": ("alpha",), "Elu": ("alpha",),
    "Selu": ("alpha", "gamma"),
}  # fmt: skip
REDUCTIONS = {"ReduceSum": 13, "ReduceMax": 18, "ReduceMin": 18, "ReduceMean": 18,
              "ReduceSumSquare": 18}  # fmt: skip
OPSETS = (7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 17, 18, 19, 20, 20, 20, 21, 21, 22, 22)


@dataclass
class Graph:
    """A growing graph; `shapes` has the type and shape of each value, None for the batch."""

    random: random.Random
    opset: int
    nodes: list = field(default_factory=list)
    stored: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    shapes: dict = field(default_factory=dict)
    outputs: list = field(default_factory=list)
    classes: str = ""  # how labels are made: "", "values" or "logits"
    names: int = 0

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def numbers(self, shape, kind, low=-1.5, high=1.5):
        """Add a constant as an initializer or as a node."""
        made = [self.random.uniform(low, high) for _ in range(math.prod(shape))]
        if kind in WHOLE:
            made = [round(4 * one) for one in made]
        return self.constant(np.array(made).reshape(shape).astype(ALL_TYPES[kind]))

    def constant(self, array):
        name = self.name()
        if self.random.random() < 0.6 or (self.opset < 9 and array.dtype.kind != "f"):
            self.stored.append(numpy_helper.from_array(array, name))
        else:
            given = {"value": numpy_helper.from_array(array)}
            if self.opset >= 12 and array.ndim < 2 and array.dtype in (np.int64, np.float32):
                kind = "int" if array.dtype == np.int64 else "float"
                given = {f"value_{kind}{'s' * array.ndim}": array.tolist()}
            self.nodes.append(helper.make_node("Constant", [], [name], name=name, **given))
        return name

    def axes(self, axes):
        return self.constant(np.array(axes, np.int64))

    def model(self, outputs=None):
        graph = helper.make_graph(
            self.nodes, "net", self.inputs,
            outputs or [helper.make_empty_tensor_value_info(self.nodes[-1].output[0])], self.stored,
        )  # fmt: skip
        return helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", self.opset), helper.make_opsetid(ML, 3)],
            ir_version=8 if self.opset < 19 else 10,
        )

    def add(self, operator, inputs, domain="", results=1, **given):
        """Add a node if ONNX finds it valid, and return the name of its first output, or None."""
        names = [self.name() for _ in range(results)]
        node = helper.make_node(operator, inputs, names, name=names[0], domain=domain, **given)
        self.nodes.append(node)
        try:
            found = onnx.shape_inference.infer_shapes(
                self.model([]), check_type=True, strict_mode=True, data_prop=True
            )
        except Exception:
            self.nodes.pop()
            return None
        for value in found.graph.value_info:
            kind = value.type.tensor_type
            if kind.HasField("shape"):
                sizes = [d.dim_value if d.HasField("dim_value") else None for d in kind.shape.dim]
                self.shapes.setdefault(value.name, (kind.elem_type, tuple(sizes)))
        return names[0]

    def enter(self, name, kind, shape):
        """Set the shape of a value whose shape ONNX does not infer."""
        if name is not None:
            self.shapes[name] = (kind, shape)
        return name


def usable(graph, kinds=TYPES, rank=None):
    """Return a value, mostly a late one, of some types and perhaps of a rank."""
    found = [
        name
        for name, (kind, shape) in graph.shapes.items()
        if kind in kinds
        and (rank is None or len(shape) == rank)
        and math.prod(size or 1 for size in shape) <= 40
        and len(shape) <= 4
    ]
    if not found:
        return None
    return found[-1] if graph.random.random() < 0.75 else graph.random.choice(found)


def any_axis(graph, shape, *, end=0):
    """Return an axis, mostly not that of the batch, sometimes counted from the end."""
    rank = len(shape) + end
    axes = list(range(rank))
    if graph.random.random() < 0.85:
        axes = [axis for axis in axes if axis >= len(shape) or shape[axis] is not None] or axes
    axis = graph.random.choice(axes)
    if graph.opset >= 11 and graph.random.random() < 0.4:
        axis -= rank
    return axis


# --- one function for each kind of node ----------------------------------------------------------


def unary(graph):
    names = [n for n, since in UNARY.items() if since <= graph.opset]
    name = graph.random.choice([*names, names[-1]])
    kinds = ALL_TYPES if graph.random.random() < 0.1 else TYPES
    x = usable(graph, kinds)
    if x is None:
        return
    kind, _ = graph.shapes[x]
    if name in ("Exp", "Sqrt", "Reciprocal") and kind in TYPES:  # within their domain
        x = graph.add("Tanh" if name == "Exp" else "Abs", [x])
        if x and name != "Exp":
            x = graph.add("Add", [x, graph.numbers((), kind, 0.2, 1.0)])
        if x is None:
            return
    given = {a: graph.random.uniform(0.1, 1.2) for a in ATTRIBUTES.get(name, ())}
    if name == "Gelu":
        given = graph.random.choice([{}, {"approximate": "tanh"}, {"approximate": "none"}])
    graph.add(name, [x], **(given if graph.random.random() < 0.7 else {}))


def binary(graph):
    name = graph.random.choice(["Add", "Sub", "Mul", "Div", "Min", "Max", "PRelu", "Pow"])
    kinds = ALL_TYPES if graph.random.random() < 0.15 else TYPES
    x = usable(graph, kinds)
    if x is None:
        return
    kind, shape = graph.shapes[x]
    if name == "Pow":
        exponent = np.full(graph.random.choice([(), (1,), (1, 1, 1)]), graph.random.choice([2, 3]))
        graph.add("Pow", [x, graph.constant(exponent.astype(ALL_TYPES[kind]))])
        return
    others = [n for n, (k, s) in graph.shapes.items() if k == kind and n != x]
    if others and graph.random.random() < 0.5 and name != "PRelu":
        y = graph.random.choice(others)
        if name == "Div" and kind in TYPES:
            y = graph.add("Abs", [y])
            y = y and graph.add("Add", [y, graph.numbers((), kind, 0.3, 1.0)])
    else:
        y = graph.numbers(broadcastable(graph, shape), kind, 0.3 if name == "Div" else -1.5)
    if y is None:
        return
    pair = [x, y] if graph.random.random() < 0.7 or name in ("Div", "PRelu") else [y, x]
    if name in ("Min", "Max") and graph.random.random() < 0.3:
        pair.append(graph.numbers((), kind))
    graph.add(name, pair)


def broadcastable(graph, shape):
    """Return the shape of a constant for a value, of any rank."""
    sizes = [1 if size is None or graph.random.random() < 0.3 else size for size in shape]
    cut = graph.random.choice([0, 0, 0, 1, len(sizes)])
    sizes = sizes[min(cut, len(sizes)) :]
    if graph.random.random() < 0.12:
        sizes = [graph.random.choice([1, 2]), *([1] * (len(shape) - len(sizes))), *sizes]
    return tuple(sizes)


def matmul(graph):
    x = usable(graph)
    if x is None:
        return
    kind, shape = graph.shapes[x]
    if not shape:
        return
    others = [n for n, (k, s) in graph.shapes.items() if k == kind and s]
    if graph.random.random() < 0.15:
        graph.add("MatMul", [x, graph.random.choice(others)])
    elif graph.random.random() < 0.75:
        size = shape[-1] or 1
        form = graph.random.choice([(size, 2), (size, 3), (size,), (1, size, 2), (2, size, 2)])
        graph.add("MatMul", [x, graph.numbers(form, kind)])
    else:
        size = (shape[-2] if len(shape) > 1 else shape[-1]) or 1
        graph.add("MatMul", [graph.numbers(graph.random.choice([(2, size), (size,)]), kind), x])


def gemm(graph):
    x = usable(graph, rank=2)
    if x is None:
        return
    kind, (rows, width) = graph.shapes[x]
    given = {}
    if graph.random.random() < 0.4:
        given |= {"alpha": graph.random.uniform(0.2, 2), "beta": graph.random.uniform(0.2, 2)}
    turned = graph.random.random() < 0.15
    summed = (rows if turned else width) or 1
    if turned:
        given["transA"] = 1
    count = graph.random.randint(1, 3)
    form = (summed, count)
    if graph.random.random() < 0.4:
        given["transB"], form = 1, (count, summed)
    inputs = [x, graph.numbers(form, kind)]
    if graph.opset < 11 or graph.random.random() < 0.7:
        bias = graph.random.choice([(count,), (1, count), (), (1,), (1, 1)])
        inputs.append(graph.numbers(bias, kind))
    graph.add("Gemm", inputs, **given)


def reduction(graph):
    name = graph.random.choice([*REDUCTIONS])
    kinds = ALL_TYPES if graph.random.random() < 0.15 else TYPES
    x = usable(graph, kinds)
    if x is None or not graph.shapes[x][1]:
        return
    _, shape = graph.shapes[x]
    given = {} if graph.random.random() < 0.3 else {"keepdims": graph.random.randint(0, 1)}
    axes = sorted({any_axis(graph, shape) for _ in range(graph.random.choice([1, 1, 1, 2]))})
    if len({axis % len(shape) for axis in axes}) < len(axes):
        return
    inputs = [x]
    if graph.random.random() < 0.93:
        if graph.opset >= REDUCTIONS[name]:
            inputs.append(graph.axes(axes))
        else:
            given["axes"] = axes
    graph.add(name, inputs, **given)


def softmax(graph):
    x = usable(graph)
    if x is None or not graph.shapes[x][1]:
        return
    given = {}
    if graph.random.random() < 0.7:
        given["axis"] = any_axis(graph, graph.shapes[x][1])
    graph.add(graph.random.choice(["Softmax", "Softmax", "LogSoftmax"]), [x], **given)


def normalization(graph):
    x = usable(graph)
    if x is None:
        return
    kind, shape = graph.shapes[x]
    if graph.random.random() < 0.5 and graph.opset >= 17 and shape:
        axis = any_axis(graph, shape)
        sizes = [size or 1 for size in shape[axis if axis >= 0 else axis + len(shape) :]]
        inputs = [x, graph.numbers(sizes, kind)]
        if graph.random.random() < 0.6:
            inputs.append(graph.numbers(sizes, kind))
        graph.add("LayerNormalization", inputs, axis=axis, epsilon=0.01)
    elif len(shape) > 1:
        size = (shape[1] or 1,)
        inputs = [x, *(graph.numbers(size, kind) for _ in range(3))]
        given = {"training_mode": 1} if graph.opset >= 14 and graph.random.random() < 0.05 else {}
        graph.add("BatchNormalization", [*inputs, graph.numbers(size, kind, 0.2)], **given)


def clip(graph):
    x = usable(graph, ALL_TYPES if graph.opset >= 12 and graph.random.random() < 0.1 else TYPES)
    if x is None:
        return
    kind, _ = graph.shapes[x]
    low, high = sorted((graph.random.uniform(-1, 1), graph.random.uniform(-1, 1)))
    if graph.opset < 11:
        graph.add("Clip", [x], **graph.random.choice([{}, {"min": low}, {"min": low, "max": high}]))
        return
    endless = graph.random.random() < 0.15 and kind in TYPES
    made = -math.inf if endless else (low if kind in TYPES else round(3 * low))
    least = graph.constant(np.array(made, ALL_TYPES[kind]))
    most = graph.constant(np.array(high if kind in TYPES else round(3 * high), ALL_TYPES[kind]))
    graph.add("Clip", graph.random.choice([[x], [x, least], [x, least, most], [x, "", most]]))


def dropout(graph):
    x = usable(graph)
    if x is None:
        return
    if graph.opset < 12:
        graph.add("Dropout", [x], ratio=0.4)
        return
    inputs = [x, graph.constant(np.array(0.4, np.float32))]
    if graph.random.random() < 0.3:
        inputs.append(graph.constant(np.array(graph.random.random() < 0.3)))
    graph.add("Dropout", inputs)


def cast(graph):
    x = usable(graph, ALL_TYPES)
    if x is not None:
        rare = [*WHOLE, TensorProto.BOOL, TensorProto.FLOAT16]
        to = graph.random.choice([*TYPES] if graph.random.random() < 0.85 else rare)
        graph.add("Cast", [x], to=to)


def reshaping(graph):
    x = usable(graph, ALL_TYPES)
    if x is None:
        return
    _, shape = graph.shapes[x]
    rank = len(shape)
    match graph.random.choice(["Flatten", "Reshape", "Transpose", "Squeeze", "Unsqueeze"]):
        case "Flatten":
            given = {} if graph.random.random() < 0.4 else {"axis": any_axis(graph, shape, end=1)}
            graph.add("Flatten", [x], **given)
        case "Reshape":
            size = math.prod(one or 1 for one in shape)
            forms = [[-1, size], [0, -1], [-1], [0, 1, -1], [-1, 1, size], [1, -1], [size, -1]]
            if size % 2 == 0:
                forms += [[0, 2, -1], [-1, 2, size // 2], [0, -1, 2], [2, -1], [-1, 2]]
            graph.add("Reshape", [x, graph.axes(graph.random.choice(forms))])
        case "Transpose":
            order = list(range(rank))
            graph.random.shuffle(order)
            graph.add(
                "Transpose", [x], **graph.random.choice([{}, {"perm": order} if rank else {}])
            )
        case "Squeeze" | "Unsqueeze" as name:
            if name == "Squeeze":
                axes = [n for n, size in enumerate(shape) if size == 1]
                if not axes:
                    return
                axes = axes[: graph.random.randint(1, len(axes))]
                total = rank
            else:
                total = rank + 1
                axes = [graph.random.randrange(total)]
            if graph.opset >= 11 and graph.random.random() < 0.4:
                axes = [axis - total for axis in axes]
            if graph.opset < 13:
                graph.add(name, [x], axes=axes)
            elif name == "Squeeze" and graph.random.random() < 0.15:
                graph.add(name, [x])
            else:
                graph.add(name, [x, graph.axes(axes)])


def selection(graph):
    x = usable(graph, ALL_TYPES)
    if x is None or not graph.shapes[x][1]:
        return
    kind, shape = graph.shapes[x]
    if graph.random.random() < 0.25:
        size = shape[-1] or 1
        places = [graph.random.randrange(size) for _ in range(graph.random.randint(1, 3))]
        name = graph.add("ArrayFeatureExtractor", [x, graph.axes(places)], ML)
        graph.enter(name, kind, (*(shape[:-1] or (1,)), len(places)))
        return
    axis = any_axis(graph, shape)
    size = shape[axis] or 1
    form = graph.random.choice([(), (1,), (2,), (3,), (2, 2), (1, 2)])
    least = -size if graph.opset >= 11 else 0
    places = [graph.random.randrange(least, size) for _ in range(math.prod(form))]
    array = np.array(places, graph.random.choice([np.int64, np.int32])).reshape(form)
    given = {} if axis == 0 and graph.random.random() < 0.5 else {"axis": axis}
    graph.add("Gather", [x, graph.constant(array)], **given)


def concat(graph):
    x = usable(graph, ALL_TYPES)
    if x is None or not graph.shapes[x][1]:
        return
    kind, shape = graph.shapes[x]
    alike = [n for n, (k, s) in graph.shapes.items() if k == kind and len(s) == len(shape)]
    inputs = [x, *(graph.random.choice(alike) for _ in range(graph.random.randint(0, 2)))]
    if graph.random.random() < 0.1:
        inputs.append(graph.numbers([one or 1 for one in shape], kind))
    graph.add("Concat", inputs, axis=any_axis(graph, shape))


def classical(graph):
    x = usable(graph, ALL_TYPES, rank=2)
    if x is None:
        return
    _, (rows, width) = graph.shapes[x]
    if width is None:
        return
    many = lambda count: [graph.random.uniform(-1.5, 1.5) for _ in range(count)]  # noqa: E731
    match graph.random.choice(["Scaler", "Normalizer", "LinearRegressor"]):
        case "Scaler":
            count = graph.random.choice([1, width])
            name = graph.add("Scaler", [x], ML, offset=many(count), scale=many(count))
        case "Normalizer":
            name = graph.add("Normalizer", [x], ML, norm=graph.random.choice(["MAX", "L1", "L2"]))
        case _:
            targets = graph.random.randint(1, 3)
            given = {"intercepts": many(targets)} if graph.random.random() < 0.7 else {}
            after = graph.random.choice(["NONE", "NONE", "LOGISTIC", "SOFTMAX"])
            name = graph.add(
                *("LinearRegressor", [x], ML), coefficients=many(targets * width), targets=targets,
                post_transform=after, **given,
            )  # fmt: skip
            width = targets
    graph.enter(name, TensorProto.FLOAT, (rows, width))


MAKERS = [
    *[unary] * 5, *[binary] * 4, *[matmul] * 2, *[gemm] * 2, *[reduction] * 2, *[reshaping] * 4,
    *[selection] * 2, *[classical] * 2, softmax, normalization, clip, dropout, cast, concat,
]  # fmt: skip


# --- whole graphs --------------------------------------------------------------------------------


def random_graph(seed):
    """Return a graph with its outputs; the shape of its input has a rank from 1 to 3."""
    rng = random.Random(seed)
    graph = Graph(rng, rng.choice(OPSETS))
    for number in range(rng.choice([1, 1, 1, 2])):
        kind = rng.choices([*ALL_TYPES], [8, 5, 1, 2])[0]
        first = rng.choice([BATCH, BATCH, BATCH, BATCH, 1])
        rest = rng.choice([[3], [3], [2], [4], [2, 2], [2, 3], [1], [1, 3], []])
        shape = [first, *rest] if rest else [rng.choice([BATCH, 3])]
        name = f"x{number}"
        graph.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        sizes = tuple(None if size == BATCH else size for size in shape)
        graph.shapes[name] = (kind, sizes)
    for _ in range(rng.randint(1, 7)):
        rng.choice(MAKERS)(graph)
    finish(graph)
    return graph


def finish(graph):
    """Choose the outputs: the last value, or scores with a label."""
    if graph.random.random() < 0.25:
        x = usable(graph, rank=2)
        if x is not None and labels(graph, x):
            return
    names = [node.output[0] for node in graph.nodes if node.op_type != "Constant"]
    if names:
        graph.outputs = [names[-1]]


def labels(graph, x):
    """Add labels, of a linear classifier or of an ArgMax, with the scores that they come from."""
    _, (_, width) = graph.shapes[x]
    if width is None or width < 2:
        return False
    many = lambda count: [graph.random.uniform(-1.5, 1.5) for _ in range(count)]  # noqa: E731
    texts = [f"c{number}" for number in range(width)]
    if graph.random.random() < 0.5:
        after = graph.random.choice(["NONE", "LOGISTIC", "SOFTMAX"])
        count = graph.random.choice([2, 3])
        given = graph.random.choice(
            [
                {"classlabels_ints": [*range(5, 5 + count)]},
                {"classlabels_strings": [*"abc"][:count]},
            ]
        )
        label = graph.add(
            *("LinearClassifier", [x], ML, 2), coefficients=many(count * width),
            intercepts=many(count), post_transform=after, **given,
        )  # fmt: skip
        if label is None:
            return False
        scores = graph.nodes[-1].output[1]
        if after == "LOGISTIC" and graph.random.random() < 0.5:
            scores = graph.add("Normalizer", [scores], ML, norm="L1")
        if graph.random.random() < 0.3:
            key = "classlabels_strings" if "classlabels_strings" in given else "classlabels_int64s"
            (names,) = given.values()
            if graph.add("ZipMap", [scores], ML, **{key: names}) is None:
                return False
        graph.outputs, graph.classes = [scores, label], "logits" if after == "NONE" else "values"
        return scores is not None
    scores = x
    graph.classes = "logits"
    if graph.random.random() < 0.6:
        name, graph.classes = graph.random.choice([("Softmax", "values"), ("Sigmoid", "values")])
        scores = graph.add(name, [x], **({"axis": 1} if name == "Softmax" else {}))
    label = scores and graph.add("ArgMax", [scores], axis=1, keepdims=graph.random.randint(0, 1))
    if label and graph.random.random() < 0.6:
        kept = graph.constant(np.array(texts)) if graph.random.random() < 0.5 else None
        if kept is None:
            kept = graph.constant(np.arange(10, 10 + width))
        if graph.random.random() < 0.5:
            label = graph.add("Gather", [kept, label], axis=0)
        else:
            label = graph.add("ArrayFeatureExtractor", [kept, label], ML)
            label = label and graph.add("Reshape", [label, graph.axes([-1])])
    graph.outputs = [scores, label]
    return bool(label)
