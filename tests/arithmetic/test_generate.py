"""The arithmetic of every language is printed from one source."""

import re

import pytest

from dsgec.arithmetic import subset
from dsgec.arithmetic.generate import ROOT, generate, print_js
from dsgec.arithmetic.print_c import print_c
from dsgec.arithmetic.procedures import procedures
from dsgec.arithmetic.subset import NotInSubset

PRINTED = generate()


@pytest.fixture(autouse=True)
def _parsed_again():
    yield
    procedures.cache_clear()


@pytest.mark.parametrize("path", PRINTED)
def test_a_printed_file_is_what_the_source_says(path: str):
    found = ROOT.joinpath(path).read_text(encoding="utf-8")
    assert found == PRINTED[path], "run `python -m dsgec.arithmetic.generate`"


def test_every_language_has_every_function():
    for path, text in PRINTED.items():
        if path.startswith(("docs/", "templates/engine/")):
            continue
        names = set(procedures("whole" if "integer" in path else "float"))
        found = set(
            re.findall(r"^(?:def|function|static inline \w+) (?:dsgec_)?(\w+)\(", text, re.M)
        )
        assert names <= found, path


@pytest.fixture(autouse=True)
def _forget_procedures():
    """Read the source again in each test, and after the last one."""
    procedures.cache_clear()
    yield
    procedures.cache_clear()


def with_function(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Append a function `f` of a float and an int to the source."""
    text = subset.read_text
    added = f'\n\ndef f(x: float, n: int) -> float:\n    """It."""\n{body}\n'
    monkeypatch.setattr(subset, "read_text", lambda name: text(name) + added * (name == "scalar"))
    procedures.cache_clear()


def test_a_literal_with_more_digits_than_a_float_is_refused(monkeypatch):
    with_function("    return x * 0.12345678901", monkeypatch)
    assert "f" in procedures("double")
    with pytest.raises(NotInSubset, match="more digits than a float has"):
        procedures("float")


def test_parentheses_numbers_and_selections_are_as_each_language_writes_them(monkeypatch):
    with_function(
        "    y = (x + LN2) - (-x)\n"
        "    m = (n + ROOT_HALF) >> MANTISSA\n"
        "    y = -HUGE if x == y else from_bits(m | ONE)\n"
        "    return math.copysign(y * 3.5e10, x) if (n & 1) == 0 else y",
        monkeypatch,
    )
    hand = {name: (ROOT / f"templates/{name}/by_hand.{name}").read_text() for name in ("c", "js")}
    assert (
        "float dsgec_f(float x, uint32_t n) {\n"
        "    float y = (x + 0.69314575f) - (-x);\n"
        "    uint32_t m = (n + UINT32_C(0x004afb0d)) >> 23;\n"
        "    y = x == y ? -6.871948e+10f : dsgec_from_bits(m | UINT32_C(0x3f800000));\n"
        "    return (n & 1) == 0 ? dsgec_from_bits(dsgec_bits(y * 3.5e+10f) |"
        " (dsgec_bits(x) & UINT32_C(0x80000000))) : y;\n}\n"
    ) in print_c("float", hand["c"])
    assert (
        "function f(x, n) {\n"
        "  let y = (x + 0.6931471805598903) - (-x);\n"
        "  const m = (0x00095f61 + (n + 0x9980c433 > 0xffffffff ? 1 : 0)) >>> 20;\n"
        "  y = x === y ? -3.6893488147419103e+19 : from_bits(0x3ff00000, m);\n"
        "  return (n & 1) === 0 ? copysign(y * 35000000000.0, x) : y;\n}\n"
    ) in print_js(hand["js"])
