"""The numpy module, the C module and the interpreter give the same bits."""

import subprocess

import numpy as np
import pytest

from dsgec.codegen.artefact import Artefact
from dsgec.codegen.emit_c import emit_c
from dsgec.codegen.emit_numpy import emit_numpy
from dsgec.fitness.backends import CBackend, NumpyBackend, ReferenceBackend
from dsgec.native.library import Library
from dsgec.native.module import load_module
from dsgec.native.toolchain import find_toolchain
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Model, plain, unnamed
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from tests.generators import network, rows, same_bits

BATCH = 25


def agree(seeds, count):
    networks = [network(seed) for seed in seeds]
    networks += [simplify(n) for n in networks]
    for inputs in sorted({n.inputs for n in networks}):
        group = [n for n in networks if n.inputs == inputs]
        table = rows(inputs + 100, count, inputs)
        expected = ReferenceBackend().outputs(group, table)
        for backend in (NumpyBackend(), CBackend(find_toolchain())):
            for actual, wanted in zip(backend.outputs(group, table), expected, strict=True):
                assert same_bits(actual, wanted), backend.name


@pytest.mark.needs_cc
@pytest.mark.parametrize("start", range(0, 100, BATCH))
def test_backends_agree_to_the_last_bit_on_random_networks(start):
    agree(range(start, start + BATCH), 200)


@pytest.mark.needs_cc
@pytest.mark.campaign
@pytest.mark.parametrize("start", range(1000, 1500, BATCH))
def test_backends_agree_to_the_last_bit_on_500_random_networks(start):
    agree(range(start, start + BATCH), 200)


def c_module(model, name, folder, *flags):
    """The exported files, compiled as a user would, and the library loaded."""
    for file in emit_c(Artefact(model, name)):
        (folder / file.name).write_text(file.text, encoding="utf-8")
    library = folder / f"lib{name}.so"
    command = [find_toolchain().command, *flags, "-shared", "-fPIC", str(folder / f"{name}.c")]
    subprocess.run([*command, "-o", str(library), "-lm"], check=True, capture_output=True)
    cdef = f"""
        void {name}_evaluate(const double *, double *);
        void {name}_evaluate_batch(const double *, size_t, double *);
    """
    if model.is_classifier:
        cdef += f"""
            void {name}_predict_proba(const double *, double *);
            void {name}_predict_proba_batch(const double *, size_t, double *);
            int {name}_predict(const double *);
            extern const char *const {name}_class_names[{len(model.classes)}];
        """
    cdef += f"extern const char *const {name}_feature_names[{max(1, len(model.features))}];"
    return Library(library, cdef)


@pytest.mark.needs_cc
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_the_exported_files_give_the_interpreters_bits(seed, level, tmp_path):
    model = unnamed(simplify(network(seed)))
    table = rows(seed, 100, model.network.inputs)
    expected = evaluate(model.network, table)

    (numpy_file,) = emit_numpy(Artefact(model, "net"))
    module = load_module(numpy_file.text, "net")
    assert same_bits(module.evaluate(table), expected)

    library = c_module(
        model, "net", tmp_path, level, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"
    )
    for row, wanted in zip(table, expected, strict=True):
        x = library.ffi.new("double[]", row.tolist() or [0.0])
        y = library.ffi.new("double[]", len(wanted))
        library.functions.net_evaluate(x, y)
        assert same_bits(np.array(list(y)), wanted)


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("sig(2*x_1 - x_2 + 0.3)", ("no", "yes")),
        ("softmax(x_1, x_2, 0.4)", (10, 20, 30)),
        ("y_1 = x_1\ny_2 = x_2 * 1e308 * 1e308 * 0.0\ny_3 = 0.1", ("a", "b", "c")),
        ("y_1 = x_1*x_1 - x_1*x_1\ny_2 = -x_1*x_1\ny_3 = -x_1 * x_1", ("a", "b", "c")),
    ],
)
def test_a_classifier_predicts_the_same_everywhere(text, classes, tmp_path):
    model = Model(parse(text, inputs=2), plain(("width", "height")), classes)
    table = rows(5, 300, 2)
    outputs = evaluate(model.network, table)
    probabilities = np.hstack([1.0 - outputs, outputs]) if len(classes) == 2 else outputs
    numbers = (
        (outputs[:, 0] >= 0.5).astype(int)
        if len(classes) == 2
        else np.where(np.isnan(outputs), -np.inf, outputs).argmax(axis=1)
    )

    module = load_module(emit_numpy(Artefact(model, "net"))[0].text, "net")
    assert same_bits(module.predict_proba(table), probabilities)
    assert module.predict(table).tolist() == [classes[i] for i in numbers]
    assert module.classes_ == classes
    assert module.feature_names_in_ == ("width", "height")

    library = c_module(model, "net", tmp_path, "-O2")
    ffi, net = library.ffi, library.functions
    out = ffi.new("double[]", len(classes))
    for row, wanted, number in zip(table, probabilities, numbers, strict=True):
        x = ffi.new("double[]", row.tolist())
        net.net_predict_proba(x, out)
        assert same_bits(np.array(list(out)), wanted)
        assert net.net_predict(x) == number
    assert net.net_predict(ffi.new("double[]", [1.0, float("nan")])) == -1
    assert [ffi.string(net.net_class_names[i]).decode() for i in range(len(classes))] == [
        str(label) for label in classes
    ]


