"""Models of signals: their text, their description, and the features that their network reads."""

from dataclasses import replace

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.export.artefact import model_id
from dsgec.network.description import describe_model, read_model
from dsgec.network.evaluate import evaluate
from dsgec.network.in_use import in_use
from dsgec.network.model import Column, Model, compose
from dsgec.network.model_text import model_text, parse_model
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from dsgec.network.text import network_text
from dsgec.signal.description import Channel
from tests.support.signals import signal_of

FEATURES = ("std(ax)", "goertzel(lowpass(ay, 3), 5)", "mean(ax)", 'max("t °C")')
TEXT = """\
c_1 = channel("ax")
c_2 = channel("ay", scale=0.5)
window = 16
step = 8
bits = 12
x_1 = number("std(ax)", center=2.5, scale=3.0)
_ = constant("mean(ay)")
x_2 = number("max(ay)")
classes = "no", "yes"
sig(x_1 - 2.0 * x_2)
"""


def example():
    """Return a model of four features, one of them constant, of which the network reads two."""
    signal = replace(
        signal_of(FEATURES, ("ax", "ay", "t °C"), window=16, step=8),
        channels=(Channel("ax"), Channel("ay", -3.0, 0.5), Channel("t °C", 20.0, 0.125)),
        rate=50.0,
    )
    columns = (
        Column(FEATURES[0], center=1.5, scale=3.0),
        Column(FEATURES[1], kind="constant"),
        Column(FEATURES[2]),
        Column(FEATURES[3], center=-4.0),
    )
    network = simplify(parse("sig(0.5 * x_3 - 1.25 * x_1)", inputs=3))
    return Model(network, columns, ("no", "yes"), "label", signal=signal)


def test_a_model_of_a_signal_reads_back_from_its_text_and_its_description():
    model = example()

    assert parse_model(model_text(model)) == model
    assert parse_model(model_text(model, ascii_only=True)) == model
    text = network_text(model.network)
    assert read_model(describe_model(model), text, "run.json", "best.net") == model


def test_only_the_features_that_the_network_reads_are_left():
    model = example()
    used = in_use(model)

    assert [column.name for column in used.columns] == [FEATURES[0], FEATURES[3]]
    assert [str(call) for call in used.signal.features] == [FEATURES[0], FEATURES[3]]
    whole, row = np.array([[7.0, 1.0, 100.0, 3.0]]), np.array([[7.0, 3.0]])
    assert evaluate(compose(used), row).tolist() == evaluate(compose(model), whole).tolist()
    assert in_use(used) == used
    assert model_id(used) == model_id(model)
    assert model_id(replace(used, signal=replace(used.signal, step=4))) != model_id(model)


def test_a_network_that_reads_nothing_keeps_a_feature():
    model = replace(example(), network=simplify(parse("sig(0.5)", inputs=3)))

    assert len(in_use(model).columns) == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("std(ax)", "std(az)", "there is no channel `az`"),
        ("c_2", "c_3", "expected `c_2 = channel"),
        ("window = 16\n", "", "`signal.window` is missing"),
        ("window = 16", "window = 4096", "its window is not too long"),
        ("step = 8", "step = 17", "a window begins in each step"),
        ("bits = 12", "bits = 15", "its bits are few enough"),
        ("bits = 12", "bits = 12\nbits = 12", "`bits` is given twice"),
        ("scale=0.5", "scale=0.3", "its scales are powers of two"),
        ("scale=0.5", "missing=0.5", "an option .offset, scale."),
        ('"max(ay)"', '"max(ay)", missing=3.0', "a number that is never missing"),
        ('c_2 = channel("ay", scale=0.5)', 'c_2 = channel("ax")', "different names"),
    ],
)
def test_a_wrong_signal_is_refused(old, new, message):
    parse_model(TEXT)
    with pytest.raises(DsgecError, match=message):
        parse_model(TEXT.replace(old, new))


def test_a_description_with_other_features_is_refused():
    described = describe_model(example())
    described["signal"]["features"][0] = "rms(ax)"

    with pytest.raises(DsgecError, match="does not describe a model"):
        read_model(described, network_text(example().network), "run.json", "best.net")
