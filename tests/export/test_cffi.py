"""The exported package gives the interpreter's bits at every level of instructions."""

import random
import subprocess
import sys
import venv
import zipfile

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.export.files import export
from dsgec.export.tape import tape
from dsgec.export.targets import cffi as building
from dsgec.export.targets.cffi.emit import emit_cffi
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Column, Model, compose, unnamed_model
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from tests.support.artefacts import expected_labels, expected_results, random_model, random_rows
from tests.support.importing import Frame, levels, package, run
from tests.support.models import MIXED, SUM, layered
from tests.support.random_networks import random_network, rows, same_bits

pytestmark = pytest.mark.needs_cc

SIZES = (1, 7, 8, 63, 64, 69, 75, 150)


def agree(model, folder, seed):
    module = package(model, folder)
    table = random_rows(model, seed, SIZES[-1])
    expected = expected_results(model, table)
    assert module.selftest() is True
    for level in levels(module):
        for count in SIZES:
            found = run(module, table[:count].copy(), level, expected.shape[1])
            assert same_bits(found, expected[:count]), (level, count)
    call = module.predict_proba if model.is_classifier else module.predict
    assert same_bits(np.reshape(call(table), expected.shape), expected)
    assert same_bits(np.reshape(call(table[:5].tolist()), expected[:5].shape), expected[:5])
    row = table[3]
    for given in (row, row[None], np.repeat(row, 2)[::2], row.tolist(), tuple(row.tolist())):
        assert same_bits(np.reshape(call(given), expected[3:4].shape), expected[3:4])
        if model.is_classifier:
            assert list(module.predict(given)) == expected_labels(model, expected[3:4])
    if model.is_classifier:
        labels = expected_labels(model, expected)
        assert module.predict(table).tolist() == labels
        assert module.predict(table[:9].tolist()) == labels[:9]


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.campaign)])
def test_every_level_gives_the_interpreters_bits(seed, tmp_path):
    agree(random_model(seed), tmp_path, seed)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", [*range(2, 10), *range(3000, 3300)])
def test_every_level_gives_the_interpreters_bits_on_300_random_networks(seed, tmp_path):
    agree(random_model(seed), tmp_path, seed)


def on_tape(network, table):
    """Run a tape with the functions of the interpreter, as the kernel should."""
    from dsgec.arithmetic.printed import vector

    made = tape(network)
    slots = [np.full(len(table), np.nan) for _ in range(made.slots)]
    for column, slot in made.inputs:
        slots[slot] = table[:, column].copy()
    for value, slot in made.constants:
        slots[slot] = np.full(len(table), value)
    plain = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "quotient": np.divide}
    with np.errstate(all="ignore"):
        for step in made.steps:
            sources = [slots[source].copy() for source in step.sources]
            if step.operation == "sum":
                for i in range(step.count):
                    total = step.weights[0][i] * sources[0]
                    for source, weights in zip(sources[1:], step.weights[1:], strict=True):
                        total = total + weights[i] * source
                    slots[step.to + i] = total
            elif len(sources) == 1:
                function = getattr(vector, step.operation)
                for i in range(step.count):
                    slots[step.to + i] = function(slots[step.sources[0] + i])
            else:
                function = plain.get(step.operation) or getattr(vector, step.operation)
                slots[step.to] = np.broadcast_to(function(*sources), len(table)).copy()
    return np.stack([slots[slot] for slot in made.outputs], axis=1)


@pytest.mark.parametrize("seed", range(100))
def test_a_tape_computes_the_same_as_its_network(seed):
    for each in (random_network(seed), simplify(random_network(seed))):
        table = rows(seed, 40, each.inputs)
        assert same_bits(on_tape(each, table), evaluate(each, table))


def test_sums_of_the_same_columns_share_a_step_and_functions_of_neighbours_too():
    names = [f"h_1_{i}" for i in range(1, 8)]
    lines = [f"{name} = sig({i}.5 * x_1 + 2.5 * x_2 + {i}.0)" for i, name in enumerate(names, 1)]
    text = "\n".join([*lines, f"y_1 = sig({' + '.join(f'1.5 * {name}' for name in names)})"])
    made = tape(parse(text))

    kinds = [(step.operation, step.count) for step in made.steps]
    assert kinds == [("sum", 4), ("sum", 3), ("sig", 7), ("sum", 1), ("sig", 1)]
    assert made.slots == 3 + 7


