"""The descent has no memory errors under sanitizers, and compiles without warnings."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from dsgec.engine.toolchain import find_toolchain
from dsgec.search.walk.layer import ACTIVATIONS, middles
from dsgec.search.walk.native_descent import NativeDescent, descent_source, load_descent
from tests.support.engine_program import STRICT, WARNINGS
from tests.support.shared_layers import random_layer, random_numerals

pytestmark = pytest.mark.needs_cc

DRIVER = Path(__file__).parent / "driver.c"
SANITIZERS = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
STEPS = 5


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("descent")
    source = folder / "descent.c"
    source.write_text(descent_source() + DRIVER.read_text(encoding="utf-8"), encoding="utf-8")
    command = ["cc", *STRICT, *WARNINGS, *SANITIZERS, str(source), "-o", str(folder / "run"), "-lm"]
    subprocess.run(command, check=True, timeout=300)
    return folder / "run"


def as_input(table, net, used, sources):
    counts = [
        *(net.shape.inputs, net.shape.outputs, table.rows, table.columns.shape[1]),
        *(net.hidden, net.size, ACTIVATIONS.index(net.shape.activation), len(used), STEPS),
        0 if net.numerals is None else sum(map(len, net.numerals.levels)),
    ]
    numbers = [table.columns, table.targets, table.row_weights, net.values, *net.bounds()]
    parts = [np.array(counts, np.int64), *numbers, np.full(STEPS, 0.05)]
    parts += [np.asarray(one, np.int32) for one in (used, net.first, sources)]
    levels = net.numerals.levels if net.numerals else ()
    parts += [np.concatenate([[], *levels]), np.concatenate([[], *map(middles, levels)])]
    parts.append(np.cumsum([0, *map(len, levels), *([0] * (4 - len(levels)))]).astype(np.int32))
    return b"".join(part.tobytes() for part in parts)


@pytest.mark.parametrize("seed", range(8))
def test_the_descent_stays_within_its_memory(program, seed):
    table, net = random_layer(seed, ACTIVATIONS[seed % 4], 1 + seed % 3, share=0.6)
    if seed >= 4:
        net.numerals = random_numerals(seed)
    used = sorted({source for source in net.sources.tolist() if source < net.shape.inputs})
    if seed % 2:  # all inputs, so that gradients of absent connections are computed, too
        used = [*range(net.shape.inputs)]
    places = {source: at for at, source in enumerate(used)}
    inputs = net.shape.inputs
    sources = [places.get(s, len(used) + s - inputs) for s in net.sources.tolist()]
    answer = subprocess.run(
        [str(program)],
        input=as_input(table, net, used, sources),
        capture_output=True,
        timeout=100,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr[-3000:]
    *values, loss = map(float.fromhex, answer.stdout.decode().split())
    native = NativeDescent(table, load_descent(find_toolchain()))
    native.descend(net, np.full(STEPS, 0.05))
    assert values == net.values.tolist()
    assert loss == native.survey(net).loss
