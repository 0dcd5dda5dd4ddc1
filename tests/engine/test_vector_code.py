"""The loops over rows become vector code, of every width that the processors have."""

import platform
import re
import shutil
import subprocess
from collections import Counter

import pytest

from dsgec.engine.engine import GCC_VECTORS, NATIVE
from dsgec.engine.source import emit_engine
from dsgec.engine.toolchain import FLAGS
from dsgec.grammar.expand import expand
from dsgec.grammar.genome.rule_tables import make_rule_tables
from dsgec.grammar.load import load_grammar

MACHINES = [
    pytest.param("gcc", "-march=x86-64", 16, marks=pytest.mark.campaign),
    pytest.param("gcc", "-march=x86-64-v3", 32, marks=pytest.mark.campaign),
    # tests/search/learning/test_vector_code.py looks at an engine that learns.
    pytest.param("gcc", "-march=x86-64-v4", 64, marks=pytest.mark.campaign),
    ("aarch64-linux-gnu-gcc", "-march=armv8-a", 16),
]
KERNELS = ("absolute", "relu", "exp", "tanh", "log", "sin", "cos", "multiply", "add", "power")


@pytest.mark.needs_cc
@pytest.mark.parametrize(("compiler", "machine", "width"), MACHINES)
def test_loops_over_rows_are_vectorised(compiler, machine, width, tmp_path):
    native_gcc = platform.machine() == "x86_64" and shutil.which("gcc")
    if not (native_gcc if compiler == "gcc" else shutil.which(compiler)):
        pytest.skip(f"no {compiler}")
    grammar = expand(load_grammar("one_layer").grammar, 5, 2)
    source = tmp_path / "engine.c"
    engine = emit_engine(make_rule_tables(grammar, {}), "dsge", False, "sigmoid", "exp-rmse")
    source.write_text(engine.whole)
    flags = [*(flag for flag in NATIVE if not flag.startswith("-march")), *GCC_VECTORS]
    wide = ["-mprefer-vector-width=512"] if width == 64 else []
    answer = subprocess.run(
        [
            compiler,
            *FLAGS,
            *flags,
            machine,
            *wide,
            "-fopt-info-vec",
            source,
            "-o",
            tmp_path / "e.so",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    widths = Counter(
        int(found)
        for found in re.findall(r"loop vectorized using (\d+) byte vectors", answer.stderr)
    )

    assert max(widths) == width
    # A loop of its own for each function of one and of two numbers, and for sums of each length.
    assert widths[width] >= len(KERNELS) + 8
