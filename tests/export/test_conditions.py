"""Networks with conditions have the same bits in every target, and keep their bounds."""

import shutil

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.export.targets.target import TARGETS
from dsgec.network.ir import Apply
from dsgec.network.model import Model, plain_columns
from dsgec.network.simplify import simplify
from tests.support.artefacts import COMPILERS
from tests.support.fixed_checks import check_bound
from tests.support.fixed_models import RANGE
from tests.support.javascript import NODE
from tests.support.languages import LANGUAGES, expected, results
from tests.support.models import FIXED_DTYPES
from tests.support.random_networks import condition_network, rows_at_thresholds, same_bits

CONDITIONS = {"if", "lt", "le", "gt", "ge", "eq", "ne", "and", "or", "xor", "nand", "nor", "not"}
DTYPES = ("double", "float", *FIXED_DTYPES)
LAYOUTS = ("flat", "packed")
ALONE = {
    "c": bool(COMPILERS),
    "python": True,
    "numpy": True,
    "js": bool(NODE),
    "wasm": bool(NODE),
    "verilog": bool(shutil.which("iverilog")),
}
"""Targets that run one network at a time, and whether this machine can run them."""


def condition_artefact(seed, dtype):
    """Return a random classifier or regressor; None if it has no conditions or does not fit."""
    network = simplify(condition_network(seed))
    if not any(isinstance(node, Apply) and node.function in CONDITIONS for node in network.nodes):
        return None
    count = len(network.outputs)
    classes = ("no", "yes") if count == 1 else tuple(f"class {i}" for i in range(count))
    model = Model(
        network,
        plain_columns(tuple(f"c{i}" for i in range(network.inputs))),
        classes[: seed % 2 * 9],
    )
    ranges = (RANGE,) * network.inputs if dtype in FIXED_DTYPES else ()
    layout = LAYOUTS[seed // 2 % 2]
    try:
        return Artefact(model, f"net{seed}", dtype, selftest="quick", ranges=ranges, layout=layout)
    except DsgecError:
        return None


def agree(seeds, dtype, folder, count, bound_rows):
    """Compare all targets with the interpreter; return how many networks there were."""
    made = {seed: condition_artefact(seed, dtype) for seed in seeds}
    artefacts = {one.name: one for one in made.values() if one is not None}
    real = np.float32 if dtype == "float" else np.float64
    tables = {
        one.name: rows_at_thresholds(seed, count, one.network.inputs).astype(real)
        for seed, one in made.items()
        if one is not None
    }
    for seed, artefact in made.items():
        if artefact is None:
            continue
        if dtype in FIXED_DTYPES:
            inputs = artefact.network.inputs
            check_bound(artefact, rows_at_thresholds(seed + 1, bound_rows, inputs))
        rows = tables[artefact.name]
        wanted = expected(artefact, rows)[0].astype(float)
        for name, can_run in ALONE.items():
            target = TARGETS[name]
            if can_run and dtype in target.dtypes:
                found = target.run(artefact, target.make(artefact), rows)
                assert same_bits(np.asarray(found, float).reshape(wanted.shape), wanted), name
    for language, known in LANGUAGES.items():
        if known.missing:
            continue
        found = results(folder / language, language, artefacts, tables)
        for name, (passes, values, numbers, _, integers) in found.items():
            wanted, classes, wholes = expected(artefacts[name], tables[name])
            assert passes and numbers == classes, (language, name)
            assert same_bits(values, wanted.astype(float)), (language, name)
            assert wholes is None or np.array_equal(integers, wholes), (language, name)
    return len(artefacts)


@pytest.mark.needs_cc
@pytest.mark.parametrize("dtype", ["double", "q15"])
def test_a_few_networks_with_conditions_are_the_same_in_every_target(dtype, tmp_path):
    assert agree(range(3), dtype, tmp_path, 100, 2000) >= 2


@pytest.mark.needs_cc
@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("start", range(0, 350, 50))
def test_more_than_300_networks_with_conditions_are_the_same_in_every_target(
    dtype, start, tmp_path
):
    count = agree(range(start, start + 50), dtype, tmp_path, 500, 100_000)
    print(f"{count} networks with conditions in {dtype}")
    assert count >= 44
