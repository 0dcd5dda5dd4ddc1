"""Programs of networks compute the interpreter's bits, in one procedure or in many parts."""

import numpy as np
import pytest

from dsgec.arithmetic.procedures import procedures
from dsgec.export.fixed.evaluate import evaluate_integers
from dsgec.export.fixed.lower import integer_program
from dsgec.export.lower import network_program, with_softmax
from dsgec.network.evaluate import evaluate
from dsgec.network.model import compose
from dsgec.network.parse import parse
from dsgec.program.check import check
from dsgec.program.interpret import interpret
from dsgec.program.ir import Declare, LocalArray, instructions
from tests.support.artefacts import random_model, random_rows
from tests.support.fixed_models import fixed_artefact
from tests.support.models import FIXED_DTYPES, IRIS, seven_neurons
from tests.support.random_networks import rows, same_bits

LENGTHS = (2000, 7, 1)


def outputs(program, table):
    written, _ = interpret(program, program.procedures[-1], procedures("double"), x=table)
    return np.stack([np.broadcast_to(value, len(table)) for value in written["y"]], axis=1)


@pytest.mark.parametrize("longest", LENGTHS)
@pytest.mark.parametrize("seed", range(8))
def test_a_network_in_parts_has_the_interpreters_bits(seed, longest):
    model = random_model(seed)
    network, table = compose(model), random_rows(model, seed, 50)
    program = with_softmax(network_program(network, "double", longest=longest))
    check(program, program.procedures[-1])
    assert all(len(p.body) <= longest for p in program.procedures if p.name.startswith("part"))
    assert same_bits(outputs(program, table), evaluate(network, table))


def test_the_softmax_is_a_procedure():
    network = compose(IRIS)
    program = with_softmax(network_program(network, "double"))
    assert [p.name for p in program.procedures] == ["sums", "softmax", "outputs"]
    table = rows(1, 100, 4)
    assert same_bits(outputs(program, table), evaluate(network, table))


def test_a_program_without_a_softmax_stays():
    program = network_program(parse("2.5 * x_1"), "double")
    assert with_softmax(program) == program


def test_only_values_that_another_part_reads_are_in_the_array():
    text = " + ".join(f"{i}.5 * x_{i}" for i in range(1, 41))
    program = network_program(parse(text), "double", longest=10)
    *parts, entry = program.procedures
    assert len(parts) == 8
    (array,) = (i for i in entry.body if isinstance(i, LocalArray))
    assert array.size == 3
    declared = [i for p in parts for i in instructions(p.body) if isinstance(i, Declare)]
    assert 79 - 2 * 8 <= len(declared) < 79


def test_many_outputs_are_in_parts():
    text = "\n".join(f"y_{i} = x_{i % 3 + 1}" for i in range(1, 51))
    program = network_program(parse(text), "double", longest=20)
    assert [p.name for p in program.procedures] == ["part0", "part1", "part2", "outputs"]
    table = rows(1, 20, 3)
    assert same_bits(outputs(program, table), evaluate(parse(text), table))


@pytest.mark.parametrize("longest", LENGTHS)
@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_fixed_point_in_parts_has_the_same_integers(dtype, longest):
    source = fixed_artefact(seven_neurons(), dtype).number_format.fixed.program
    program = integer_program(source, longest=longest)
    entry = program.procedures[-1]
    check(program, entry, proves_limits=False)
    most = -source.missing - 1
    x = np.random.default_rng(5).integers(-most, most + 1, size=(50, len(source.columns)))
    written, _ = interpret(program, entry, procedures("whole"), x=x)
    assert np.array_equal(np.stack(written["y"], axis=1), evaluate_integers(source, x))
