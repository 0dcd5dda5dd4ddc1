"""Real-life tables: missing values, texts among numbers, constants, and targets anywhere."""

import numpy as np
import pytest

from dsgec.data.options import Preprocessing
from dsgec.data.prepare import add_test_table, make_dataset
from dsgec.data.preprocessing import extract_raw_rows, fit_preprocessing
from dsgec.data.read import parse_table
from dsgec.errors import DsgecError
from dsgec.network.model import Column
from dsgec.search.settings import OPTIONS

FILL = Preprocessing(missing="fill", scale="standard")


def table(text):
    return parse_table(text.encode(), "t.csv", "t")


def dataset(text, target=None, plan=FILL):
    return make_dataset(table(text), target, plan)


def rows(count, line):
    return "".join(f"{line(i)}\n" for i in range(count))


def test_every_column_is_filled_where_values_are_missing():
    found = dataset("a,b,c,y\n1,2,red,u\n,3,red,v\n5,4,,u\n9,6,blue,v\n")

    a, b, c = found.columns
    assert (a.fill, b.fill, c.fill) == (5.0, 3.5, 1.0)  # medians; the second category, red
    whole = dataset("a,b,c,y\n1,2,red,u\n2,3,red,v\n5,4,blue,u\n9,6,blue,v\n")
    assert [one.fill for one in whole.columns] == [None] * 3
    assert found.x[1, 0] == pytest.approx((5.0 - 5.0) / np.std([1, 5, 9]))
    assert "missing values are filled in: `a` (1), `c` (1)" in found.notes


def test_a_missing_value_is_a_feature_where_the_target_differs():
    text = "a,b,y\n" + rows(
        100, lambda i: f"{i},{'' if i % 4 == 0 else i * 7 % 13},{'u' if i % 4 == 0 else 'v'}"
    )
    found = dataset(text)

    assert found.columns[1].marked
    assert found.features == ("a", "b", "b is missing")
    assert found.x[:, 2].tolist() == [float(i % 4 == 0) for i in range(100)]


def test_a_missing_value_that_does_not_help_is_not_a_feature():
    text = "a,b,y\n" + rows(
        100, lambda i: f"{i},{'' if i % 4 == 0 else i * 7 % 13},{'uv'[i // 4 % 2]}"
    )
    assert dataset(text).features == ("a", "b")


def test_a_numeric_target_decides_on_marks_as_the_correlation_does():
    random = np.random.default_rng(1)
    missing = random.random(200) < 0.3
    y = random.normal(size=200) + 2.0 * missing
    text = "a,b,y\n" + rows(
        200, lambda i: f"{i},{'' if missing[i] else i % 9 + 0.5},{float(y[i])!r}"
    )

    assert np.corrcoef(missing, y)[0, 1] ** 2 * 200 > 9.0
    assert "b is missing" in dataset(text).features
    y -= 2.0 * missing
    assert np.corrcoef(missing, y)[0, 1] ** 2 * 200 < 9.0
    text = "a,b,y\n" + rows(
        200, lambda i: f"{i},{'' if missing[i] else i % 9 + 0.5},{float(y[i])!r}"
    )
    assert "b is missing" not in dataset(text).features


def test_a_column_that_is_called_like_a_mark_keeps_its_name():
    text = "b,b is missing,y\n" + rows(
        100, lambda i: f"{'' if i % 4 == 0 else i * 7 % 13},{i},{'u' if i % 4 == 0 else 'v'}"
    )
    assert dataset(text).features == ("b", "b is missing")


def test_rare_texts_among_numbers_are_taken_for_missing_values():
    text = "a,b,y\n" + rows(40, lambda i: f"{i},{'about 7' if i == 3 else i * i},{'uv'[i % 2]}")
    found = dataset(text)

    note = "`b` has 1 text among its numbers, such as `about 7` in line 5: taken for missing"
    assert note in found.notes
    assert found.columns[1].fill == np.median([i * i for i in range(40) if i != 3])
    with pytest.raises(DsgecError, match="not a finite number: `about 7`"):
        dataset(text, plan=Preprocessing())


def test_a_column_of_numbers_and_texts_is_left_out_with_one_note():
    text = "a,b,y\n" + rows(40, lambda i: f"{i},{f't{i}' if i % 3 else i * i},{'uv'[i % 2]}")
    found = dataset(text)

    assert found.features == ("a",)
    assert [note for note in found.notes if "`b`" in note] == [
        "`b` is left out: it has numbers and texts: write one kind to use it"
    ]


def test_a_constant_column_has_its_place_in_the_row_and_no_feature():
    found = dataset("a,b,c,y\n1,7,same,u\n2,7,same,v\n3,7,same,u\n5,7,same,v\n")

    assert found.columns[1:] == (Column("b", "constant"), Column("c", "constant"))
    assert found.features == ("a",)
    other = extract_raw_rows(table("a,b,c\n4,9,other\n"), found.columns)
    assert other[0, 0] == 4.0
    assert len(other[0]) == 3
    assert extract_raw_rows(table("a\n4\n"), found.columns)[0].tolist() == [4.0, 0.0, 0.0]


def test_a_category_of_no_training_row_is_not_a_feature():
    text = "a,b,y\n" + rows(20, lambda i: f"{i},{i if i > 15 else ''},{'uv'[i % 2]}")
    found = fit_preprocessing(dataset(text), np.arange(10))

    assert found.columns[1] == Column("b", "constant")
    assert "`b` is the same in every training row, so it is not a feature" in found.notes


