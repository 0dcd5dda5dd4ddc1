"""Groups stay together in splits and folds, which are as balanced as scikit-learn's."""

import json
from dataclasses import replace

import numpy as np
import pytest

import dsgec
from dsgec.data.dataset import Dataset, folds, split
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import parse_table
from dsgec.errors import DsgecError
from dsgec.study.definition import cells
from dsgec.study.parse import load_study
from dsgec.study.prepare import prepare
from tests.support.command_line import dsgec as command
from tests.support.machine_log import make_log


def grouped(groups, y, classes=()):
    groups, y = np.asarray(groups), np.asarray(y, dtype=np.float64)
    x = np.arange(len(y), dtype=np.float64)[:, None]
    names = tuple(map(str, classes)) or tuple(str(c) for c in range(int(y.max()) + 1))
    codes = np.unique(groups, return_inverse=True)[1]
    return Dataset("t", ("x",), "y", names, x, y, "", groups=codes)


def random_case(seed):
    random = np.random.RandomState(seed)
    count = random.randint(6, 40)
    groups = np.repeat(np.arange(count), random.randint(2, 30, count))
    groups = random.permutation(groups)
    leaning = random.dirichlet([1.0, 1.0, 1.0], count)
    y = np.array([random.choice(3, p=leaning[g]) for g in groups])
    y[:9] = [0, 1, 2] * 3
    return groups, y


def imbalance(y, parts, share):
    """Return the mean difference of each part's share of a class from its share of the rows."""
    totals = np.bincount(y)
    return np.mean([abs(np.bincount(y[p], minlength=3) / totals - share).mean() for p in parts])


def test_folds_keep_groups_together_and_are_as_balanced_as_scikit_learns():
    from sklearn.model_selection import StratifiedGroupKFold

    ours, theirs = [], []
    for seed in range(15):
        groups, y = random_case(seed)
        parts = folds(grouped(groups, y), 4, seed)
        assert sorted(np.concatenate([part.test for part in parts]).tolist()) == [*range(len(y))]
        for part in parts:
            assert not {*groups[part.train]} & {*groups[part.test]}
            assert len(part.test)
        oracle = StratifiedGroupKFold(4, shuffle=True, random_state=seed)
        split_by_them = [test for _, test in oracle.split(y[:, None], y, groups)]
        ours.append(imbalance(y, [part.test for part in parts], 0.25))
        theirs.append(imbalance(y, split_by_them, 0.25))
    assert np.mean(ours) <= np.mean(theirs)


def test_a_split_keeps_groups_together_and_is_more_balanced_than_a_random_one():
    from sklearn.model_selection import GroupShuffleSplit

    ours, theirs = [], []
    for seed in range(15):
        groups, y = random_case(seed)
        part = split(grouped(groups, y), 0.3, seed)
        assert not {*groups[part.train]} & {*groups[part.test]}
        assert sorted([*part.train, *part.test]) == [*range(len(y))]
        assert {*y[part.train]} == {0, 1, 2}
        oracle = GroupShuffleSplit(1, test_size=0.3, random_state=seed)
        ours.append(imbalance(y, [part.test], 0.3))
        theirs.append(imbalance(y, [test for _, test in oracle.split(y, y, groups)], 0.3))
    assert np.mean(ours) < 0.5 * np.mean(theirs)


def test_folds_depend_on_the_seed_and_on_nothing_else():
    groups, y = random_case(3)
    data = grouped(groups, y)
    shown = [[part.test.tolist() for part in folds(data, 3, seed)] for seed in range(6)]
    assert shown == [[part.test.tolist() for part in folds(data, 3, seed)] for seed in range(6)]
    assert len({str(one) for one in shown}) > 1


def test_folds_of_some_rows_are_of_these_rows_only():
    groups, y = random_case(5)
    rows = np.flatnonzero(groups % 2 == 0)
    whole = grouped(groups, y)
    for data in (whole, replace(whole, groups=None)):
        parts = folds(data, 3, 1, rows)
        assert sorted(np.concatenate([part.test for part in parts]).tolist()) == rows.tolist()
        for part in parts:
            assert sorted([*part.train, *part.test]) == rows.tolist()


def test_very_many_groups_are_assigned_quickly_and_evenly():
    groups = np.arange(20_000) // 2
    y = np.arange(20_000) % 3
    part = split(grouped(groups, y), 0.3, 1)
    assert abs(len(part.test) - 6000) < 10
    assert imbalance(y, [part.test], 0.3) < 0.001


def test_a_class_of_one_group_stays_in_the_training_rows():
    data = grouped([0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 0, 1, 0, 1, 2, 2])
    for seed in range(10):
        assert {6, 7} <= {*split(data, 0.5, seed).train.tolist()}
    with pytest.raises(DsgecError, match="a class has no training row"):
        folds(data, 4, 1)


def dataset(text, target=None, **plan):
    return make_dataset(parse_table(text.encode(), "t.csv", "t"), target, Preprocessing(**plan))


LOG = make_log(rows=12)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"group": "recordin"}, "no column `recordin`.*Did you mean `recording`"),
        ({"group": "state"}, "`state` is the target, so it cannot be the group"),
    ],
)
def test_an_impossible_group_is_explained(plan, message):
    with pytest.raises(DsgecError, match=f"(?s){message}"):
        dataset(LOG, **plan)


