"""Foreign models: perceptrons of every kind on scikit-learn's own tables, and ONNX graphs."""

import warnings
from functools import cache
from itertools import product

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

ACTIVATIONS = ("relu", "tanh", "logistic", "identity")
SHAPES = ((6,), (8, 4), (5, 4, 3))
TABLES = {"two": load_breast_cancer, "many": load_iris, "number": load_diabetes}

ZOO = list(product(TABLES, SHAPES, ACTIVATIONS))
"""Every kind of perceptron: 36 of them."""

SAMPLE = [ZOO[0], ZOO[17]]


@cache
def table(task):
    return TABLES[task](return_X_y=True)


@cache
def perceptron(task, shape, activation):
    """Return a briefly trained perceptron, after a scaler if its table needs one."""
    x, y = table(task)
    kind = MLPRegressor if task == "number" else MLPClassifier
    model = kind(hidden_layer_sizes=shape, activation=activation, max_iter=30, random_state=1)
    if task != "many":
        model = make_pipeline(StandardScaler() if task == "two" else MinMaxScaler(), model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it has not converged
        return model.fit(x, y)


def own_outputs(model, x):
    """Return scikit-learn's outputs as the network has them: one probability for two classes."""
    if not hasattr(model, "classes_"):
        return model.predict(x).reshape(len(x), -1)
    shares = model.predict_proba(x)
    return shares[:, 1:] if shares.shape[1] == 2 else shares


def worst(found, wanted):
    """Return the greatest relative difference; values near 0 are compared with their mean size."""
    typical = np.sqrt(np.mean(wanted**2, axis=0)) if wanted.min() < 0 or wanted.max() > 1 else 0
    return float((np.abs(found - wanted) / np.maximum(np.abs(wanted), typical)).max())


def graph(nodes, constants=(), *, width=3, outputs=("y",), shape=None, double=True, opset=17):
    """Return the bytes of an ONNX model; nodes are (operator, inputs, output, attributes)."""
    from onnx import TensorProto, helper, numpy_helper

    kind = TensorProto.DOUBLE if double else TensorProto.FLOAT
    made = []
    for number, (operator, inputs, output, given) in enumerate(nodes):
        domain, _, name = operator.rpartition(".")
        results = output if isinstance(output, list) else [output]
        made.append(
            helper.make_node(name, inputs, results, name=f"n{number}", domain=domain, **given)
        )
    ins = [helper.make_tensor_value_info("x", kind, shape or ["N", width])]
    outs = [helper.make_empty_tensor_value_info(name) for name in outputs]
    dtype = np.float64 if double else np.float32
    kept = [
        numpy_helper.from_array(np.asarray(v) if _is_whole(v) else np.asarray(v, dtype), name)
        for name, v in dict(constants).items()
    ]
    model = helper.make_model(
        helper.make_graph(made, "net", ins, outs, kept),
        opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.ml", 3)],
        ir_version=8,
    )
    return model.SerializeToString()


def _is_whole(values):
    return np.asarray(values).dtype.kind in "iU"
