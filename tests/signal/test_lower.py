"""The program of a stream computes what the batch computes, and its ranges are proved."""

import numpy as np
import pytest

from dsgec.engine.window_features import compile_features
from dsgec.errors import DsgecError
from dsgec.signal.compute import compute_features
from dsgec.signal.lower import stream_program
from dsgec.signal.prove import prove
from dsgec.signal.stream import check_stream, state_of
from tests.support.signals import random_feature, random_samples, signal_of, streamed

CHANNELS = ("ax", "ay", "az")


def random_signal(seed):
    """Return a signal with random windows and features."""
    rng = np.random.default_rng(seed)
    window = int(rng.choice([5, 8, 15, 16, 33, 50]))
    step = int(rng.integers(1, window + 1))
    texts = []
    while len(texts) < 8:
        text = random_feature(rng, CHANNELS, window)
        try:
            signal_of([text], window=window)
        except DsgecError:  # a part of more parts than the window has samples
            continue
        texts.append(text)
    return signal_of(texts, window=window, step=step)


def agree(seed):
    """Assert that a stream and a batch of one random signal agree, within the proved ranges."""
    signal = random_signal(seed)
    samples = random_samples(signal, 6 * signal.window, seed)
    starts = np.arange(0, len(samples) - signal.window + 1, signal.step)

    batch = compute_features(signal, samples, starts)
    assert streamed(signal, samples, starts).tolist() == batch.tolist()
    assert compile_features(signal, samples, starts).tolist() == batch.tolist()

    ranges = check_stream(stream_program(signal), signal)
    for call, column, (low, high) in zip(signal.features, batch.T, ranges, strict=True):
        proved = prove(call, signal.window, signal.bits)
        assert proved.least <= low <= column.min()
        assert column.max() <= high <= proved.most


@pytest.mark.parametrize("seed", range(4))
def test_a_stream_computes_what_the_batch_computes(seed):
    agree(seed)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(4, 200))
def test_streams_of_many_random_signals_compute_what_the_batch_computes(seed):
    agree(seed)


def test_features_share_what_they_need_and_their_state_is_narrow():
    texts = ["mean(ax)", "std(ax)", "rms(ax)", "energy(ax)", "min(ax)", "range(ax)", "peaks(ax)"]
    state = state_of(stream_program(signal_of(texts)))

    # The sum and the squares; the least, the greatest and the last sample; two counts.
    assert [(array.type, array.size) for array in state] == [
        ("int32", 2),
        ("int16", 3),
        ("int8", 2),
    ]