def test_too_few_groups_are_explained():
    one = dataset("g,a,c\n" + "".join(f"1,{i * i},{'xy'[i % 2]}\n" for i in range(9)), group="g")
    with pytest.raises(DsgecError, match="`g` has one group only"):
        split(one, 0.3, 1)
    with pytest.raises(DsgecError, match="10 folds of 9 groups cannot be made"):
        folds(dataset(LOG, group="recording"), 10, 1)
    pure = "g,a,c\n" + "".join(f"{i % 2},{i * i},{'xy'[i % 2]}\n" for i in range(9))
    with pytest.raises(DsgecError, match="the groups of `g` cannot be split"):
        split(dataset(pure, group="g"), 0.3, 1)


def test_a_missing_group_is_refused_or_its_row_dropped():
    text = "g,a,c\n" + "".join(f"{i // 3 or ''},{i * i},{'xy'[i % 2]}\n" for i in range(12))
    with pytest.raises(DsgecError, match=r"the group `g` of t.csv is missing in 3 rows"):
        dataset(text, group="g")
    left = dataset(text, group="g", missing="drop")
    assert left.groups.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_a_run_keeps_groups_together_records_them_and_predicts_without_them(tmp_path):
    (tmp_path / "log.csv").write_text(LOG)
    small = ["--generations", "2", "--population", "10", "--out", "build", "--name", "r"]
    command("evolve", "log.csv", "--group", "recording", *small, cwd=tmp_path)
    record = json.loads((tmp_path / "build/r/run.json").read_text())
    data = record["data"]
    assert data["group"] == "recording"
    assert (data["train_groups"], data["test_groups"]) == (6, 3)
    names = [column["name"] for column in record["model"]["columns"]]
    assert names == ["current", "temperature", "vibration"]
    assert 'group = "recording"' in (tmp_path / "build/r/config.toml").read_text()
    bare = "\n".join(",".join(line.split(",")[2:5]) for line in LOG.splitlines())
    (tmp_path / "bare.csv").write_text(bare + "\n")
    found = command("predict", "build/r", "bare.csv", cwd=tmp_path).stdout
    assert len(found.splitlines()) == 1 + 9 * 12
    again = ["--config", "build/r/config.toml", "log.csv", "--out", "twice", "--name", "r"]
    command("evolve", *again, cwd=tmp_path)
    assert json.loads((tmp_path / "twice/r/run.json").read_text()) == record


def test_a_class_that_only_recordings_reveal_is_not_learned():
    small = {"generations": 10, "population": 20, "pruning": 3, "tuning": 60}
    cells = [line.split(",") for line in make_log(rows=20).splitlines()]
    frame = {
        name: [float(c) for c in column] if name not in ("recording", "state") else list(column)
        for name, *column in zip(*cells, strict=True)
    }
    apart = dsgec.evolve(frame, "state", group="recording", **small)
    assert apart.metrics["test"]["accuracy"] < 0.7
    assert apart.record["result"]["comparison"]["test"] == "paired test of groups"
    assert not apart.record["result"]["comparison"]["verdict"].startswith("better")
    without = {name: column for name, column in frame.items() if name != "recording"}
    by_array = dsgec.evolve(without, "state", groups=frame["recording"], **small)
    assert by_array.metrics == apart.metrics
    leaking = dsgec.evolve(without, "state", **small)
    assert leaking.metrics["test"]["accuracy"] > 0.9
    assert any("consecutive rows are much more alike" in note for note in leaking.notes)
    assert any("consecutive rows" in one for one in leaking.record["result"]["warnings"])


def test_groups_as_an_array_are_checked():
    rows, y = [[i, i * i % 7] for i in range(12)], [0, 1] * 6
    with pytest.raises(DsgecError, match="groups has the shape"):
        dsgec.evolve(rows, y, groups=[1, 2])
    with pytest.raises(DsgecError, match="groups is a int"):
        dsgec.evolve(rows, y, groups=3)
    with pytest.raises(DsgecError, match="both say which rows belong together"):
        dsgec.evolve(rows, y, groups=[1] * 12, group="x_1")


def test_an_estimator_takes_groups():
    random = np.random.RandomState(1)
    x, y = random.randn(40, 2), np.arange(40) % 2
    fitted = dsgec.DSGEClassifier(generations=1, random_state=1).fit(
        x, y, groups=np.arange(40) // 4
    )
    assert fitted.run_.record["data"]["train_groups"] == 10
    with pytest.raises(ValueError, match="groups has the shape"):
        dsgec.DSGEClassifier().fit(x, y, groups=[1, 2])


def test_a_study_takes_a_group(tmp_path):
    (tmp_path / "log.csv").write_text(LOG)
    (tmp_path / "s.toml").write_text(
        'name = "s"\nruns = 1\ngenerations = 1\n[data.log]\nfile = "log.csv"\n'
        'group = "recording"\nignore = ["time"]\n[[part]]\nrepresentations = ["dsge"]\n'
        'grammars = ["one_layer_softmax"]\ndata = ["log"]\n'
    )
    (task,) = prepare([*cells(load_study(str(tmp_path / "s.toml")))])
    groups, parts = task.problem.dataset.groups, task.problem.split
    assert len({*groups[parts.test]}) == 3
    assert not {*groups[parts.train]} & {*groups[parts.test]}
    assert task.asked["data"]["group"] == "recording"
