"""A table of numbers is read, or a message shows the wrong cell."""

import io

import numpy as np
import pytest

from dsgec.data.dataset import split
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.preprocessing import extract_raw_rows
from dsgec.data.read import parse_table, read_table
from dsgec.data.source import TableSource
from dsgec.errors import DsgecError
from dsgec.network.model import plain_columns


def dataset(text, target=None):
    data = text.encode() if isinstance(text, str) else text
    return make_dataset(parse_table(data, "t.csv", "t"), target)


def test_the_shipped_table_is_the_papers():
    wdbc = make_dataset(read_table("wdbc"))

    assert wdbc.x.shape == (569, 30)
    assert wdbc.classes == ("benign", "malignant")
    assert [int(np.sum(wdbc.y == c)) for c in (0, 1)] == [357, 212]
    assert wdbc.features[0] == "mean radius"


def test_the_shipped_table_is_scikit_learns():
    datasets = pytest.importorskip("sklearn.datasets")
    theirs = datasets.load_breast_cancer()
    ours = make_dataset(read_table("wdbc"))

    assert np.array_equal(ours.x, theirs.data)
    assert ours.features == tuple(theirs.feature_names)
    assert [ours.classes[int(c)] for c in ours.y] == [theirs.target_names[c] for c in theirs.target]


@pytest.mark.parametrize(
    ("text", "features", "classes"),
    [
        ("a,b,c\n1,2,x\n3,4,y\n", ("a", "b"), ("x", "y")),
        ("1,2,x\n3,4,y\n", ("x_1", "x_2"), ("x", "y")),
        ("1,2,0\n3,4,1\n", ("x_1", "x_2"), (0, 1)),
        ("a;b;c\n1;2;0\n3;4;1\n", ("a", "b"), (0, 1)),
        ("a\tb\tc\n1\t2\t0\n3\t4\t1\n", ("a", "b"), (0, 1)),
        ("\ufeffa,b,c\r\n1,2,1.0\r\n3,4,2\r\n", ("a", "b"), (1, 2)),
        ('"a, b",c\n1,yes\n\n2,no\n', ("a, b",), ("no", "yes")),
        ("a,c\n1,10\n2,9\n3,-1\n4,9\n5,10\n6,9\n", ("a",), (-1, 9, 10)),
        ("a,c\n1,0.5\n2,1.5\n", ("a",), ()),
        (" a , c \n 1 , x \n 2 , y \n", ("a",), ("x", "y")),
    ],
)
def test_tables_of_many_kinds_are_read(text, features, classes):
    found = dataset(text)

    assert found.features == features
    assert found.classes == classes
    assert found.x[0, 0] == 1.0


def test_the_target_can_be_any_column():
    text = "a,b,c\n1,x,2\n3,y,4\n"

    assert dataset(text, "b").features == ("a", "c")
    assert dataset(text, "2").classes == ("x", "y")
    assert dataset(text, "-2").target == "b"


def test_long_labels_and_targets_are_read():
    assert dataset("a,b\n1,0900719925474099\n2,1\n").classes == (1, 900719925474099)
    assert dataset("a,b\n1,9007199254740993\n2,1\n").task == "regression"
    with pytest.raises(DsgecError, match="not a finite number"):
        dataset(f"a,b\n1,{'9' * 5000}\n2,1\n")
    with pytest.raises(DsgecError, match="no column `--1`"):
        dataset("a,b\n1,x\n2,y\n", "--1")


def test_many_whole_numbers_are_a_numeric_target():
    rows = "".join(f"{i},{i * 3}\n" for i in range(50))

    assert dataset("a,b\n" + rows).task == "regression"


@pytest.mark.parametrize(("rows", "distinct"), [(3, 3), (15, 15), (15, 8), (5, 3)])
def test_whole_numbers_that_are_rarely_repeated_are_a_numeric_target(rows, distinct):
    text = "a,b\n" + "".join(f"{i},{i % distinct * 3}\n" for i in range(rows))
    as_classes = make_dataset(
        parse_table(text.encode(), "t.csv", "t"), preprocessing=Preprocessing(task="classification")
    )

    assert dataset(text).task == "regression"
    assert len(as_classes.classes) == distinct  # if one says so


def test_repeated_whole_numbers_are_classes():
    text = "a,b\n" + "".join(f"{i},{i % 7 * 3}\n" for i in range(14))

    assert dataset(text).classes == (0, 3, 6, 9, 12, 15, 18)


