"""The exported ONNX model agrees with the double network within a millionth."""

import json
import random

import numpy as np
import pytest

from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact, model_id
from dsgec.export.targets.onnx import emit_onnx
from dsgec.grammar.load import load_grammar
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Column, Model, compose, plain_columns, unnamed_model
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from dsgec.search.choose import choose_evolver
from dsgec.search.models import make_model
from dsgec.search.problem import make_problem
from dsgec.search.settings import Settings
from tests.support.artefacts import onnx_session
from tests.support.models import layered

TOLERANCE = 1e-6


def compare(model, table, dtype="double"):
    """Compare results on rows in single precision, so that both networks see the same numbers."""
    table = table.astype(np.float32)
    found, *numbers = onnx_session(model, dtype).run(None, {"rows": table})
    outputs = evaluate(compose(model), table.astype(np.float64))
    if not model.is_classifier:
        assert np.abs(found - outputs).max() <= TOLERANCE * max(1.0, np.abs(outputs).max())
        return
    single = len(model.network.outputs) == 1
    wanted = np.hstack([1.0 - outputs, outputs]) if single else outputs
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max() <= TOLERANCE
    clear = np.abs(wanted - np.sort(wanted)[:, [-2]]).max(axis=1) > 1e-5
    assert (numbers[0] == wanted.argmax(axis=1))[clear].all()


@pytest.mark.parametrize(
    "grammar",
    [
        "one_layer",
        *(
            pytest.param(f"multi_layer{end}", marks=pytest.mark.campaign)
            for end in ("", "_softmax")
        ),
    ],
)
def test_networks_of_the_shipped_grammars_are_within_a_millionth(grammar):
    dataset = make_dataset(read_table("wdbc"))
    columns = tuple(
        Column(name, center=float(values.mean()), scale=float(values.std()))
        for name, values in zip(dataset.features, dataset.x.T, strict=True)
    )
    for seed in range(5):
        settings = Settings(population=10, generations=2, seed=seed)
        problem = make_problem(load_grammar(grammar).grammar, dataset, settings)
        *_, last = choose_evolver(problem, settings, "numpy").generations()
        network = make_model(problem, last.phenotype).network
        compare(Model(network, columns, dataset.classes), dataset.x)


@pytest.mark.parametrize("seed", range(20))
def test_a_network_of_layers_is_within_a_millionth(seed):
    rng = random.Random(seed)
    classes = rng.choice([2, 3, 5])
    network = layered(rng, 8, rng.randint(1, 5), classes)
    columns = plain_columns(tuple(f"x_{i}" for i in range(1, 9)))
    model = Model(network, columns, tuple(range(classes)))

    table = np.random.default_rng(seed).normal(size=(500, 8))
    compare(model, table)
    found, _ = onnx_session(model, "float").run(None, {"rows": table.astype(np.float32)})
    exact, _ = onnx_session(model).run(None, {"rows": table.astype(np.float32)})
    assert np.abs(found - exact).max() <= 1e-5


@pytest.mark.parametrize(
    "text",
    [
        *(
            f"{name}({', '.join(('x_1', 'x_2', 'x_3')[: function.arity])})"
            for name, function in FUNCTIONS.items()
            if function.arity
        ),
        "x_1 / x_2 + log(x_1) * sqrt(x_2)",
        "sin(x_1) + cos(x_2) - exp(x_1 / 4)",
        "x_1 ^ 3 + x_2 ^ -2 - power(x_1, 0.5)",
        "min(x_1, x_2) + max(abs(x_1), 0.5) - (-x_2)",
        "y_1 = 0.25\ny_2 = x_2\ny_3 = x_1 + 1.5",
        "relu(x_1) + tanh(x_2)",
        "if(x_1 < x_2 and not x_3 = 1, x_1 * x_2, x_1 - 1) + (x_2 != x_3)",
    ],
)
def test_every_function_has_a_form(text):
    table = np.random.default_rng(3).uniform(0.5, 3.0, size=(200, 3))
    table[0], table[1] = (0.0, 1.0, 1.0), (1.0, 1.0, -1.0)
    compare(unnamed_model(simplify(parse(text, inputs=3))), table)


def test_protected_functions_keep_their_meaning():
    model = unnamed_model(
        parse("y_1 = x_1 / x_2\ny_2 = log(x_1)\ny_3 = power(x_1, x_2)\ny_4 = cos(x_3)")
    )
    (found,) = onnx_session(model).run(None, {"rows": np.array([[0.0, 0.0, 1e7]], np.float32)})

    assert found.tolist() == [[1.0, 0.0, 1.0, 1.0]]


def test_filling_categories_and_scaling_are_inside():
    model = Model(
        parse("sig(x_1 + 2.0*x_2 - x_3 + 0.5*x_4 - 0.25*x_5)"),
        (
            Column("width", fill=1.5, center=3.0, scale=0.7),
            Column("colour", "category", ("red", "blue"), fill=0.0),
            Column("open", "boolean", ("no", "yes")),
            Column("length"),
        ),
        ("small", "large"),
    )
    rng = np.random.default_rng(1)
    table = np.stack(
        [rng.normal(3, 1, 300), *rng.integers(-1, 2, (2, 300)), rng.normal(size=300)], axis=1
    )
    table[:40, 0] = np.nan
    table[20:60, 1] = np.nan
    compare(model, table)


def test_the_file_describes_itself():
    onnx = pytest.importorskip("onnx", reason="onnx is not installed")
    model = Model(parse("sig(x_1)"), plain_columns(('a "b" é',)), ("*/ no", 'y"'))
    first, second = (emit_onnx(Artefact(model, "net"))[0].text for _ in "ab")
    assert first == second
    loaded = onnx.load_from_string(first)
    properties = {entry.key: entry.value for entry in loaded.metadata_props}
    assert properties["model_id"] == model_id(model)
    assert json.loads(properties["columns"]) == [{"name": 'a "b" é'}]
    assert json.loads(properties["classes"]) == ["*/ no", 'y"']
    assert [opset.version for opset in loaded.opset_import] == [17]


def test_a_number_beyond_single_precision_is_refused():
    pytest.importorskip("onnx", reason="onnx is not installed")
    with pytest.raises(DsgecError, match="too large for the type float"):
        emit_onnx(Artefact(unnamed_model(parse("x_1 * 1e300")), "net", "float"))


@pytest.mark.parametrize("text", ["sig(x_1)", "softmax(x_1, 0.5)"])
def test_there_is_no_class_if_the_output_is_not_a_number(text):
    model = Model(parse(text), plain_columns(("a",)), ("no", "yes"))
    table = np.array([[np.nan], [-9.0]], np.float32)
    found, numbers = onnx_session(model).run(None, {"rows": table})

    assert np.isnan(found[0]).all()
    assert numbers.tolist() == [-1, 0 if text[1] == "i" else 1]
