"""The source text of functions runs alone and has no more than they need."""

import ast
import re
import subprocess

import numpy as np
import pytest

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.arithmetic.printed import vector
from dsgec.arithmetic.source import c_source, python_source
from dsgec.resources import TEMPLATES
from tests.support.arithmetic import COMPILERS, NEEDS
from tests.support.coefficients import coefficients

BY_SYMBOL = {function.symbol: function for function in ALL_FUNCTIONS.values()}
SYMBOLS = tuple(BY_SYMBOL)
MODULES = ("vector", "scalar")


def functions_in(text: str) -> list[str]:
    return [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("symbol", SYMBOLS)
def test_the_python_of_one_function_runs_alone(module: str, symbol: str):
    alone: dict = {}
    exec(compile(python_source(module, [symbol]), symbol, "exec"), alone)
    numbers = (0.7, -1.3, 2.5)[: BY_SYMBOL[symbol].arity or 3]
    function = BY_SYMBOL[symbol].compute
    if module == "vector":
        numbers = tuple(np.array([x]) for x in numbers)
        function = getattr(vector, symbol)
    assert alone[symbol](*numbers) == function(*numbers)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("symbol", NEEDS)
def test_the_python_holds_only_what_is_needed(module: str, symbol: str):
    text = python_source(module, [symbol])
    wanted = NEEDS[symbol] - ({"from_bits"} if symbol == "cos" else set())
    assert set(functions_in(text)) == wanted
    assert ("import numpy as np" in text) == (module == "vector")
    assert ("import math" in text) == (module == "scalar" and "absolute" in wanted)
    assert ("import struct" in text) == (module == "scalar" and "bits" in wanted)


@pytest.mark.parametrize("module", MODULES)
def test_the_python_is_plain_and_in_the_order_of_the_file(module: str):
    text = python_source(module, reversed(SYMBOLS))
    assert text == python_source(module, SYMBOLS)
    everything = [name for name in vars(vector) if name in functions_in(text)]
    assert functions_in(text) == everything
    assert "->" not in text
    assert not re.search(r"^@|\bnp\.(exp|log|tanh|sin|cos|power)\b| @ |\*\*", text, re.MULTILINE)


@pytest.mark.parametrize("module", MODULES)
def test_no_name_is_no_source(module: str):
    assert python_source(module, []) == "\n"


def test_an_unknown_name_is_refused():
    with pytest.raises(KeyError, match="sinh"):
        python_source("vector", ["sinh"])
    with pytest.raises(KeyError, match="sinh"):
        c_source(["sinh"])


@pytest.mark.parametrize("symbol", NEEDS)
def test_the_c_holds_only_what_is_needed(symbol: str):
    found = set(re.findall(r"^static inline \w+ dsgec_(\w+)\(", c_source([symbol]), re.MULTILINE))
    whole = {"bits", "from_bits"} if "absolute" in NEEDS[symbol] else set()  # one section in C
    assert found == NEEDS[symbol] | whole


def test_the_c_is_in_the_order_of_the_file_and_begins_with_the_guard():
    text = c_source(reversed(SYMBOLS))
    assert text == c_source(SYMBOLS)
    for some in (text, c_source([])):
        assert some.index("FP_CONTRACT") < some.index("#elif")
        assert "==" not in some.split("#include")[0]
    assert "math.h" not in text


@pytest.mark.needs_cc
@pytest.mark.skipif(not COMPILERS, reason="there is no C compiler")
@pytest.mark.parametrize("symbol", SYMBOLS)
def test_the_c_of_one_function_compiles_alone(symbol: str, tmp_path):
    source = tmp_path / "alone.c"
    source.write_text(c_source([symbol]))
    command = [COMPILERS[-1], "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    # Nobody calls it here, so that there is nothing to write but errors.
    command += ["-Wno-unused-function", "-fsyntax-only"]
    subprocess.run([*command, source], check=True)


def test_the_coefficients_in_the_code_are_the_computed_ones():
    wanted = {abs(number) for numbers in coefficients().values() for number in numbers}
    texts = [TEMPLATES.joinpath("c/printed/arithmetic.c").read_text(encoding="utf-8")]
    texts += [python_source(module, SYMBOLS) for module in MODULES]
    for text in texts:
        code = re.sub(r'/\*.*?\*/|""".*?"""', "", text, flags=re.DOTALL)
        numbers = {float(n) for n in re.findall(r"\b\d+\.\d+(?:e[-+]?\d+)?", code)}
        assert wanted <= numbers


def test_the_three_files_have_the_same_numbers_in_the_same_functions():
    texts = {module: python_source(module, SYMBOLS) for module in MODULES}
    c = TEMPLATES.joinpath("c/printed/arithmetic.c").read_text(encoding="utf-8")
    number = r"(?<![\w.])\d+\.\d+(?:e[-+]?\d+)?"
    for symbol in functions_in(texts["vector"]):
        bodies = [
            re.search(rf"^def {symbol}\(.*?(?=^def |\Z)", t, re.M | re.S) for t in texts.values()
        ]
        bodies.append(re.search(rf"^static inline \w+ dsgec_{symbol}\(.*?^\}}", c, re.M | re.S))
        found = [[float(n) for n in re.findall(number, body[0])] for body in bodies]
        # The loops of a softmax are written differently, and Python has a square root.
        if symbol not in ("softmax", "sqrt"):
            assert sorted(found[0]) == sorted(found[1]) == sorted(found[2]), symbol
