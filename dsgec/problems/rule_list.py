"""A rule list that classifies the shipped table wdbc: the first rule that holds says the class.

A list is a text such as `if x3 > 0.40 and x7 < 0.15 then 1; if x1 < 0.20 then 0; else 1`; 0 and 1
are the numbers of the classes, benign and malignant. Features are scaled so that training rows
reach from 0 to 1. The fitness is the share of the 398 training rows that are classified wrongly.
"""

import re

import numpy as np
from numpy.typing import NDArray

from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.problems.tables import Rows, split_rows

_data = make_dataset(read_table("wdbc"), None, Preprocessing(scale="minmax"))
_names = tuple(f"x{number}" for number in range(1, len(_data.features) + 1))
train, test = split_rows(_data, 0.3, _names)
grammar = f"""
<list> ::= <rule> <list> | "else " <class>
<rule> ::= "if " <test> " then " <class> "; "
<test> ::= <x> " > " 0.<d><d> | <x> " < " 0.<d><d> | <test> " and " <test>
<class> ::= 0 | 1
<d>    ::= 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9
<x>    ::= {" | ".join(_names)}
%max-depth list=8 test=2
"""

_RULE = re.compile(r"if (.+?) then ([01]); ")
_TEST = re.compile(r"(x\d+) ([<>]) (0\.\d\d)")


def classify(text: str, rows: Rows) -> NDArray[np.float64]:
    """Return the number of the class of each row by a rule list, or raise a ValueError."""
    count = len(rows.target)
    found, is_open, at = np.zeros(count), np.ones(count, np.bool_), 0
    while rule := _RULE.match(text, at):
        at = rule.end()
        holds = is_open.copy()
        for test in rule[1].split(" and "):
            parts = _TEST.fullmatch(test)
            if parts is None or parts[1] not in rows.columns:
                raise ValueError(f"not a test: {test[:60]}")
            values, limit = rows.columns[parts[1]], float(parts[3])
            holds &= values > limit if parts[2] == ">" else values < limit
        found[holds] = float(rule[2])
        is_open &= ~holds
    if text[at:] not in ("else 0", "else 1"):
        raise ValueError(f"not a rule list from character {at + 1} on")
    found[is_open] = float(text[-1])
    return found


def _error(text: str, rows: Rows) -> float:
    return float(np.mean(classify(text, rows) != rows.target))


def fitness(phenotype: str) -> float:
    """Return the share of the training rows that are classified wrongly."""
    return _error(phenotype, train)


def test_error(phenotype: str) -> float:
    """Return the share of the test rows that are classified wrongly."""
    return _error(phenotype, test)
