"""Features are what their formulas say, and never leave 32 bits."""

import math

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.signal.compute import compute_features
from dsgec.signal.constants import bits_for, limit_of
from dsgec.signal.parse import parse_feature
from dsgec.signal.prove import prove
from tests.support.signals import EXACT, random_samples, signal_of, windows_of

WINDOWS = (8, 15, 64, 150)


def computed(texts, window, seed=0):
    """Return features, the windows of ax as lists, and the signal."""
    signal = signal_of(texts, window=window)
    samples = random_samples(signal, 20 * window, seed)
    starts = np.arange(0, 19 * window, max(1, window // 3))
    return (
        compute_features(signal, samples, starts),
        windows_of(signal, samples, starts)[:, :, 0],
        signal,
    )


@pytest.mark.parametrize("window", WINDOWS)
def test_exact_features_are_those_of_their_formulas(window):
    found, windows, signal = computed([f"{name}(ax)" for name in EXACT], window)

    for column, call, formula in zip(found.T, signal.features, EXACT.values(), strict=True):
        shift = prove(call, window, signal.bits).shift
        assert column.tolist() == [formula(one.tolist()) >> shift for one in windows]


def test_a_large_result_is_shifted_so_that_floats_have_it():
    proved = prove(parse_feature("energy(ax)"), 64, bits_for(64))

    assert proved.shift == 6
    assert proved.most <= 1 << 24 < 2 * proved.most


@pytest.mark.parametrize("window", WINDOWS)
def test_std_is_numpys_within_rounding(window):
    found, windows, _ = computed(["std(ax)"], window)

    expected = windows.astype(float).std(axis=1) * math.sqrt(window)
    assert np.all(np.abs(found[:, 0] ** 2.0 - expected**2) <= 2 * expected + 3)


@pytest.mark.parametrize("window", WINDOWS)
def test_goertzel_is_an_amplitude_of_the_fourier_transform(window):
    cycles = range(1, (window - 1) // 2 + 1)
    found, windows, signal = computed([f"goertzel(ax, {k})" for k in cycles], window)

    limit = limit_of(signal.bits)
    expected = np.abs(np.fft.fft(windows.astype(float)))[:, 1 : len(cycles) + 1] * 127
    for number, call in enumerate(signal.features):
        shift = prove(call, window, signal.bits).shift
        error = np.abs(found[:, number] * 2.0**shift - expected[:, number])
        # The table has 8 bits: each sample counts for up to half a unit too much.
        assert np.all(error <= 0.71 * np.abs(windows).sum(axis=1).astype(float) + 2.0**shift + 64)
        assert np.all(error <= 0.005 * 127 * window * limit)


@pytest.mark.parametrize("window", (2, 3, 5, 31, 64, 100))
def test_nothing_leaves_32_bits_in_any_window(window):
    texts = [*EXACT, "energy", "std", "mean_crossings"]
    calls = [parse_feature(f"{name}(a)") for name in texts]
    if window > 2:
        calls += [parse_feature(f"goertzel(a, {(window - 1) // 2})")]
        calls += [parse_feature("std(bandpass(a, 1))"), parse_feature("autocorrelation(a, 2)")]
    calls += [parse_feature("max(magnitude(a, b, c))"), parse_feature("std(lowpass(a, 8))")]

    for call in calls:
        found = prove(call, window, bits_for(window))  # raises an InvalidProgram otherwise
        assert -(2**31) <= found.least <= found.most < 2**31


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("std(bx)", r"feature:1:5: error: there is no channel `bx`"),
        ("median(ax)", "unknown feature `median`"),
        ("diff(ax)", "`diff` is a filter, where a feature is expected"),
        ("std(rms(ax))", "`rms` is a feature of a whole window, where a filter is expected"),
        ("std(ax", r"expected `,` or `\)`, found the end"),
        ("std(ax))", "expected the end of the feature"),
        ("std()", "expected a channel or a filter"),
        ("goertzel(ax)", r"Write it as `goertzel\(x, k\)`"),
        ("goertzel(ax, 32)", "it can be from 1 to 31"),
        ("goertzel(ax, 1.5)", "found `1`"),
        ("goertzel(5, ax)", "expected a channel or a filter, found `5`"),
        ("std(lowpass(ax, 3, 4))", "lowpass has too many numbers"),
        ("std(magnitude(ax))", "or `magnitude(x, y, z)`"),
        ("std(ax, ay)", "std has other arguments"),
        ("part(ax, 5, 4)", "the n of part is 4"),
        ("std(" + "diff(" * 9 + "ax" + ")" * 10, "more than 8 filters"),
    ],
)
def test_a_mistake_has_its_place_and_advice(text, message):
    with pytest.raises(DsgecError, match=message.replace("(x, y, z)", r"\(x, y, z\)")):
        parse_feature(text, ("ax", "ay", "az"), 64)


def test_a_feature_reads_back_as_it_is_written():
    for text in ("std(ax)", 'goertzel(lowpass("a \\"b\\"", 3), 5)', "max(magnitude(ax, ay))"):
        assert str(parse_feature(text)) == text
