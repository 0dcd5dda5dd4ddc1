"""The packed layout gives the integers of the flat one, and takes less flash."""

import itertools
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from dsgec.arithmetic.procedures import procedures
from dsgec.export.artefact import Artefact
from dsgec.export.candidates import integer_candidates
from dsgec.export.files import export
from dsgec.export.fixed.evaluate import read, step_values
from dsgec.export.fixed.ir import ColumnValue, IntegerCall, Slot, Sum, WholeNumber
from dsgec.export.fixed.packed import pack
from dsgec.export.fixed.weight_formats import Way
from dsgec.export.read import open_artefacts
from dsgec.export.targets.c.image import COMPILERS, link
from dsgec.export.targets.target import TARGETS
from dsgec.network.model import Column, Model
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from dsgec.program.interpret import interpret
from tests.support.artefacts import COMPILERS as HOST_COMPILERS
from tests.support.models import EVERY_KIND, MIXED_COLUMNS

DTYPES = ("q7", "q15")
INTEGERS = procedures("whole")


def layered(inputs, hidden, classes, terms, activation="relu", seed=1):
    """Return a model of one hidden layer whose neurons have so many random inputs each."""
    rng = np.random.RandomState(seed)

    def total(names):
        return (
            " + ".join(f"{rng.normal():.3f} * {name}" for name in names) + f" + {rng.normal():.3f}"
        )

    lines = [f"inputs = {inputs}"]
    for number in range(1, hidden + 1):
        chosen = sorted(rng.choice(inputs, min(terms, inputs), replace=False) + 1)
        lines.append(f"h_1_{number} = {activation}({total(f'x_{c}' for c in chosen)})")
    neurons = [f"h_1_{number}" for number in range(1, hidden + 1)]
    if classes > 2:
        names = ", ".join(f"y_{c}" for c in range(1, classes + 1))
        lines.append(f"{names} = softmax({', '.join(total(neurons) for _ in range(classes))})")
    else:
        lines.append(f"y_1 = {'sig(' if classes else '('}{total(neurons)})")
    columns = tuple(Column(f"c{number}") for number in range(inputs))
    return Model(
        simplify(parse("\n".join(lines))), columns, tuple(f"k{number}" for number in range(classes))
    )


def make(model, dtype, layout="packed"):
    ranges = tuple(None if column.categories else (-1.0, 1.0) for column in model.columns)
    return Artefact(model, "net", dtype, selftest="quick", ranges=ranges, layout=layout)


RUNS = (*range(3, 9), *range(10, 39))
MODELS = {
    "two classes": layered(6, 3, 2, 4, "sig"),
    "classes": layered(9, 5, 4, 4),
    "values": layered(7, 4, 0, 3, "tanh"),
    "dense": layered(8, 6, 3, 8),
    "many sources": layered(300, 60, 3, 12),
    "wide": layered(290, 2, 3, 290, "sig"),
    "runs": Model(
        parse(
            f"inputs = 40\nh_1_1 = clip({' + '.join(f'0.1 * x_{n}' for n in RUNS)})\n"
            "y_1 = sig(h_1_1)"
        ),
        tuple(Column(f"c{number}") for number in range(40)),
        ("no", "yes"),
    ),
    "every kind": EVERY_KIND,
    "mixed": Model(
        parse("h_1_1 = relu(x_1 + 0.5 * x_2 - x_3)\ny_1 = sig(h_1_1 - x_4 + 0.3 * x_5 + x_6)"),
        MIXED_COLUMNS,
        ("no", "yes"),
    ),
    # One class has a constant sum, one that of another class, and one that of a hidden neuron.
    "odd sums": Model(
        parse(
            "inputs = 2\nh_1_1 = relu(x_1 + 0.5 * x_2 + 0.1)\nh_1_2 = relu(h_1_1 - x_2)\n"
            "y_1, y_2, y_3, y_4 = softmax(0.25, h_1_1, h_1_2 + x_1, h_1_2 + x_1)"
        ),
        (Column("a"), Column("b")),
        tuple("abcd"),
    ),
    "columns read late": Model(
        parse(
            "inputs = 4\nh_1_1 = relu(x_1 + 0.5 * x_2 - 0.1)\n"
            "y_1 = if(x_3 > 0.2, h_1_1 * 0.5 + x_1, x_2 * x_4)\ny_2 = x_4"
        ),
        tuple(Column(name) for name in "abcd"),
        (),
    ),
    "skips": Model(
        parse(
            "inputs = 3\nh_1_1 = sin(x_1 * x_2)\nh_1_2 = sig(x_1 - x_3)\n"
            "y_1 = h_1_1 + 0.5 * h_1_2 + x_2"
        ),
        (Column("a"), Column("b"), Column("c")),
    ),
}


