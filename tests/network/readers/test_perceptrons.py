"""Perceptrons of scikit-learn and their ONNX files give the same bits in every target."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dsgec
from dsgec.export.artefact import QUICK, Artefact
from dsgec.export.targets.running import CannotRun
from dsgec.export.targets.target import TARGETS
from dsgec.network.evaluate import evaluate
from dsgec.network.model import compose
from dsgec.network.readers.foreign import measure_agreement
from dsgec.network.readers.onnx.read import read_onnx
from tests.support.foreign_models import SAMPLE, ZOO, own_outputs, perceptron, table, worst
from tests.support.random_networks import same_bits

BAR = 1e-12


def onnx_of(model, x, *, double=True):
    skl2onnx = pytest.importorskip("skl2onnx")
    types = pytest.importorskip("skl2onnx.common.data_types")
    kind = types.DoubleTensorType if double else types.FloatTensorType
    made = skl2onnx.to_onnx(model, initial_types=[("x", kind([None, x.shape[1]]))])
    return made.SerializeToString()


def agrees(task, shape, activation):
    """Compare the models of the estimator and of its ONNX file with scikit-learn."""
    model, (x, _) = perceptron(task, shape, activation), table(task)
    network = dsgec.compile(model)
    wanted = own_outputs(model, x)

    assert network.agreement.worst <= BAR
    assert network.agreement.labels == 0
    assert worst(network.outputs(x), wanted) <= BAR
    assert (network.predict(x) == model.predict(x)).all() or task == "number"
    foreign = read_onnx(onnx_of(model, x), "it")
    assert worst(evaluate(compose(foreign.model), x), wanted) <= BAR
    single = read_onnx(onnx_of(model, x, double=False), "it")
    assert worst(evaluate(compose(single.model), x), wanted) <= 1e-4
    return network


@pytest.mark.parametrize("double", [True, False])
@pytest.mark.parametrize("texts", [True, False])
def test_a_logistic_regression_keeps_its_labels_in_an_onnx_file(double, texts):
    pytest.importorskip("onnxruntime")
    x, y = table("many")
    y = np.array(["a", "b", "c"])[y] if texts else y + 3
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(x, y)
    foreign = read_onnx(onnx_of(model, x, double=double), "it")

    assert foreign.model.classes == (("a", "b", "c") if texts else (3, 4, 5))
    found = measure_agreement(foreign, x)
    assert (found.rows, found.labels) == (150, 0)
    assert found.worst <= (1e-12 if double else 1e-5)
    two = LogisticRegression().fit(x, y == y[0])
    assert measure_agreement(read_onnx(onnx_of(two, x, double=double), "it"), x).labels == 0


def same_in_every_target(network, rows, targets):
    """Compare the bits of targets, and return the targets that could be run."""
    artefact = Artefact(network.model, "net", selftest=QUICK)
    wanted = network.outputs(rows)
    if network.classes and wanted.shape[1] == 1:
        wanted = np.hstack([1.0 - wanted, wanted])
    ran = []
    for name in targets:
        target = TARGETS[name]
        given = rows.astype(target.rows or rows.dtype)
        try:
            found = target.run(artefact, target.make(artefact), given).reshape(wanted.shape)
        except CannotRun:
            continue
        if target.tolerance:
            assert np.allclose(found, wanted, rtol=1e-3, atol=1e-3), name
        else:
            assert same_bits(found, wanted), name
        ran.append(name)
    return ran


@pytest.mark.needs_cc
@pytest.mark.parametrize("one", SAMPLE, ids=str)
def test_a_perceptron_agrees_with_scikit_learn_and_has_one_set_of_bits(one):
    network = agrees(*one)

    assert same_in_every_target(network, table(one[0])[0][:40], ["c", "numpy"])


@pytest.mark.needs_cc
@pytest.mark.campaign
@pytest.mark.parametrize("one", ZOO, ids=str)
def test_every_perceptron_agrees_and_has_one_set_of_bits_in_every_target(one):
    network = agrees(*one)
    double = [name for name, target in TARGETS.items() if "double" in target.dtypes]
    ran = same_in_every_target(network, table(one[0])[0][:100], double)

    print(f"{one}: {network.agreement}; {', '.join(ran)}")
    assert {"c", "python", "numpy"} <= {*ran}
