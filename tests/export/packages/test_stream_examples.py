"""The examples of packages take a recording from a sensor and show the labels of the desk."""

import os

import numpy as np
import pytest

from dsgec.export.golden import classes_of, classes_of_results
from tests.support.artefacts import python_module
from tests.support.packages import STRICT, STUBS, build, needs, run, unpack
from tests.support.signal_models import (
    artefact_of,
    expected_windows,
    random_samples,
    signal_model,
    signal_of,
)

SIGNAL = signal_of(("std(ax)", "goertzel(ay, 2)", "max(diff(ax))"), step=8, rate=1000.0)
CLASSIFIER = signal_model(SIGNAL, classes=("idle", "shake", "turn"), outputs=3)
REGRESSION = signal_model(SIGNAL, classes=(), outputs=1)
pytestmark = pytest.mark.needs_cc


def recorded(model, count=200):
    """Return samples as a sensor gives them, and the text of them."""
    samples = np.abs(random_samples(model.signal, 5, count))
    return samples, "\n".join(" ".join(map(str, row)) for row in samples.tolist())


def shown(model):
    """Return the lines that an example shows, by the module for Python."""
    stream = python_module(model, "python").Stream()
    found = [stream.push(sample) for sample in recorded(model)[0].tolist()]
    labels = [label for label in found if label is not None]
    assert len(labels) > 20
    return ["net: the self-test passed", *labels]


def example(model, package, folder, dtype):
    """Return what the example of a package prints for a recording, on stubs of its platform."""
    source = unpack(artefact_of(model, dtype), package, folder)
    text = recorded(model)[1]
    if package in ("arduino", "platformio"):
        stub = STUBS / "arduino"
        place = {"arduino": "blink/blink.ino", "platformio": "blink/src/main.cpp"}[package]
        flags = [*STRICT.split(), "-DARDUINO=10819", "-DMEASURED", f"-I{source / 'src'}"]
        files = [source / "examples" / place, stub / "start.cpp"]
        files += [source / "src" / "net.c", source / "src" / "net_selftest.c"]
        own = ["-x", "c++", "-include", "Arduino.h", f"-I{stub}", *files]
        run("g++", *flags, *own, "-o", folder / "app")
        return run(folder / "app", input=text).splitlines()
    if package == "cmake":
        build(source, folder / "build")
        return run(folder / "build" / "net_example", input=text).splitlines()
    path, variable = {
        "zephyr": ("samples/blink", "ZEPHYR_BASE"),
        "esp-idf": ("examples/blink", "IDF_PATH"),
    }[package]
    options = ["-DCONFIG_DSGEC_NET_SELFTEST=y", "-DCONFIG_DSGEC_NET_NAMES=y"]
    where = {**os.environ, variable: str(STUBS / package)}
    build(source / path, folder / "build", *options, env=where)
    return run(folder / "build" / "app", input=text).splitlines()


@pytest.mark.parametrize("package", ["arduino", "zephyr", "esp-idf", "cmake"])
def test_an_example_shows_the_labels_of_the_desk(package, tmp_path):
    needs(*(["g++"] if package == "arduino" else ["cmake"]))
    lines = example(CLASSIFIER, package, tmp_path, "double")
    assert [line for line in lines if line != "blink"] == shown(CLASSIFIER)


# On a simulated Arduino.

ANALOG = signal_of(
    ("std(ax)", "goertzel(ay, 2)", "max(diff(ax))", "autocorrelation(ay, 3)"), step=8, rate=1000.0
)


def measured(count):
    """Return what an ADC of 10 bits measures: waves that grow and shrink."""
    rng = np.random.RandomState(3)
    time = np.arange(count)[:, None] / [9.0, 5.0]
    size = rng.uniform(0, 400, (count // 40 + 1, 2)).repeat(40, axis=0)[:count]
    return np.clip(np.rint(512 + size * np.sin(time)), 0, 1023).astype(np.int32)


def on_the_board(artefact, samples, folder):
    """Return the lines that an Arduino sends for a recording, and the cycles of its samples."""
    needs("avr-gcc", "avr-g++", "simavr", "cc")
    source = unpack(artefact, "arduino", folder)
    stub = STUBS / "arduino_avr"
    flags = ["-mmcu=atmega328p", "-DF_CPU=16000000UL", "-DARDUINO=10819", "-Os", *STRICT.split()]
    flags += ["-ffunction-sections", "-fdata-sections", f"-I{source / 'src'}", f"-I{stub}"]
    objects = [folder / "net.o", folder / "net_selftest.o"]
    for file in objects:
        run("avr-gcc", "-std=gnu11", *flags, "-c", source / f"src/{file.stem}.c", "-o", file)
    sketch = ["-include", "Arduino.h", source / "examples/blink/blink.ino", stub / "core.cpp"]
    whole = ["-fno-threadsafe-statics", "-x", "c++", *sketch, "-x", "none", *objects]
    run("avr-g++", *flags, *whole, "-Wl,--gc-sections", "-o", folder / "app.elf")
    run("cc", "-O2", stub / "board.c", "-lsimavr", "-lelf", "-o", folder / "board")
    text = " ".join(map(str, samples.ravel().tolist()))
    sent, times = run(folder / "board", folder / "app.elf", 2, input=text, both=True)
    return sent.splitlines(), [int(line) for line in times.splitlines() if line.isdigit()]


def same_as_the_desk(dtype, count, folder):
    """Assert that an Arduino, fed by its ADC at the right rate, has the labels of the desk."""
    samples = measured(count)
    model = signal_model(ANALOG, 2, 3, ("idle", "shake", "turn"), samples)
    artefact = artefact_of(model, dtype)
    sent, times = on_the_board(artefact, samples, folder)
    _, features = expected_windows(ANALOG, samples)
    rows = features.astype(artefact.number_format.row_type)
    is_fixed = artefact.number_format.fixed is not None
    numbers = (
        classes_of_results(model, artefact.number_format.results(rows))
        if is_fixed
        else classes_of(model, artefact.network, rows)
    )
    labels = [model.classes[number] for number in numbers]
    assert len({*labels}) > 1
    assert sent[0] == "net: the self-test passed"
    assert sent[1:-1] == labels[: len(sent) - 2]  # the last one may be on its way
    assert len(sent) - 1 >= len(labels) - 1
    # The rate is 1,000 samples in a second; none is late by as much as the time until the next.
    late = np.array(times) - times[0] - 16_000 * np.arange(len(times))
    assert np.all((late > -200) & (late < 16_000))


def test_an_arduino_fed_by_its_adc_has_the_labels_of_the_desk(tmp_path):
    same_as_the_desk("q15", 150, tmp_path)


@pytest.mark.campaign
@pytest.mark.parametrize("dtype", ["float", "q15", "q7"])
def test_an_arduino_has_the_labels_of_the_desk_for_a_long_recording(dtype, tmp_path):
    same_as_the_desk(dtype, 3000, tmp_path)
