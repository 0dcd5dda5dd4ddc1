"""Packed and flat programs compute the bits of the network's interpreter."""

import numpy as np
import pytest

from dsgec.arithmetic.procedures import procedures
from dsgec.errors import DsgecError
from dsgec.export import files
from dsgec.export.artefact import LAYOUTS, Artefact
from dsgec.export.fixed.evaluate import evaluate_integers, quantise
from dsgec.export.targets.target import TARGETS
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Input
from dsgec.network.model import Column, Model
from dsgec.network.parse import parse
from dsgec.program.check import check
from dsgec.program.interpret import interpret
from dsgec.program.ir import Perform, instructions
from dsgec.program.text import program_text
from tests.support.layered_models import bits, extreme_rows, layered_model, without_softmax

TYPES = {"double": np.float64, "float": np.float32}
LARGEST = {"double": np.inf, "float": 3.5e38}
ROWS = 40


def layouts(model, dtype):
    """Return the artefacts of a model in both layouts, or nothing if the type cannot have it."""
    ranges = tuple(None if column.categories else (-2.0, 2.5) for column in model.columns)
    try:
        return [Artefact(model, "net", dtype, ranges=ranges, layout=layout) for layout in LAYOUTS]
    except DsgecError:
        return []


def outputs(program, library, rows):
    """Check a program and return its outputs for rows of numbers."""
    check(program, program.entry, proves_limits=False)
    written, _ = interpret(program, program.entry, library, x=rows)
    columns = [np.broadcast_to(column, len(rows)) for column in written["y"]]
    return np.stack(columns, axis=1)


def float_differences(model, dtype, seed):
    """Return the layouts whose bits are not those of the network."""
    type_ = TYPES[dtype]
    with np.errstate(over="ignore"):
        rows = extreme_rows(model, seed, ROWS).astype(type_)
    found = []
    for artefact in layouts(model, dtype):
        wanted = evaluate(without_softmax(artefact.network), rows)
        results = outputs(artefact.program, procedures(dtype), rows)
        if results.dtype != type_ or bits(results, type_) != bits(wanted, type_):
            found.append(artefact.layout)
    return found


def integer_differences(model, dtype, seed):
    """Return the layouts whose integers are not those of fixed point's interpreter."""
    found = []
    for artefact in layouts(model, dtype):
        source = artefact.number_format.fixed.program
        rows = quantise(source, extreme_rows(model, seed, ROWS))
        read = {node.column for node in artefact.network.nodes if isinstance(node, Input)}
        required = [n for n in read if model.columns[n].fill is None]
        rows = rows[(rows[:, required] != source.missing).all(axis=1)]
        if len(rows):
            results = outputs(artefact.program, procedures("whole"), rows)
            if results.tolist() != evaluate_integers(source, rows).tolist():
                found.append(artefact.layout)
    return found


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("dtype", TYPES)
def test_layouts_of_floats_have_the_bits_of_the_network(seed, dtype):
    model = layered_model(seed, largest=LARGEST[dtype])

    assert layouts(model, dtype)
    assert float_differences(model, dtype, seed) == []


@pytest.mark.parametrize("seed", range(1, 11))
@pytest.mark.parametrize("dtype", ["q15", "q7"])
def test_layouts_of_fixed_point_have_the_same_integers(seed, dtype):
    model = layered_model(seed, is_tame=True)

    assert layouts(model, dtype)
    assert integer_differences(model, dtype, seed) == []


@pytest.mark.parametrize("dtype", ["double", "q15"])
def test_programs_have_no_procedure_that_nothing_calls(dtype):
    made = layouts(layered_model(14067), dtype)  # trees that decide between two classes

    assert len(made) == 2
    for artefact in made:
        program = artefact.program
        called = {name for procedure in program.procedures for name in procedure.calls}
        called |= {
            each.procedure
            for procedure in program.procedures
            for each in instructions(procedure.body)
            if isinstance(each, Perform)
        }
        own = {procedure.name for procedure in program.procedures}
        assert own - called == {program.entry.name}


def packed(text, dtype="double", columns=None):
    network = parse(text)
    columns = columns or tuple(Column(f"c{n}") for n in range(network.inputs))
    ranges = ((-1.0, 1.0),) * len(columns)
    return Artefact(Model(network, columns), "net", dtype, ranges=ranges, layout="packed").program


def tables(program):
    return {table.name: table.values for table in program.tables}


def test_dense_layers_read_windows():
    program = packed(
        "inputs = 2\n"
        "h_1_1 = sig(0.5 * x_1 + 0.25 * x_2 + 1)\n"
        "h_1_2 = sig(1.5 * x_1 - 0.75 * x_2)\n"
        "y_1 = 2 * h_1_1 - 3 * h_1_2 + 0.5\n"
    )

    assert program_text(program) == (
        "table weights: double[6] = 0.5 0.25 1.5 -0.75 2.0 -3.0\n"
        "table starts: uint8[3] = 0 0 2\n"
        "table lasts: double[3] = 1.0 -0.0 0.5\n"
        "\n"
        "procedure outputs(x: double[2], out y: double[1])\n"
        "    array v: double[4]\n"
        "    for i below 2\n"
        "        v[i] = x[i]\n"
        "    c: uint8 = 0\n"
        "    for k below 3\n"
        "        total: double = -0.0\n"
        "        start: uint8 = starts[k]\n"
        "        for j below 2\n"
        "            total = (total + (weights[c] * v[(j + start)]))\n"
        "            c = (c + 1)\n"
        "        total = (total + lasts[k])\n"
        "        if (k < 2)\n"
        "            v[(k + 2)] = sig(total)\n"
        "        else\n"
        "            y[(k - 2)] = total\n"
    )


