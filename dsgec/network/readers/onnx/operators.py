"""The table of the operators of ONNX that can be compiled, each to calls of `Layers`."""

from dsgec.errors import DsgecError
from dsgec.network.readers.onnx import classical, functions, shapes, sums
from dsgec.network.readers.onnx.value import Operator

_ML = "ai.onnx.ml."

OPERATORS: dict[str, Operator] = {
    "Gemm": sums.gemm,
    "MatMul": sums.matmul,
    "Add": sums.arithmetic("add"),
    "Sub": sums.arithmetic("sub"),
    "Mul": sums.arithmetic("mul"),
    "Div": sums.arithmetic("div"),
    "Pow": functions.power,
    "Min": sums.extreme("min"),
    "Max": sums.extreme("max"),
    "Relu": functions.unary("relu"),
    "Sigmoid": functions.unary("sig"),
    "Tanh": functions.unary("tanh"),
    "Exp": functions.unary("exp"),
    "Abs": functions.unary("abs"),
    "Neg": functions.unary("neg"),
    "Sqrt": functions.unary("sqrt"),
    "Reciprocal": functions.elementwise(functions.reciprocal),
    "Softmax": functions.softmax("softmax"),
    "LogSoftmax": functions.softmax("log_softmax"),
    "Clip": functions.clip,
    "LeakyRelu": functions.elementwise(functions.leaky_relu),
    "PRelu": functions.prelu,
    "Elu": functions.exponential(1.0, 1.0),
    "Selu": functions.exponential(1.6732632423543772, 1.0507009873554805),
    "Softplus": functions.elementwise(functions.softplus),
    "Mish": functions.elementwise(functions.mish),
    "Softsign": functions.elementwise(functions.softsign),
    "HardSigmoid": functions.elementwise(functions.hard_sigmoid),
    "HardSwish": functions.elementwise(functions.hard_swish),
    "Erf": functions.elementwise(functions.error_function),
    "Gelu": functions.elementwise(functions.gelu),
    "BatchNormalization": functions.batch_normalization,
    "LayerNormalization": functions.layer_normalization,
    "ReduceSum": sums.reduce("add"),
    "ReduceMean": sums.reduce("add", mean=True),
    "ReduceMax": sums.reduce("max"),
    "ReduceMin": sums.reduce("min"),
    "ReduceSumSquare": sums.reduce("add", squared=True),
    "Identity": shapes.identity,
    "Dropout": shapes.dropout,
    "Cast": shapes.cast,
    "Flatten": shapes.flatten,
    "Reshape": shapes.reshape,
    "Transpose": shapes.transpose,
    "Squeeze": shapes.squeeze,
    "Unsqueeze": shapes.unsqueeze,
    "Concat": shapes.concat,
    "Constant": shapes.constant,
    "Gather": shapes.gather,
    "ArgMax": shapes.argmax,
    f"{_ML}ArrayFeatureExtractor": shapes.extract_features,
    f"{_ML}Scaler": classical.scaler,
    f"{_ML}Normalizer": classical.normalizer,
    f"{_ML}LinearClassifier": classical.linear_classifier,
    f"{_ML}LinearRegressor": classical.linear_regressor,
    f"{_ML}ZipMap": classical.zip_map,
}


def find_operator(name: str, what: str) -> Operator:
    """Return the operator of a node; one that is not in the table is refused by its name."""
    operator = OPERATORS.get(name)
    if operator is None:
        known = ", ".join(one.removeprefix(_ML) for one in OPERATORS)
        raise DsgecError(
            f"{what}: this operator is not supported",
            f"Export the model without it. Supported are {known}.",
        )
    return operator
