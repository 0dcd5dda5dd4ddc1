"""Boston housing: the median value of homes from 13 properties of a place.

Harrison and Rubinfeld (1978) collected them. The table is a file of the package mlxtend, which is
not imported. It is read as every table is; 70 % of the 506 rows train. The fitness is the root of
the mean squared error, in 1,000 $.
"""

import importlib.util
from pathlib import Path

from dsgec.data.prepare import make_dataset
from dsgec.data.read import parse_table
from dsgec.errors import DsgecError
from dsgec.problems.regression import root_mean_square
from dsgec.problems.tables import split_rows
from dsgec.resources import read_bytes

_NAMES = "crim,zn,indus,chas,nox,rm,age,dis,rad,tax,ptratio,b,lstat,medv\n"
_MOST_BYTES = 1 << 20


def _read() -> bytes:
    spec = importlib.util.find_spec("mlxtend")
    places = spec.submodule_search_locations if spec else None
    if not places:
        raise DsgecError(
            "the table of Boston housing is not installed",
            "`pip install 'dsgec[classics]'` brings it, in the package mlxtend.",
        )
    path = Path(places[0]) / "data" / "data" / "boston_housing.csv"
    return read_bytes(path, str(path), _MOST_BYTES)


_table = parse_table(_NAMES.encode() + _read(), "boston_housing", "boston_housing")
train, test = split_rows(make_dataset(_table), 0.3)
grammar = f"""
<e>  ::= ( <e> <op> <e> ) | <f> ( <e> ) | <x> | <c>
<op> ::= + | - | * | /
<f>  ::= sin | cos | exp | log
<x>  ::= {" | ".join(train.columns)}
<c>  ::= <d> . <d>
<d>  ::= 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9
%max-depth e=7
"""


def fitness(phenotype: str) -> float:
    """Return the root of the mean squared error on the training rows."""
    return root_mean_square(phenotype, train.columns, train.target)


def test_error(phenotype: str) -> float:
    """Return the root of the mean squared error on the test rows."""
    return root_mean_square(phenotype, test.columns, test.target)
