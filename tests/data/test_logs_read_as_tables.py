"""A log that is read as a table gets a warning that names windows; ordinary tables get none."""

import numpy as np
import pytest
import sklearn.datasets

import dsgec
from dsgec.data.arrays import make_table
from dsgec.data.leakage import LOG_NOTE, is_on_neighbours
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import parse_table, read_table
from dsgec.errors import PYTHON
from dsgec.setting import make
from tests.support.logs import gesture_log, walk_log

LEARNED = make(Preprocessing, {}, learned=True)
TABLES = ("iris", "wine", "digits", "breast_cancer", "diabetes", "linnerud")


def notes_of(table, target=None):
    return [one for one in make_dataset(table, target, LEARNED).notes if is_on_neighbours(one)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("names", [True, False])
def test_a_walk_of_nine_recordings_is_warned_about(names, seed):
    (note,) = notes_of(parse_table(walk_log(names=names, seed=seed).encode(), "log", "log"))

    assert note.startswith(LOG_NOTE)
    assert "window=64" in PYTHON.write(note)
    assert ('group="recording"' if names else "group=") in PYTHON.write(note)


def test_a_log_of_gestures_is_warned_about():
    assert notes_of(parse_table(gesture_log().encode(), "log", "log"))[0].startswith(LOG_NOTE)


@pytest.mark.parametrize("name", TABLES)
def test_an_ordinary_table_is_not_warned_about(name):
    frame = getattr(sklearn.datasets, f"load_{name}")(as_frame=True).frame

    assert not notes_of(make_table(frame), frame.columns[-1])


@pytest.mark.parametrize("name", ["wdbc", "pump"])
def test_a_shipped_table_is_not_warned_about(name):
    assert not notes_of(read_table(name))


@pytest.mark.parametrize("kind", ["moons", "circles", "classification", "regression"])
def test_a_table_that_was_drawn_is_not_warned_about(kind):
    draw = {
        "moons": sklearn.datasets.make_moons,
        "circles": sklearn.datasets.make_circles,
        "classification": sklearn.datasets.make_classification,
        "regression": sklearn.datasets.make_regression,
    }[kind]
    x, y = draw(200, random_state=1)

    assert not notes_of(make_table(np.round(x, 6), y), "y")


def test_the_run_on_a_walk_says_so_and_windows_do_without_it(tmp_path):
    path = tmp_path / "walk.csv"
    path.write_text(walk_log(samples=100))

    run = dsgec.evolve(path, effort="quick", ignore="recording")

    assert any(one.startswith(LOG_NOTE) for one in run.record["result"]["warnings"])
