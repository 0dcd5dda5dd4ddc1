"""Random models, and their exports used as a user would use them."""

import os
import random
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cffi import FFI

from dsgec.engine.module import load_module
from dsgec.export.artefact import Artefact
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.targets.target import TARGETS
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Column, Model, compose
from dsgec.network.simplify import simplify
from tests.support.random_networks import random_network, rows

COMPILERS = tuple(name for name in ("gcc", "clang") if shutil.which(name))
LEVELS = (("-O0",), ("-O2",), ("-O3", "-march=native"), ("-Os",))
STRICT = ("-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wdouble-promotion", "-Werror")


def random_model(seed):
    """A random network over columns of every kind, with classes where its outputs allow it."""
    rng = random.Random(seed)
    evolved = simplify(random_network(seed))
    columns = [random_column(rng, number) for number in range(rng.randint(0, 4))]
    while sum(len(column.features) for column in columns) < evolved.inputs:
        columns.append(random_column(rng, len(columns), plain=rng.random() < 0.6))
    features = sum(len(column.features) for column in columns)
    outputs = len(evolved.outputs)
    classes = ("no", "yes") if outputs == 1 else tuple(f"class {i}" for i in range(outputs))
    return Model(
        replace(evolved, inputs=features),
        tuple(columns),
        classes if rng.random() < 0.6 else (),
        "target",
    )


def random_column(rng, number, *, plain=True):
    name = f"column {number}"
    if plain:
        return Column(name)
    kind = rng.choice(["number", "number", "boolean", "category"])
    if kind == "number":
        fill = rng.choice([None, 0.0, rng.gauss(0, 3)])
        return Column(name, kind, (), fill, rng.choice([0.0, rng.gauss(0, 9)]), rng.uniform(0.1, 9))
    count = 2 if kind == "boolean" else rng.randint(1, 4)
    categories = tuple(f"text {i}" for i in range(count))
    return Column(name, kind, categories, rng.choice([None, float(rng.randrange(count))]))


def random_rows(model, seed, count):
    """Return rows of ordinary and extreme numbers, every category, and missing values."""
    rng = np.random.default_rng(seed)
    table = rows(seed, count, len(model.columns))
    for number, column in enumerate(model.columns):
        if column.kind != "number":
            table[:, number] = rng.integers(-1, len(column.categories), size=count)
        if column.fill is not None:
            table[rng.random(count) < 0.2, number] = np.nan
    return np.ascontiguousarray(table)


def expected_results(model, table):
    """Return the interpreter's probabilities or values."""
    outputs = evaluate(compose(model), table)
    single = model.is_classifier and outputs.shape[1] == 1
    return np.hstack([1.0 - outputs, outputs]) if single else outputs


def expected_classes(model, results):
    """The number of each row's class; -1 where what was chosen is not a number."""
    if len(model.network.outputs) == 1:
        chosen = (results[:, 1] >= 0.5).astype(int)
    else:
        chosen = np.where(np.isnan(results), -np.inf, results).argmax(axis=1)
    return np.where(np.isnan(results[np.arange(len(results)), chosen]), -1, chosen)


def expected_labels(model, results):
    numbers = expected_classes(model, results)
    return [None if number < 0 else model.classes[number] for number in numbers]


def first_type(model, target, name="net", range_=(0.5, 8.0)):
    """The model in the first type that a target has."""
    dtype = TARGETS[target].dtypes[0]
    ranges = (range_,) * len(model.columns) if dtype in STORED_BITS else ()
    return Artefact(model, name, dtype, ranges=ranges)


def python_module(model, target, name="net"):
    return load_module(TARGETS[target].emit(Artefact(model, name))[0].text, name)


def module_results(module, model, table):
    given = module.predict_proba(table) if model.is_classifier else module.predict(table)
    return np.array(given, dtype=float).reshape(len(table), -1)


def write_c(model, name, folder, dtype="double"):
    for file in TARGETS["c"].emit(Artefact(model, name, dtype)):
        (folder / file.name).write_text(file.text, encoding="utf-8")


class CLibrary:
    """The exported C of some models, in one library; `models` has them by name."""

    def __init__(self, models, folder, compiler, *flags, dtype="double"):
        self.models, self.dtype = models, dtype
        for name, model in models.items():
            write_c(model, name, folder, dtype)
        files = [str(folder / f"{n}{end}.c") for n in models for end in ("", "_selftest")]
        library = folder / f"lib{os.urandom(4).hex()}.so"
        command = [compiler, *flags, "-shared", "-fPIC", *files, "-o", str(library)]
        subprocess.run(command, check=True, capture_output=True)
        self.ffi = FFI()
        for name, model in models.items():
            row = "predict_proba" if model.is_classifier else "regress"
            self.ffi.cdef(f"""
                int {name}_{row}(const {dtype} *, {dtype} *);
                size_t {name}_{row}_batch(const {dtype} *, size_t, {dtype} *);
                int {name}_selftest(void);
            """)
            if model.is_classifier:
                self.ffi.cdef(f"int {name}_predict(const {dtype} *);")
                self.ffi.cdef(f"size_t {name}_predict_batch(const {dtype} *, size_t, int *);")
        self.functions = self.ffi.dlopen(str(library))

    def call(self, name, function, *arguments):
        return getattr(self.functions, f"{name}_{function}")(*arguments)

    def pointer(self, array, kind=None):
        return self.ffi.cast(f"{kind or self.dtype} *", array.ctypes.data)

    def results(self, name, table, *, batch):
        model = self.models[name]
        row = "predict_proba" if model.is_classifier else "regress"
        width = len(model.classes) or len(model.network.outputs)
        out = np.empty((len(table), width), table.dtype)
        if batch:
            lacking = self.call(
                name, f"{row}_batch", self.pointer(table), len(table), self.pointer(out)
            )
            assert lacking == 0
        else:
            for given, made in zip(table, out, strict=True):
                assert self.call(name, row, self.pointer(given), self.pointer(made)) == 0
        return out

    def classes(self, name, table, *, batch):
        if not batch:
            return [self.call(name, "predict", self.pointer(row)) for row in table]
        out = np.empty(len(table), np.int32)
        self.call(name, "predict_batch", self.pointer(table), len(table), self.pointer(out, "int"))
        return out.tolist()

    def selftest(self, name):
        return self.call(name, "selftest")


def run_selftest(folder: Path, name: str, compiler: str) -> tuple[int, str]:
    """The exit code of the self-test as a program, and what it prints."""
    program = folder / f"{name}_selftest"
    sources = [str(folder / f"{name}.c"), str(folder / f"{name}_selftest.c")]
    macro = f"-D{name.upper()}_SELFTEST_MAIN"
    subprocess.run([compiler, macro, *sources, "-o", str(program)], check=True)
    answer = subprocess.run([str(program)], check=False, capture_output=True, text=True)
    return answer.returncode, answer.stdout


def onnx_session(model, dtype="double"):
    """Return a session of onnxruntime with the ONNX export of a model."""
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    pytest.importorskip("onnx", reason="onnx is not installed")
    (file,) = TARGETS["onnx"].emit(Artefact(model, "net", dtype))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(file.text, options, providers=["CPUExecutionProvider"])