@pytest.mark.parametrize(("name", "dtype"), [*itertools.product(MODELS, DTYPES)])
def test_packed_steps_are_the_flat_ones(name, dtype):
    artefact = make(MODELS[name], dtype)
    program, packed = artefact.number_format.fixed.program, artefact.packed
    assert packed is not None
    rows = integer_candidates(program, artefact.model.columns, 500, 3)
    if packed.refuses:
        rows = rows[(rows != program.missing).all(axis=1)]

    loaded, _ = interpret(packed.program, packed.load, INTEGERS, x=rows.astype(np.int64))
    v = np.stack([np.broadcast_to(each, len(rows)) for each in loaded["v"]], axis=1)
    written, found_class = interpret(packed.program, packed.neurons, INTEGERS, v=v)

    slots = step_values(program, rows)
    if packed.decides:
        sums = np.stack([np.broadcast_to(read(o, rows, slots), len(rows)) for o in packed.shown])
        is_limited = program.limit is not None
        assert (found_class == (sums[0] >= program.limit if is_limited else sums.argmax(0))).all()
    for operand, found in zip(packed.shown, written["s"], strict=True):
        assert np.all(read(operand, rows, slots) == found), operand


@pytest.mark.needs_cc
@pytest.mark.parametrize(("name", "dtype"), [*itertools.product(MODELS, DTYPES)])
def test_packed_c_passes_its_selftest_under_sanitizers(name, dtype, tmp_path):
    for file in TARGETS["c"].emit(make(MODELS[name], dtype)):
        (tmp_path / file.name).write_text(file.text)
    flags = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wno-sign-conversion", "-O1")
    for compiler in HOST_COMPILERS:
        command = [compiler, *flags, "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
        command += ["-DNET_SELFTEST_MAIN", "net.c", "net_selftest.c", "-o", "main"]
        built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert built.returncode == 0, built.stderr
        answer = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True)
        assert answer.returncode == 0, answer.stdout + answer.stderr
        assert "agree, bit for bit" in answer.stdout


def test_a_class_needs_only_the_sums():
    for dtype in DTYPES:
        assert make(MODELS["classes"], dtype).packed.decides
        assert make(MODELS["odd sums"], dtype).packed.decides
        assert make(MODELS["two classes"], dtype).packed.decides


def test_a_missing_value_is_found_while_loading():
    packed = make(MODELS["classes"], "q7").packed
    rows = np.zeros((2, 9), np.int64)
    rows[1, 3] = -128

    assert packed.refuses
    assert interpret(packed.program, packed.load, INTEGERS, x=rows)[1].tolist() == [0, 1]


def test_a_missing_value_that_is_filled_is_not_refused():
    packed = make(MODELS["mixed"], "q7").packed
    filled = [bool(source.fill) for source in packed.columns]
    assert packed.refuses
    assert any(filled)
    assert not all(filled)
    rows = np.zeros((len(filled), len(MIXED_COLUMNS)), np.int64)
    for row, source in zip(rows, packed.columns, strict=True):
        row[source.column] = -128

    lacks = interpret(packed.program, packed.load, INTEGERS, x=rows)[1]

    assert lacks.tolist() == [not each for each in filled]