@pytest.mark.parametrize(("sums", "tiles"), [(6, [6]), (8, [4, 4]), (13, [5, 4, 4])])
def test_sums_of_the_same_columns_are_divided_evenly(sums, tiles):
    lines = [f"y_{i} = {i}.5 * x_1 + 2.5 * x_2" for i in range(1, sums + 1)]

    assert [step.count for step in tape(parse("\n".join(lines))).steps] == tiles


@pytest.mark.parametrize("dtype", ["float", "double"])
def test_a_sigmoid_in_parts_is_the_sigmoid(dtype, tmp_path):
    lines = [f"y_{i} = sig({i}.0 * x_1)" for i in range(1, 4)]
    model = unnamed_model(parse("\n".join(lines)))
    module = package(model, tmp_path, dtype)
    ends = [0.0, 1e-300, 1e-40, 1e-9, 87.0, 87.5, 103.5, 104.0, 105.0, 709.0, 745.5, 746.5, 1e30]
    middle = np.random.default_rng(1).normal(size=300) * 30
    column = np.concatenate(
        [np.multiply(ends, 1), np.multiply(ends, -1), middle, [np.inf, -np.inf]]
    )
    table = column[:, None].astype(np.float32 if dtype == "float" else float)
    expected = evaluate(model.network, table)

    for level in levels(module):
        assert run(module, table, level, 3).tobytes() == expected.tobytes()


def test_a_network_of_many_layers_needs_few_slots():
    lines = ["h_1_1 = sig(2.5 * x_1)"]
    lines += [f"h_{i}_1 = sig(1.5 * h_{i - 1}_1 + 0.5)" for i in range(2, 60)]

    assert tape(parse("\n".join([*lines, "y_1 = h_59_1"]))).slots <= 4


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.campaign) for n in range(1, 8))]
)
def test_every_level_of_a_float_package_gives_the_same_bits(seed, tmp_path):
    rng = random.Random(seed)
    model = Model(
        layered(rng, 8, rng.randint(1, 5), rng.choice([2, 3])),
        tuple(Column(f"c{i}", center=0.5, scale=1.5) for i in range(8)),
    )
    module = package(model, tmp_path, "float")
    table = np.random.default_rng(seed).normal(size=(150, 8)).astype(np.float32)
    expected = evaluate(compose(model), table)

    assert expected.dtype == np.float32
    assert module.selftest() is True
    for level in levels(module):
        found = run(module, table, level, expected.shape[1])
        assert (found.view(np.int32) == expected.view(np.int32)).all()
    given = module.predict(table)
    assert given.dtype == np.float32
    assert (given.reshape(expected.shape) == expected).all()
    assert np.allclose(module.predict(table.astype(float)).reshape(expected.shape), expected)


@pytest.fixture(scope="module")
def adder(tmp_path_factory):
    """Return the package of a sum."""
    return package(SUM, tmp_path_factory.mktemp("adder"))


def test_rows_of_any_shape_are_taken(adder):
    assert adder.predict([1, 2]) == [3.0]
    assert adder.predict((1, "2")) == [3.0]
    assert adder.predict([[1, 2], (3, 4)]) == [3.0, 7.0]
    assert adder.predict({"x_2": 5, "x_1": 1}) == [6.0]
    assert adder.predict([{"x_2": 5, "x_1": 1}, {"x_2": 5, "x_1": 2}]) == [6.0, 7.0]
    assert adder.predict([]) == []
    table = np.array([[1, 2], [3, 4]])
    assert adder.predict(table).tolist() == [3.0, 7.0]
    assert adder.predict(table.astype(float)).tolist() == [3.0, 7.0]
    assert adder.predict(np.asfortranarray(table.astype(float))).tolist() == [3.0, 7.0]
    assert adder.predict(table.astype(float)[:, ::-1]).tolist() == [3.0, 7.0]
    assert adder.predict(np.array([1.5, 2])).tolist() == [3.5]
    assert adder.predict(np.arange(4.0)[::2]).tolist() == [2.0]
    assert adder.predict(np.empty((0, 2))).tolist() == []
    assert adder.predict(Frame(x_2=[5.0], other=["?"], x_1=[1.0])).tolist() == [6.0]
    for wrong in ([1, 2, 3], [[1, 2], [3]], np.zeros((4, 3)), np.zeros(3), np.zeros((1, 1, 2))):
        with pytest.raises(ValueError, match="rows of 2 features, 'x_1', 'x_2'"):
            adder.predict(wrong)
    with pytest.raises(ValueError, match="missing columns: 'x_2'"):
        adder.predict(Frame(x_1=[1.0]))


