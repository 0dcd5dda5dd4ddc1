"""Preprocessing agrees with scikit-learn, and is part of the model."""

import math

import numpy as np
import pytest

from dsgec.data.dataset import folds, split
from dsgec.data.options import Preprocessing, ReadingOptions
from dsgec.data.prepare import add_test_table, make_dataset
from dsgec.data.preprocessing import extract_raw_rows, fit_preprocessing
from dsgec.data.read import parse_table, read_table
from dsgec.errors import DsgecError
from dsgec.grammar.load import load_grammar
from dsgec.network.model import Column
from dsgec.search.problem import make_problem
from dsgec.search.settings import Settings

MIXED = (
    "age,colour,member,y\n30,red,yes,a\n,blue,no,b\n50,NA,yes,a\n10,red,NA,b\n20,green,no,a\n"
    "60,red,no,b\n"
)


def dataset(text, target=None, **plan):
    return make_dataset(parse_table(text.encode(), "t.csv", "t"), target, Preprocessing(**plan))


@pytest.mark.parametrize(
    ("scale", "scaler"), [("standard", "StandardScaler"), ("minmax", "MinMaxScaler")]
)
def test_scales_are_scikit_learns(scale, scaler):
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    plain = make_dataset(read_table("wdbc"))
    train = split(plain, 0.3, 1).train
    ours = fit_preprocessing(
        make_dataset(read_table("wdbc"), preprocessing=Preprocessing(scale=scale)), train
    )
    theirs = getattr(preprocessing, scaler)().fit(plain.x[train]).transform(plain.x)

    assert np.allclose(ours.x, theirs, rtol=1e-9, atol=1e-9)
    # As an exported network does it: one subtraction, one division.
    column = ours.columns[3]
    assert ours.x[:, 3].tobytes() == ((plain.x[:, 3] - column.center) / column.scale).tobytes()


@pytest.mark.parametrize("missing", ["mean", "median"])
def test_fill_values_are_computed_from_known_values(missing):
    found = dataset(MIXED, missing=missing)
    known = [30.0, 50.0, 10.0, 20.0, 60.0]
    expected = {"mean": np.mean(known), "median": np.median(known)}[missing]

    assert found.columns == (
        Column("age", fill=expected),
        Column("colour", "category", ("blue", "green", "red"), fill=2.0),
        Column("member", "boolean", ("no", "yes"), fill=0.0),
    )
    assert found.features == ("age", "colour=blue", "colour=green", "colour=red", "member")
    assert found.x.tolist() == [
        [30.0, 0.0, 0.0, 1.0, 1.0],
        [expected, 1.0, 0.0, 0.0, 0.0],
        [50.0, 0.0, 0.0, 1.0, 1.0],
        [10.0, 0.0, 0.0, 1.0, 0.0],
        [20.0, 0.0, 1.0, 0.0, 0.0],
        [60.0, 0.0, 0.0, 1.0, 0.0],
    ]


def test_preprocessing_is_fitted_on_training_rows_only():
    text = "a,b,y\n" + "".join(f"{i},{i % 3},{'xy'[i % 2]}\n" for i in range(2, 22))
    found = dataset(text, scale="standard")
    rows = np.arange(10)

    assert fit_preprocessing(found, rows).columns[0].center == np.mean(range(2, 12))


def test_rows_with_missing_values_are_dropped():
    found = dataset(MIXED, missing="drop")

    assert found.raw[:, 0].tolist() == [30.0, 20.0, 60.0]
    assert any("3 rows" in note for note in found.notes)


def test_an_unknown_value_is_none_of_the_categories():
    columns = dataset(MIXED, missing="mean").columns
    table = parse_table(b"member,colour,age\nyes,pink,1\nperhaps,red,2\n,,\n2,3,4\n", "n.csv", "n")
    raw = extract_raw_rows(table, columns)

    assert raw[:2].tolist() == [[1.0, -1.0, 1.0], [2.0, 2.0, -1.0]]
    assert raw[2].tolist() == [4.0, -1.0, -1.0]


@pytest.mark.parametrize("plan", [{}, {"scale": "standard"}, {"missing": "mean"}])
def test_a_category_of_test_rows_only_is_unknown(plan):
    colours = ["red", "blue", "red", "blue", "green", "red"]
    text = "a,colour,y\n" + "".join(f"{i},{c},{'pq'[i % 2]}\n" for i, c in enumerate(colours))
    whole = dataset(text, **plan)
    found = fit_preprocessing(whole, np.arange(4))

    assert whole.features == ("a", "colour=blue", "colour=green", "colour=red")
    assert found.features == ("a", "colour=blue", "colour=red")
    assert found.columns[1].categories == ("blue", "red")
    assert found.raw[:, 1].tolist() == [1.0, 0.0, 1.0, 0.0, -1.0, 1.0]
    assert found.x[:, 1:].tolist() == [[0, 1], [1, 0], [0, 1], [1, 0], [0, 0], [0, 1]]
    assert any("`colour=green` is in no training row" in note for note in found.notes)
    # An export, which is given the row as it stands, sees the same.
    table = parse_table(text.encode(), "t.csv", "t")
    assert np.array_equal(extract_raw_rows(table, found.columns), found.raw)
    assert whole.raw[:, 1].tolist() == [2.0, 0.0, 2.0, 0.0, 1.0, 2.0]


