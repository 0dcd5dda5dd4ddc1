"""Every export chooses classes by one rule, and links nothing else."""

import subprocess
import warnings
from itertools import product

import numpy as np
import pytest

import dsgec
from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.export.fixed.evaluate import evaluate_integers, read, step_values
from dsgec.export.targets.target import TARGETS
from dsgec.network.decide import classify, sigmoid_limit
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Model, compose, plain_columns
from dsgec.network.parse import parse
from tests.support.artefacts import COMPILERS, CLibrary, onnx_session, python_module
from tests.support.foreign_models import graph
from tests.support.importing import package
from tests.support.javascript import MODULES, NODE, write_files

NAMES = ("a", "b", "c")


def model_of(text, classes, threshold=0.5, inputs=3):
    names = tuple(f"x{i}" for i in range(inputs))
    return Model(parse(text, inputs=inputs), plain_columns(names), classes, threshold=threshold)


SUMS = model_of("softmax(x_1, x_2, x_3)", NAMES)
"""Its sums are the values of the row."""

LONE = model_of("sig(0.7 * x_1 - 0.33 * x_2 + 0.21 * x_3)", ("no", "yes"))
MANY = model_of(
    "softmax(" + ", ".join(f"{0.1 * k - 0.9} * x_1 + {0.05 * k} * x_2" for k in range(19)) + ")",
    tuple(f"class {k}" for k in range(19)),
)


# --- one class ---------------------------------------------------------------------------------


def test_a_model_of_one_class_is_refused_wherever_it_comes_from(tmp_path):
    from sklearn.neural_network import MLPClassifier

    from dsgec.cli import commands

    with pytest.raises(DsgecError, match="only one class"):
        model_of("softmax(x_1)", ("a",))
    with pytest.raises(DsgecError, match="only one class"):
        model_of("sig(x_1)", ("a",))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = MLPClassifier((2,), max_iter=3).fit(np.eye(4), ["a"] * 4)
    with pytest.raises(DsgecError, match="only one class"):
        dsgec.compile(alone)
    weights = [("w", np.ones((3, 1)))]
    for operator, more in (("Softmax", ()), ("Sigmoid", ("--classes", "onlyone"))):
        nodes = [("MatMul", ("x", "w"), "s", {}), (operator, ("s",), "y", {})]
        path = tmp_path / f"{operator}.onnx"
        path.write_bytes(graph(nodes, weights))
        command = ["compile", str(path), "--out", str(tmp_path / "out"), *more]
        with pytest.raises(DsgecError, match=r"only one class|1 class name given"):
            commands.main(command, standalone_mode=False)
    assert not (tmp_path / "out").exists()


_CALLER = """
#include <stdlib.h>
#include "{name}.h"
typedef {given} given_type;
typedef {made} made_type;
int main(void)
{{
    int i, n, wrong = {name}_selftest();
    for (n = 1; n < 70; n += 34) {{ /* of exactly the sizes that the header says */
        given_type *x = malloc(sizeof *x * (size_t)(n * {macro}_FEATURES));
        made_type *p = malloc(sizeof *p * (size_t)(n * {macro}_CLASSES));
        int *numbers = malloc(sizeof *numbers * (size_t)n);
        for (i = 0; i < n * {macro}_FEATURES; i++)
            x[i] = (given_type)(i % 7 - 3);
        for (i = 0; i < n; i++) {{
            wrong |= {name}_predict_proba(x + i * {macro}_FEATURES, p + i * {macro}_CLASSES);
            wrong |= {name}_predict(x + i * {macro}_FEATURES) < 0;
        }}
        wrong |= {name}_predict_proba_batch(x, (size_t)n, p) != 0;
        wrong |= {name}_predict_batch(x, (size_t)n, numbers) != 0;
        free(x), free(p), free(numbers);
    }}
    return wrong;
}}
"""


@pytest.mark.needs_cc
@pytest.mark.parametrize("dtype", ["double", "float", "q15", "q7"])
def test_no_function_writes_beyond_buffers_of_the_headers_sizes(dtype, tmp_path):
    for name, model in {"lone": LONE, "three": SUMS, "many": MANY}.items():
        ranges = ((-4.0, 4.0),) * 3 if dtype.startswith("q") else ()
        artefact = Artefact(model, name, dtype, selftest="quick", ranges=ranges)
        for file in TARGETS["c"].emit(artefact):
            (tmp_path / file.name).write_text(file.text)
        types = {"given": f"{name}_real", "made": f"{name}_real"}
        if ranges:
            types = {"given": f"{name}_number", "made": f"{name}_result"}
        caller = _CALLER.format(name=name, macro=name.upper(), **types)
        (tmp_path / "main.c").write_text(caller)
        flags = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
        sources = ["main.c", f"{name}.c", f"{name}_selftest.c", "-o", "main"]
        subprocess.run([COMPILERS[0], *flags, *sources], cwd=tmp_path, check=True)
        answer = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, check=False)
        assert answer.returncode == 0, answer.stderr.decode()


