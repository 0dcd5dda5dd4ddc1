"""The engine has every function of the table: what lacks a case does not compile."""

import subprocess

import pytest

from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.engine.source import emit_engine
from dsgec.engine.toolchain import FLAGS
from dsgec.grammar.expand import expand
from dsgec.grammar.genome.rule_tables import make_rule_tables
from dsgec.grammar.load import load_grammar
from tests.support.arithmetic import COMPILERS


@pytest.fixture(scope="module")
def engine():
    grammar = expand(load_grammar("one_layer").grammar, 5, 2)
    return emit_engine(make_rule_tables(grammar, {}), "dsge", False, "sigmoid", "exp-rmse").whole


def refused(compiler, text, folder):
    """Return the compiler's message about a source that it refuses."""
    source = folder / "engine.c"
    source.write_text(text)
    command = [compiler, *FLAGS, "-fsyntax-only", source]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.mark.needs_cc
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("end", "missing", "named", "places"),
    [
        ("    F_softmax,\n    F_NONE\n} Function;", "F_more", "F_more", 2),
        ("    DOT, /*", "OF_more", "every_operation_has_a_loop", 1),
    ],
    ids=["function", "operation"],
)
def test_a_function_that_lacks_a_case_does_not_compile(
    compiler, end, missing, named, places, engine, tmp_path
):
    assert "error" not in refused(compiler, engine, tmp_path)
    assert engine.count(end) == 1
    said = refused(compiler, engine.replace(end, f"    {missing},\n{end}"), tmp_path)
    errors = [line for line in said.splitlines() if "error" in line and named in line]
    assert len(errors) == places, said


def test_every_function_of_the_table_is_in_its_lists(engine):
    for function in FUNCTIONS.values():
        entry = f"    X({function.name}, {function.symbol}, {int(function.is_activation)})"
        assert (entry in engine) == (function.arity is not None)