def test_the_grammar_is_expanded_for_the_categories_of_training_rows():
    rows = [f"{i},{'red' if i % 3 else 'blue'},{'pq'[i % 2]}\n" for i in range(40)]
    for odd in range(40):  # whichever row has the category, it is kept aside once
        text = "a,colour,y\n" + "".join(
            row.replace("red", "pink").replace("blue", "pink") if i == odd else row
            for i, row in enumerate(rows)
        )
        problem = make_problem(load_grammar("one_layer").grammar, dataset(text), Settings())
        aside = odd in problem.split.test.tolist()
        assert ("colour=pink" in problem.dataset.features) != aside
        assert problem.dataset.x.shape[1] == len(problem.dataset.features) == 4 - aside
        if aside:
            break
    else:
        pytest.fail("no row is kept aside")


def test_a_text_where_numbers_are_expected_is_reported():
    columns = dataset(MIXED, missing="mean").columns
    names = ReadingOptions(names=("age", "colour"))
    table = parse_table(b"member,colour,age\nyes,red,old\nno,blue,older\n", "n.csv", "n", names)

    with pytest.raises(DsgecError, match=r"n.csv:2:3: error: not a finite number: `old`"):
        extract_raw_rows(table, columns)


def test_a_column_that_is_constant_in_the_training_rows_has_no_feature():
    text = "a,b,y\n1,5,x\n2,5,y\n3,5,x\n4,6,y\n"
    found = fit_preprocessing(dataset(text, scale="standard"), np.arange(3))

    assert found.columns[1] == Column("b", "constant")
    assert found.features == ("a",)
    assert np.isfinite(found.x).all()


def test_a_mean_does_not_depend_on_the_order_of_summing():
    values = np.random.default_rng(1).normal(size=1001) * 10.0 ** np.arange(1001).clip(0, 12)
    rows = [f"{v!r},{'xy'[i % 2]}" for i, v in enumerate(values.tolist())]
    one = dataset("a,y\n" + "\n".join(rows), scale="standard").columns
    other = dataset("a,y\n" + "\n".join(reversed(rows)), scale="standard").columns

    assert one == other
    assert one[0].center == math.fsum(values) / 1001


@pytest.mark.parametrize("count", [2, 3, 5])
def test_every_row_is_in_one_fold_and_classes_are_spread(count):
    text = "a,y\n" + "".join(f"{i},{'abc'[(i % 10 > 5) + (i % 10 > 8)]}\n" for i in range(50))
    found = dataset(text)
    parts = folds(found, count, 1)

    assert sorted(row for part in parts for row in part.test) == list(range(50))
    for part in parts:
        assert sorted([*part.train, *part.test]) == list(range(50))
        for c, total in enumerate((30, 15, 5)):
            assert abs(int(np.sum(found.y[part.test] == c)) - total / count) < 1
    again = folds(found, count, 1)
    assert all(np.array_equal(a.test, b.test) for a, b in zip(parts, again, strict=True))


def test_a_class_of_five_rows_is_in_both_parts():
    text = "a,y\n" + "".join(f"{i},{'ab'[i < 5]}\n" for i in range(200))
    found = dataset(text)
    parts = split(found, 0.3, 1)

    assert [int(np.sum(found.y[rows] == 1)) for rows in (parts.train, parts.test)] == [4, 1]


def test_impossible_folds_are_refused():
    found = dataset("a,y\n1,x\n2,y\n3,x\n")
    with pytest.raises(DsgecError, match="4 folds of 3 rows"):
        folds(found, 4, 1)
    with pytest.raises(DsgecError, match="no training row"):
        folds(found, 2, 1)


def test_a_test_table_is_encoded_like_the_training_table():
    train = dataset("a,colour,y\n1,red,p\n3,blue,q\n5,red,p\n", scale="standard")
    test = parse_table(b"y,colour,a\nq,pink,9\np,blue,1\n", "test.csv", "test")
    found = add_test_table(train, test)
    parts = split(found, 0.3, 1)

    assert parts.train.tolist() == [0, 1, 2]
    assert parts.test.tolist() == [3, 4]
    assert found.raw[parts.test].tolist() == [[9.0, -1.0], [1.0, 0.0]]
    assert found.y.tolist() == [0.0, 1.0, 0.0, 1.0, 0.0]
    assert found.columns == train.columns

    gap = parse_table(b"y,colour,a\nNA,red,9\np,red,1\n", "test.csv", "test")
    with pytest.raises(DsgecError, match=r"the target of test.csv is missing in 1 rows"):
        add_test_table(train, gap)
    for missing in ("drop", "mean", "median"):
        train = dataset("a,colour,y\n1,red,p\n3,blue,q\n5,red,p\n", missing=missing)
        found = add_test_table(train, gap)
        assert found.y.tolist() == [0.0, 1.0, 0.0, 0.0]
        lack = "with missing values" if missing == "drop" else "without a target"
        assert f"1 row of test.csv {lack} is left out" in found.notes
    with pytest.raises(DsgecError, match=r"every row of test.csv has missing values"):
        add_test_table(train, parse_table(b"y,colour,a\n?,red,9\n,red,1\n", "test.csv", "test"))
    with pytest.raises(DsgecError, match=r"test.csv:2:1: error: no training row has this class"):
        add_test_table(train, parse_table(b"y,colour,a\nnew,red,9\n", "test.csv", "test"))
