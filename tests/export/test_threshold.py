"""A decision threshold: every export gives the same labels at it, just below and just above."""

import subprocess
from dataclasses import replace

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact, model_id
from dsgec.export.fixed.evaluate import evaluate_integers
from dsgec.export.targets.target import TARGETS
from dsgec.network.decide import choose_classes
from dsgec.network.description import describe_model, read_model
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Model, compose, plain_columns
from dsgec.network.parse import parse
from dsgec.network.text import network_text
from dsgec.run.predict import predictions
from tests.support.artefacts import COMPILERS, CLibrary, first_type, onnx_session, python_module
from tests.support.importing import package
from tests.support.javascript import MODULES, NODE, write_files

THRESHOLDS = [0.3, 0.7312343, 1e-9, 0.1]
ONE, TWO = "y_1 = x_1", "y_1 = 1 - x_1\ny_2 = x_1"
"""Networks whose second class has the probability x_1: rows hit the threshold to the bit."""


def model_of(equations, threshold):
    return Model(parse(equations, inputs=1), plain_columns(("p",)), ("no", "yes"), "y", threshold)


def rows_around(threshold, dtype=np.float64):
    """Return rows just below, at and just above the threshold, far from it, and at 0.5."""
    t = dtype(threshold)
    values = [np.nextafter(t, dtype(0)), t, np.nextafter(t, dtype(1)), 0.0, 1.0, 0.5]
    return np.array(values, dtype).reshape(-1, 1)


def wanted(threshold):
    return [0, 1, 1, 0, 1, int(threshold <= 0.5)]


def labels(numbers):
    return [("no", "yes")[number] for number in numbers]


@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("equations", [ONE, TWO])
def test_python_numpy_and_the_library_decide_by_the_threshold(equations, threshold):
    import dsgec
    from dsgec.data.arrays import make_table

    model, table = model_of(equations, threshold), rows_around(threshold)
    expected = labels(wanted(threshold))
    assert choose_classes(evaluate(compose(model), table), threshold)[0].tolist() == wanted(
        threshold
    )
    for target in ("python", "numpy"):
        module = python_module(model, target)
        assert list(module.predict(table)) == expected
        assert module.selftest() is True
    assert dsgec.Network(model).predict(table).tolist() == expected
    lines = predictions(model, make_table(table)).splitlines()[1:]
    assert [line.split(",")[0] for line in lines] == expected


@pytest.mark.needs_cc
@pytest.mark.parametrize("dtype", ["double", "float"])
def test_c_decides_by_the_threshold(dtype, tmp_path):
    models = {
        f"net{k}_{i}": model_of(equations, threshold)
        for k, threshold in enumerate(THRESHOLDS)
        for i, equations in enumerate((ONE, TWO))
    }
    library = CLibrary(models, tmp_path, COMPILERS[0], "-O0", dtype=dtype)
    for name, model in models.items():
        table = rows_around(model.threshold, np.float32 if dtype == "float" else np.float64)
        for batch in (False, True):
            assert library.classes(name, table, batch=batch) == wanted(model.threshold)
        assert library.selftest(name) == 0