@pytest.mark.parametrize("kind", [list, np.array])
def test_a_missing_value_raises_by_default(kind, adder):
    for given, row in (([1.0, np.nan], 0), ([[1.0, 2.0], [1.0, np.nan]], 1)):
        with pytest.raises(ValueError, match=rf"row {row}: column 'x_2' is missing or NaN"):
            adder.predict(kind(given))
        assert np.isnan(adder.predict(kind(given), nan="propagate")[-1])
    with pytest.raises(ValueError, match="'raise' or 'propagate'"):
        adder.predict(kind([1.0, 2.0]), nan="ignore")


def test_texts_are_taken_and_missing_values_filled(tmp_path):
    module = package(MIXED, tmp_path)

    assert module.selftest()
    assert module.predict([1, "yes", "red", "2"]) == [2111.0]
    assert module.predict([None, "no", None, None]) == [1202.5]
    assert module.predict([1, "no", "pink", "3"]) == [1.0]
    frame = Frame(grade=["1"], colour=["green"], size=["4.5"], wet=["yes"])
    assert module.predict(frame).tolist() == [1214.5]
    with pytest.raises(ValueError, match="give the text"):
        module.predict(np.array([[1.0, 0.0, 1.0, 1.0]]))


def test_only_some_columns_may_be_missing(tmp_path):
    model = Model(parse("x_1 + x_2"), (Column("a", fill=2.0), Column("b"), Column("unused")))
    module = package(model, tmp_path)

    assert module.predict(np.array([[np.nan, 1.0, 0.0]] * 70)).tolist() == [3.0] * 70
    table = np.ones((70, 3))
    table[66, 2] = np.nan  # nobody reads it
    assert module.predict(table).tolist() == [2.0] * 70
    table[66, 1] = np.nan
    with pytest.raises(ValueError, match=r"row 66: column 'b' is missing"):
        module.predict(table)


@pytest.mark.campaign
def test_hostile_names_arrive_verbatim_and_change_nothing(tmp_path, names):
    module, tame = package(names.model, tmp_path), package(names.tame, tmp_path)
    table = random_rows(names.model, 3, 9)

    assert module.feature_names_in_ == names.names
    assert module.classes_ == names.labels
    assert module.metadata["columns"][1]["categories"] == list(names.labels[:3])
    assert same_bits(module.predict_proba(table), tame.predict_proba(table))
    assert module.selftest()


def test_a_changed_weight_fails_the_selftest(tmp_path):
    model = unnamed_model(parse("sig(2.5 * x_1 - 1.25 * x_2 + 0.5)"))
    artefact = Artefact(model, "mutant")
    python, c, header = emit_cffi(artefact)
    assert "2.5, " in c.text
    changed = c.text.replace("2.5, ", f"{float(np.nextafter(2.5, 3))}, ")
    files = building.build_package(artefact, (python, type(c)(c.name, changed), header))
    for file in files:
        path = tmp_path / file.name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(file.text.encode() if isinstance(file.text, str) else file.text)
    command = [sys.executable, "-c", "import mutant; print(mutant.selftest())"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert answer.stdout == "False\n"


def test_the_same_model_gives_the_same_bytes(tmp_path):
    for folder in "ab":
        export(SUM, ["cffi"], "same", tmp_path / folder, packages=["wheel"])
    first, second = (
        {path.name: path.read_bytes() for path in (tmp_path / folder).rglob("*") if path.is_file()}
        for folder in "ab"
    )
    assert first == second
    assert len(first) == 3


def test_numpy_is_imported_for_an_array_only(tmp_path):
    export(SUM, ["cffi"], "bare", tmp_path)
    check = (
        "import sys, bare; bare.selftest(); bare.predict([1, 2]); bare.predict([[1, '2']]);"
        "bare.predict({'x_1': 1, 'x_2': 2}); print('numpy' in sys.modules)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", check], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert answer.stdout == "False\n"


def test_the_wheel_is_one_for_every_python(tmp_path):
    export(SUM, ["cffi"], "adder", tmp_path, packages=["wheel"])
    (wheel,) = tmp_path.glob("*.whl")
    assert "-cp39-abi3-" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
    assert [name for name in names if "dist-info" not in name] == [
        "adder/__init__.py",
        "adder/_adder.abi3.so",
    ]


@pytest.mark.campaign
def test_pip_installs_the_wheel(tmp_path):
    export(SUM, ["cffi"], "adder", tmp_path, packages=["wheel"])
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
    check = "import adder; print(adder.selftest(), adder.predict([1, 2]))"
    answer = subprocess.run(
        [python, "-c", check], cwd=tmp_path / "venv", capture_output=True, text=True, check=True
    )
    assert answer.stdout == "True [3.0]\n"


def test_a_missing_compiler_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "compilers", lambda: ())
    with pytest.raises(DsgecError, match="needs a C compiler"):
        export(SUM, ["cffi"], "adder", tmp_path)


