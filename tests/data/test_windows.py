"""A log is cut into windows that cross no recording, no gap and no missing sample."""

import numpy as np
import pytest

from dsgec.data.blocks import block_starts
from dsgec.data.dataset import folds, split
from dsgec.data.log import make_log_dataset
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import parse_table
from dsgec.data.windows import cut, find_gaps, window_targets
from dsgec.errors import DsgecError
from tests.support.logs import gesture_log, walk_log

LEARNED = {"index": "drop", "missing": "fill", "scale": "standard"}


def dataset(text, target=None, **options):
    return make_dataset(
        parse_table(text.encode(), "log.csv", "log"),
        target,
        Preprocessing(**{**LEARNED, **options}),
    )


def slow_cut(starts, usable, window, step):
    """Windows one by one, as a board would find them."""
    found, begin = [], 0
    for place in range(len(starts)):
        if starts[place] or not usable[place]:
            begin = place if usable[place] else place + 1
        if place + 1 - begin >= window and (place + 1 - begin - window) % step == 0:
            found.append(place + 1 - window)
    return found


@pytest.mark.parametrize("seed", range(30))
def test_windows_are_those_that_a_board_finds_sample_by_sample(seed):
    draw = np.random.RandomState(seed)
    count = draw.randint(1, 200)
    starts, usable = draw.rand(count) < 0.03, draw.rand(count) > 0.03
    window = draw.randint(1, 20)
    step = draw.randint(1, window + 1)

    assert cut(starts, usable, window, step).tolist() == slow_cut(starts, usable, window, step)


@pytest.mark.parametrize("seed", range(10))
def test_the_label_of_a_window_is_the_last_or_the_most_frequent(seed):
    draw = np.random.RandomState(seed)
    y = draw.choice([0.0, 1.0, 2.0, np.nan], 60, p=[0.4, 0.3, 0.2, 0.1])
    starts = np.arange(0, 50, 3)

    last = window_targets(y, starts, 10, 3, by_majority=False)
    most = window_targets(y, starts, 10, 3, by_majority=True)

    for start, one, other in zip(starts, last, most, strict=True):
        inside = y[start : start + 10]
        np.testing.assert_equal(one, inside[-1])
        counts = [int((inside == k).sum()) for k in range(3)]
        assert counts[int(other)] == max(counts)
        if inside[-1] == inside[-1] and counts[int(inside[-1])] == max(counts):
            assert other == inside[-1]


def test_the_majority_of_numbers_is_their_mean():
    y = np.array([1.0, 2.0, np.nan, 6.0])

    assert window_targets(y, np.array([0, 1]), 3, 0, by_majority=True).tolist() == [1.5, 4.0]


def test_a_gap_is_a_long_step_or_one_back():
    time = np.array([0.0, 10, 20, 31, 200, 210, 5, 15])

    gaps = find_gaps(time, np.zeros(8, dtype=bool))

    assert np.flatnonzero(gaps).tolist() == [4, 6]


def test_no_window_crosses_a_recording_a_gap_or_a_missing_sample():
    lines = gesture_log(3, 96).splitlines()
    lines[40] = lines[40].replace(lines[40].split(",")[2], "", 1)  # the 40th row lacks `ay`
    del lines[150:170]

    made = dataset("\n".join(lines), window=16, step=4, group="recording")

    windows = made.windows
    assert windows.rate == 50.0
    assert not np.isnan(windows.samples[windows.covered(np.arange(len(windows)))]).any()
    recording = np.array([line.split(",")[4] for line in lines[1:]])
    time = np.array([int(line.split(",")[0]) for line in lines[1:]])
    for start in windows.starts.tolist():
        inside = slice(start, start + 16)
        assert len({*recording[inside]}) == 1
        assert (np.diff(time[inside]) == 20).all()
    assert 0 < len(made.y) < (3 * 96 - 20) // 4
    assert any("1 row lack" in note for note in made.notes)