def test_one_note_covers_many_columns():
    text = "a,b,c,y\n" + rows(20, lambda i: f"{i},{i // 15},{i // 15},{'uv'[i % 2]}")
    found = fit_preprocessing(dataset(text), np.arange(10))

    assert found.notes[-1] == (
        "`b`, `c` are the same in every training row, so they are not features"
    )


@pytest.mark.parametrize(
    "cell", ["1,234,567", "$1,234.50", "+12.5 %", "-5%", "€ 7.50", "-$5", "7.5 €"]
)
def test_numbers_with_currency_or_percent_signs_are_recognised(cell):
    found = dataset(
        "a;b;y\n" + rows(20, lambda i: f"{i};{cell.replace('5', str(i % 3))};{'uv'[i % 2]}")
    )

    assert any("`b` is left out: its numbers are written with signs" in n for n in found.notes)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        (lambda i: f"1,000,{100 + i}", "its numbers are written with signs"),
        (lambda i: f"2020-01-{i + 1:02}", "it holds dates or times"),
    ],
)
def test_a_target_of_dates_or_durations_is_explained(target, why):
    with pytest.raises(DsgecError, match=f"`y` cannot be the target: {why}"):
        dataset("a;y\n" + rows(20, lambda i: f"{i};{target(i)}"))


def test_a_column_without_numbers_is_not_described_as_numbers():
    text = "a,y\n" + rows(20, lambda i: f"{i},n{i}")
    with pytest.raises(DsgecError, match="No cell of the column is a number"):
        dataset(text, plan=Preprocessing(task="regression"))


def test_a_suggestion_beside_an_error_is_a_warning():
    with pytest.raises(DsgecError) as caught:
        dataset("a,label,day\n" + rows(20, lambda i: f"{i},{'uv'[i % 2]},2020-01-{i + 1:02}"))

    assert [fault.warning for fault in caught.value.faults] == [False, True]


def test_rows_without_a_target_are_left_out():
    found = dataset("a,y\n1,u\n2,\n3,v\n4,u\n")

    assert found.y.tolist() == [0.0, 1.0, 0.0]
    assert "1 row without a target is left out" in found.notes


def test_values_missing_only_in_the_test_table_are_filled():
    both = add_test_table(dataset("a,b,y\n1,2,u\n3,4,v\n5,9,u\n"), table("a,b,y\n1,,v\n"))

    assert both.columns[1].fill == 4.0
    assert np.isfinite(both.x).all()


@pytest.mark.parametrize(
    ("header", "proposed"),
    [("Class,a,b", "Class"), ("a,target,b", "target"), ("a,b,y", ""), ("a,b,c", "")],
)
def test_a_column_called_like_a_target_is_suggested_if_it_is_not_the_last(header, proposed):
    found = dataset(header + "\n" + rows(8, lambda i: f"{i % 2},{i},{i * 3 % 2}"))

    notes = [OPTIONS.write(note) for note in found.notes if "the last column" in note]
    assert found.target == header.split(",")[-1]
    assert notes == (
        [f"the target is `b`, the last column; --target {proposed} predicts `{proposed}` instead"]
        if proposed
        else []
    )


def test_a_last_column_that_is_no_target_is_refused_with_a_suggestion():
    text = "label,a,name\n" + rows(30, lambda i: f"{'uv'[i % 2]},{i},person {i}")
    with pytest.raises(DsgecError, match="predicts `label` instead"):
        dataset(text)


def test_the_target_may_be_named_as_in_the_file():
    text = "a, quality \n1,u\n2,v\n3,u\n"
    assert dataset(text, " quality ").target == "quality"


def test_an_identifier_and_a_leak_are_noted():
    text = "customerId,a,paid_back,y\n" + rows(
        60, lambda i: f"{i * 37 % 997},{i * 7 % 5},{'yes' if i % 3 else 'no'},{int(i % 3 > 0)}"
    )
    notes = " ".join(OPTIONS.write(note) for note in dataset(text).notes)

    assert "`customerId` has another number in every row: an identifier?" in notes
    assert "`paid_back` alone tells the target" in notes
    assert "`a` alone" not in notes


def test_numbers_that_determine_the_target_are_noted_and_others_are_not():
    random = np.random.default_rng(2)
    y = random.normal(size=50)
    near = y + random.normal(size=50) * 0.3
    text = "a,b,y\n" + rows(
        50, lambda i: f"{float(2.54 * y[i])!r},{float(near[i])!r},{float(y[i])!r}"
    )
    notes = [note for note in dataset(text).notes if "alone tells" in note]

    assert len(notes) == 1
    assert notes[0].startswith("`a`")


def test_a_table_of_keel_is_read():
    text = (
        "@relation t\n@attribute A{x, y}\n@attribute B real[0.0, 9.0]\n@attribute Class{p, n}\n"
        "@inputs A, B\n@outputs Class\n@data\nx, 1.5, p\ny, <null>, n\nx, 3.0, n\ny, 2.0, p\n"
    )
    found = dataset(text)

    assert (found.target, found.classes) == ("Class", ("n", "p"))
    assert found.features == ("A=x", "A=y", "B")
    assert found.columns[1].fill == 2.0