@pytest.mark.needs_cc
@pytest.mark.parametrize("dtype", ["double", "float"])
@pytest.mark.parametrize("equations", [ONE, TWO])
def test_the_package_decides_by_the_threshold(equations, dtype, tmp_path):
    threshold = 0.1  # whose nearest number of single precision is larger
    module = package(model_of(equations, threshold), tmp_path, dtype)
    table = rows_around(threshold, np.float32 if dtype == "float" else np.float64)
    expected = labels(wanted(threshold))
    assert module.predict(table).tolist() == expected
    assert [module.predict(row)[0] for row in table] == expected
    assert [module.predict(row.tolist())[0] for row in table] == expected
    assert module.selftest() is True


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.parametrize("target", MODULES)
def test_javascript_and_its_loader_decide_by_the_threshold(target, tmp_path):
    lines, expected = [], []
    for k, threshold in enumerate(THRESHOLDS):
        for i, equations in enumerate((ONE, TWO)):
            artefact = Artefact(model_of(equations, threshold), f"net{k}_{i}")
            module = write_files(tmp_path, target, artefact)
            rows = [[float(p)] for (p,) in rows_around(threshold)]
            lines += [
                f'import * as net{k}_{i} from "./{module}";',
                f"console.log(net{k}_{i}.predictBatch({rows!r}).join(), net{k}_{i}.selftest());",
            ]
            expected.append(",".join(labels(wanted(threshold))) + " true")
    (tmp_path / "driver.mjs").write_text("\n".join(lines))
    answer = subprocess.run(
        [NODE, str(tmp_path / "driver.mjs")], capture_output=True, text=True, check=True
    )
    assert answer.stdout.splitlines() == expected


@pytest.mark.parametrize("equations", [ONE, TWO])
def test_onnx_decides_by_the_threshold_in_single_precision(equations):
    threshold = 0.3125
    found = onnx_session(model_of(equations, threshold))
    _, numbers = found.run(None, {"rows": rows_around(threshold, np.float32)})
    assert numbers.tolist() == wanted(threshold)


@pytest.mark.parametrize("equations", ["sig(2*x_1 - 0.3)", "softmax(0.4, 1.5*x_1 - 0.2)"])
def test_a_row_that_gives_the_threshold_itself_is_of_the_second_class(equations):
    rows = np.linspace(-1.0, 1.0, 41).reshape(-1, 1)
    network = parse(equations, inputs=1)
    p = evaluate(network, rows)[:, -1]
    model = Model(network, plain_columns(("p",)), ("no", "yes"), "", float(p[13]))
    expected = ["no"] * 13 + ["yes"] * 28
    for target in ("python", "numpy"):
        module = python_module(model, target)
        assert list(module.predict(rows)) == expected
        np.testing.assert_array_equal(np.array(module.predict_proba(rows))[:, 1], p)


def test_ties_at_a_half_are_decided_as_ever():
    half = np.array([[0.5]])
    for threshold, one, two in ((0.5, "yes", "no"), (0.4, "yes", "yes"), (0.6, "no", "no")):
        for equations, expected in ((ONE, one), (TWO, two)):
            module = python_module(model_of(equations, threshold), "numpy")
            assert list(module.predict(half)) == [expected]


@pytest.mark.parametrize("target", sorted(TARGETS))
def test_an_export_with_the_default_threshold_does_not_mention_it(target):
    pytest.importorskip("onnx")
    for equations in (ONE, TWO):
        for file in TARGETS[target].emit(first_type(model_of(equations, 0.5), target)):
            content = file.text if isinstance(file.text, bytes) else file.text.encode()
            assert b"threshold" not in content


@pytest.mark.parametrize("equations", [ONE, TWO])
def test_the_threshold_is_part_of_the_model(equations):
    default, other = model_of(equations, 0.5), model_of(equations, 0.3)
    assert "threshold" not in describe_model(default)
    assert describe_model(other)["threshold"] == 0.3
    assert model_id(default) != model_id(other)
    for model in (default, other):
        assert read_model(describe_model(model), network_text(model.network), "a", "b") == model


@pytest.mark.parametrize("threshold", ["0.3", True, float("nan"), None, [0.3], 10**400])
def test_an_invalid_threshold_is_refused(threshold):
    model = model_of(ONE, 0.5)
    with pytest.raises(DsgecError, match="does not describe"):
        read_model(
            {**describe_model(model), "threshold": threshold}, network_text(model.network), "a", "b"
        )


def test_a_threshold_of_three_classes_is_refused():
    network = parse("softmax(x_1, x_1, 0.2)", inputs=1)
    model = Model(network, plain_columns(("p",)), ("a", "b", "c"))
    with pytest.raises(DsgecError, match="does not describe"):
        read_model({**describe_model(model), "threshold": 0.3}, network_text(network), "a", "b")


