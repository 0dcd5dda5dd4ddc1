"""The problems on tables, by plain Python on the table's own file."""

import csv
import importlib.util
import math
import re

import numpy as np
import pytest

import dsgec
from dsgec.problems import rule_list
from dsgec.resources import TABLES


def wdbc_rows():
    with TABLES.joinpath("wdbc.csv").open() as file:
        _, *rows = csv.reader(file)
    return [[float(cell) for cell in row[:-1]] for row in rows], [row[-1] for row in rows]


def test_rule_lists_classify_as_plain_rules_do():
    run = dsgec.search(rule_list.grammar, rule_list.fitness, population=30, generations=4)
    for one in run.individuals()[:10]:
        assert one.score == wrong_by_hand(one.phenotype, rule_list.train)
        assert rule_list.test_error(one.phenotype) == wrong_by_hand(one.phenotype, rule_list.test)


def wrong_by_hand(text, rows):
    *rules, last = text.split("; ")
    wrong = 0
    for row, target in enumerate(rows.target.tolist()):
        found = float(last.removeprefix("else "))
        for rule in rules:
            conditions, _, answer = rule.removeprefix("if ").partition(" then ")
            names = {name: column[row] for name, column in rows.columns.items()}
            if all(eval(one, names) for one in conditions.split(" and ")):
                found = float(answer)
                break
        wrong += found != target
    return wrong / len(rows.target)


def test_the_features_of_rule_lists_are_those_of_the_table():
    table, labels = wdbc_rows()
    train, test = rule_list.train, rule_list.test
    assert len(train.target) + len(test.target) == len(table) == 569
    assert len(train.target) == 398
    for number in range(1, 31):
        column = train.columns[f"x{number}"]
        assert (column.min(), column.max()) == (0.0, 1.0)
        scaled = np.array([row[number - 1] for row in table])
        both = np.concatenate([column, test.columns[f"x{number}"]])
        assert np.corrcoef(np.sort(scaled), np.sort(both))[0, 1] == pytest.approx(1.0, abs=1e-12)
    assert sorted(map(labels.count, set(labels))) == sorted(
        int(np.sum(train.target == k) + np.sum(test.target == k)) for k in (0, 1)
    )


@pytest.mark.parametrize(
    "text", ["", "else 2", "if x31 > 0.10 then 1; else 0", "if x1 > 1 then 1; else 0", "else 1 "]
)
def test_a_text_that_is_no_rule_list_is_refused(text):
    with pytest.raises(ValueError, match="not a"):
        rule_list.fitness(text)


@pytest.mark.skipif(importlib.util.find_spec("mlxtend") is None, reason="needs mlxtend")
def test_boston_housing_is_the_file_of_its_package():
    from dsgec.problems import boston_housing as problem

    both = [*zip(problem.train.columns["rm"], problem.train.target, strict=True)]
    both += [*zip(problem.test.columns["rm"], problem.test.target, strict=True)]
    assert len(problem.train.target) == 354 and len(both) == 506
    rooms, values = np.array(both).T
    assert np.corrcoef(rooms, values)[0, 1] == pytest.approx(0.6954, abs=1e-4)  # as published
    assert values.mean() == pytest.approx(22.5328, abs=1e-4)
    text = "((rm*3.5)-lstat)"
    names = problem.train.columns
    errors = names["rm"] * 3.5 - names["lstat"] - problem.train.target
    assert problem.fitness(text) == pytest.approx(math.sqrt(np.mean(errors**2)), rel=1e-12)
    assert set(re.findall(r"[a-z]{2,}", problem.grammar)) >= {*names} - {"b"}


def test_without_its_package_boston_housing_says_how_to_install_it(monkeypatch):
    import sys

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "dsgec.problems.boston_housing", raising=False)
    with pytest.raises(dsgec.DsgecError, match="not installed"):
        importlib.import_module("dsgec.problems.boston_housing")
