"""The estimate of packed C is near what is linked, and `auto` takes the smaller layout."""

import pytest

from benchmarks.layouts import SHAPES, layered
from dsgec.export.artefact import LAYOUTS, Artefact
from dsgec.export.files import make_artefact
from dsgec.export.targets.c.image import COMPILERS, link

NETWORKS = [
    (connections, activation, dtype, chip)
    for connections, activation in ((50, "relu"), (200, "sig"), (400, "relu"))
    for dtype, chip in (("q7", "cortex-m0plus"), ("q15", "avr"))
]


def artefacts(connections, activation, dtype):
    shape = SHAPES[connections]
    model = layered(shape, activation, seed=7)
    ranges = ((-1.0, 1.0),) * shape[0]
    return [Artefact(model, "net", dtype, ranges=ranges, layout=layout) for layout in LAYOUTS]


@pytest.mark.parametrize(("connections", "activation", "dtype", "chip"), NETWORKS)
def test_the_estimate_is_within_a_tenth_of_what_is_linked(
    connections, activation, dtype, chip, tmp_path
):
    if COMPILERS[chip].path is None:
        pytest.skip(f"needs {COMPILERS[chip].package}")
    _, packed = artefacts(connections, activation, dtype)

    linked = link(packed, chip, tmp_path).flash

    assert abs(packed.cost(chip).flash / linked - 1) < 0.1


@pytest.mark.parametrize(("connections", "activation", "dtype", "chip"), NETWORKS)
def test_auto_is_the_layout_with_the_smaller_estimate(connections, activation, dtype, chip):
    flat, packed = artefacts(connections, activation, dtype)
    smaller = min(flat, packed, key=lambda each: each.cost(chip).flash)

    found = make_artefact(flat.model, "net", dtype, {"*": (-1.0, 1.0)}, layout="auto", chip=chip)

    assert found.layout == smaller.layout == "packed"


def test_auto_is_flat_for_other_types():
    flat, _ = artefacts(50, "relu", "q7")

    assert make_artefact(flat.model, "net", "float", layout="auto").layout == "flat"
