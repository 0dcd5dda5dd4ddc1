"""Networks evolved on the paper's tables, in fixed point."""

import pytest

import dsgec
from dsgec.errors import DsgecError
from dsgec.export.files import make_artefact
from tests.support.artefacts import COMPILERS
from tests.support.fixed_checks import (
    UNDEFINED,
    allowed,
    check_bound,
    check_c,
    check_javascript,
    check_python,
)
from tests.support.javascript import NODE
from tests.support.models import FIXED_DTYPES


@pytest.mark.needs_cc
@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("table", ["sonar", "ionosphere", "wdbc", "flame"])
def test_targets_agree_and_the_bound_holds_on_evolved_networks(table, tmp_path):
    from dsgec.export.candidates import integer_candidates
    from dsgec.export.fixed.evaluate import dequantise

    try:
        run = dsgec.evolve("network", table, generations=60, population=60, seed=1)
    except DsgecError as error:
        pytest.skip(str(error))
    for dtype in FIXED_DTYPES:
        network = run.network
        artefact = make_artefact(network.model, "net", dtype, recorded=network.ranges)
        program = artefact.number_format.fixed.program
        # Of all sizes and at the limits of the integers, which lie at and beyond the ranges.
        wholes = integer_candidates(program, network.model.columns, 100_000, 7)
        rows = allowed(artefact, dequantise(program, wholes))
        assert len(rows) > 50_000
        check_bound(artefact, rows)
        check_c(artefact, rows, tmp_path, COMPILERS[0], *UNDEFINED)
        check_python(artefact, rows[::500])
        if NODE:
            check_javascript(artefact, rows[::10], tmp_path)
