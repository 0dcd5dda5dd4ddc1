"""The exported WebAssembly gives the interpreter's bits in Node, wasmtime and a browser."""

import random
import shutil
import struct
import subprocess

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact, model_id
from dsgec.export.targets.wasm import emit_wasm, read_wasm
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Constant
from dsgec.network.model import Column, Model, compose, plain_columns, unnamed_model
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from tests.support.artefacts import expected_classes, random_model, random_rows
from tests.support.javascript import CHROMIUM, NODE, in_browser, in_node
from tests.support.models import IRIS
from tests.support.random_networks import rows
from tests.support.wat import disassemble, sections

needs_node = pytest.mark.skipif(not NODE, reason="node is not installed")
needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")
needs_wabt = pytest.mark.skipif(not shutil.which("wasm-validate"), reason="wabt is not installed")

REAL = {"double": np.float64, "float": np.float32}


def module_of(model, dtype="double"):
    return emit_wasm(Artefact(model, "net", dtype))[0].text


def expected(model, table):
    """Return the interpreter's probabilities or values, in the type of the table."""
    outputs = evaluate(compose(model), table)
    single = model.is_classifier and outputs.shape[1] == 1
    return np.hstack([1 - outputs, outputs]) if single else outputs


def same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    equal = (a == b) & (np.signbit(a) == np.signbit(b))
    return a.shape == b.shape and bool(np.all(equal | (np.isnan(a) & np.isnan(b))))


