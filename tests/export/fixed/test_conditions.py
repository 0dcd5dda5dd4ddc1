"""The bound of a condition holds where rounding decides it, and is no larger than it must be."""

import numpy as np
import pytest

from dsgec.network.model import Column, Model, unnamed_model
from dsgec.network.parse import parse
from tests.support.fixed_checks import check_bound
from tests.support.fixed_models import RANGE, fixed_artefact
from tests.support.models import FIXED_DTYPES

UNCERTAIN = (
    ("if(x_1 < 0.3, x_2, 2 * x_3)", 0.3),
    ("(x_1 <= 0.3) - 2 * (x_1 > 0.3)", 0.3),
    ("if(0.7 * x_1 + 0.1 >= 0.7 * x_2 + 0.1, x_3, 1 - x_3)", None),
    ("nand(x_1, x_2) + 0.5 * nor(x_2, x_3) + (x_1 or x_3)", 0.0),
    ("if(not x_1 xor x_2 > 0, 1, -1)", 0.0),
    ("sig(3 * (x_1 != 0.3) - 1)", 0.3),
    ("if(x_1 = x_2, x_3, 1)", None),
)
"""Texts, and the value of x_1 at which rounding decides; None where x_1 equals x_2."""

CERTAIN = (
    ("if(x_1 < 5, x_2, x_3)", 0.0),
    ("if(x_1 > -5 and x_2 > -5, 1, 0)", 0.0),
    ("if(x_1 * 0 > 1, x_2, x_3)", 0.0),
)


def rows_near(value, count=3000):
    """Return rows whose first columns are within a few roundings of a value, or of each other."""
    rng = np.random.default_rng(1)
    rows = rng.uniform(*RANGE, (count, 3))
    near = rng.normal(size=count) * 10.0 ** rng.uniform(-7, -1, count)
    rows[:, 0] = rows[:, 1] + near if value is None else value + near
    rows[: count // 9, 1] = near[: count // 9]
    rows[-count // 9 :, 0] = rows[-count // 9 :, 1] if value is None else value
    return rows


@pytest.mark.parametrize("dtype", FIXED_DTYPES)
@pytest.mark.parametrize(("text", "value"), UNCERTAIN)
def test_a_bound_covers_both_branches_where_rounding_decides(text, value, dtype):
    artefact = fixed_artefact(unnamed_model(parse(text, inputs=3)), dtype)
    worst = check_bound(artefact, rows_near(value))
    (bound,) = artefact.number_format.fixed.bounds
    # The branches of the rows are not as far apart as they could be.
    assert bound / 10 < worst[0] <= bound


@pytest.mark.parametrize("dtype", FIXED_DTYPES)
@pytest.mark.parametrize(("text", "value"), CERTAIN)
def test_a_condition_that_the_ranges_decide_costs_nothing(text, value, dtype):
    artefact = fixed_artefact(unnamed_model(parse(text, inputs=3)), dtype)
    check_bound(artefact, rows_near(value))
    assert max(artefact.number_format.fixed.bounds) < {"q15": 0.001, "q7": 0.05}[dtype]


@pytest.mark.parametrize("dtype", FIXED_DTYPES)
@pytest.mark.parametrize("text", ["if(x_1 > 0.5, x_3, 2)", "if(x_1 and not x_2 = 1, x_3, -x_3)"])
def test_a_condition_of_categories_is_certain(text, dtype):
    columns = (Column("a", "boolean", ("no", "yes")), Column("b", "boolean", ("no", "yes")))
    model = Model(parse(text, inputs=3), (*columns, Column("c")))
    artefact = fixed_artefact(model, dtype)
    rng = np.random.default_rng(2)
    rows = np.column_stack([rng.integers(0, 2, (500, 2)), rng.uniform(*RANGE, 500)])
    check_bound(artefact, rows)
    assert max(artefact.number_format.fixed.bounds) < {"q15": 0.001, "q7": 0.05}[dtype]