def test_neurons_that_read_the_same_share_a_list():
    sums = "".join(f"y_{n} = {n} * x_3 + {n}.5 * x_1 - x_2\n" for n in range(1, 9))

    found = tables(packed("inputs = 3\n" + sums))

    assert found["sources"] == (2, 0, 1)
    assert "starts" not in found


def test_sparse_neurons_have_lists_in_the_order_of_their_terms():
    program = packed("inputs = 3\ny_1 = 2 * x_3 + 3 * x_1 - x_3\ny_2 = 0.5 - x_2 + 4 + x_1\n")

    found = tables(program)
    assert found["sources"] == (2, 0, 2, 1, 3, 0)
    assert found["weights"] == (2.0, 3.0, -1.0, -1.0, 4.0, 1.0)
    assert [value.hex() for value in found["firsts"]] == [(-0.0).hex(), (0.5).hex()]


def test_zeros_of_both_signs_are_different_constants():
    program = packed("inputs = 1\ny_1 = 0.0 - 2 * x_1\ny_2 = 3 * x_1\n")
    rows = np.array([[0.0], [-0.0]])

    found = outputs(program, procedures("double"), rows)

    assert [value.hex() for value in tables(program)["firsts"]] == [(0.0).hex(), (-0.0).hex()]
    assert np.signbit(found).tolist() == [[False, False], [False, True]]


def test_columns_of_one_kind_are_encoded_in_a_loop():
    columns = (
        Column("a", fill=1.0, center=2.0, scale=3.0),
        Column("b", "category", ("red", "green")),
        Column("c", fill=4.0, center=5.0, scale=6.0),
    )
    text = "inputs = 4\ny_1 = sig(x_1 + 2 * x_2 + 3 * x_3 + 4 * x_4)\n"
    program = packed(text, columns=columns)

    found = tables(program)
    assert (found["fills"], found["centers"], found["scales"]) == (
        (1.0, 4.0),
        (2.0, 5.0),
        (3.0, 6.0),
    )
    assert (found["columns"], found["places"]) == ((0, 2), (0, 3))
    assert found["codes"] == (0.0, 1.0)
    assert "sources" not in found  # all four features are one window


def test_a_network_without_neurons_is_flat():
    assert packed("inputs = 2\ny_1 = x_1 * x_2\n").tables == ()


def test_many_nodes_that_are_no_neurons_stay_flat():
    products = " + ".join(f"x_1 * x_2 ^ {1 + n % 7} * x_{3 + n % 400}" for n in range(2100))

    program = packed(f"inputs = 402\ny_1 = {products}\n")

    assert len(program.procedures) > 1
    assert program.tables == ()


@pytest.mark.parametrize("dtype", ["q15", "q7"])
def test_packed_integers_run_on_columns_of_rows(dtype):
    network = parse(
        "inputs = 2\n"
        "h_1_1 = relu(x_1 - 0.5 * x_2)\n"
        "y_1, y_2, y_3 = softmax(h_1_1, x_2 - h_1_1, 0.25 * x_1)\n"
    )
    model = Model(network, (Column("a"), Column("b")), ("p", "q", "r"))
    artefact = Artefact(model, "net", dtype, ranges=((-1.0, 1.0),) * 2, layout="packed")
    rows = np.random.default_rng(1).uniform(-1, 1, (50, 2))

    found = TARGETS["numpy"].run(artefact, TARGETS["numpy"].make(artefact), rows)

    assert artefact.packed.decides
    assert np.array_equal(found, artefact.number_format.results(rows))


@pytest.mark.parametrize("dtype", ["double", "q7"])
def test_large_networks_are_packed_unless_the_layout_is_given(dtype, monkeypatch):
    network = parse("y_1 = relu(0.5 * x_1 - x_2 + 2 * x_3) + 0.5 * x_2")
    model = Model(network, tuple(Column(f"c{n}") for n in range(3)))
    ranges = {f"c{n}": (-1.0, 1.0) for n in range(3)} if dtype == "q7" else {}
    monkeypatch.setattr(files, "LARGE", len(network.nodes) - 1)

    made = [files.make_artefact(model, "net", dtype, ranges)]
    made.append(files.make_artefact(model, "net", dtype, ranges, layout="flat"))
    monkeypatch.setattr(files, "LARGE", len(network.nodes))
    made.append(files.make_artefact(model, "net", "double"))

    assert [artefact.layout for artefact in made] == ["packed", "flat", "flat"]
