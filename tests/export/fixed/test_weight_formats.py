"""Every format of weights gives the sums of the network, and takes the bytes that were counted."""

import subprocess

import numpy as np
import pytest

from dsgec.arithmetic.procedures import procedures
from dsgec.export.artefact import Artefact
from dsgec.export.fixed import packed as packed_module
from dsgec.export.fixed.evaluate import read, step_values
from dsgec.export.fixed.number_lists import Storage
from dsgec.export.fixed.packed import pack
from dsgec.export.fixed.weight_formats import Way, WeightFormat, WeightGroup
from dsgec.export.fixed.weight_rows import WeightRows
from dsgec.export.targets.target import TARGETS
from dsgec.program.interpret import interpret
from tests.support.artefacts import COMPILERS
from tests.support.low_bit_models import NIBBLES, POWERS, TERNARY, low_bit_model

INTEGERS = procedures("whole")
MODELS = {
    "ternary": low_bit_model(TERNARY, 17, 3, 3, 9),
    "nibbles": low_bit_model(NIBBLES, 11, 3, 3, 11),
    "powers": low_bit_model(POWERS, 37, 3, 2, 5),
    "far": low_bit_model(NIBBLES, 40, 3, 3, 3),
}


def make(model, layout="packed"):
    ranges = ((-1.0, 1.0),) * len(model.columns)
    return Artefact(model, "net", "q7", selftest="quick", ranges=ranges, layout=layout)


def all_rows(packed):
    """Return the weights of a packed program in all formats, and in some pairs of formats."""
    rows = [[*terms] for terms in packed.terms]
    given = len(packed.columns) + len(packed.others)
    found = WeightRows.possible(rows, packed.hidden, given)
    pairs = [weights for weights in found if len(weights.groups) == 2]
    return [weights for weights in found if len(weights.groups) == 1] + pairs[::41]


def sums_of(program, rows, packed):
    loaded, _ = interpret(packed.program, packed.load, INTEGERS, x=rows)
    v = np.stack([np.broadcast_to(each, len(rows)) for each in loaded["v"]], axis=1)
    written, _ = interpret(packed.program, packed.neurons, INTEGERS, v=v)
    return np.stack([np.broadcast_to(each, len(rows)) for each in written["s"]])


@pytest.mark.parametrize("name", MODELS)
def test_all_formats_have_the_sums_of_the_network(name, monkeypatch):
    program = make(MODELS[name]).number_format.fixed.program
    rows = np.random.RandomState(1).randint(-127, 128, (20, len(program.columns)))
    slots = step_values(program, rows)
    ways, alike = set(), set()
    for weights in all_rows(pack(program, ())):
        monkeypatch.setattr(packed_module.WeightRows, "choose", lambda *_, w=weights: w)
        packed = pack(program, ())
        alike |= {group.format.alike for group in weights.groups}
        ways |= {(group.format.way, group.format.bits) for group in weights.groups}
        found = sums_of(program, rows, packed)
        wanted = np.stack([read(operand, rows, slots) for operand in packed.shown])
        assert (found == wanted).all(), weights
        elements = sum(len(part) for group in weights.groups for part in group.elements)
        table = next(table for table in packed.program.tables if table.name == "packed")
        assert len(table.values) >= elements + sum(len(g.numbers) for g in weights.groups)
    assert {(Way.WINDOW, 0), (Way.WINDOW, 4), (Way.BITMAP, 0), (Way.BITMAP, 4)} <= ways
    assert (Way.GAP, 4) in ways
    assert True in alike


@pytest.mark.needs_cc
@pytest.mark.parametrize("name", MODELS)
def test_the_c_of_formats_passes_its_selftest_under_sanitizers(name, tmp_path, monkeypatch):
    chosen = all_rows(make(MODELS[name]).packed)
    pairs = [weights for weights in chosen if len(weights.groups) == 2]
    for number, weights in enumerate((min(chosen, key=lambda w: w.size), pairs[-1])):
        monkeypatch.setattr(packed_module.WeightRows, "choose", lambda *_, w=weights: w)
        for file in TARGETS["c"].emit(make(MODELS[name])):
            (tmp_path / file.name).write_text(file.text)
        flags = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-fsanitize=address,undefined")
        command = [COMPILERS[number % len(COMPILERS)], *flags, "-fno-sanitize-recover=all"]
        command += ["-DNET_SELFTEST_MAIN", "net.c", "net_selftest.c", "-o", "main"]
        built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert built.returncode == 0, built.stderr
        answer = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True)
        assert "agree, bit for bit" in answer.stdout


def test_the_format_that_is_small_and_fast_is_taken():
    packed = {name: make(model).packed for name, model in MODELS.items()}

    large = make(low_bit_model(NIBBLES, 20, 8, 3, 20)).packed
    assert large.rows.groups[0].format == WeightFormat(Way.WINDOW, 4, -7)
    assert packed["ternary"].rows.groups[0].format.bits == 2
    for one in packed.values():
        assert one.rows.size <= min(each.size for each in all_rows(one))


def test_gaps_longer_than_their_bits_take_several_steps():
    group = WeightGroup.make(WeightFormat(Way.GAP, 4, -7), [[(3, 5), (40, -7)]])

    assert group.elements == [[3 << 4 | 12, 15 << 4 | 7, 15 << 4 | 7, 7 << 4 | 0]]


def test_a_bitmap_stands_before_eight_sources():
    row = [(1, 2), (4, -1), (10, 1)]

    numbers = WeightGroup.make(WeightFormat(Way.BITMAP), [row])
    codes = WeightGroup.make(WeightFormat(Way.BITMAP, 2, -1), [row])

    assert numbers.elements == [[0b1001, 0b10]]
    assert codes.elements == [[0b1001, 3 | 0 << 2 | 2 << 4, 0b10]]


def test_windows_that_are_alike_are_those_of_each_part():
    rows = [[(1, 2)], [(2, 1), (3, 1)], [(5, 1)], [(6, 2)]]

    group = WeightGroup.make(WeightFormat(Way.WINDOW, alike=True), rows, 2)

    assert (group.counts, group.firsts) == ([3, 3, 2, 2], [1, 1, 5, 5])
    assert group.stored == [2, 0, 0, 0, 1, 1, 1, 0, 0, 2]


def test_biases_that_are_apart_by_a_power_of_two_take_a_byte():
    values = [8 + 64 * n for n in (-100, 3, 90, 20, 0, 1, 2, 4, 5)]

    assert Storage.choose(values, 8, 3, signed=True) == Storage(1, 8, 6)
    assert Storage.choose([*values, 9], 8, 3, signed=True) == Storage(2)
