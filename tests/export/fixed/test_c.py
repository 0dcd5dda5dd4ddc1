"""The C of fixed point uses integers only, for chips without floating point."""

import re
import shutil
import subprocess

import numpy as np
import pytest

from dsgec.export.fixed.evaluate import quantise
from dsgec.export.targets.target import TARGETS
from tests.support.artefacts import COMPILERS, STRICT
from tests.support.fixed_models import RANGE, fixed_artefact
from tests.support.models import EVERY_KIND, FIXED_DTYPES, seven_neurons

pytestmark = pytest.mark.needs_cc

CHIPS = {
    "arm-none-eabi-gcc": ("-mcpu=cortex-m0plus", "-mthumb"),
    "avr-gcc": ("-mmcu=atmega328p",),
    "riscv64-unknown-elf-gcc": ("-march=rv32imc", "-mabi=ilp32"),
}
PLAIN = {"__mulsi3", "__mulhisi3", "__umulhisi3"}
"""Multiplications of integers, which an AVR has as routines."""


def write(artefact, folder):
    for file in TARGETS["c"].emit(artefact):
        (folder / file.name).write_text(file.text)


def run(*command, cwd):
    answer = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout + answer.stderr


@pytest.mark.parametrize("dtype", FIXED_DTYPES)
@pytest.mark.parametrize("language", ["c99", "c++11"])
def test_no_warning_and_no_undefined_symbol(language, dtype, tmp_path):
    write(fixed_artefact(EVERY_KIND, dtype, (-2.0, 1002.0)), tmp_path)
    kind = ("-x", "c++" if "+" in language else "c", f"-std={language}")
    for file in ("net.c", "net_selftest.c"):
        flags = (*STRICT, "-O2", "-DNET_DESCRIPTION", "-DNET_QUANTISE", "-Wno-unused-function")
        assert run(COMPILERS[0], *kind, *flags, "-c", file, "-o", "net.o", cwd=tmp_path) == ""
    assert run(COMPILERS[0], *kind, "-O2", "-c", "net.c", "-o", "net.o", cwd=tmp_path) == ""
    assert run("nm", "-u", "net.o", cwd=tmp_path) == ""
    for line in run("size", "-A", "net.o", cwd=tmp_path).splitlines():
        if line.startswith((".data", ".bss")):
            assert line.split()[1] == "0", line


@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_the_source_has_no_floating_point_and_no_division(dtype, tmp_path):
    write(fixed_artefact(seven_neurons(), dtype), tmp_path)
    text = (tmp_path / "net.c").read_text().replace('#include "net.h"', "")
    header = (tmp_path / "net.h").read_text()
    source = re.sub(r"#ifdef NET_QUANTISE.*?#endif", "", header, flags=re.DOTALL) + text
    source = re.sub(r"/\*.*?\*/|#ifdef NET_DESCRIPTION.*?#endif", "", source, flags=re.DOTALL)
    code = re.sub(r'"[^"]*"|#include.*', '""', source)

    assert not re.search(r"\b(float|double)\b|\d\.\d|\de[-+]?\d|[/%]", code)