# --- sums decide -------------------------------------------------------------------------------


def near_ties(dtype=np.float64):
    """Return rows whose sums are equal, rounded to equal probabilities, or not numbers."""
    one = dtype(0.125)
    up = np.nextafter(one, dtype(1))
    inf = dtype(np.inf)
    values = (one, up, dtype(-0.0), dtype(0.0), inf, -inf, dtype(3))
    return np.array([*product(values, repeat=3)], dtype)


def classes_by_hand(rows):
    """An oracle of its own: the first of the largest sums, none if a softmax is not a number."""
    found = []
    for row in rows.tolist():
        top = max(row)
        found.append(-1 if top in (float("inf"), float("-inf")) else row.index(top))
    return found


def test_near_ties_are_ties_of_probabilities():
    """Without such ties the tests below would test nothing."""
    rows = near_ties()
    p = evaluate(compose(SUMS), rows)
    assert (p.argmax(axis=1) != classes_by_hand(rows))[~np.isnan(p).any(axis=1)].any()


def test_the_library_python_and_numpy_choose_the_largest_sum():
    rows = near_ties()
    numbers = classes_by_hand(rows)
    labels = [None if number < 0 else NAMES[number] for number in numbers]
    chosen, nothing = classify(compose(SUMS), rows)
    assert np.where(nothing, -1, chosen).tolist() == numbers
    finite = np.isfinite(rows).all(axis=1)
    expected = [label for label, is_finite in zip(labels, finite, strict=True) if is_finite]
    assert dsgec.Network(SUMS).predict(rows[finite]).tolist() == expected
    for target in ("python", "numpy"):
        module = python_module(SUMS, target)
        assert list(module.predict(rows)) == labels
        assert module.selftest() is True
    nothing = [label is None for label in labels]
    assert np.isnan(evaluate(compose(SUMS), rows)).any(axis=1).tolist() == nothing


@pytest.mark.needs_cc
@pytest.mark.parametrize("dtype", ["double", "float"])
def test_c_chooses_the_largest_sum(dtype, tmp_path):
    library = CLibrary({"net": SUMS}, tmp_path, COMPILERS[0], "-O2", dtype=dtype)
    rows = near_ties(np.float32 if dtype == "float" else np.float64)
    for batch in (False, True):
        assert library.classes("net", rows, batch=batch) == classes_by_hand(rows)
    assert library.selftest("net") == 0


@pytest.mark.needs_cc
def test_the_package_chooses_the_largest_sum(tmp_path):
    module = package(SUMS, tmp_path, "double")
    rows = near_ties()
    labels = [None if number < 0 else NAMES[number] for number in classes_by_hand(rows)]
    assert module.predict(rows).tolist() == labels
    assert list(module.predict(rows.tolist())) == labels
    assert [module.predict(row)[0] for row in rows] == labels
    assert module.selftest() is True


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.parametrize("target", MODULES)
def test_javascript_and_webassembly_choose_the_largest_sum(target, tmp_path):
    module = write_files(tmp_path, target, Artefact(SUMS, "net"))
    rows = near_ties()
    text = str(rows.tolist()).replace("inf", "Infinity")
    (tmp_path / "driver.mjs").write_text(
        f'import * as net from "./{module}";\n'
        f"console.log(JSON.stringify(net.predictBatch({text})), net.selftest());\n"
    )
    answer = subprocess.run(
        [NODE, str(tmp_path / "driver.mjs")], capture_output=True, text=True, check=True
    )
    labels = ["null" if n < 0 else f'"{NAMES[n]}"' for n in classes_by_hand(rows)]
    assert answer.stdout.split() == [f"[{','.join(labels)}]", "true"]


def test_onnx_chooses_the_largest_sum():
    rows = near_ties(np.float32)
    _, numbers = onnx_session(SUMS).run(None, {"rows": rows})
    assert numbers.tolist() == classes_by_hand(rows)


# --- a lone sigmoid ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["double", "float"])
@pytest.mark.parametrize("threshold", [0.5, float(np.nextafter(0.5, 1)), 0.3, 0.98, 1e-6])
def test_a_limit_of_the_sum_decides_as_the_threshold_of_its_sigmoid(threshold, dtype):
    real = {"double": np.float64, "float": np.float32}[dtype]
    limit = real(sigmoid_limit(threshold, dtype))
    near = [limit]
    for end in (real(-np.inf), real(np.inf)):
        x = limit
        for _ in range(300):
            x = np.nextafter(x, end)
            near.append(x)
    spread = np.random.default_rng(1).normal(0, 20, 20_000).astype(real)
    tiny = (2.0 ** np.arange(-140, 0)).astype(real)
    sums = np.concatenate([near, spread, spread * real(1e-6), tiny, -tiny, [0.0, -0.0]])
    p = evaluate(parse("sig(x_1)"), sums.astype(real)[:, None])[:, 0]
    assert ((p >= real(threshold)) == (sums >= limit)).all()


