"""JavaScript gives the bits of numpy for every function, and contains only those asked for."""

import json
import re
import subprocess

import numpy as np
import pytest

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.arithmetic.source import js_source
from dsgec.resources import TEMPLATES
from tests.support.arithmetic import (
    NEEDS,
    NODE,
    SYMBOLS,
    arguments_of,
    assert_same_bits,
    in_javascript,
    in_numpy,
)

NAMED = {name: function.symbol for name, function in ALL_FUNCTIONS.items()}
needs_node = pytest.mark.skipif(not NODE, reason="node is not installed")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Return the results of Node for every function; it starts once."""
    arguments = {name: arguments_of(name, 5000) for name in ALL_FUNCTIONS}
    return in_javascript(tmp_path_factory.mktemp("all"), arguments)


@needs_node
@pytest.mark.parametrize("name", ALL_FUNCTIONS)
def test_javascript_and_numpy_give_the_same_bits(name: str, found):
    arguments = arguments_of(name, 5000)
    assert_same_bits(found[name], in_numpy(name, *arguments), arguments)


@needs_node
@pytest.mark.campaign
@pytest.mark.parametrize("name", ALL_FUNCTIONS)
def test_javascript_and_numpy_give_the_same_bits_at_a_million_points(name: str, tmp_path):
    arguments = arguments_of(name, 500_000)
    got = in_javascript(tmp_path, {name: arguments})[name]
    assert_same_bits(got, in_numpy(name, *arguments), arguments)


NUMBERS = {
    symbol: (0.7, -1.3, 2.5)[: ALL_FUNCTIONS[name].arity or 3] for name, symbol in NAMED.items()
}


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Return the result of each function from a module of its source only, or the error.

    A module sees no name of another one, so that one process of Node can import them all.
    """
    folder = tmp_path_factory.mktemp("alone")
    for symbol, numbers in NUMBERS.items():
        arguments = ", ".join(map(repr, numbers))
        text = f"{js_source([symbol])}\nexport default [{symbol}({arguments})].flat();\n"
        (folder / f"{symbol}.mjs").write_text(text)
    (folder / "all.mjs").write_text(
        "const found = {};\n"
        f"for (const symbol of {json.dumps(list(NUMBERS))})\n"
        "  found[symbol] = await import(`./${symbol}.mjs`).then((m) => m.default, String);\n"
        "console.log(JSON.stringify(found));\n"
    )
    command = [NODE, folder / "all.mjs"]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(answer.stdout)


@needs_node
@pytest.mark.parametrize(("name", "symbol"), NAMED.items())
def test_the_javascript_of_one_function_runs_alone(name: str, symbol: str, alone):
    arguments = (np.array([x]) for x in NUMBERS[symbol])
    assert alone[symbol] == [float(v[0]) for v in in_numpy(name, *arguments)]


@pytest.mark.parametrize("symbol", NEEDS)
def test_the_javascript_holds_only_what_is_needed(symbol: str):
    found = set(re.findall(r"^function (\w+)\(", js_source([symbol]), re.MULTILINE))
    # Two words stand for the bits of a double.
    assert found - {"low_bits", "high_bits", "from_bits"} == NEEDS[symbol] - {"bits", "from_bits"}


def test_the_javascript_has_the_numbers_of_the_c_in_the_same_functions():
    c = TEMPLATES.joinpath("c/printed/arithmetic.c").read_text(encoding="utf-8")
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
