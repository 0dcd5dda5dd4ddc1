"""Change the connections of a network: remove the least important ones, or move a few."""

from collections.abc import Callable

import numpy as np

from dsgec.random import Stream
from dsgec.search.walk.descent import Survey
from dsgec.search.walk.layer import Array, SharedLayer

MOST_MOVED = 3
TARGETS_PER_MOVE = 4

Criterion = Callable[[SharedLayer, Survey], Array]
"""Return how important each connection of a network is."""


def by_deviation(net: SharedLayer, survey: Survey) -> Array:
    """Return |weight| times the deviation of the source."""
    return np.abs(net.weights) * survey.deviations[net.sources]


def by_curvature(net: SharedLayer, survey: Survey) -> Array:
    """Return the squared weight times Adam's second moment."""
    del survey
    return net.weights * net.weights * net.square[: net.size]


CRITERIA: tuple[Criterion, ...] = (by_deviation, by_curvature)


def remove(net: SharedLayer, importance: Array, target: int) -> SharedLayer:
    """Remove the least important connections until at most `target` are left."""
    order = np.argsort(importance, kind="stable")

    def without(count: int) -> SharedLayer:
        kept = np.ones(net.size, bool)
        kept[order[:count]] = False
        return net.keep(kept)

    low, high = 0, net.size - target
    found = without(high)
    while found.size < target and high - low > 1:  # a neuron went with its last connection
        middle = (low + high) // 2
        tried = without(middle)
        if tried.size <= target:
            high, found = middle, tried
        else:
            low = middle
    return found


def move(net: SharedLayer, survey: Survey, stream: Stream) -> SharedLayer:
    """Move a few of the least important connections to where the gradients are greatest."""
    assert survey.absent is not None
    count = 1 + stream.below(MOST_MOVED)
    order = np.argsort(by_deviation(net, survey), kind="stable")
    weak = order[: max(net.size // 4, count)].tolist()
    gone = [weak.pop(stream.below(len(weak))) for _ in range(min(count, len(weak)))]
    gradients = np.abs(survey.absent)
    gradients[net.neurons, net.sources] = 0.0
    if net.shape.read:
        gradients[:, np.setdiff1d(np.arange(net.shape.inputs), net.shape.sources)] = 0.0
    places = np.argsort(-gradients.ravel(), kind="stable")[: TARGETS_PER_MOVE * count].tolist()
    chosen = [places.pop(stream.below(len(places))) for _ in range(min(len(gone), len(places)))]
    chosen = [place for place in chosen if gradients.flat[place] > 0.0]
    neurons, sources = np.divmod(np.array(chosen, np.int32), gradients.shape[1])
    larger = net.connect(neurons, sources)
    width = gradients.shape[1]
    removed = net.neurons[gone] * width + net.sources[gone]
    kept = ~np.isin(larger.neurons * width + larger.sources, removed)
    return larger.keep(kept).restarted()