@pytest.mark.campaign
def test_the_limit_divides_all_single_precision_numbers_as_the_threshold_does():
    network = parse("sig(x_1)")
    limits = {t: np.float32(sigmoid_limit(t, "float")) for t in (0.5, 0.3, 0.7312343)}
    for start in range(-(2**31), 2**31, 2**24):
        bits = np.arange(start, start + 2**24, dtype=np.int64).astype(np.int32)
        x = bits.view(np.float32)
        x = x[~np.isnan(x)]
        p = evaluate(network, x[:, None])[:, 0]
        for threshold, limit in limits.items():
            assert ((p >= np.float32(threshold)) == (x >= limit)).all()


@pytest.mark.needs_cc
@pytest.mark.parametrize("threshold", [0.5, 0.3])
def test_c_decides_at_the_limit_of_the_sum(threshold, tmp_path):
    model = model_of("sig(x_1)", ("no", "yes"), threshold, inputs=1)
    for dtype, real in (("double", np.float64), ("float", np.float32)):
        folder = tmp_path / dtype
        folder.mkdir()
        library = CLibrary({"net": model}, folder, COMPILERS[0], "-O2", dtype=dtype)
        limit = real(sigmoid_limit(threshold, dtype))
        rows = np.array([np.nextafter(limit, real(-1)), limit, -np.inf, np.inf], real)[:, None]
        for batch in (False, True):
            assert library.classes("net", rows, batch=batch) == [0, 1, 0, 1]
        assert library.results("net", rows, batch=True)[1, 1] >= real(threshold)
        assert library.results("net", rows, batch=True)[0, 1] < real(threshold)
        assert library.selftest("net") == 0


# --- fixed point -------------------------------------------------------------------------------

FIXED = {
    "three": SUMS,
    "lone": LONE,
    "other threshold": model_of("sig(0.7 * x_1 - 0.33 * x_2)", ("no", "yes"), 0.3),
    "many": MANY,
    "hidden": model_of("softmax(tanh(x_1) - x_2, 0.2 * x_3, sig(x_1 * x_2))", NAMES),
    "near": model_of("softmax(0.001 * x_1, 0.001 * x_2, 0.0011 * x_3)", NAMES),
}


@pytest.mark.parametrize("dtype", ["q15", "q7"])
@pytest.mark.parametrize("name", FIXED)
def test_the_sums_of_fixed_point_decide_as_its_results(name, dtype):
    model = FIXED[name]
    program = Artefact(model, "net", dtype, ranges=((-2.0, 2.0),) * 3).number_format.fixed.program
    assert program.sums
    random = np.random.default_rng(3)
    most = {"q15": 32767, "q7": 127}[dtype]
    rows = random.integers(-most, most + 1, (20_000, 3)).astype(np.int32)
    rows[::2, 1] = rows[::2, 0] + random.integers(-1, 2, 10_000)  # of equal or nearly equal sums
    rows = np.clip(rows, -most, most)
    slots = step_values(program, rows)
    sums = np.stack([np.broadcast_to(read(s, rows, slots), len(rows)) for s in program.sums], 1)
    results = evaluate_integers(program, rows)
    if program.limit is None:
        assert (results.argmax(axis=1) == sums.argmax(axis=1)).all()
    else:
        reached = results[:, 1] >= np.ceil(model.threshold * 2.0**program.fraction)
        assert (reached == (sums[:, 0] >= program.limit)).all()


# --- what is linked ----------------------------------------------------------------------------


@pytest.mark.needs_cc
@pytest.mark.parametrize("dtype", ["double", "float", "q15", "q7"])
@pytest.mark.parametrize("model", [SUMS, LONE], ids=["softmax", "sigmoid"])
def test_a_program_that_calls_predict_alone_links_no_softmax_sigmoid_or_table(
    model, dtype, tmp_path
):
    ranges = ((-2.0, 2.0),) * 3 if dtype.startswith("q") else ()
    artefact = Artefact(model, "net", dtype, selftest="quick", ranges=ranges)
    for file in TARGETS["c"].emit(artefact):
        (tmp_path / file.name).write_text(file.text)
    flags = ["-Os", "-fno-inline", "-ffunction-sections", "-fdata-sections", "-nostdlib"]
    command = [COMPILERS[0], *flags, "-static", "-Wl,--gc-sections", "-Wl,-e,net_predict"]
    subprocess.run([*command, "net.c", "-o", "net"], cwd=tmp_path, check=True)
    symbols = subprocess.run(
        ["nm", "net"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout
    assert "net_predict\n" in symbols
    parts = ("softmax", "sig\n", "exp", "reciprocal", "_look", "_table", "predict_proba")
    assert not [part for part in parts if part in symbols]
