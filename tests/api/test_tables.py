"""Arrays, lists and data frames become the table that a file of them would be."""

import datetime
import io
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dsgec.data.arrays import make_table
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import parse_table
from dsgec.errors import DsgecError

COLUMNS = {
    "size": [1.5, 2.5, None, 4.0, 0.5, 6.25],
    "count": [3, 1, 2, 5, 4, 6],
    "colour": ["red", "blue", "red", None, "blue", "green"],
    "member": [True, False, True, True, False, False],
    "born": [datetime.date(2020, 1, day) for day in range(1, 7)],
    "always": [7, 7, 7, 7, 7, 7],
    "label": ["a", "b", "a", "b", "a", "b"],
}
ROWS = [list(row) for row in zip(*COLUMNS.values(), strict=True)]
FRAMES = {
    "a dictionary of columns": COLUMNS,
    "a dictionary of arrays": {
        name: pd.Series(values) if index % 2 else np.array(values, dtype=object)
        for index, (name, values) in enumerate(COLUMNS.items())
    },
    "a list of dictionaries": [dict(zip(COLUMNS, row, strict=True)) for row in ROWS],
    "dictionaries that lack what is missing": [
        {name: value for name, value in zip(COLUMNS, row, strict=True) if value is not None}
        for row in ROWS
    ],
    "pandas": pd.DataFrame(COLUMNS),
    "pandas with its own types": pd.DataFrame(COLUMNS).convert_dtypes(),
    "pandas with categories": pd.DataFrame(COLUMNS).astype({"colour": "category"}),
    "polars": pl.DataFrame(COLUMNS),
    "polars with categories": pl.DataFrame(COLUMNS).with_columns(
        pl.col("colour").cast(pl.Categorical)
    ),
    "pyarrow": pa.table(COLUMNS),
}


def from_file(plan):
    """Return the table that dsgec reads from a file that pandas wrote: the oracle."""
    out = io.StringIO()
    pd.DataFrame(COLUMNS).to_csv(out, index=False)
    return make_dataset(parse_table(out.getvalue().encode(), "X", "data"), "label", plan)


def same(one, other):
    assert one.features == other.features
    assert one.columns == other.columns
    assert one.classes == other.classes
    assert one.notes == other.notes
    np.testing.assert_array_equal(one.x, other.x)
    np.testing.assert_array_equal(one.y, other.y)


@pytest.mark.parametrize("missing", ["mean", "median", "drop"])
@pytest.mark.parametrize("name", FRAMES)
def test_a_data_frame_is_what_its_file_is(name, missing):
    plan = Preprocessing(missing=missing, scale="standard")
    dataset = make_dataset(make_table(FRAMES[name]), "label", plan)

    same(dataset, from_file(plan))
    assert dataset.features[:2] == ("size", "count")
    assert "member" in dataset.features
    assert any("born" in note and "dates" in note for note in dataset.notes)
    assert any("always" in note for note in dataset.notes)


def test_rows_and_object_arrays_are_what_their_file_is():
    plan = Preprocessing(missing="median")
    expected = from_file(plan)
    for rows in (ROWS, [tuple(row) for row in ROWS], np.array(ROWS, dtype=object)):
        dataset = make_dataset(make_table(rows), "x_7", plan)
        np.testing.assert_array_equal(dataset.x, expected.x)
        np.testing.assert_array_equal(dataset.y, expected.y)


def test_the_same_values_have_the_same_digest_in_whatever_they_come():
    numbers = np.random.default_rng(1).normal(size=(5, 3))
    y = ["a", "b", "a", "b", "a"]
    digests = {
        make_table(rows, y).digest
        for rows in (numbers, numbers.tolist(), np.asfortranarray(numbers), numbers.astype(object))
    }
    assert len(digests) == 1
    assert len({make_table(frame).digest for frame in FRAMES.values()}) == 1
    assert make_table(numbers + 1, y).digest not in digests
    assert make_table(numbers, [*y[:-1], "b"]).digest not in digests
    assert make_table(pd.DataFrame(numbers, columns=["a", "b", "c"]), y).digest not in digests


