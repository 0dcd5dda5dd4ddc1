"""Choose a recording for the report: the samples that its page pushes into the exported stream."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.network.decide import classify
from dsgec.network.evaluate import evaluate
from dsgec.network.in_use import columns_in_use, in_use
from dsgec.network.model import Model, compose
from dsgec.search.problem import Problem
from dsgec.signal.quantise import to_integers
from dsgec.signal.smooth import smooth

MOST_SAMPLES = 2_000
_MOST_READ = 100_000


@dataclass(frozen=True, slots=True)
class PlayedWindow:
    """A window by its last sample: its target, and what the network gives, by votes if it does.

    Both are labels, or values.
    """

    end: int
    wanted: str | float
    given: str | float | None


@dataclass(frozen=True, slots=True)
class PlayedRecording:
    """Some samples of a recording, whole numbers of the channels, and their windows."""

    name: str
    part: str
    samples: tuple[tuple[float, ...], ...]
    windows: tuple[PlayedWindow, ...]

    def validate(self) -> None:
        """Raise a ValueError if there are too many samples, or windows outside of them."""
        count = sum(map(len, self.samples))
        if count > _MOST_READ or any(not 0 <= w.end < len(self.samples) for w in self.windows):
            raise ValueError("the samples of `played` are wrong")


def choose_recording(problem: Problem, model: Model) -> PlayedRecording | None:
    """Return some samples with the most different targets, of test rows if there are some."""
    windows, split = problem.dataset.windows, problem.split
    signal = in_use(model).signal
    if windows is None or signal is None:
        return None
    part, rows = ("test", split.test) if len(split.test) else ("train", split.train)
    is_part = np.zeros(len(windows), dtype=bool)
    is_part[rows] = True
    begins = windows.first_of_stretch | ~is_part | ~np.r_[False, is_part[:-1]]
    number = np.cumsum(begins) - 1
    most = max((MOST_SAMPLES - windows.window) // windows.step + 1, 1)
    stretches = [np.flatnonzero((number == n) & is_part)[:most] for n in np.unique(number[rows])]
    y = problem.dataset.y
    chosen = max(stretches, key=lambda own: (len(np.unique(y[own])), len(own)))
    first = int(windows.starts[chosen[0]])
    last = int(windows.starts[chosen[-1]]) + windows.window
    samples = to_integers(signal.channels, signal.bits, windows.samples[first:last])
    ends = (windows.starts[chosen] - first + windows.window - 1).tolist()
    wanted = [str(model.classes[int(v)]) if model.classes else float(v) for v in y[chosen]]
    given = _stream_results(problem, model, chosen)
    recording = 0 if windows.recording is None else int(windows.recording[chosen[0]])
    name = windows.recordings[recording] if windows.recordings else ""
    return PlayedRecording(
        name,
        part,
        tuple(map(tuple, samples.tolist())),
        tuple(map(PlayedWindow, ends, wanted, given)),
    )


def _stream_results(
    problem: Problem, model: Model, rows: NDArray[np.intp]
) -> list[str | float | None]:
    """Return what the stream of a model gives for windows that follow each other."""
    used = in_use(model)
    assert problem.dataset.raw is not None and used.signal is not None
    raw = problem.dataset.raw[rows][:, list(columns_in_use(model))]
    network = compose(used)
    if not used.classes:
        return [float(value) for value in evaluate(network, raw)[:, 0]]
    classes, nothing = classify(network, raw, used.threshold)
    classes[nothing] = len(used.classes)
    voted = smooth(classes, np.arange(len(rows)) == 0, used.signal.smooth)
    labels: list[str | None] = [*map(str, used.classes), None]
    return [labels[number] for number in voted]
