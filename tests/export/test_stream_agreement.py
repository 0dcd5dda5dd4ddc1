"""Streams of random signals give the features of the batch and the interpreter's bits."""

import shutil

import numpy as np
import pytest

from dsgec.export.golden import classes_of, classes_of_results
from dsgec.export.packages.micropython import MICROPYTHON
from dsgec.export.targets.target import TARGETS
from dsgec.signal.smooth import smooth
from tests.support.signal_models import (
    artefact_of,
    expected_windows,
    random_model,
    random_samples,
)
from tests.support.stream_languages import BUILDS, NEEDS, windows_of

DTYPES = ("double", "float", "q15", "q7")
BATCH = 10


def expected(artefact, samples, restarts):
    """Return the windows that a stream must give: batch features, and the interpreter's results."""
    model, format_ = artefact.model, artefact.number_format
    ends, features = expected_windows(model.signal, samples, restarts)
    rows = features.astype(format_.row_type)
    results = format_.results(rows)
    columns = [np.array(ends).reshape(-1, 1), features, results.astype(np.float64)]
    if model.is_classifier:
        numbers = (
            classes_of_results(model, results)
            if format_.fixed
            else classes_of(model, artefact.network, rows)
        )
        numbers = np.array(numbers)
        votes = model.signal.smooth
        at = np.array(ends)
        begins = np.diff(at, prepend=-1) != model.signal.step
        for restart in restarts:  # a window that begins there may follow the one before by a step
            begins |= (at >= restart) & (np.r_[-1, at[:-1]] < restart)
        columns.append(smooth(numbers, begins, votes).reshape(-1, 1))
    return np.hstack([column.astype(np.float64) for column in columns])


def agree(folder, language, seeds, dtypes=DTYPES):
    """Compare the streams of random models in a language with what they must give."""
    known = MICROPYTHON if language == "micropython" else TARGETS[language]
    for dtype in dtypes:
        if dtype not in known.dtypes:
            continue
        artefacts = {
            f"net{seed}": artefact_of(
                random_model(seed), dtype, ("flat", "packed")[seed // 4 % 2], f"net{seed}"
            )
            for seed in seeds
        }
        samples, restarts = {}, {}
        for seed, (name, artefact) in zip(seeds, artefacts.items(), strict=True):
            signal = artefact.model.signal
            samples[name] = random_samples(signal, seed, 200 + 8 * signal.window, gaps=2)
            restarts[name] = (len(samples[name]) // 2, len(samples[name]) - signal.window - 1)
        found = windows_of(folder / dtype, language, artefacts, samples, restarts)
        for name, artefact in artefacts.items():
            passes, windows = found[name]
            wanted = expected(artefact, samples[name], restarts[name])
            assert passes, (name, dtype)
            assert len(wanted) > 3
            same = np.array_equal(windows, wanted, equal_nan=True)
            assert same, f"{language} {dtype} {name}: {artefact.model.signal}"


@pytest.fixture(params=BUILDS)
def language(request):
    if not shutil.which(NEEDS.get(request.param, "python3")):
        pytest.skip(f"{NEEDS[request.param]} is not installed")
    return request.param


def test_a_stream_is_the_batch_in_every_language(tmp_path, language):
    agree(
        tmp_path,
        language,
        [2, 7, 12],
        ("q15",) if language in ("rust", "java", "go", "cffi") else DTYPES,
    )


@pytest.mark.needs_cc
def test_a_value_that_is_always_the_same_leaves_no_variable_in_c(tmp_path):
    agree(tmp_path, "c", [62], ("double",))


def test_votes_are_counted_in_every_language(tmp_path, language):
    assert random_model(4).signal.smooth == 3
    agree(tmp_path, language, [4], ("q15",))


@pytest.mark.campaign
@pytest.mark.parametrize("batch", range(20))
def test_200_random_streams_are_the_batch(tmp_path, language, batch):
    agree(tmp_path, language, range(batch * BATCH, (batch + 1) * BATCH))
