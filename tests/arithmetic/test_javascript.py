"""JavaScript gives the bits of numpy for every function, and only the functions asked for."""

import re
import subprocess

import numpy as np
import pytest

from dsgec.arithmetic.source import js_source
from dsgec.arithmetic.table import DEFINED
from dsgec.resources import TEMPLATES

from .javascript import NODE, in_javascript
from .test_same_bits import arguments_of, assert_same_bits
from .test_source import NEEDS
from .three import SYMBOLS, in_numpy

needs_node = pytest.mark.skipif(not NODE, reason="node is not installed")


@needs_node
@pytest.mark.parametrize("name", DEFINED)
def test_javascript_and_numpy_give_the_same_bits(name: str, tmp_path):
    arguments = arguments_of(name, 5000)
    got = in_javascript(tmp_path, name, *arguments)
    assert_same_bits(got, in_numpy(name, *arguments), arguments)


@needs_node
@pytest.mark.campaign
@pytest.mark.parametrize("name", DEFINED)
def test_javascript_and_numpy_give_the_same_bits_at_a_million_points(name: str, tmp_path):
    arguments = arguments_of(name, 500_000)
    got = in_javascript(tmp_path, name, *arguments)
    assert_same_bits(got, in_numpy(name, *arguments), arguments)


@needs_node
@pytest.mark.parametrize("symbol", SYMBOLS)
def test_the_javascript_of_one_function_runs_alone(symbol: str, tmp_path):
    arity = {f.symbol: f.arity for f in DEFINED.values()}[symbol] or 3
    name = {f.symbol: f.name for f in DEFINED.values()}[symbol]
    numbers = (0.7, -1.3, 2.5)[:arity]
    arguments = ", ".join(map(repr, numbers))
    source = tmp_path / "alone.mjs"
    source.write_text(
        f"{js_source([symbol])}\nconsole.log(JSON.stringify([{symbol}({arguments})].flat()));"
    )
    answer = subprocess.run([NODE, source], check=True, capture_output=True, text=True)
    got = [float(number) for number in re.findall(r"[-\d.e]+", answer.stdout)]
    assert got == [float(v[0]) for v in in_numpy(name, *(np.array([x]) for x in numbers))]


@pytest.mark.parametrize("symbol", NEEDS)
def test_the_javascript_holds_only_what_is_needed(symbol: str):
    found = set(re.findall(r"^function (\w+)\(", js_source([symbol]), re.MULTILINE))
    # Two words stand for the bits of a double.
    assert found - {"low_bits", "high_bits", "from_bits"} == NEEDS[symbol] - {"bits", "from_bits"}


def test_the_javascript_has_the_numbers_of_the_c_in_the_same_functions():
    c = TEMPLATES.joinpath("c/arithmetic.c").read_text(encoding="utf-8")
    text = js_source(SYMBOLS)
    number = r"(?<![\w.])\d+\.\d+(?:e[-+]?\d+)?"
    compared = 0
    for symbol in re.findall(r"^function (\w+)\(", text, re.MULTILINE):
        in_c = re.search(rf"^static inline \w+ dsgec_{symbol}\(.*?^\}}", c, re.M | re.S)
        in_js = re.search(rf"^function {symbol}\(.*?^\}}", text, re.M | re.S)
        if in_c and symbol not in ("div", "softmax"):  # whose steps are written differently
            found = [sorted(map(float, re.findall(number, t[0]))) for t in (in_c, in_js)]
            assert found[0] == found[1], symbol
            compared += 1
    assert compared > 15