FAULTS = [
    ("", "is empty"),
    ("\n\n", "is empty"),
    ("a,b\n", "a header but no rows"),
    ("a\n1\n2\n", "one column, so no features"),
    ("a,b\n1,x\n2\n", "t.csv:3:1: error: 1 cells where 2 were expected"),
    ("a,b\n1,x\noops,y\n", "t.csv:3:1: error: not a finite number: `oops` in column 1 (`a`)"),
    ("a,b\n1,x\ninf,y\n", "not a finite number: `inf`"),
    ("a,b\n1,x\n1_000,y\n", "not a finite number: `1_000`"),
    ("a,b\n1,x\n,y\n?,y\n", "missing values (`a`: 2)"),
    ("a,b\n1,x\n2,?\n3,y\n", "missing values (`b`: 1)"),
    ("a,b\n1,x\n2,x\n", "the same target, `x`"),
    ("a,a\n1,x\n2,y\n", "columns 1 and 2 are both called `a`"),
    ("a,\n1,x\n2,y\n", "column 2 of t.csv has no name"),
    ("a,b\n" + "".join(f"{i},t{i}\n" for i in range(9)), "9 different labels in 9 rows"),
    (b"a,b\n1,\xff\x01\n", "t.csv:2:1: error: this is not UTF-8"),
    (b"a,b\n1,\0\n", "NUL"),
    ('a,b\n1,"x\n2,y\n', "unexpected end of data"),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_a_fault_of_a_table_is_reported_with_its_place(text, message):
    with pytest.raises(DsgecError) as caught:
        dataset(text)

    assert message in str(caught.value)


def test_an_unknown_target_is_reported_with_the_nearest_name():
    with pytest.raises(DsgecError, match="Did you mean `colour`"):
        dataset("size,colour\n1,x\n2,y\n", "color")


def test_faults_of_one_kind_are_limited():
    with pytest.raises(DsgecError) as caught:
        dataset("a,b\n" + "1,x\n" * 5000 + "bad,y\n" * 500)

    assert len(caught.value.faults) == 4
    assert caught.value.faults[-1].message == "… and 497 more like this"


def test_a_missing_file_names_the_shipped_tables():
    with pytest.raises(DsgecError, match="wdbc"):
        read_table("no-such-file.csv")


class Unclosed(io.BytesIO):
    """A stream that cannot be closed, as on a remote disk."""

    def close(self):
        raise OSError(5, "Input/output error")


def test_a_table_that_cannot_be_closed_is_named():
    with pytest.raises(DsgecError, match=r"cannot read t\.csv: Input/output error"):
        TableSource(Unclosed(b"a,b"), "t.csv", "t").close()


@pytest.mark.parametrize(
    ("test", "sizes"), [(0.3, (250, 148)), (0.0, (357, 212)), (0.5, (179, 106))]
)
def test_every_class_is_split_by_the_same_share(test, sizes):
    wdbc = make_dataset(read_table("wdbc"))
    parts = split(wdbc, test, 1)

    assert tuple(int(np.sum(wdbc.y[parts.train] == c)) for c in (0, 1)) == sizes
    assert sorted([*parts.train, *parts.test]) == list(range(569))
    assert list(parts.train) == sorted(parts.train)


def test_the_split_depends_on_its_seed_only():
    wdbc = make_dataset(read_table("wdbc"))

    assert np.array_equal(split(wdbc, 0.3, 1).train, split(wdbc, 0.3, 1).train)
    assert not np.array_equal(split(wdbc, 0.3, 1).train, split(wdbc, 0.3, 2).train)


def test_rows_to_predict_are_matched_by_the_names_of_their_columns():
    table = parse_table(b"b,extra,a\n2,9,1\n", "t.csv", "t")

    assert extract_raw_rows(table, plain_columns(("a", "b"))).tolist() == [[1.0, 2.0]]
    with pytest.raises(DsgecError, match="lacks the column `c`"):
        extract_raw_rows(table, plain_columns(("a", "c")))


def test_predicting_does_not_advise_an_option_that_it_does_not_have():
    table = parse_table(b"a\n1\noops\n", "t.csv", "t")

    with pytest.raises(DsgecError, match="leave their rows out") as caught:
        extract_raw_rows(table, plain_columns(("a",)))
    assert "ignore" not in str(caught.value)


def test_rows_without_a_header_are_matched_by_place():
    table = parse_table(b"1,2,3\n4,5,6\n", "t.csv", "t")

    assert extract_raw_rows(table, plain_columns(("x_2", "x_3"))).tolist() == [
        [2.0, 3.0],
        [5.0, 6.0],
    ]
    assert extract_raw_rows(table, plain_columns(("a", "b", "c"))).tolist() == [
        [1.0, 2.0, 3.0],
        [4.0, 5.0, 6.0],
    ]
    with pytest.raises(DsgecError, match="lacks the columns `a`, `b`"):
        extract_raw_rows(table, plain_columns(("a", "b")))


def test_a_header_of_numbers_and_a_class_called_none_are_understood():
    found = dataset("1,2,class\n5.1,3.5,a\n4.9,3.0,b\n4.7,3.2,a\n")
    assert found.features == ("1", "2")
    assert found.classes == ("a", "b")
    assert dataset("a,b\n1,none\n2,some\n3,none\n").classes == ("none", "some")
