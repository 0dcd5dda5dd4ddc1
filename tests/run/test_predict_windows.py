"""A network of a signal predicts the windows of a new log, and says where they are."""

import csv
import io

import numpy as np
import pytest

import dsgec
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import parse_table
from dsgec.errors import DsgecError
from dsgec.network.evaluate import evaluate
from dsgec.run.predict import predictions
from dsgec.setting import make
from dsgec.signal.compute import compute_features
from dsgec.signal.quantise import to_integers
from tests.support.logs import gesture_log, walk_log

WINDOW, STEP = 32, 16


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "gestures.csv"
    path.write_text(gesture_log(recordings=6))
    return dsgec.evolve(path, window=WINDOW, step=STEP, effort="quick", seed=1)


def table_of(text):
    return parse_table(text.encode(), "new", "new")


def cells_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_each_window_of_each_recording_is_predicted_from_its_own_samples(run):
    text = gesture_log(recordings=2, start=6)
    rows = list(csv.DictReader(io.StringIO(text)))
    model = run.network.model

    found = cells_of(predictions(model, table_of(text), "recording"))

    wanted = []
    for name in ("p6", "p7"):
        own = [row for row in rows if row["recording"] == name]
        for first in range(0, len(own) - WINDOW + 1, STEP):
            wanted.append((name, first, own[first : first + WINDOW]))
    assert [(row["recording"], int(row["first"]), int(row["last"])) for row in found] == [
        (name, first + 1, first + WINDOW) for name, first, _ in wanted
    ]
    signal = model.signal
    for row, (_, _, window) in zip(found, wanted, strict=True):
        values = np.array([[float(one[c]) for c in ("ax", "ay", "az")] for one in window])
        integers = to_integers(signal.channels, signal.bits, values)
        raw = compute_features(signal, integers, np.zeros(1, np.int64)).astype(float)
        outputs = run.network.outputs(raw)[0]
        assert [float(row[f"p({label})"]) for label in model.classes] == outputs.tolist()
        assert row["predicted"] == model.classes[int(outputs.argmax())]
    right = [
        row["predicted"] == window[-1]["gesture"]
        for row, (*_, window) in zip(found, wanted, strict=True)
    ]
    assert np.mean(right) > 0.8


def test_a_gap_and_a_missing_sample_begin_windows_again(run):
    lines = gesture_log(recordings=1, start=6).splitlines()
    lines[51] = lines[51].replace(lines[51].split(",")[1], "", 1)  # sample 51 lacks ax

    found = cells_of(predictions(run.network.model, table_of("\n".join(lines)), "recording"))

    assert [int(row["first"]) for row in found][:4] == [1, 17, 52, 68]


def test_arrays_frames_and_files_of_samples_are_predicted_alike(run, tmp_path):
    path = tmp_path / "new.csv"
    lines = [line.split(",")[1:4] for line in gesture_log(recordings=1, start=7).splitlines()]
    path.write_text("\n".join(map(",".join, lines)) + "\n")
    values = np.array([[float(x) for x in cells] for cells in lines[1:]])

    of_file = run.predict(path)
    of_array = run.predict(values)
    of_columns = run.predict(dict(zip(lines[0], values.T, strict=True)))

    assert of_file.tolist() == of_array.tolist() == of_columns.tolist()
    assert len(of_file) == (len(values) - WINDOW) // STEP + 1
    assert run.predict_proba(values).shape == (len(of_file), 3)


def test_a_table_of_features_is_predicted_row_by_row(run):
    model = run.network.model
    raw = np.arange(2.0 * len(model.columns)).reshape(2, -1)

    assert run.network.rows(raw).tolist() == raw.tolist()
    assert np.array_equal(run.predict_proba(raw), evaluate(run.network._raw_network, raw))


def test_a_log_without_a_channel_is_refused(run):
    with pytest.raises(DsgecError, match="no column `ax`"):
        predictions(run.network.model, table_of("foo,ay,az\n" + "1,2,3\n" * 40))


@pytest.mark.parametrize("seed", range(3))
def test_a_walk_without_names_of_recordings_is_split_by_stretches_of_a_class(seed):
    table = table_of(walk_log(names=False, seed=seed).replace("60000", "20"))
    dataset = make_dataset(table, None, make(Preprocessing, {"window": 32}, learned=True))

    groups = [set(dataset.groups[dataset.y == y].tolist()) for y in range(3)]
    assert [len(one) for one in groups] == [3, 3, 3]


@pytest.mark.parametrize("names", [True, False])
def test_a_walk_that_is_read_as_a_table_has_the_accuracy_of_chance(tmp_path, names):
    found = []
    for seed in range(2):
        path = tmp_path / f"walk{seed}.csv"
        path.write_text(walk_log(samples=60, seed=seed, names=names))
        run = dsgec.evolve(path, effort="quick", seed=seed)
        found.append(run.metrics["test"]["accuracy"])
        assert any("log of samples" in one for one in run.record["result"]["warnings"])

    assert np.mean(found) < 0.65, found