@pytest.mark.needs_cc
def test_a_large_network_is_split_into_functions_and_keeps_its_bits(tmp_path):
    terms = [f"{i % 9}.5 * sig(x_{i % 4 + 1} * {i}.25)" for i in range(1500)]
    model = unnamed(simplify(parse(" + ".join(terms))))
    table = rows(1, 20, 4)
    expected = evaluate(model.network, table)

    text = emit_numpy(Artefact(model, "net"))[0].text
    assert "def _net_part1(x, t):" in text
    assert same_bits(load_module(text, "net").evaluate(table), expected)

    library = c_module(model, "net", tmp_path, "-O1")
    y = np.empty_like(expected)
    pointer = library.ffi.cast("double *", y.ctypes.data)
    table = np.ascontiguousarray(table)
    library.functions.net_evaluate_batch(
        library.ffi.cast("double *", table.ctypes.data), len(table), pointer
    )
    assert same_bits(y, expected)


@pytest.mark.needs_cc
def test_two_exported_networks_link_into_one_program(tmp_path):
    for name, text in (("one", "tanh(x_1)"), ("two", "sig(x_1 + x_2)")):
        for file in emit_c(Artefact(unnamed(parse(text)), name)):
            (tmp_path / file.name).write_text(file.text)
    sources = [str(tmp_path / "one.c"), str(tmp_path / "two.c")]
    command = [find_toolchain().command, "-shared", "-fPIC", *sources, "-o", str(tmp_path / "x.so")]

    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_rows_of_any_shape_are_taken_and_wrong_ones_named():
    module = load_module(emit_numpy(Artefact(unnamed(parse("x_1 + x_2")), "net"))[0].text, "net")

    assert module.predict([1, 2]).tolist() == [3.0]
    assert module.predict([[1, 2], [3, 4]]).tolist() == [3.0, 7.0]
    assert module.predict(Frame(x_2=[5.0], other=[0.0], x_1=[1.0])).tolist() == [6.0]
    with pytest.raises(ValueError, match="rows of 2 features, 'x_1', 'x_2'"):
        module.predict([1, 2, 3])
    with pytest.raises(ValueError, match="NaN"):
        module.predict([1.0, float("nan")])
    with pytest.raises(ValueError, match="missing columns: 'x_2'"):
        module.predict(Frame(x_1=[1.0]))


class Frame:
    """As much of a data frame as the module uses."""

    def __init__(self, **columns):
        self.data, self.columns = columns, list(columns)

    def __getitem__(self, names):
        return np.array([self.data[name] for name in names]).T


def test_random_networks_differ():
    """The generator would prove nothing if its networks were all alike."""
    texts = {repr(network(seed)) for seed in range(50)}

    assert len(texts) == 50
