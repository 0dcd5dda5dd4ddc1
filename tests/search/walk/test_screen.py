"""The inputs that a walk begins with: useful ones, cheap ones, and the same in native code."""

import numpy as np
import pytest

from dsgec.engine.toolchain import find_toolchain
from dsgec.search.budget import Budget
from dsgec.search.walk.descent import PlainDescent, make_walk_table
from dsgec.search.walk.front import Walk, make_steps
from dsgec.search.walk.layer import LayerShape, dense_layer
from dsgec.search.walk.native_descent import NativeDescent, load_descent
from dsgec.search.walk.screen import choose_inputs, most_inputs
from dsgec.signal.parse import parse_feature
from dsgec.signal.price import price

LIMITS = ((-9.99, 9.99),) * 4


def table_of(features, classes):
    targets = np.eye(int(classes.max()) + 1)[classes].T
    return make_walk_table(features.T, targets, np.ones(len(classes)))


def walk_on(descent, inputs, outputs, steps=300):
    shape = LayerShape(inputs, outputs, "clip", 0.002, LIMITS)
    return Walk(descent, shape, make_steps(steps), 1)


def noise_and_class(rows=90, inputs=40, seed=0):
    rng = np.random.default_rng(seed)
    classes = np.arange(rows) % 3
    features = rng.normal(size=(rows, inputs))
    features[:, 7] += 3.0 * classes
    features[:, 21] += 4.0 * (classes == 1)
    return features, classes


def test_the_inputs_that_tell_the_classes_apart_are_left():
    features, classes = noise_and_class()
    walk = walk_on(PlainDescent(table_of(features, classes)), 40, 3)

    assert {7, 21} <= {*choose_inputs(walk, np.ones(40), 4).tolist()}


def test_of_two_equal_inputs_the_cheap_one_is_left():
    features, classes = noise_and_class()
    features[:, 3] = features[:, 7]
    prices = np.ones(40)
    prices[7] = 20.0
    walk = walk_on(PlainDescent(table_of(features, classes)), 40, 3)

    left = choose_inputs(walk, prices, 4).tolist()
    assert 3 in left
    assert 7 not in left


@pytest.mark.needs_cc
@pytest.mark.parametrize("seed", range(3))
def test_native_code_leaves_the_same_inputs(seed):
    features, classes = noise_and_class(rows=50 + seed, inputs=30, seed=seed)
    table, prices = table_of(features, classes), 1.0 + np.arange(30.0)
    toolchain = find_toolchain()
    assert toolchain is not None
    descents = PlainDescent(table), NativeDescent(table, load_descent(toolchain))

    plain, native = (choose_inputs(walk_on(d, 30, 3, 100), prices, 5).tolist() for d in descents)
    assert plain == native
    assert len(plain) == 5


def test_dense_networks_read_the_chosen_inputs_only():
    shape = LayerShape(9, 2, "clip", 0.0, LIMITS, read=(1, 4, 8))

    for width in (0, 3):
        _, sources = dense_layer(shape, width)
        assert {*sources.tolist()} == {1, 4, 8, *range(9, 9 + width)}


def test_more_training_rows_allow_more_features():
    assert [most_inputs(rows) for rows in (30, 640, 800, 5000)] == [32, 32, 40, 64]


def test_a_budget_of_flash_begins_with_fewer_features():
    for chip, flash, expected in (("cortex-m0plus", 2048, 20), ("avr", 2048, 10), ("avr", 99, 4)):
        assert most_inputs(30, Budget(chip, "q7", flash, None, None)) == expected
    assert most_inputs(30, Budget("avr", "q7", None, 256, None)) == 32


def test_features_that_need_more_operations_have_higher_prices():
    texts = "first(a)", "mean(a)", "range(a)", "std(a)", "std(diff(a))", "autocorrelation(a, 3)"
    found = [price(parse_feature(text)) for text in texts]

    assert found == sorted(found)
    assert len({*found}) == len(found)