def test_composed_models_are_built(tmp_path):
    model = Model(parse("x_1"), (Column("a", fill=2.0, center=1.0, scale=4.0),))
    module = package(model, tmp_path)

    assert module.predict([[3.0], [None]]) == [0.5, 0.25]
    assert evaluate(compose(model), np.array([[3.0]])).tolist() == [[0.5]]


def test_a_package_can_stand_within_another(tmp_path):
    export(SUM, ["cffi"], "inner", tmp_path / "outer")
    (tmp_path / "outer" / "__init__.py").touch()
    check = "import outer.inner as net; print(net.predict([1, 2]), net.selftest())"
    answer = subprocess.run(
        [sys.executable, "-c", check], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert answer.stdout == "[3.0] True\n"


@pytest.mark.parametrize(("text", "label"), [("sig(x_1)", "yes"), ("softmax(x_1, 0.5)", "no")])
def test_there_is_no_label_if_the_output_is_not_a_number(text, label, tmp_path):
    module = package(Model(parse(text), (Column("a"),), ("no", "yes")), tmp_path)
    for kind in (list, np.array):
        assert list(module.predict(kind([[np.nan], [9.0]]), nan="propagate")) == [None, label], kind


def test_a_wide_network_runs_on_a_small_stack(tmp_path):
    terms = [f"sig({i}.5 * x_1 + {i % 7}.0)" for i in range(500)]
    lines = [f"h_1_{i} = {term}" for i, term in enumerate(terms, 1)]
    total = " + ".join(f"0.5 * h_1_{i}" for i in range(1, 501))
    model = unnamed_model(parse("\n".join([*lines, f"y_1 = {total}"])))
    export(model, ["cffi"], "wide", tmp_path)
    check = (
        "import threading, wide; threading.stack_size(128 << 10); found = [];"
        "rows = [[i / 9.0] for i in range(70)];"
        "t = threading.Thread(target=lambda: found.extend(wide.predict(rows)));"
        "t.start(); t.join(); print(len(found), wide.selftest(), found[9].hex())"
    )
    answer = subprocess.run(
        [sys.executable, "-c", check], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    expected = float(evaluate(model.network, np.array([[1.0]]))[0, 0])
    assert answer.stdout == f"70 True {expected.hex()}\n"


def test_a_network_without_inputs_has_rows_all_the_same(tmp_path):
    module = package(unnamed_model(parse("2.5")), tmp_path)

    assert module.predict([]) == []
    assert module.predict([[]]) == [2.5]
    assert module.predict(np.empty((3, 0))).tolist() == [2.5] * 3
    assert module.predict(np.empty(0)).tolist() == []


def test_wheels_of_both_types_have_different_versions(tmp_path):
    for dtype in ("double", "float"):
        export(SUM, ["cffi"], "adder", tmp_path, dtype, packages=["wheel"])
    wheels = sorted(tmp_path.glob("*.whl"))
    assert len(wheels) == 2
    assert ".float-cp39" in wheels[1].name
    with zipfile.ZipFile(wheels[1]) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("METADATA"))
        assert "Requires-Python: >=3.9\n" in archive.read(name).decode()
