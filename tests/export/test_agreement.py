"""The interpreter, the backends and every export give the same bits."""

import numpy as np
import pytest

from dsgec.engine.toolchain import find_toolchain
from dsgec.network.model import Model, plain_columns, unnamed_model
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from dsgec.search.backends import CBackend, NumpyBackend, ReferenceBackend
from tests.support.artefacts import (
    COMPILERS,
    LEVELS,
    CLibrary,
    expected_classes,
    expected_labels,
    expected_results,
    module_results,
    python_module,
    random_model,
    random_rows,
)
from tests.support.random_networks import random_network, rows, same_bits

BATCH = 25


def agree(seeds, count):
    networks = [random_network(seed) for seed in seeds]
    networks += [simplify(n) for n in networks]
    for inputs in sorted({n.inputs for n in networks}):
        group = [n for n in networks if n.inputs == inputs]
        table = rows(inputs + 100, count, inputs)
        expected = ReferenceBackend().outputs(group, table)
        for backend in (NumpyBackend(), CBackend(find_toolchain())):
            for actual, wanted in zip(backend.outputs(group, table), expected, strict=True):
                assert same_bits(actual, wanted), backend.name


@pytest.mark.needs_cc
@pytest.mark.parametrize("start", [0])
def test_backends_agree_to_the_last_bit_on_random_networks(start):
    agree(range(start, start + BATCH), 200)


@pytest.mark.needs_cc
@pytest.mark.campaign
@pytest.mark.parametrize("start", [25, 50, 75, *range(1000, 1500, BATCH)])
def test_backends_agree_to_the_last_bit_on_500_random_networks(start):
    agree(range(start, start + BATCH), 200)


def exports_agree(models, folder, builds, count=130):
    """Assert that Python, numpy and each build of the C give the interpreter's bits."""
    tables = {name: random_rows(model, 7, count) for name, model in models.items()}
    expected = {name: expected_results(model, tables[name]) for name, model in models.items()}
    for name, model in models.items():
        for target in ("python", "numpy"):
            module = python_module(model, target)
            assert module.selftest() is True
            assert same_bits(module_results(module, model, tables[name]), expected[name]), target
            if model.is_classifier:
                labels = expected_labels(model, expected[name])
                assert list(module.predict(tables[name])) == labels
    for compiler, flags in builds:
        library = CLibrary(models, folder, compiler, "-std=c99", *flags)
        for name, model in models.items():
            assert library.selftest(name) == 0
            for batch in (False, True):
                given = library.results(name, tables[name], batch=batch)
                assert same_bits(given, expected[name]), (name, compiler, flags, batch)
                if model.is_classifier:
                    numbers = expected_classes(model, expected[name]).tolist()
                    assert library.classes(name, tables[name], batch=batch) == numbers


BUILDS = [(compiler, flags) for compiler in COMPILERS for flags in LEVELS]


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    "start",
    [pytest.param(n, marks=[pytest.mark.campaign] * (n >= 8)) for n in range(0, 16, 2)],
)
def test_exports_agree_to_the_last_bit(start, tmp_path):
    models = {f"net{seed}": random_model(seed) for seed in (start, start + 1)}
    exports_agree(models, tmp_path, [BUILDS[start // 2 % len(BUILDS)]])


@pytest.mark.needs_cc
@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("start", range(2000, 2300, BATCH))
def test_exports_of_300_random_networks_agree_to_the_last_bit(start, tmp_path):
    models = {f"net{seed}": random_model(seed) for seed in range(start, start + BATCH)}
    exports_agree(models, tmp_path, BUILDS)


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("sig(2*x_1 - x_2 + 0.3)", ("no", "yes")),
        ("softmax(x_1, x_2, 0.4)", (10, 20, 30)),
        ("y_1 = x_1\ny_2 = x_2 * 1e308 * 1e308 * 0.0\ny_3 = 0.1", ("a", "b", "c")),
        ("y_1 = x_1*x_1 - x_1*x_1\ny_2 = -x_1*x_1\ny_3 = -x_1 * x_1", ("a", "b", "c")),
        ("softmax(x_1)", ("no", "yes")),
        ("softmax(x_1, x_2)", ("no", "yes")),
        ("y_1 = 0.25\ny_2 = 0.25", ()),
        ("y_1 = x_2", ()),
    ],
)
def test_a_model_predicts_the_same_everywhere(text, classes, tmp_path):
    model = Model(parse(text, inputs=2), plain_columns(("width", "height")), classes)
    exports_agree({"net": model}, tmp_path, [(COMPILERS[0], ("-O2",))], 300)


@pytest.mark.needs_cc
@pytest.mark.campaign
def test_a_large_network_is_split_into_functions_and_keeps_its_bits(tmp_path):
    terms = [f"{i % 9}.5 * sig(x_{i % 4 + 1} * {i}.25)" for i in range(700)]
    model = unnamed_model(simplify(parse(" + ".join(terms))))
    exports_agree({"net": model}, tmp_path, [(COMPILERS[0], ("-O1",))], 20)
    assert "static void net_part1(" in (tmp_path / "net.c").read_text()


@pytest.mark.needs_cc
def test_a_model_of_one_column_and_one_without_columns(tmp_path):
    models = {
        "one": unnamed_model(parse("tanh(x_1)")),
        "none": unnamed_model(parse("0.5", inputs=0)),
    }
    exports_agree(models, tmp_path, [(COMPILERS[0], ("-O3",))])


@pytest.mark.needs_cc
def test_a_missing_value_that_nothing_stands_for_has_no_class(tmp_path):
    model = Model(parse("sig(x_1 + x_2)"), plain_columns(("a", "b")), ("no", "yes"))
    library = CLibrary({"net": model}, tmp_path, COMPILERS[0], "-O2")
    table = np.array([[1.0, 2.0], [1.0, np.nan], [-3.0, 2.0]])
    results, classes = np.empty((3, 2)), np.empty(3, np.int32)

    assert library.classes("net", table, batch=False) == [1, -1, 0]
    assert (
        library.call("net", "predict_proba", library.pointer(table[1:]), library.pointer(results))
        == -1
    )
    assert (
        library.call(
            "net", "predict_proba_batch", library.pointer(table), 3, library.pointer(results)
        )
        == 1
    )
    assert np.isnan(results).any(axis=1).tolist() == [False, True, False]
    assert (
        library.call(
            "net", "predict_batch", library.pointer(table), 3, library.pointer(classes, "int")
        )
        == 1
    )
    assert classes.tolist() == [1, -1, 0]


def test_random_networks_differ():
    """The generator would prove nothing if its networks were all alike."""
    texts = {repr(random_network(seed)) for seed in range(50)}

    assert len(texts) == 50
