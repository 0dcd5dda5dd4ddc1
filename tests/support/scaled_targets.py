"""A table whose target has any unit and shift, and settings to learn it quickly."""

import numpy as np

from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import parse_table

SMALL = {"population": 12, "generations": 6, "seed": 3}
LEARNING = {**SMALL, "variation": "trees", "steps": 1, "parsimony": 1e-3, "tuning": 20}


def table(unit=1.0, shift=0.0, rows=60, slope=True):
    """Numbers of two columns, and a target in some unit; without a slope, a constant one."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(rows, 2)).round(3)
    noise = rng.normal(size=rows).round(3)
    y = (shift + slope * (3.0 * x[:, 0] - np.abs(x[:, 1]) + 0.3 * noise)) * unit
    return x, y


def data(unit=1.0, shift=0.0, plan=None, **more):
    x, y = table(unit, shift, **more)
    lines = ["a,b,price", *(f"{a!r},{b!r},{c!r}" for (a, b), c in zip(x.tolist(), y.tolist()))]  # noqa: B905
    plan = plan or Preprocessing(scale="standard", task="regression")
    return make_dataset(parse_table("\n".join(lines).encode(), "t.csv", "t"), None, plan)