@pytest.mark.parametrize("dtype", ["double", "float"])
@pytest.mark.parametrize("equations", [ONE, TWO])
def test_the_self_test_has_a_row_on_either_side_of_the_threshold(equations, dtype):
    """Such rows make the self-test fail in code that decides at 0.5."""
    model = model_of(equations, 0.3)
    golden = Artefact(model, "net", dtype).golden
    seconds = np.array([result[1] for result in golden.results])
    near = (seconds >= 0.3) & (seconds < 0.5)
    assert near.any()
    assert np.array(golden.classes)[near].all()
    default = Artefact(replace(model, threshold=0.5), "net", dtype).golden
    assert golden.rows[: len(default.rows)] == default.rows


LAYER = "sig(3 * x_1 - 0.8)"


@pytest.mark.parametrize("dtype", ["q15", "q7"])
@pytest.mark.parametrize("equations", [ONE, TWO, LAYER])
@pytest.mark.parametrize("threshold", [0.3, 0.7312343])
def test_the_self_test_of_integers_has_the_nearest_row_on_either_side(threshold, equations, dtype):
    model = model_of(equations, threshold)
    artefact, default = (
        Artefact(own, "net", dtype, selftest="quick", ranges=((0.0, 1.0),))
        for own in (model, replace(model, threshold=0.5))
    )
    golden = artefact.golden
    # Of all integers that a column can be, those whose results are next to the threshold.
    program = artefact.number_format.fixed.program
    column = program.columns[0]
    rows = np.arange(column.least, column.most + 1, dtype=np.int32)[:, None]
    results = evaluate_integers(program, rows)[:, 1] * 2.0**-program.fraction
    nearest = [results[results < threshold].max(), results[results >= threshold].min()]

    assert golden.rows[:-2] == default.golden.rows
    assert [result[1] for result in golden.results[-2:]] == nearest
    assert golden.classes[-2:] == (0, 1)


def test_a_threshold_that_no_row_reaches_has_the_nearest_row_below():
    artefact = Artefact(
        model_of(LAYER, 0.999), "net", "q15", selftest="quick", ranges=((0.0, 1.0),)
    )

    assert artefact.golden.classes[-1] == 0
    assert artefact.golden.results[-1][1] == max(result[1] for result in artefact.golden.results)


@pytest.mark.needs_cc
@pytest.mark.parametrize("dtype", ["q15", "q7"])
def test_the_self_test_of_integers_gives_away_another_threshold(dtype, tmp_path):
    artefact = Artefact(model_of(ONE, 0.3), "net", dtype, ranges=((0.0, 1.0),))
    for file in TARGETS["c"].emit(artefact):
        (tmp_path / file.name).write_text(file.text)
    source = (tmp_path / "net.c").read_text()
    # The fraction is 14 for q15 and 7 for q7, and the least integer from 0.3 on is the threshold.
    whole = {"q15": 4916, "q7": 39}[dtype]
    half = {"q15": 8192, "q7": 64}[dtype]
    assert source.count(f"p[1] >= {whole};") == 1
    compile_ = [COMPILERS[0], "-DNET_SELFTEST_MAIN"]
    subprocess.run([*compile_, "-c", "net_selftest.c"], cwd=tmp_path, check=True)
    for other, code in ((whole, 0), (whole - 1, 1), (whole + 1, 1), (half, 1), (-whole, 1)):
        (tmp_path / "net.c").write_text(source.replace(f"p[1] >= {whole};", f"p[1] >= {other};"))
        main = ["net.c", "net_selftest.o", "-o", "main"]
        subprocess.run([*compile_, *main], cwd=tmp_path, check=True, capture_output=True)
        answer = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, check=False)
        assert bool(answer.returncode) == bool(code), other