def test_a_program_without_neurons_stays_flat():
    model = Model(parse("inputs = 2\ny_1 = x_1 * x_2"), (Column("a"), Column("b")))
    artefact = make(model, "q7")

    assert artefact.packed is None
    flat = make(model, "q7", "flat")
    assert "_neurons(" not in TARGETS["c"].emit(artefact)[1].text
    assert artefact.golden == flat.golden


def test_dense_neurons_list_no_sources():
    program = make(MODELS["dense"], "q7").number_format.fixed.program
    packed = pack(program, range(8))
    weights = next(table for table in packed.program.tables if table.name == "packed")

    heads = 9 * (2 + 1 + 1 + 1)  # the bias, the count, the first source and the shift
    assert len(weights.values) <= 8 * 6 + 6 * 3 + heads


def test_a_weight_beyond_8_bits_is_in_a_list_of_words():
    """A lengthened argument has such a weight in q7, too."""
    given = make(MODELS["classes"], "q7").number_format.fixed.program
    steps = (
        Sum(((ColumnValue(0), 256), (ColumnValue(1), -5)), 7, 3),
        IntegerCall("clamp", (Slot(0), WholeNumber(-127), WholeNumber(127))),
        Sum(((Slot(1), 1), (ColumnValue(2), 3)), -1, 1),
    )
    program = replace(
        given, steps=steps, tables=(), results=(Slot(2),), sums=(), limit=None, names=()
    )
    rows = np.random.RandomState(1).randint(-127, 128, (200, 9))

    packed = pack(program, ())

    assert 256 in next(t for t in packed.program.tables if t.name == "weights").values
    loaded, _ = interpret(packed.program, packed.load, INTEGERS, x=rows)
    v = np.stack(loaded["v"], axis=1)
    written, _ = interpret(packed.program, packed.neurons, INTEGERS, v=v)
    assert (written["s"][0] == step_values(program, rows)[2]).all()


def test_sources_beyond_a_byte_are_listed_by_their_distance():
    packed = make(MODELS["many sources"], "q15").packed

    assert packed.rows.groups[0].format.way == Way.RELATIVE
    assert [table.name for table in packed.program.tables] == ["columns", "packed", "weights"]


def test_columns_in_runs_are_loaded_by_their_lengths():
    packed = make(MODELS["runs"], "q7").packed

    assert next(t for t in packed.program.tables if t.name == "columns").values == (2, 6, 1, 29)


def test_an_export_can_be_packed_and_verified(tmp_path):
    model = MODELS["classes"]
    ranges = {"*": (-1.0, 1.0)}

    paths = export(model, ["c"], "net", tmp_path, "q7", ranges=ranges, layout="packed", check=False)

    with open_artefacts(paths[0]) as (found,):
        assert found.artefact == replace(make(model, "q7"), selftest="full")
        assert TARGETS["c"].emit(found.artefact)[0].text == paths[0].read_text()


@pytest.mark.needs_cc
@pytest.mark.parametrize("dtype", ["double", "float"])
def test_floats_are_packed_with_the_same_bits(dtype):
    rows = np.random.default_rng(3).normal(size=(50, 8))
    rows = rows.astype(np.float32 if dtype == "float" else np.float64)
    found = []
    for layout in ("flat", "packed"):
        artefact = Artefact(layered(8, 5, 3, 4, "tanh"), "net", dtype, layout=layout)
        files = TARGETS["c"].emit(artefact)
        assert ("_weights[" in files[1].text) == (layout == "packed")
        found.append(TARGETS["c"].run(artefact, files, rows))

    assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.skipif(COMPILERS["cortex-m0plus"].path is None, reason="needs gcc-arm-none-eabi")
@pytest.mark.parametrize(("name", "share"), [("classes", 0.75), ("dense", 0.65)])
def test_packed_takes_less_flash_than_flat(name, share, tmp_path):
    sizes = {}
    for layout in ("flat", "packed"):
        folder = tmp_path / layout
        folder.mkdir()
        sizes[layout] = link(make(MODELS[name], "q7", layout), "cortex-m0plus", folder).flash

    assert sizes["packed"] < share * sizes["flat"]
