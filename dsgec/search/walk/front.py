"""Build a front of networks: learn dense ones, prune them in small steps, and move connections.

The walk begins with dense networks of several widths, which learn by Adam. Then, step by step, a
twentieth of the connections is removed and the rest learns on; one walk removes the connections
with the least |weight| times the deviation of the source, another those with the least squared
weight times Adam's second moment. Of all networks on the way, the best of each size is learned to
the end with a falling rate. In the small ones, connections are then moved from where they matter
least to where the gradient of an absent one is greatest. All comparisons use the training rows.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from dsgec.arithmetic.printed import vector
from dsgec.random import Stream
from dsgec.search.walk.descent import Descent, Survey
from dsgec.search.walk.layer import (
    Array,
    LayerShape,
    SharedLayer,
    count_dense,
    dense_layer,
    make_layer,
)

WIDTHS = (0, 4, 8, 16, 32, 64)
"""Hidden neurons of the dense networks at the beginning; 0: linear."""
MOST_DENSE = 60_000
"""The most connections of a dense network at the beginning."""
LARGEST = 1000
"""The most connections of a network on the front."""
SHARE = 20
"""One of so many connections is removed at a time."""
FIRST_RATE, WALK_RATE, LAST_RATE, SWAP_RATE = 0.02, 0.01, 0.02, 0.01
LARGEST_SWAPPED, SWAPPED_EVERY = 200, 3
"""Connections are moved in networks of every third level, and only in small ones."""
MOST_MOVED = 3
TARGETS_PER_MOVE = 4
CHILDREN = 4
_WALK = (1 << 64) - 3  # a generation that no run reaches, for the random stream
_MASK = (1 << 64) - 1
_GAMMA = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True)
class Budget:
    """The steps of each part of a walk."""

    first: int
    between: int
    last: int
    swap: int
    rounds: int


def make_budget(steps: int) -> Budget:
    """Return the budget of a walk whose dense networks take so many steps."""
    return Budget(
        steps, max(steps // 20, 1), max(steps * 4 // 3, 1), max(steps // 15, 1), steps // 150
    )


@dataclass(slots=True)
class WalkStep:
    """A network on a walk, its survey and its loss with the penalty."""

    net: SharedLayer
    survey: Survey
    loss: float


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


def levels(largest: int = LARGEST) -> list[int]:
    """Return the sizes that every walk passes, the largest first."""
    found = [largest]
    while found[-1] > 1:
        found.append(found[-1] - max(found[-1] // SHARE, 1))
    return found


class Walk:
    """Builds the front of one table; the result does not depend on the number of threads."""

    def __init__(
        self, descent: Descent, shape: LayerShape, budget: Budget, seed: int, threads: int = 1
    ) -> None:
        self.descent, self.shape, self.budget = descent, shape, budget
        self.seed, self.threads = seed, threads
        self.levels = levels()
        self.widths = [
            width
            for width in WIDTHS
            if (0 < width <= shape.widest or (not width and shape.has_linear))
            and count_dense(shape, width) <= MOST_DENSE
        ]
        self.criteria = CRITERIA

    def build(self) -> list[WalkStep]:
        """Return the best network of each level, the largest first."""
        best: dict[int, WalkStep] = {}
        with ThreadPoolExecutor(self.threads) as pool:
            for steps in pool.map(self.walks, self.widths):
                for step in steps:
                    self._offer(best, step)
            chosen = sorted(best, reverse=True)
            return [*pool.map(lambda level: self.complete(best[level], level), chosen)]

    def _offer(self, best: dict[int, WalkStep], step: WalkStep) -> None:
        """Keep a network if it is the best of the smallest level that it fits."""
        if step.net.size > self.levels[0]:
            return
        level = min(level for level in self.levels if level >= step.net.size)
        if level not in best or step.loss < best[level].loss:
            best[level] = step

    def walks(self, width: int) -> list[WalkStep]:
        """Return the networks on the walks from one dense network."""
        start = self.start(width)
        self.descent.descend(start, np.full(self.budget.first, FIRST_RATE))
        found = [self.look(start)]
        for criterion in self.criteria:
            found += self.prune(self.look(start.copy()), criterion)
        return [step for step in found if step.net.size <= self.levels[0]]

    def complete(self, step: WalkStep, level: int) -> WalkStep:
        """Learn a network of the front to the end, and move connections of a small one."""
        learned = self.finish(step.net)
        best = learned if learned.loss < step.loss else step
        is_swapped = self.levels.index(level) % SWAPPED_EVERY == 0 and level <= LARGEST_SWAPPED
        return self.swap(best, level) if is_swapped else best

    def start(self, width: int) -> SharedLayer:
        """Return a dense network with random weights, whose variance keeps that of the inputs."""
        neurons, sources = dense_layer(self.shape, width)
        count = width + self.shape.outputs
        fans = np.maximum(np.bincount(neurons, minlength=count), 1)
        spread = np.sqrt(np.where(np.arange(count) < width, 2.0, 1.0) / fans)
        stream = Stream(self.seed, _WALK, width)
        weights = spread[neurons] * draw_gaussians(stream, len(neurons))
        values = np.concatenate([weights, np.zeros(count)])
        return make_layer(self.shape, width, neurons, sources, values)

    def look(self, net: SharedLayer) -> WalkStep:
        """Survey a network."""
        survey = self.descent.survey(net)
        return WalkStep(net, survey, survey.loss + self.shape.penalty * ordered_squares(net.values))

    def prune(self, step: WalkStep, criterion: Criterion) -> Iterator[WalkStep]:
        """Yield ever smaller networks."""
        rates = np.full(self.budget.between, WALK_RATE)
        while step.net.size > 1:
            size = step.net.size
            target = max(size - max(size // SHARE, 1), self.levels[0])
            if size <= self.levels[0]:
                target = max(level for level in self.levels if level < size)
            net = remove(step.net, criterion(step.net, step.survey), target)
            if not net.size:
                return
            self.descent.descend(net, rates)
            step = self.look(net)
            yield step

    def finish(self, net: SharedLayer, rate: float = LAST_RATE) -> WalkStep:
        """Learn a copy of a network to the end."""
        net = net.restarted()
        self.descent.descend(net, cosine(self.budget.last, rate))
        return self.look(net)

    def swap(self, best: WalkStep, level: int) -> WalkStep:
        """Move connections of a network, and keep what is better."""
        rates = cosine(self.budget.swap, SWAP_RATE)
        for number in range(self.budget.rounds):
            survey = self.descent.survey(best.net, absent=True)
            assert survey.absent is not None
            children = []
            for child in range(CHILDREN):
                stream = Stream(self.seed, _WALK - 1 - level, CHILDREN * number + child)
                net = move(best.net, survey, stream)
                self.descent.descend(net, rates)
                children.append(self.look(net))
            better = min(children, key=lambda one: one.loss)
            if better.loss < best.loss:
                best = better
        return best


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
    places = np.argsort(-gradients.ravel(), kind="stable")[: TARGETS_PER_MOVE * count].tolist()
    chosen = [places.pop(stream.below(len(places))) for _ in range(min(len(gone), len(places)))]
    chosen = [place for place in chosen if gradients.flat[place] > 0.0]
    neurons, sources = np.divmod(np.array(chosen, np.int32), gradients.shape[1])
    larger = net.connect(neurons, sources)
    width = gradients.shape[1]
    removed = net.neurons[gone] * width + net.sources[gone]
    kept = ~np.isin(larger.neurons * width + larger.sources, removed)
    return larger.keep(kept).restarted()


def cosine(steps: int, rate: float) -> Array:
    """Return rates that fall from one to 0 along a cosine."""
    angles: Array = np.arange(float(steps)) * (3.141592653589793 / steps)
    found: Array = 0.5 * rate * (1.0 + vector.cos(angles))
    return found


def ordered_squares(values: Array) -> float:
    """Add the squares of values in their order."""
    squares = values * values
    return float(np.add.accumulate(squares)[-1]) if len(squares) else 0.0


def draw_gaussians(stream: Stream, count: int) -> Array:
    """Draw from the standard normal distribution, as `draw_gaussian` does one by one."""
    steps = np.arange(1, 2 * count + 1, dtype=np.uint64) * np.uint64(_GAMMA)
    z = np.uint64(stream.state) + steps
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    words = ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(np.float64)
    stream.state = (stream.state + 2 * count * _GAMMA) & _MASK
    radius, angle = (words[0::2] + 1.0) * 2.0**-53, words[1::2] * 2.0**-53
    found: Array = np.sqrt(-2.0 * vector.log(radius)) * vector.cos(6.283185307179586 * angle)
    return found
