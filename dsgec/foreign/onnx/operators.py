"""The table of the operators of ONNX that can be compiled, each to calls of `Layers`."""

from dsgec.errors import DsgecError
from dsgec.foreign.onnx import classical, functions, shapes, sums
from dsgec.foreign.onnx.step import GraphStep, Operator, Value

_ML = "ai.onnx.ml."

OPERATORS: dict[str, Operator] = {
    "Gemm": sums.gemm,
    "MatMul": sums.matmul,
    "Add": sums.arithmetic("add"),
    "Sub": sums.arithmetic("sub"),
    "Mul": sums.arithmetic("mul"),
    "Div": sums.arithmetic("div"),
    "Min": sums.extreme("min"),
    "Max": sums.extreme("max"),
    "Relu": sums.function("relu"),
    "Sigmoid": sums.function("sig"),
    "Tanh": sums.function("tanh"),
    "Exp": sums.function("exp"),
    "Abs": sums.function("abs"),
    "Neg": sums.function("neg"),
    "Sqrt": sums.function("sqrt"),
    "Reciprocal": functions.reciprocal,
    "Softmax": functions.softmax,
    "Clip": functions.clip,
    "LeakyRelu": functions.leaky_relu,
    "PRelu": functions.prelu,
    "Elu": functions.exponential(1.0, 1.0),
    "Selu": functions.exponential(1.6732632423543772, 1.0507009873554805),
    "Softplus": functions.softplus,
    "Softsign": functions.softsign,
    "HardSigmoid": functions.hard_sigmoid,
    "HardSwish": functions.hard_swish,
    "BatchNormalization": functions.batch_normalization,
    "ReduceSum": sums.reduce("add"),
    "ReduceMax": sums.reduce("max"),
    "ReduceSumSquare": sums.reduce("add", squared=True),
    "Identity": shapes.same,
    "Dropout": shapes.same,
    "Cast": shapes.cast,
    "Flatten": shapes.flatten,
    "Reshape": shapes.reshape,
    "Transpose": shapes.transpose,
    "Squeeze": shapes.squeeze,
    "Unsqueeze": shapes.unsqueeze,
    "Concat": shapes.concat,
    "Constant": shapes.constant,
    "Gather": shapes.select,
    "ArgMax": shapes.argmax,
    f"{_ML}ArrayFeatureExtractor": shapes.select,
    f"{_ML}Scaler": classical.scaler,
    f"{_ML}Normalizer": classical.normalizer,
    f"{_ML}LinearClassifier": classical.linear_classifier,
    f"{_ML}LinearRegressor": classical.linear_regressor,
    f"{_ML}ZipMap": classical.zip_map,
}


def apply_operator(name: str, step: GraphStep) -> tuple[Value, ...]:
    """What a node gives; an operator that is not in the table is refused by its name."""
    operator = OPERATORS.get(name)
    if operator is None:
        known = ", ".join(one.removeprefix(_ML) for one in OPERATORS)
        raise DsgecError(
            f"{step.what}: this operator is not supported",
            f"Export the model without it. Supported are {known}.",
        )
    return operator(step)
