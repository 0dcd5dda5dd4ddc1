"""A cost as second objective: each combination of options works, or its message says why not."""

from dataclasses import replace
from itertools import product

import pytest

import dsgec
from dsgec.api.settings import read_keywords
from dsgec.errors import DsgecError
from dsgec.grammar.load import load_grammar, parse
from dsgec.network.cost import chips as checks
from dsgec.network.cost.chips import CHIPS, priced_dtypes
from dsgec.search.presets import Preset, make_settings
from dsgec.search.problem import make_problem
from dsgec.search.settings import COSTS, DTYPES, FIXED_POINT, OPTIONS
from tests.support.engine_runs import make_data

SINES = "<s> ::= <f>(<x>)\n<f> ::= sin | sig\n<x> ::= x_1 | x_2 | x_3\n"


def make(grammar, settings):
    read = parse(grammar, "g.bnf") if "::=" in grammar else load_grammar(grammar).grammar
    return make_problem(read, make_data(1, 30, 3), settings)


@pytest.mark.parametrize("minimise", COSTS)
@pytest.mark.parametrize(("chip", "dtype"), [*product(CHIPS, ("", *DTYPES))])
def test_every_chip_has_an_estimate_for_every_type_that_can_be_asked_for(minimise, chip, dtype):
    given = {"minimise": minimise, "chip": chip} | ({"dtype": dtype} if dtype else {})
    settings = make_settings(given, Preset())
    assert settings.dtype in priced_dtypes(chip)
    assert CHIPS[chip].has_double == ("double" in priced_dtypes(chip))
    assert settings.dtype == ("float" if chip == "avr" else dtype or "double")
    problem = make("one_layer", settings)
    assert ("dtype" in problem.remark) == (chip == "avr" and minimise != "connections")
    assert settings == type(settings).from_json(settings.as_json())


@pytest.mark.parametrize("dtype", FIXED_POINT)
@pytest.mark.parametrize("chip", [*CHIPS])
def test_the_message_about_fixed_point_has_options_that_work(chip, dtype):
    given = {"minimise": "flash", "chip": chip, "dtype": dtype}
    with pytest.raises(DsgecError) as refused:
        make_settings(given, Preset())
    advice = OPTIONS.write(refused.value.faults[0].advice)
    assert f"Use --minimise flash --chip {chip} --dtype float and export" in advice
    assert f"`dsgec export RUN --dtype {dtype}`" in advice
    make("one_layer", make_settings({**given, "dtype": "float"}, Preset()))


def test_the_library_and_its_estimators_imply_float_on_an_avr():
    assert read_keywords({"minimise": "flash", "chip": "avr"}).settings.dtype == "float"
    given = dsgec.DSGEClassifier(minimise="flash", chip="avr").get_params()
    assert make_settings({key: given[key] for key in ("chip", "dtype")}, Preset()).dtype == "float"


def test_a_function_without_a_price_is_missed_only_by_grammars_that_use_it(monkeypatch):
    def without_sine(chip, dtype):
        own = real(chip, dtype)
        return replace(own, needs={kind: own.needs[kind] for kind in own.needs if kind != "sin"})

    real = checks.chip_prices
    monkeypatch.setattr(checks, "chip_prices", without_sine)
    settings = make_settings({"minimise": "flash"}, Preset())
    make("one_layer", settings)
    with pytest.raises(DsgecError, match="no estimate of sin on cortex-m0plus"):
        make(SINES, settings)
    make(SINES, make_settings({"minimise": "connections"}, Preset()))