def test_recordings_are_not_on_both_sides_of_a_split():
    made = dataset(walk_log(), window=32, group="recording")

    for part in (split(made, 0.3, 1), *folds(made, 3, 1)):
        assert not {*made.groups[part.train]} & {*made.groups[part.test]}
    assert len({*made.groups}) == 9


def test_a_column_that_names_stretches_of_rows_is_taken_for_the_recording():
    named, found = (dataset(walk_log(), window=32, **one) for one in ({"group": "recording"}, {}))

    assert found.groups.tolist() == named.groups.tolist()
    assert any("taken for the recording" in note for note in found.notes)


def test_a_long_pause_ends_a_recording_where_no_column_names_it():
    made = dataset(walk_log(names=False), window=32)

    assert len({*made.groups}) == 9


def test_blocks_of_time_share_no_sample_and_are_a_window_apart():
    made = dataset(gesture_log(1, 3000), window=50, step=10, group="recording")

    for part in (split(made, 0.3, 1), *folds(made, 5, 2)):
        first, second = (made.windows.covered(rows) for rows in (part.train, part.test))
        assert not (first & second).any()
        either = first | second
        places = np.flatnonzero(either)
        side = second[places]
        changes = np.flatnonzero(side[1:] != side[:-1])
        assert len(changes)
        assert (np.diff(places)[changes] > 50).all()
    assert any("blocks of time" in note for note in made.notes)


def test_blocks_are_long_enough_for_several_windows():
    assert block_starts([100], 64).tolist() == [0]
    assert len(block_starts([10_000], 64)) == 20
    assert block_starts([640, 640], 64).tolist() == [0, 160, 320, 480, 640, 800, 960, 1120]


def test_classes_of_one_recording_each_are_split_by_time():
    made = dataset(walk_log(3, 600), window=20, group="recording")

    part = split(made, 0.3, 1)

    assert {*made.y[part.train]} == {*made.y[part.test]} == {0.0, 1.0, 2.0}
    assert any("one recording only" in note for note in made.notes)


def test_a_wide_table_has_a_window_in_each_row():
    draw = np.random.RandomState(1)
    rows = draw.randint(-99, 99, (20, 40))
    names = [f"{axis}_{i}" for axis in ("ax", "ay") for i in range(20)]
    lines = [",".join([*names, "class"])]
    lines += [",".join([*map(str, row), "ab"[i % 2]]) for i, row in enumerate(rows)]

    made = dataset("\n".join(lines), window=20)

    assert made.windows.channels == ("ax", "ay")
    assert made.windows.starts.tolist() == [*range(0, 400, 20)]
    np.testing.assert_array_equal(made.windows.samples[:20, 1], rows[0, 20:])
    assert made.groups is None
    assert any("each row is a recording" in note for note in made.notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 2000}, "no window of 2000 samples"),
        ({"window": 16, "step": 17}, "more than a window"),
        ({"step": 4}, "there are no windows"),
        ({"window": 16, "group": "class"}, "cannot be the group"),
        ({"window": 16, "ignore": ("ax", "ay", "az")}, "can be a channel"),
        ({"window": 1}, "between 2"),
    ],
)
def test_mistakes_have_a_message(options, message):
    with pytest.raises(DsgecError, match=message):
        dataset(walk_log(), "class", **options)


def test_missing_samples_are_an_error_if_asked_for():
    text = walk_log().replace("\n20,", "\n20,?,", 1)
    lines = text.splitlines()
    lines[2] = ",".join(lines[2].split(",")[:2] + lines[2].split(",")[3:])

    with pytest.raises(DsgecError, match="lack a sample"):
        dataset("\n".join(lines), window=16, missing="error")


def test_a_log_without_windows_is_an_ordinary_table():
    table = parse_table(walk_log().encode(), "log.csv", "log")

    assert make_dataset(table).windows is None
    assert make_log_dataset(table, None, Preprocessing(window=16)).windows is not None