@pytest.mark.parametrize("compiler", CHIPS)
def test_no_chip_needs_a_routine_of_floating_point(compiler, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    write(fixed_artefact(seven_neurons()), tmp_path)
    flags = ("-std=c99", "-Os", "-Wall", "-Wextra", "-Werror", *CHIPS[compiler])
    without = ("-DNET_NO_BATCH", "-DNET_NO_NAMES")
    run(compiler, *flags, *without, "-ffreestanding", "-c", "net.c", "-o", "net.o", cwd=tmp_path)
    tool = compiler.replace("gcc", "")
    symbols = run(f"{tool}nm", "-u", "net.o", cwd=tmp_path).splitlines()
    missing = {line.split()[-1] for line in symbols if line}
    sizes = run(f"{tool}size", "-A", "net.o", cwd=tmp_path)

    assert missing <= PLAIN
    assert not re.search(r"^\.(data|bss)\s+[1-9]", sizes, re.MULTILINE)


def test_seven_neurons_take_less_than_a_kilobyte_of_a_cortex_m0(tmp_path):
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip("arm-none-eabi-gcc is not installed")
    write(fixed_artefact(seven_neurons()), tmp_path)
    flags = (*CHIPS["arm-none-eabi-gcc"], "-std=c99", "-Os", "-DNET_NO_BATCH", "-DNET_NO_NAMES")
    run("arm-none-eabi-gcc", *flags, "-c", "net.c", "-o", "net.o", cwd=tmp_path)
    text = run("arm-none-eabi-size", "net.o", cwd=tmp_path).splitlines()[1].split()[0]

    assert int(text) <= 850


CONVERT = """
#define NET_QUANTISE
#include "net.h"
#include <stdio.h>
int main(void) {
    int column, fraction;
    long x, zero;
    double number;
    while (scanf("%d %lf", &column, &number) == 2)
        printf("%d\\n", net_quantise(column, number));
    scanf("%*s");
    while (scanf("%ld %d %ld", &x, &fraction, &zero) == 3)
        printf("%d\\n", net_of_integer((int32_t)x, fraction, (int32_t)zero));
    return 0;
}
"""


def test_numbers_and_integers_become_integers_of_a_row_as_they_do_here(tmp_path):
    artefact = fixed_artefact(seven_neurons(), "q7")
    write(artefact, tmp_path)
    (tmp_path / "main.c").write_text(CONVERT)
    sanitize = ("-fsanitize=undefined", "-fno-sanitize-recover=all")
    run(COMPILERS[0], *sanitize, "main.c", "net.c", "-o", "main", cwd=tmp_path)
    rng = np.random.default_rng(1)
    numbers = [*rng.uniform(-4, 4, 200), 0.5 / 32, 1.5 / 32, -0.5 / 32, 1e300, -1e300, 5e-324]
    rows = np.array(numbers)[:, None] * np.ones((1, 30))
    wanted = quantise(artefact.number_format.fixed.program, rows)[:, 3].tolist()
    lines = [f"3 {number!r}" for number in map(float, numbers)]
    lines.append("end")
    for _ in range(300):
        x, fraction = int(rng.integers(-(2**31), 2**31)) >> int(rng.integers(0, 32)), 0
        fraction, zero = int(rng.integers(-34, 34)), int(rng.integers(-(2**20), 2**20))
        lines.append(f"{x} {fraction} {zero}")
        # The exact rule: to the nearest, and up from the middle.
        whole = x << fraction if fraction >= 0 else (x + (1 << (-fraction - 1))) >> -fraction
        wanted.append(min(max(whole - zero, -127), 127))
    answer = subprocess.run(
        ["./main"], cwd=tmp_path, input="\n".join(lines), capture_output=True, text=True, check=True
    )

    assert answer.stderr == ""
    assert list(map(int, answer.stdout.split())) == wanted


def test_the_self_test_gives_away_another_weight_and_another_entry(tmp_path):
    write(fixed_artefact(seven_neurons()), tmp_path)
    source = (tmp_path / "net.c").read_text()
    main = ("-DNET_SELFTEST_MAIN", "net.c", "net_selftest.c", "-o", "main")
    weights = re.search(r"net_weights\[\d+\].*?\{\s*(-?\d+), (-?\d+)", source, re.DOTALL)
    for old, new, place in (
        (weights[1], str(int(weights[1]) + 1), weights.start(1)),
        ("16384, ", "16385, ", 0),
        (" == NET_MISSING", " == NET_MISSING + 1", 0),
    ):
        assert old in source[place:]
        changed = source[:place] + source[place:].replace(old, new, 1)
        (tmp_path / "net.c").write_text(changed)
        run(COMPILERS[0], *main, cwd=tmp_path)
        assert subprocess.run(["./main"], cwd=tmp_path, capture_output=True).returncode != 0, old


def test_formats_are_stated_in_the_header(tmp_path):
    artefact = fixed_artefact(EVERY_KIND, "q15", RANGE)
    write(artefact, tmp_path)
    header = (tmp_path / "net.h").read_text()
    first = artefact.number_format.fixed.program.columns[0]

    assert f"#define NET_FRACTION_0 {first.fraction} /* {EVERY_KIND.columns[0].name} */\n" in header
    assert "this is proved" in header
