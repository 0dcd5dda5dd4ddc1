"""The benchmark on signals: formats, splits, MiniRocket, a run on a synthetic set, and its page."""

import io
import pickle
import zipfile

import numpy as np
import pytest

pytest.importorskip("sklearn")

from benchmarks.chips.measure import lacking
from benchmarks.kilobyte.budgets import CHIPS
from benchmarks.kilobyte.run import read
from benchmarks.signals import sets
from benchmarks.signals.page import means_of, page_text
from benchmarks.signals.rocket import FEATURES, KERNELS, MiniRocket
from benchmarks.signals.run import Plan, run
from benchmarks.signals.sets import Series, Source, make_case, published

needs_chips = pytest.mark.skipif(
    any(map(lacking, CHIPS)), reason="a cross compiler or a simulator is missing"
)


def waves(name, files=()):
    """Return windows of two channels whose frequency tells the class."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    turns = 2 * np.pi * np.outer(2 + 3 * y, np.arange(32)) / 32
    first = np.sin(turns + rng.uniform(0, 6, 60)[:, None]) + 0.2 * rng.normal(size=turns.shape)
    x = np.stack([first, rng.normal(size=first.shape)], axis=1)
    return Series(name, x, np.array(["slow", "fast"])[y], train=np.arange(30))


@pytest.fixture
def archives(tmp_path):
    """Return a folder with a wheel of two `.ts` files and published accuracies."""
    header = "@problemName tiny\n@classLabel true a b\n@data\n"
    folder = "aeon/testing/example_results_files/classification/accuracy"
    with zipfile.ZipFile(tmp_path / "aeon-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny_TRAIN.ts", header + "1,2,3:4,?,6:a\n7,8:9,10:b\n")
        wheel.writestr("tiny_TEST.ts", header + "0,0,1:0,0,2:a\n")
        wheel.writestr(
            f"{folder}/HC2_accuracy.csv", "Resamples:,0,1\nGunPoint,0.9,0.7\nOther,0,0\n"
        )
        wheel.writestr(f"{folder}/FreshPRINCE_accuracy.csv", "Resamples:,0,1\nTrace,1.0,0.5\n")
    return tmp_path


def test_series_of_ts_files_end_with_zeros(archives, monkeypatch):
    tiny = Source("aeon", ("tiny_TRAIN.ts", "tiny_TEST.ts"), sets._read_ts, "")
    monkeypatch.setattr(sets, "SETS", {"tiny": tiny})
    found = sets.load("tiny", archives)

    expected = [[[1, 2, 3], [4, 0, 6]], [[7, 8, 0], [9, 10, 0]], [[0, 0, 1], [0, 0, 2]]]
    assert found.x.tolist() == expected
    assert found.y.tolist() == ["a", "b", "a"]
    assert found.train.tolist() == [0, 1]


def test_published_accuracies_are_those_of_the_default_split_and_the_mean(archives):
    assert published(archives) == {
        "GunPoint": {"HC2": (0.9, pytest.approx(0.8))},
        "Trace": {"FreshPRINCE": (1.0, 0.75)},
    }


def test_resamples_have_the_classes_of_the_default_split_and_keep_subjects_together():
    series = waves("waves")
    for number in range(3):
        case = make_case(series, number)
        assert np.unique(case.y, return_counts=True)[1].tolist() == [15, 15]
    assert not np.array_equal(make_case(series, 1).x, make_case(series, 2).x)

    grouped = Series("grouped", series.x, series.y, groups=np.arange(60) // 6)
    case = make_case(grouped, 0)
    assert len(case.y) == 42
    assert len({*case.groups.tolist()}) == 7


def test_a_pickle_with_anything_but_arrays_is_refused():
    file = io.BytesIO()
    np.save(file, np.array({"X": [np.ones(2)]}, dtype=object), allow_pickle=True)
    file.seek(0)
    np.lib.format.read_magic(file)
    np.lib.format.read_array_header_1_0(file)
    assert sets._ArraysOnly(file).load().item()["X"][0].tolist() == [1.0, 1.0]

    with pytest.raises(pickle.UnpicklingError, match="of arrays"):
        sets._ArraysOnly(io.BytesIO(b"cposix\nsystem\n.")).load()


def test_a_feature_of_minirocket_is_the_share_of_samples_above_a_bias():
    x = waves("waves").x[:, :1]
    fitted = MiniRocket(x, 0, features=len(KERNELS))
    found = fitted.transform(x)
    assert found.shape == (60, len(KERNELS))

    weights = np.where(np.isin(np.arange(9), KERNELS[0]), 2.0, -1.0)
    padded = np.pad(x[3, 0], 4)
    sums = [float(weights @ padded[t : t + 9]) for t in range(32)]
    assert fitted.dilations[0] == 1
    assert found[3, 0] == pytest.approx(np.mean(np.array(sums) > fitted.biases[0][0]))
    assert FEATURES // len(KERNELS) == 119


@needs_chips
@pytest.mark.needs_cc
def test_a_run_continues_and_its_page_has_every_set(tmp_path, monkeypatch):
    monkeypatch.setattr(sets, "SETS", {"GunPoint": Source("aeon", (), waves, "synthetic waves")})
    monkeypatch.setattr("benchmarks.signals.methods.TREES", 20)
    out = tmp_path / "results.jsonl"
    methods = "dsgec", "limited", "forest", "logistic", "rocket"
    run(Plan(("GunPoint",), methods, 1, tmp_path, out))
    before = out.read_bytes()
    run(Plan(("GunPoint",), methods, 1, tmp_path, out))
    assert out.read_bytes() == before

    lines = read(out)
    assert [line["method"] for line in lines] == [*methods]
    assert not [line["error"] for line in lines if "error" in line]
    assert min(line["test"] for line in lines) > 0.9
    assert lines[1]["streams"]["q7"]["avr"]["flash"] <= 2048 * 1.1
    streams = lines[0]["streams"]
    for dtype in ("q15", "q7"):
        assert streams[dtype]["test"] > 0.9
        for chip in CHIPS:
            assert 200 < streams[dtype][chip]["flash"] < 8000
            assert 8 < streams[dtype][chip]["ram"] < 300

    text = page_text(lines, {"GunPoint": {"HC2": (1.0, 0.98)}})
    flash = streams["q7"]["cortex-m0plus"]["flash"]
    assert f"{flash:,}" in text
    assert "| GunPoint |" in text
    assert ".980" in text


def test_means_are_those_of_the_splits_that_all_methods_have():
    lines = [
        {"table": "GunPoint", "split": split, "method": method, "test": test}
        for split, method, test in (
            *((0, "dsgec", 0.8), (0, "forest", 0.6), (1, "dsgec", 1.0), (1, "forest", 0.7)),
            (2, "forest", 0.1),
        )
    ]
    means = means_of(lines)
    assert means["dsgec"]["GunPoint"].value == pytest.approx(0.9)
    assert means["forest"]["GunPoint"].value == pytest.approx(0.65)
