"""Windows of an array of series are those of a log; the API and scikit-learn take them."""

import numpy as np
import pytest

import dsgec
from dsgec import DSGEClassifier
from dsgec.data.arrays import make_table
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.series import cut_series, make_series_dataset
from dsgec.data.window_features import fit_window_features
from dsgec.errors import DsgecError
from dsgec.grammar.load import load_grammar
from dsgec.search.signal_features import name_features


def waves(count, seed=0, length=40):
    """Return series of two channels, and the class of each: how fast its first channel turns."""
    rng = np.random.default_rng(seed)
    y = np.arange(count) % 2
    turns = 2 * np.pi * (2 + 3 * y)[:, None] * np.arange(length) / length
    first = np.sin(turns + rng.uniform(0, 6, count)[:, None])
    return np.stack([first, rng.normal(size=(count, length))], axis=1), np.array(["slow", "fast"])[
        y
    ]


def raw_of(dataset):
    _, dataset = name_features(load_grammar("signal"), dataset)
    return fit_window_features(dataset, np.arange(len(dataset.y))).raw


def test_windows_of_series_are_those_of_a_log():
    x, labels = waves(6)
    y = (labels == "slow").astype(float)
    count, _, length = x.shape
    columns = {
        "recording": np.repeat([f"r{n}" for n in range(count)], length).tolist(),
        "c_1": x[:, 0].ravel(),
        "c_2": x[:, 1].ravel(),
        "label": np.repeat(labels, length).tolist(),
    }
    options = Preprocessing(window=16, step=8, group="recording")
    log = make_dataset(make_table(columns), "label", options)

    own = make_series_dataset(x, y, ("fast", "slow"), Preprocessing(window=16, step=8))

    assert own.y.tolist() == log.y.tolist()
    assert own.groups.tolist() == log.groups.tolist()
    assert np.array_equal(raw_of(own), raw_of(log))


def test_windows_begin_again_after_a_missing_sample():
    x, _ = waves(2)
    x[0, 1, 20] = np.nan

    windows, series = cut_series(x, 10, 10)

    assert windows.starts.tolist() == [0, 10, 21, 40, 50, 60, 70]
    assert series.tolist() == [0, 0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("values", "window", "message"),
    [
        (np.full((4, 1, 30), np.inf), 10, "infinite"),
        (np.zeros((4, 1, 30)), 31, "too long"),
        (np.zeros((4, 1, 1)), None, "too short"),
        (np.full((4, 1, 30), np.nan), 10, "missing"),
        (np.zeros((0, 1, 30)), 10, "no samples"),
    ],
)
def test_series_without_windows_are_an_error(values, window, message):
    y = np.arange(len(values)) % 2.0

    with pytest.raises(DsgecError, match=message):
        make_series_dataset(values, y, ("a", "b"), Preprocessing(window=window))


def test_series_are_learned_from_tested_with_and_predicted():
    x, y = waves(40)
    x_test, y_test = waves(20, seed=1)

    run = dsgec.evolve(x, y, test=(x_test, y_test), walk=200)

    assert run.record["grammar"]["name"] == "signal"
    assert not [note for note in run.notes if "first(diff" in note]
    assert run.record["data"]["test_rows"] == 20
    right = np.mean(run.network.predict(x_test) == y_test)
    assert right == run.record["result"]["test"]["accuracy"] > 0.9


def test_the_classifier_takes_series():
    x, y = waves(40)
    x_test, y_test = waves(20, seed=1)

    model = DSGEClassifier(random_state=1, walk=200).fit(x, y)

    assert np.mean(model.predict(x_test) == y_test) > 0.9
    assert model.predict_proba(x_test).shape == (20, 2)
    with pytest.raises(ValueError, match="weights"):
        model.fit(x, y, sample_weight=np.arange(40) + 1.0)
