"""The loops of the backward pass become vector code, and compile without warnings."""

import platform
import re
import shutil
import subprocess

import pytest

from dsgec.engine.engine import GCC_VECTORS, NATIVE
from dsgec.engine.toolchain import FLAGS
from dsgec.search.settings import Settings
from tests.support.engine_program import WARNING_CASES, WARNINGS, program_source
from tests.support.engine_runs import make

WIDTHS = {"-march=x86-64": "xmm", "-march=x86-64-v3": "ymm", "-march=x86-64-v4": "zmm"}


@pytest.mark.campaign  # an engine that is optimised takes longer to compile than ten tests take
@pytest.mark.needs_cc
@pytest.mark.parametrize("machine", WIDTHS)
def test_loops_over_rows_are_vectorised_without_a_warning(machine, tmp_path):
    if platform.machine() != "x86_64" or not (shutil.which("gcc") and shutil.which("objdump")):
        pytest.skip("no gcc for x86-64 here")
    representation, grammar, variation, steps = WARNING_CASES[0]
    settings = Settings(representation=representation, variation=variation, steps=steps)
    text = program_source(make(grammar, settings), representation)
    text = text.replace(
        "#define WHOLE_LOOP static", "#define WHOLE_LOOP static __attribute__((noinline))"
    )
    text = re.sub(r"static void (?!\()", "static __attribute__((noinline)) void ", text)
    (tmp_path / "engine.c").write_text(text)
    flags = [*(flag for flag in NATIVE if not flag.startswith("-march")), *GCC_VECTORS]
    wide = ["-mprefer-vector-width=512"] if WIDTHS[machine] == "zmm" else []
    command = ["gcc", *FLAGS, *WARNINGS, *flags, machine, *wide, "engine.c", "-o", "e.so"]
    subprocess.run(command, check=True, cwd=tmp_path)
    shown = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", "e.so"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    code = dict(re.findall(r"^\w+ <(\w+)(?:\.\w+)*>:\n(.*?)(?=^$)", shown, re.M | re.S))
    register = WIDTHS[machine]
    for terms in range(1, 9):
        assert re.search(rf"mulpd .*{register}", code[f"rows_to_lanes_{terms}"]), terms
        assert re.search(rf"mulpd .*{register}", code[f"rows_sigmoid_gradient_{terms}"]), terms
    functions = ["tanh", "log", "sqrt", "relu", "absolute"]
    for function in functions if register == "xmm" else [*functions, "sin", "cos"]:
        assert re.search(rf"mulpd .*{register}", code[f"rows_{function}_derivative"]), function
    # More callers of a function do not keep it out of the loops of the forward pass.
    for function in ("tanh", "log", "exp"):
        assert re.search(rf"mulpd .*{register}", code[f"rows_{function}"]), function