class Instance:
    """A module in wasmtime, called as any host calls it."""

    def __init__(self, module):
        wasmtime = pytest.importorskip("wasmtime", reason="wasmtime is not installed")
        self.store = wasmtime.Store()
        compiled = wasmtime.Module(self.store.engine, module)
        assert not compiled.imports
        self.exports = wasmtime.Instance(self.store, compiled, []).exports(self.store)

    def number(self, name):
        return self.exports[name].value(self.store)

    def call(self, name, *arguments):
        return self.exports[name](self.store, *arguments)

    def many(self, name, table, type_, width):
        """Return the result of a function on all rows at once, and what it leaves in memory."""
        memory, start = self.exports["memory"], self.number("heap")
        end = start + table.nbytes
        out = np.empty((len(table), width), type_)
        memory.grow(self.store, -(-(table.nbytes + out.nbytes) // 65536))
        memory.write(self.store, table.tobytes(), start)
        lacking = self.call(name, start, len(table), end)
        return lacking, np.frombuffer(
            memory.read(self.store, end, end + out.nbytes), type_
        ).reshape(out.shape)


def in_wasmtime(model, module, table):
    """Return the results of rows and, if there are classes, their classes."""
    instance = Instance(module)
    assert instance.call("selftest") == 0
    assert instance.number("columns") == table.shape[1]
    name = "predict_proba" if model.is_classifier else "regress"
    lacking, found = instance.many(name, table, table.dtype, instance.number("results"))
    assert lacking == 0
    if not model.is_classifier:
        return found, None
    return found, instance.many("predict", table, np.int32, 1)[1][:, 0]


def narrow(seed):
    """Return a random model, with constants of single precision if that is the type."""
    model = random_model(seed)
    try:
        Artefact(model, "net", "float")
    except DsgecError:
        return None
    return model


def agree(folder, seeds, count, dtype="double", run=in_node):
    models = [m for m in map(random_model if dtype == "double" else narrow, seeds) if m]
    tables = [random_rows(m, seed, count) for seed, m in enumerate(models)]
    with np.errstate(over="ignore"):
        tables = [np.ascontiguousarray(table.astype(REAL[dtype])) for table in tables]
    answers = run(folder, models, tables, "wasm", dtype)
    for number, (model, table) in enumerate(zip(models, tables, strict=True)):
        found_id, selftest, found = answers[number]
        wanted = expected(model, table)
        assert found_id == model_id(model)
        assert selftest
        assert same_bits(found.astype(REAL[dtype]), wanted)
        try:
            import wasmtime  # noqa: F401
        except ImportError:
            continue
        module = (folder / f"net{number}.wasm").read_bytes()
        results, classes = in_wasmtime(model, module, table)
        assert same_bits(results, wanted)
        if model.is_classifier:
            assert classes.tolist() == expected_classes(model, wanted).tolist()
    return len(models)


@needs_node
@pytest.mark.parametrize("dtype", ["double", "float"])
def test_node_and_wasmtime_give_the_interpreters_bits_on_random_networks(dtype, tmp_path):
    assert agree(tmp_path, range(300, 312), 100, dtype) >= 4


@needs_node
@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("dtype", "seeds"), [("double", 100), ("float", 300)])
def test_node_and_wasmtime_give_the_interpreters_bits_on_100_networks(dtype, seeds, tmp_path):
    tried = agree(tmp_path, range(3000, 3000 + seeds), 1000, dtype)
    print(f"{tried} networks of 1000 rows, {dtype}")
    assert tried >= 100


@needs_chromium
def test_a_browser_gives_the_interpreters_bits(tmp_path):
    agree(tmp_path, range(300, 306), 100, run=in_browser)


@needs_wabt
@pytest.mark.parametrize("dtype", ["double", "float"])
def test_wabt_accepts_the_module(dtype, tmp_path):
    (tmp_path / "net.wasm").write_bytes(module_of(IRIS, dtype))
    subprocess.run(["wasm-validate", str(tmp_path / "net.wasm")], check=True)


@pytest.mark.parametrize("dtype", ["double", "float"])
def test_an_assembler_makes_the_same_bytes_of_the_disassembled_module(dtype):
    wasmtime = pytest.importorskip("wasmtime", reason="wasmtime is not installed")
    module = module_of(EVERY, dtype)

    assert wasmtime.wat2wasm(disassemble(module)) == module


EVERY = Model(
    parse(
        "h_1_1 = sin(x_1) + cos(x_2) / tanh(x_1)\n"
        "h_1_2 = power(x_1, x_2) - log(x_1) * exp(x_2)\n"
        "h_1_3 = sqrt(x_1) + abs(x_2) ^ -3 + relu(-x_1) + min(x_1, 2.5)\n"
        "y_1, y_2 = softmax(sig(h_1_1) + 0.1, max(h_1_2, h_1_3))"
    ),
    (Column("a", fill=1.5, center=3.0, scale=0.7), Column("b")),
    ("no", "yes"),
)
"""A network with all functions."""


@needs_node
@pytest.mark.parametrize("dtype", ["double", "float"])
def test_a_large_network_is_split_into_functions_and_keeps_its_bits(dtype, tmp_path):
    terms = [f"{i % 9}.5 * sig(x_{i % 4 + 1} * {i}.25)" for i in range(1100)]
    model = unnamed_model(simplify(parse(" + ".join(terms))))
    table = rows(1, 20, 4)
    with np.errstate(over="ignore"):
        table = table.astype(REAL[dtype])

    ((_, selftest, found),) = in_node(tmp_path, [model], [table], "wasm", dtype)
    assert "(func $part1" in disassemble((tmp_path / "net0.wasm").read_bytes())
    assert selftest
    assert same_bits(found.astype(REAL[dtype]), evaluate(model.network, table))


@pytest.mark.parametrize(
    ("model", "table"),
    [
        (unnamed_model(parse("tanh(x_1)")), np.array([[0.5], [-3.0]])),
        (unnamed_model(parse("0.5", inputs=0)), np.empty((3, 0))),
        (
            Model(parse("x_2", inputs=3), plain_columns(("a", "b", "c"))),
            np.array([[np.nan, 2.0, np.nan]]),
        ),
        (Model(parse("softmax(x_1)"), plain_columns(("a",)), ("no", "yes")), np.array([[1.0]])),
    ],
)
def test_small_models_in_wasmtime(model, table):
    found, _ = in_wasmtime(model, module_of(model), table)
    assert same_bits(found, expected(model, table))


@pytest.mark.parametrize("dtype", ["double", "float"])
def test_a_missing_value_that_nothing_stands_for_has_no_class(dtype):
    model = Model(parse("relu(x_1 + x_2)"), plain_columns(("a", "b")), ("no", "yes"))
    table = np.array([[1.0, 2.0], [1.0, np.nan], [-3.0, 2.0]], REAL[dtype])
    instance = Instance(module_of(model, dtype))

    lacking, found = instance.many("predict_proba", table, table.dtype, 2)
    assert lacking == 1
    assert np.isnan(found).all(axis=1).tolist() == [False, True, False]
    lacking, classes = instance.many("predict", table, np.int32, 1)
    assert (lacking, classes[:, 0].tolist()) == (1, [1, -1, 0])


@pytest.mark.parametrize("threshold", [0.3, 0.7312343, 1e-9, 0.1])
@pytest.mark.parametrize("dtype", ["double", "float"])
def test_the_module_decides_by_the_threshold_of_its_type(dtype, threshold):
    model = Model(
        parse("y_1 = x_1", inputs=1), plain_columns(("p",)), ("no", "yes"), "y", threshold
    )
    real = REAL[dtype]
    t = real(threshold)
    table = np.array([[np.nextafter(t, real(0))], [t], [np.nextafter(t, real(1))]], real)
    _, classes = Instance(module_of(model, dtype)).many("predict", table, np.int32, 1)
    assert classes[:, 0].tolist() == [0, 1, 1]


@needs_node
@pytest.mark.parametrize("dtype", ["double", "float"])
def test_a_flipped_bit_of_a_number_fails_the_selftest(dtype, tmp_path):
    module = module_of(IRIS, dtype)
    code, opcode = ("<d", b"\x44") if dtype == "double" else ("<f", b"\x43")
    numbers = {n.value for n in compose(IRIS).nodes if isinstance(n, Constant)} - {2.0}
    changed = [module]
    for value in sorted(numbers):
        number = opcode + struct.pack(code, value)
        assert number in module
        flipped = bytearray(number)
        flipped[1] ^= 1  # of the least significant byte
        changed.append(module.replace(number, bytes(flipped)))
    data = dict(sections(module))[11]
    classes = 4 * len(Artefact(IRIS, "net", dtype).golden.classes)
    for place in (-classes - struct.calcsize(code), -1):  # of the last result, and of a class
        damaged = bytearray(data)
        damaged[place] ^= 1
        changed.append(module.replace(data, bytes(damaged)))

    for number, text in enumerate(changed):
        (tmp_path / f"net{number}.wasm").write_bytes(text)
    script = tmp_path / "ask.mjs"
    script.write_text(
        'import { readFileSync } from "node:fs";\n'
        f"for (let i = 0; i < {len(changed)}; i++) {{\n"
        "  const bytes = readFileSync(new URL(`net${i}.wasm`, import.meta.url));\n"
        "  const { instance } = await WebAssembly.instantiate(bytes);\n"
        "  console.log(instance.exports.selftest() === 0);\n"
        "}\n"
    )
    answer = subprocess.run([NODE, script], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["true"] + ["false"] * (len(changed) - 1)
    assert len(changed) >= 8


def test_the_metadata_are_found_in_a_module_only():
    module = module_of(IRIS)
    metadata = read_wasm(module)
    rng = random.Random(1)

    assert metadata["model_id"] == model_id(IRIS)
    assert read_wasm(b"") is None
    assert read_wasm(b"\0asm\2\0\0\0" + module[8:]) is None
    for end in range(0, len(module), 7):
        assert read_wasm(module[:end]) in (None, metadata)
    for _ in range(300):
        damaged = bytearray(module)
        damaged[rng.randrange(len(module))] ^= 1 << rng.randrange(8)
        read_wasm(bytes(damaged))
    assert read_wasm(module[:8] + b"\0" + b"\xff" * 1000) is None


@pytest.mark.parametrize("dtype", ["double", "float"])
def test_nan_has_one_bit_pattern_in_the_rows_of_the_selftest(dtype):
    """Machines make different NaNs, and the bytes of a module must not depend on that."""
    columns = (Column("a", fill=1.0), Column("b", fill=2.0))
    model = Model(parse("exp(1e9 + sig(x_1 - x_2)) * 0.0"), columns, ("no", "yes"))
    golden = Artefact(model, "net", dtype).golden
    count = len(golden.rows) * 2 + len(golden.results) * 2
    real = np.dtype(REAL[dtype])
    end = -4 * len(golden.classes)
    data = dict(sections(module_of(model, dtype)))[11][end - count * real.itemsize : end]
    values = np.frombuffer(data, real)
    patterns = values[np.isnan(values)].view(f"u{real.itemsize}")
    assert set(patterns.tolist()) == {np.array(np.nan, real).view(f"u{real.itemsize}").item()}
