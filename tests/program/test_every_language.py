"""Random networks have the bits of the interpreter in every language, type and layout.

Networks of both layouts become one program, so that each compiler runs once for many of them.
"""

import numpy as np
import pytest

from dsgec.arithmetic.procedures import procedures
from dsgec.errors import DsgecError
from dsgec.export.artefact import LAYOUTS, Artefact
from dsgec.export.fixed.evaluate import evaluate_integers, quantise
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Input
from dsgec.program.check import check
from dsgec.program.interpret import interpret
from tests.support.c_programs import run_c
from tests.support.javascript import NODE
from tests.support.layered_models import extreme_rows, layered_model, without_softmax
from tests.support.merged_programs import merge
from tests.support.program_drivers import LANGUAGES, run_program
from tests.support.script_programs import run_script
from tests.support.wasm_programs import run_wasm

REALS = {"double": np.float64, "float": np.float32}
LARGEST = {"double": np.inf, "float": 3.4e38}
DTYPES = ("double", "float", "q15", "q7")
SCRIPTS = ("python", "numpy", "js")
ROWS = 24
_EACH = 100  # networks of one program


def artefacts(dtype, seed):
    """Return both layouts of a random network, or nothing if it has no fixed point."""
    is_tame = dtype not in REALS and seed % 2 == 0
    model = layered_model(seed, is_tame=is_tame, largest=LARGEST.get(dtype, np.inf))
    ranges = tuple(None if column.categories else (-2.0, 2.5) for column in model.columns)
    try:
        return [Artefact(model, "net", dtype, ranges=ranges, layout=layout) for layout in LAYOUTS]
    except DsgecError:
        return []


def rows_and_results(artefact, seed):
    """Return rows as the program takes them, and what the network's interpreter computes."""
    rows = extreme_rows(artefact.model, seed, ROWS)
    if artefact.dtype in REALS:
        with np.errstate(over="ignore"):
            rows = rows.astype(REALS[artefact.dtype])
        return rows, evaluate(without_softmax(artefact.network), rows)
    source = artefact.number_format.fixed.program
    rows = quantise(source, rows)
    read = {node.column for node in artefact.network.nodes if isinstance(node, Input)}
    for column in read:
        if artefact.model.columns[column].fill is None:  # a row without it is refused before
            rows[rows[:, column] == source.missing, column] = -source.missing - 1
    return rows, evaluate_integers(source, rows)


def networks(dtype, first, count):
    """Return the programs of networks by name, their rows and their results, side by side."""
    programs, rows, results, seed = {}, [], [], first
    while len(programs) < 2 * count:
        for artefact in artefacts(dtype, seed):
            given, wanted = rows_and_results(artefact, seed)
            check(artefact.program, artefact.program.entry, proves_limits=False)
            programs[f"n{seed}{artefact.layout[0]}"] = artefact.program
            rows.append(given)
            results.append(wanted)
        seed += 1
    return programs, np.hstack(rows), np.hstack(results)


def answers(folder, program, dtype, rows):
    """Yield what each installed language computes, by its name."""
    arithmetic = dtype if dtype in REALS else "whole"
    library = procedures(arithmetic)
    written, _ = interpret(program, program.entry, library, x=rows)
    yield "interpreter", np.stack([np.broadcast_to(c, len(rows)) for c in written["y"]], axis=1)
    yield from run_c(folder, program, arithmetic, rows).items()
    for language in SCRIPTS if dtype != "float" else ():
        if language != "js" or NODE:
            yield language, run_script(language, folder, program, arithmetic, rows)
    if NODE:
        yield "wasm", run_wasm(folder, program, program.entry, arithmetic, x=rows)[0]["y"]
    for name, language in LANGUAGES.items():
        if not language.missing:
            own = folder / name
            own.mkdir()
            yield name, run_program(own, language, program, library, {"x": rows})["y"]


def differences(folder, dtype, first, count):
    """Return the languages with other bits, and the places of the results that differ there."""
    programs, rows, wanted = networks(dtype, first, count)
    assert len(programs) == 2 * count
    found = {}
    for language, results in answers(folder, merge(programs), dtype, rows):
        same = (results == wanted) & (np.signbit(results) == np.signbit(wanted))
        same |= np.isnan(results) & np.isnan(wanted)
        if not same.all():
            found[language] = sorted({*np.nonzero(~same)[1].tolist()})
    return found


@pytest.mark.needs_cc
@pytest.mark.parametrize("dtype", DTYPES)
def test_some_networks_have_the_same_bits_in_every_language(dtype, tmp_path):
    assert differences(tmp_path, dtype, 100, 4) == {}


@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("first", range(10_000, 30_000, 2_000))
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_thousand_networks_have_the_same_bits_in_every_language(dtype, first, tmp_path):
    assert differences(tmp_path, dtype, first, _EACH) == {}
