"""Tables are read as they are written, and those for the report only when asked for."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="the extra dsgec[benchmarks] is not installed")

from benchmarks.compare import main
from benchmarks.keel import make_column, read_keel
from benchmarks.splits import make_split, split_rows
from benchmarks.tables import (
    DEVELOPMENT,
    PAPER,
    REPORTING,
    ReportingTableError,
    Table,
    load_table,
    names_of,
)
from dsgec.errors import DsgecError

SHOP = Path(__file__).with_name("shop.dat").read_text(encoding="utf-8")


def column(features, name):
    return next(one for one in features if one.name == name)


def test_a_keel_file_gives_numbers_categories_and_missing_cells():
    features, target = read_keel(SHOP)

    assert [one.name for one in features] == ["size", "colour", "in stock", "rooms"]
    assert [one.is_nominal for one in features] == [False, True, True, False]
    np.testing.assert_array_equal(column(features, "size").values, [1.5, np.nan, 2.5, 3.5, 0.5, 4])
    assert column(features, "colour").values.tolist() == [
        "red",
        "green",
        None,
        "blue",
        "red",
        "red",
    ]
    assert target.values.tolist() == ["no", "maybe"] * 3


def test_a_file_without_a_head_is_read_by_its_cells():
    features, target = read_keel(SHOP.partition("@data\n")[2])

    assert [one.is_nominal for one in features] == [False, True, True, False]
    assert target.is_nominal


def test_the_target_is_the_column_that_the_head_names():
    features, target = read_keel(SHOP.replace("@outputs bought", "@output colour"))

    assert target.name == "colour"
    assert [one.name for one in features] == ["size", "in stock", "rooms", "bought"]


def test_a_row_of_another_length_is_an_error():
    with pytest.raises(ValueError, match="row 7 has 2 cells, not 5"):
        read_keel(SHOP + "1, red\n")


def test_missing_cells_and_categories_come_from_the_training_rows():
    nominal = ["a", "a", None, "b", "c", "a", "b", "a", "a", "b"]
    numbers = ["1", "2", None, "100", "3", "2", "1", "4", "5", None]
    features = (make_column("n", numbers), make_column("c", nominal))
    table = Table("made", features, np.arange(10.0))
    train, test = split_rows(table, 3)
    split = make_split(table, 3)

    known = sorted(float(numbers[row]) for row in train if numbers[row])
    texts = [nominal[row] for row in train if nominal[row]]
    categories = sorted(set(texts))
    width = 1 + (1 if len(categories) == 2 else len(categories))
    assert split.x_train.shape == (7, width) and split.x_test.shape == (3, width)
    for rows, x in ((train, split.x_train), (test, split.x_test)):
        for row, cells in zip(rows, x, strict=True):
            assert cells[0] == (float(numbers[row]) if numbers[row] else np.median(known))
            category = nominal[row] or max(sorted(set(texts)), key=texts.count)
            shown = categories[1:] if len(categories) == 2 else categories
            assert cells[1:].tolist() == [float(category == one) for one in shown]


def test_a_split_keeps_the_shares_of_the_classes():
    table = load_table("iris")
    train, test = split_rows(table, 0)

    assert sorted([*train, *test]) == list(range(150))
    assert np.bincount(table.target[test]).tolist() == [15, 15, 15]
    assert not np.array_equal(train, split_rows(table, 1)[0])


def test_the_lists_share_no_table_with_the_report():
    assert not set(REPORTING) & {*DEVELOPMENT, *PAPER}
    assert (len(DEVELOPMENT), len(REPORTING), len(PAPER)) == (26, 14, 4)
    assert names_of("paper,iris,sonar") == (*PAPER, "iris")


@pytest.mark.parametrize("name", REPORTING)
def test_a_reporting_table_is_not_read_by_accident(name):
    with pytest.raises(ReportingTableError, match="--report"):
        load_table(name)


def test_the_command_refuses_reporting_tables_before_it_runs_anything(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--tables", "iris,crx", "--learners", "constant", "--out", str(tmp_path / "out")])

    assert "--report" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", sorted({*DEVELOPMENT, *PAPER, "digits", "breast_cancer"}))
def test_every_table_can_be_read(name):
    try:
        table = load_table(name)
    except (ModuleNotFoundError, DsgecError) as error:
        pytest.skip(f"the extra dsgec[benchmarks] is not installed: {error}")
    split = make_split(table, 0)

    assert np.isfinite(split.x_train).all() and np.isfinite(split.y_train).all()
    assert len(split.x_test) == len(split.y_test) > 40
