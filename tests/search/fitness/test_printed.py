"""The functions of objectives are printed from one source, and compute what it does."""

import numpy as np
import pytest

from dsgec.arithmetic.generate import ROOT
from dsgec.search.generate import generate
from dsgec.search.objectives import OBJECTIVES

PRINTED = generate()


@pytest.mark.parametrize("path", PRINTED)
def test_a_printed_file_is_what_the_source_says(path: str):
    found = ROOT.joinpath(path).read_text(encoding="utf-8")
    assert found == PRINTED[path], "run `python -m dsgec.search.generate`"


@pytest.mark.parametrize("outputs", [1, 2, 5])
@pytest.mark.parametrize("name", OBJECTIVES)
def test_columns_have_the_bits_of_the_source(name, outputs):
    objective = OBJECTIVES[name]
    rng = np.random.default_rng(outputs)
    found = rng.random((200, outputs))
    found[:9] = rng.integers(0, 2, (9, outputs))  # certain, right or wrong
    wanted = np.eye(max(outputs, 2))[rng.integers(0, max(outputs, 2), 200)][:, -outputs:]

    rows = [*zip(found.tolist(), wanted.tolist(), strict=True)]
    errors = [objective.error(o, w, outputs) for o, w in rows]
    assert objective.row_errors(found, wanted).tolist() == errors
    gradients = [
        [objective.gradient(a, b, outputs == 1) for a, b in zip(o, w, strict=True)] for o, w in rows
    ]
    with np.errstate(all="ignore"):
        assert objective.row_gradients(found, wanted).tolist() == gradients
