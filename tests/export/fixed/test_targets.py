"""Every target gives the same integers, and the same doubles for raw rows."""

import importlib
import shutil
import sys

import numpy as np
import pytest

from dsgec.engine.module import load_module
from dsgec.export.targets.target import TARGETS
from dsgec.network.model import unnamed_model
from dsgec.network.parse import parse
from tests.support.artefacts import COMPILERS
from tests.support.fixed_checks import (
    UNDEFINED,
    allowed,
    check_c,
    check_javascript,
    check_module,
    check_python,
    expected,
)
from tests.support.fixed_models import POSITIVE, RANGE, fixed_artefact, random_artefact, trying_rows
from tests.support.javascript import MODULES, NODE
from tests.support.models import EVERY_KIND, FIXED_DTYPES, seven_neurons


@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_python_and_numpy_give_the_integers_of_the_interpreter(dtype):
    artefact = fixed_artefact(seven_neurons(), dtype)
    rows = trying_rows(artefact, 1, 60, RANGE)
    check_python(artefact, rows)


@pytest.mark.needs_cc
@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_c_gives_the_integers_of_the_interpreter_and_nothing_is_undefined(dtype, tmp_path):
    artefact = fixed_artefact(seven_neurons(), dtype)
    rows = trying_rows(artefact, 1, 1000, RANGE)
    check_c(artefact, rows, tmp_path, COMPILERS[0], *UNDEFINED)


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.parametrize("target", MODULES)
@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_javascript_and_wasm_give_the_integers_of_the_interpreter(dtype, target, tmp_path):
    artefact = fixed_artefact(seven_neurons(), dtype)
    check_javascript(artefact, trying_rows(artefact, 1, 300, RANGE), tmp_path, target)


@pytest.mark.needs_cc
@pytest.mark.parametrize("seed", [2, 7])
def test_targets_agree_on_random_networks(seed, tmp_path):
    artefact = random_artefact(seed, FIXED_DTYPES[seed % 2], POSITIVE)
    rows = allowed(artefact, trying_rows(artefact, seed, 100, POSITIVE))
    check_python(artefact, rows)
    check_c(artefact, rows, tmp_path, COMPILERS[-1], *UNDEFINED)
    for target in MODULES if NODE else ():
        check_javascript(artefact, rows, tmp_path, target)


@pytest.mark.needs_cc
def test_targets_agree_on_columns_of_every_kind(tmp_path):
    artefact = fixed_artefact(EVERY_KIND, "q7", (-2.0, 1002.0))
    rows = allowed(artefact, trying_rows(artefact, 5, 100, (-2.0, 1002.0)))
    check_python(artefact, rows)
    check_c(artefact, rows, tmp_path, COMPILERS[0], *UNDEFINED)


@pytest.mark.needs_cc
def test_targets_agree_on_a_network_without_columns(tmp_path):
    artefact = fixed_artefact(unnamed_model(parse("0.25", inputs=0)))
    check_python(artefact, np.zeros((2, 0)))
    check_c(artefact, np.zeros((2, 0)), tmp_path, COMPILERS[0])


@pytest.mark.needs_cc
@pytest.mark.campaign
def test_the_compiled_package_gives_the_integers_of_the_interpreter(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    for number, dtype in enumerate(FIXED_DTYPES):
        artefact = fixed_artefact(EVERY_KIND, dtype, (-2.0, 1002.0), name=f"columns{number}")
        folder = tmp_path / artefact.name
        folder.mkdir()
        for file in TARGETS["cffi"].make(artefact):
            data = file.text if isinstance(file.text, bytes) else file.text.encode()
            (tmp_path / file.name).write_bytes(data)
        module = importlib.import_module(artefact.name)
        rows = allowed(artefact, trying_rows(artefact, 5, 500, (-2.0, 1002.0)))
        check_module(module, artefact, rows, *expected(artefact, rows))
        sys.modules.pop(artefact.name)


@pytest.mark.needs_cc
@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("start", range(5000, 5900, 100))
def test_targets_agree_on_more_than_300_random_networks(start, tmp_path):
    tried = 0
    for seed in range(start, start + 100):
        dtype = FIXED_DTYPES[seed % 2]
        range_ = POSITIVE if seed % 4 < 2 else RANGE
        artefact = random_artefact(seed, dtype, range_)
        if artefact is None:
            continue
        tried += 1
        folder = tmp_path / str(seed)
        folder.mkdir()
        rows = allowed(artefact, trying_rows(artefact, seed, 100_000, range_))
        compiler = COMPILERS[seed // 4 % len(COMPILERS)]
        level = ("-O0",), ("-O2",), ("-O3",), ("-Os",), UNDEFINED
        check_c(artefact, rows, folder, compiler, *level[seed // 2 % len(level)])
        check_python(artefact, rows[::500])
        numpy = load_module(TARGETS["numpy"].emit(artefact)[0].text, "net")
        wholes, results, _ = expected(artefact, rows)
        assert (numpy.evaluate_integers(wholes) == results).all()
        for target in MODULES if NODE else ():
            check_javascript(artefact, rows[::10], folder, target)
        shutil.rmtree(folder)
    print(f"{tried} networks, 100,000 rows each in C and numpy")
    assert tried > 25
