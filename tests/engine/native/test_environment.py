"""A library that sets the floating-point unit differently changes no bit, and finds it so again."""

import contextlib
import functools
import platform
import struct

import numpy as np
import pytest

import dsgec
from dsgec.arithmetic.environment import deviations
from dsgec.data.native import load_reader
from dsgec.engine.library import load
from dsgec.engine.toolchain import find_toolchain
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Column, Model, unnamed_model
from dsgec.network.parse import parse
from dsgec.search.backends import CBackend, NumpyBackend, ReferenceBackend
from dsgec.search.native import EngineEvolver
from dsgec.search.settings import Settings
from tests.support.engine_runs import FAST_FLAGS, make, make_data
from tests.support.importing import package

pytestmark = [
    pytest.mark.needs_cc,
    pytest.mark.skipif(platform.machine() != "x86_64", reason="MXCSR is a register of x86"),
]

USUAL, FLAGS = 0x1F80, 0x3F  # all exceptions masked, none raised
SETTINGS = {"flush to zero": 0x8040, "denormals are zero": 0x40, "round up": 0x4000}
EACH = pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
GRAMMAR = """
<s> ::= sig(<w> * x_1 + <w> * x_2 + 0.<d><d>) | sig(exp(-70<d>.<d>) * <w>)
<w> ::= <d>.<d>e307 | -<d>.<d>e307
<d> ::= 0 | ... | 9
"""
NETWORKS = [
    parse("sig(1.3e308 * x_1 - 0.7 * x_2)"),
    parse("exp(x_1 * 1e308 - 708) / x_2", inputs=2),
]


@functools.cache
def unit():
    source = """
        void set(unsigned settings) { __builtin_ia32_ldmxcsr(settings); }
        unsigned get(void) { return __builtin_ia32_stmxcsr(); }
    """
    return load(source, "void set(unsigned); unsigned get(void);", find_toolchain()).functions


@contextlib.contextmanager
def changed(settings):
    """Change the environment as another library may, and check that it stays so."""
    unit().set(USUAL | settings)
    try:
        yield
        left = unit().get()
    finally:
        unit().set(USUAL)
    assert left & ~FLAGS == USUAL | settings


@functools.cache
def usual(run, *arguments):
    """Return the result of an undisturbed run, which all others must equal."""
    assert unit().get() & ~FLAGS == USUAL
    return run(*arguments)


@functools.cache
def tiny(rows=43):
    """Rows of subnormal numbers, made before anything is disturbed."""
    return np.random.default_rng(5).normal(size=(rows, 2)) * 1e-309


CHOSEN = Settings(population=60, generations=4)


@functools.cache
def tiny_problem():
    data = make_data(features=2)
    object.__setattr__(data, "x", tiny())
    return make(GRAMMAR, CHOSEN, data)


def run_engine(threads):
    problem, text = tiny_problem(), "sig(1.5e308 * x_1)"
    engine = EngineEvolver(problem, CHOSEN, threads, toolchain=find_toolchain(), flags=FAST_FLAGS)
    engine.step(4)
    again = EngineEvolver(problem, CHOSEN, threads, toolchain=find_toolchain(), flags=FAST_FLAGS)
    again.restore(engine.save())
    again.step(1)
    best = again.best.phenotype
    number = engine.native.number("1.7e-310")
    return (
        engine.save(),
        again.save(),
        best,
        struct.pack("d", number),
        engine.native.evaluate(text),
    )


@EACH
@pytest.mark.parametrize("threads", [1, 3])
def test_the_engine_gives_the_same_bits(settings, threads):
    expected = usual(run_engine, threads)
    with changed(settings):
        found = run_engine(threads)
    assert found[:4] == expected[:4]
    assert found[4].tobytes() == expected[4].tobytes()


@EACH
def test_every_backend_gives_the_same_bits(settings):
    rows = tiny(200)
    backends = (CBackend(find_toolchain()), NumpyBackend(), ReferenceBackend())
    expected = [evaluate(network, rows).tobytes() for network in NETWORKS]
    for backend in backends:
        with changed(settings):
            found = backend.outputs(NETWORKS, rows)
        assert [outputs.tobytes() for outputs in found] == expected, backend.name


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The packages of models, each built once and used under all settings."""
    return functools.cache(lambda *given: package(given[0], tmp_path_factory.mktemp("p"), given[1]))


@EACH
@pytest.mark.parametrize("dtype", ["double", pytest.param("float", marks=pytest.mark.campaign)])
def test_an_exported_package_gives_the_same_bits(settings, dtype, built):
    scale, weight = ("1e-309", "1.3e308") if dtype == "double" else ("1e-40", "1.3e38")
    models = [
        Model(parse(f"sig({weight} * x_1 - 0.7 * x_2)"), (Column("a"), Column("b")), ("no", "yes")),
        unnamed_model(parse(f"y_1 = {weight} * x_1\ny_2 = x_2 * x_1 + x_1", inputs=2)),
    ]
    table = np.random.default_rng(5).normal(size=(150, 2)) * float(scale)
    for model in models:
        module = built(model, dtype)
        call = module.predict_proba if model.is_classifier else module.predict
        given = table.astype(np.float32 if dtype == "float" else float)
        expected = [call(part).tobytes() for part in (given, given[:1], given[:9])]
        with changed(settings):
            found = [call(part).tobytes() for part in (given, given[:1], given[:9])]
        # That of one row of two classes is subtracted from 1 by Python, which rounds as it is told.
        assert found == expected or (settings == SETTINGS["round up"] and model.is_classifier)


@EACH
def test_the_native_reader_reads_the_same_numbers(settings):
    library = load_reader(find_toolchain())
    text = b"1e-310,0.1,123456789012345678e-20\n3e-320,-0.3,-7.7777777777777777\n"

    def read():
        numbers, lines = np.zeros((3, 3)), np.zeros(3, np.int32)
        cells = np.zeros(9, library.dtype("dsgec_cell"))
        call = library.ffi.new("dsgec_rows *")
        data = library.ffi.from_buffer(text)
        call.text, call.length, call.separator, call.quote = data, len(text), b",", b'"'
        call.columns, call.most_rows, call.most_cells = 3, 3, 9
        call.numbers = library.ffi.cast("double *", numbers.ctypes.data)
        call.lines = library.ffi.cast("int32_t *", lines.ctypes.data)
        call.cells = library.ffi.cast("dsgec_cell *", cells.ctypes.data)
        library.functions.dsgec_read_rows(call)
        return numbers[:2].tobytes()

    expected = read()
    with changed(settings):
        found = read()
    assert found == expected


def run_program(backend):
    rows, y = tiny(60), np.arange(60) % 2
    made = dsgec.evolve(
        "one_layer",
        rows,
        y,
        population=20,
        generations=3,
        pruning=2,
        tuning=6,
        backend=backend,
        scale="standard",
    )
    texts = [["1e-310", "2.5"], ["1e-309", "-1e-309"]]
    return (
        made.network.formula,
        made.network.predict_proba(rows).tobytes(),
        made.network.predict_proba(texts).tobytes(),
        made.record,
    )


@EACH
@pytest.mark.parametrize("backend", ["engine", "numpy"])
def test_a_program_gets_the_same_run_and_the_same_predictions(settings, backend):
    expected = usual(run_program, backend)
    with changed(settings):
        found = run_program(backend)
    assert found == expected


@EACH
def test_the_doctor_says_so(settings):
    assert deviations() == []
    with changed(settings):
        found = deviations()
    expected = "rounded" if settings == SETTINGS["round up"] else "subnormal"
    assert len(found) == 1
    assert expected in found[0]