def test_numbers_of_every_kind_are_numbers():
    for kind in (np.float32, np.int8, np.uint64, np.float16):
        assert make_table(np.array([[1, 2], [3, 4]], dtype=kind)).numbers.tolist() == [
            [1, 2],
            [3, 4],
        ]
    mixed = [[Decimal("1.5"), np.float32(2.0)], [" 2.5 ", np.int64(3)], [None, float("nan")]]
    table = make_table(mixed)
    np.testing.assert_array_equal(table.numbers, [[1.5, 2.0], [2.5, 3.0], [np.nan, np.nan]])
    assert not table.texts
    masked = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
    np.testing.assert_array_equal(make_table(masked).numbers, [[1.0, np.nan], [3.0, 4.0]])


def test_the_name_of_the_target_is_kept_or_unique():
    x = np.ones((2, 1))
    assert make_table(x, pd.Series([1, 2], name="price")).columns == ("x_1", "price")
    assert make_table(x, pd.Series([1, 2], name="x_1")).columns == ("x_1", "y")
    assert make_table(pd.DataFrame({"y": [1, 2]}), [1, 2]).columns == ("y", "target")
    assert make_table(x, np.array([[1], [2]])).numbers[:, 1].tolist() == [1, 2]
    assert make_table(x, pd.DataFrame({"p": [1, 2]})).numbers[:, 1].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("rows", "values", "message"),
    [
        (np.ones(3), None, "1 dimensions"),
        (np.ones((2, 2, 2)), None, "3 dimensions"),
        ([1.0, 2.0], None, "not rows"),
        (["ab", "cd"], None, "not rows"),
        (5, None, "not rows"),
        ([[1, 2], [3]], None, "row 1 of X has 1 values where 2"),
        ([], None, "no rows"),
        (np.ones((0, 2)), None, "no rows"),
        (np.ones((2, 0)), None, "no columns"),
        (np.ones((3, 1)), [1, 2], "X has 3 rows, but y has 2"),
        (np.ones((2, 1)), np.ones((2, 2)), "shape"),
        (np.ones((2, 1)), 5, "y is a int"),
        (np.ones((2, 1)), "ab", "y is a str"),
        ([{"a": 1}, [2]], None, "row 1 of X is not a dictionary"),
        ({"a": [1, 2], "b": [1]}, None, "`b` of X has 1 values where 2 were expected"),
        ({"a": [1, 2], "b": 3}, None, "column `b` of X is a int"),
        ({"a": [1, 2], "b": "no"}, None, "column `b` of X is a str"),
        ({"a": [1, 2], "b": {1, 2}}, None, "column `b` of X is a set"),
        ({"a": np.ones((2, 2))}, None, "`a` of X has 2 dimensions"),
        ({"a": [1], " a": [2]}, None, "two columns called `a`"),
        ({"a": {1}}, None, "holds a set"),
        ({}, None, "no columns"),
        ({"a": []}, None, "no rows"),
        ([[1j], [2]], None, "row 0 of the column `x_1` holds a complex"),
        (np.array([[1j]]), None, "complex128"),
        ([[[1, 2]], [3]], None, "holds a list"),
        ([[b"a"], [b"b"]], None, "holds a bytes"),
        ([["a\0b"], ["c"]], None, "NUL"),
        ([[object()], [1]], None, "holds a object"),
        (np.array([[1.0], [np.inf]]), None, "row 1 of the column `x_1` is infinite"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), None, "two columns called `a`"),
        (pl.LazyFrame({"a": [1]}), None, "LazyFrame"),
    ],
)
@pytest.mark.filterwarnings("ignore::polars.exceptions.PerformanceWarning")
def test_data_that_is_not_a_table_is_reported(rows, values, message):
    with pytest.raises(DsgecError, match=message):
        make_table(rows, values)


def test_a_sparse_matrix_is_reported():
    from scipy.sparse import csr_array

    with pytest.raises(DsgecError, match="sparse"):
        make_table(csr_array(np.eye(3)))


@pytest.mark.parametrize("value", [float("inf"), 10**400])
def test_an_infinite_number_among_objects_is_reported_with_its_place(value):
    table = make_table([[1.0, "a"], [value, "b"], [None, "a"], [2.0, "b"]])
    with pytest.raises(DsgecError, match=r"X:2:1: error: not a finite number: `inf`"):
        make_dataset(table, "x_2")
