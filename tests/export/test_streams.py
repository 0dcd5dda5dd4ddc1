"""Streams: the code of every target computes the features and the classes of the batch."""

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.export.check import run_selftest
from dsgec.export.files import export
from dsgec.export.packages.micropython import MICROPYTHON
from dsgec.export.read import open_artefacts
from dsgec.export.targets.target import TARGETS
from dsgec.network.description import describe_model, read_model
from dsgec.network.text import network_text
from tests.support.artefacts import python_module
from tests.support.signal_models import (
    artefact_of,
    expected_windows,
    random_model,
    random_samples,
    signal_model,
    signal_of,
)

SIGNAL = signal_of(
    (
        "std(ax)",
        "goertzel(magnitude(ax, ay), 3)",
        "autocorrelation(lowpass(ax, 2), 4)",
        "max_at(ay)",
    ),
    scales=[(0.0, 1.0), (3.0, 0.5)],
)


@pytest.mark.parametrize("dtype", ["double", "float", "q15", "q7"])
def test_the_selftest_of_the_c_takes_a_recording(dtype):
    artefact = artefact_of(signal_model(SIGNAL), dtype)
    check = run_selftest(artefact, TARGETS["c"], TARGETS["c"].make(artefact))
    assert "passed" in str(check)


def test_a_model_of_any_name_can_be_loaded_into_a_process():
    """Programs have a symbol `data_start`, which a library must not have, too."""
    artefact = artefact_of(signal_model(SIGNAL), "q7", name="data")
    check = run_selftest(artefact, TARGETS["c"], TARGETS["c"].make(artefact))
    assert "passed" in str(check)


@pytest.mark.parametrize("target", ["python", "numpy"])
@pytest.mark.parametrize("seed", range(6))
def test_a_stream_gives_the_features_and_labels_of_the_batch(target, seed):
    model = random_model(seed)
    module = python_module(model, target)
    assert module.selftest()
    samples = random_samples(model.signal, seed, 60 + 5 * model.signal.window, gaps=3)
    restart = len(samples) // 2
    ends, features = expected_windows(model.signal, samples, (restart,))
    stream, found = module.Stream(), []
    for t, sample in enumerate(samples.tolist()):
        if t == restart:
            stream.start()
        if stream.push_integers(sample) is not None:
            found.append((t, stream.features()))
    assert found == [*zip(ends, features.tolist(), strict=True)]
    predicted = module.predict(features.astype(float), nan="propagate")
    assert stream.features() is None or np.array_equal(stream.predict(), predicted[-1])


def test_physical_values_become_the_integers_of_the_training():
    from dsgec.signal.quantise import to_integers

    signal = signal_of(
        ("first(ax)", "first(ay)"), window=1, step=1, scales=[(3.0, 0.5), (0.0, 0.25)]
    )
    module = python_module(signal_model(signal), "python")
    values = np.random.RandomState(0).uniform(-9000, 9000, (500, 2)).round(2)
    stream, found = module.Stream(), []
    for value in values:
        stream.push(value)
        found.append(stream.features())
    assert found == to_integers(signal.channels, signal.bits, values).tolist()
    assert stream.push([1.0, None]) is None and stream.push([float("nan"), 1.0]) is None


def test_integers_beyond_the_bits_are_limited():
    signal = signal_of(("max(ax)", "min(ax)"), ("ax",), window=2, step=2)
    stream = python_module(signal_model(signal), "python").Stream()
    stream.push_integers([32767])
    stream.push_integers([-32767])
    assert stream.features() == [8191, -8191]


def test_a_changed_feature_fails_the_selftest():
    model = signal_model(SIGNAL)
    artefact = artefact_of(model)
    (file,) = TARGETS["python"].make(artefact)
    broken = str(file.text).replace("if at + 1 < 18", "if at + 1 < 17")
    assert broken != file.text
    from dsgec.engine.module import load_module

    assert not load_module(broken, "net").selftest()


def test_the_module_for_micropython_has_the_stream():
    for dtype in ("double", "q7"):
        artefact = artefact_of(signal_model(SIGNAL, outputs=2, classes=()), dtype)
        assert "passed" in str(run_selftest(artefact, MICROPYTHON, MICROPYTHON.make(artefact)))


def test_an_export_is_read_again(tmp_path):
    model = signal_model(SIGNAL)
    export(model, ("python",), "net", tmp_path)
    with open_artefacts(tmp_path / "net.py") as (found,):
        assert found.artefact.model == model


@pytest.mark.parametrize(
    "change",
    [
        {"window": 0},
        {"step": 99},
        {"bits": 15},
        {"features": ["std(az)"] * 4},
        {"features": ["std(ax)"]},
        {"channels": [{"name": "ax", "scale": 0.3}, {"name": "ay"}]},
        {"channels": [{"name": "ax"}, {"name": "ax"}]},
        {"channels": [{"name": "ax", "offset": 0.5}, {"name": "ay"}]},
        {"rate": -1.0},
    ],
)
def test_a_wrong_description_of_a_signal_is_refused(change):
    model = signal_model(SIGNAL)
    described = describe_model(model)
    assert read_model(described, network_text(model.network), "net", "net") == model
    described["signal"] |= change
    with pytest.raises(DsgecError, match="does not describe a model"):
        read_model(described, network_text(model.network), "net", "net")
