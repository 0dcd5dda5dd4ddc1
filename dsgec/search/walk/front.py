"""Build a front of networks: learn dense ones, prune them in small steps, and move connections.

The walk begins with dense networks of several widths, which learn by Adam. Then, step by step, a
twentieth of the connections is removed and the rest learns on; one walk removes the connections
with the least |weight| times the deviation of the source, another those with the least squared
weight times Adam's second moment. Of all networks on the way, the best of each size is learned to
the end with a falling rate. In the small ones, connections are then moved from where they matter
least to where the gradient of an absent one is greatest. All comparisons use the training rows.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np

from dsgec.arithmetic.printed import vector
from dsgec.random import Stream
from dsgec.search.walk.descent import Descent, Survey
from dsgec.search.walk.edits import CRITERIA, Criterion, move, remove
from dsgec.search.walk.layer import (
    Array,
    LayerShape,
    SharedLayer,
    count_dense,
    dense_layer,
    make_layer,
)
from dsgec.search.walk.state import DENSE, Candidate, WalkState

WIDTHS = (0, 4, 8, 16, 32, 64)
"""Hidden neurons of the dense networks at the beginning; 0: linear."""
ALWAYS = 4
"""The width of a dense network that is made for any table."""
MOST_DENSE = 60_000
"""The most connections of a dense network at the beginning."""
LEAST_LARGEST, LARGEST = 150, 1000
"""Limits of the most connections of a network on the front: one for each training row."""
OF_A_CLASS = 16
"""Connections for each class of a signal, of which its network may have as many."""
MOST_TIMES = 32
"""The dense networks at the beginning are at most so many times as large as the front."""
SHARE = 20
"""One of so many connections is removed at a time."""
FIRST_RATE, WALK_RATE, LAST_RATE, SWAP_RATE = 0.02, 0.01, 0.02, 0.01
LARGEST_SWAPPED, SWAPPED_EVERY = 200, 3
"""Connections are moved in networks of every third level, and only in small ones."""
CHILDREN = 4
STEPS_OF_A_TASK = 3_000
"""Steps of a task, about: what it did is lost if the process is killed."""
STEPS_BETWEEN_LOOKS = 500
"""Steps after which a task notices that it was stopped."""
_WALK = (1 << 64) - 3  # a generation that no run reaches, for the random stream
_MASK = (1 << 64) - 1
_GAMMA = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True)
class WalkSteps:
    """The steps of each part of a walk."""

    first: int
    between: int
    last: int
    swap: int
    rounds: int


def make_steps(steps: int) -> WalkSteps:
    """Return the steps of a walk whose dense networks take so many steps."""
    return WalkSteps(
        steps, max(steps // 20, 1), max(steps * 4 // 3, 1), max(steps // 15, 1), steps // 150
    )


@dataclass(slots=True)
class WalkStep:
    """A network on a walk, its survey and its loss with the penalty."""

    net: SharedLayer
    survey: Survey
    loss: float


@dataclass(frozen=True, slots=True)
class WalkProgress:
    """The step that a walk is at, in words, and the number of parts of it that are done."""

    words: str
    done: int
    total: int


Task = tuple[int] | tuple[int, int]
"""The level of a network to complete; or the width of a walk with its criterion, or DENSE."""


def levels(largest: int = LARGEST) -> list[int]:
    """Return the sizes that every walk passes, the largest first."""
    found = [largest]
    while found[-1] > 1:
        found.append(found[-1] - max(found[-1] // SHARE, 1))
    return found


def largest_network(rows: int, classes: int = 0) -> int:
    """Return the most connections of a network that is learned from so many rows.

    Signals with many `classes` have few rows of each, so that these count, too.
    """
    return min(max(rows, LEAST_LARGEST, OF_A_CLASS * classes), LARGEST)


class WalkStopped(Exception):
    """A task of a walk was asked to stop."""


class Walk:
    """Builds the front of one table, a slice of time after the other.

    The work is in tasks: each begins from the networks in `state`, and changes it when it ends. The
    result does not depend on the number of threads, nor on where the walk was saved and restored.
    """

    def __init__(
        self,
        descent: Descent,
        shape: LayerShape,
        steps: WalkSteps,
        seed: int,
        threads: int = 1,
        largest: int = LARGEST,
    ) -> None:
        self.descent, self.shape, self.steps = descent, shape, steps
        self.seed, self.threads = seed, threads
        self.levels = levels(largest)
        self.widths = [
            width
            for width in WIDTHS
            if (0 < width <= shape.widest or (not width and shape.has_linear))
            and count_dense(shape, width) <= MOST_DENSE
            and (width <= ALWAYS or count_dense(shape, width) <= MOST_TIMES * largest)
        ]
        self.criteria = CRITERIA
        self.state = WalkState({(width, DENSE): None for width in self.widths})
        self._pool = ThreadPoolExecutor(threads)
        self._running: dict[Future[Callable[[], None]], Task] = {}
        self._stop = threading.Event()

    def build(self) -> list[Candidate]:
        """Return the best network of each level, the largest first."""
        while not self.advance(math.inf):
            pass
        return self.front()

    def front(self) -> list[Candidate]:
        """Return the best network of each size level found so far, the largest level first."""
        best = self.state.best | self.state.completed
        return [best[level] for level in sorted(best, reverse=True)]

    @property
    def progress(self) -> WalkProgress:
        """The progress of the walk."""
        state, total = self.state, len(self.widths) * (1 + len(self.criteria))
        if state.cursors:
            waiting = sum(len(self.criteria) for _, criterion in state.cursors if criterion < 0)
            return WalkProgress(
                "pruning dense networks", total - len(state.cursors) - waiting, total
            )
        return WalkProgress("learning each size", len(state.completed), len(state.best))

    def advance(self, seconds: float) -> bool:
        """Work for about so many seconds, and return whether the walk is over."""
        until = time.monotonic() + seconds
        while self._start_tasks():
            left = max(until - time.monotonic(), 0.0)
            done = wait(self._running, None if math.isinf(left) else left, FIRST_COMPLETED).done
            for future in done:
                del self._running[future]
                future.result()()
            if not left:
                return False
        self._pool.shutdown()
        return True

    @property
    def is_over(self) -> bool:
        """True if all tasks are done."""
        return not self._tasks()

    def close(self) -> None:
        """End the tasks that are running; what they did is lost."""
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)

    def _start_tasks(self) -> bool:
        """Give each thread a task, and return whether any is running."""
        busy = {*self._running.values()}
        for task in self._tasks():
            if len(self._running) >= self.threads:
                break
            if task not in busy:
                self._running[self._pool.submit(self._work, task)] = task
        return bool(self._running)

    def _tasks(self) -> list[Task]:
        """Return the tasks that can be done now."""
        if self.state.cursors:
            return [*self.state.cursors]
        left = self.state.best.keys() - self.state.completed.keys()
        return [(level,) for level in sorted(left, reverse=True)]

    def _work(self, task: Task) -> Callable[[], None]:
        """Do a task, and return a function that enters its result into the state."""
        match task:
            case (level,):
                completed = self.complete(self.state.best[level], level)
                return lambda: self.state.completed.update({level: completed})
            case (width, criterion):
                if criterion == DENSE:
                    return self._learn_dense(width)
                return self._prune_on(width, criterion)

    def _learn_dense(self, width: int) -> Callable[[], None]:
        """Learn a dense network for some of its steps, or to the end."""
        state, key = self.state, (width, DENSE)
        net = (state.cursors[key] or self.start(width)).copy()
        steps = min(self.steps.first - net.steps, STEPS_OF_A_TASK)
        self.descend(net, np.full(steps, FIRST_RATE))
        if net.steps < self.steps.first:
            return lambda: state.cursors.update({key: net})
        step = self.look(net)

        def enter() -> None:
            del state.cursors[key]
            state.cursors.update({(width, one): net for one in range(len(self.criteria))})
            self._offer(step, (self.widths.index(width), DENSE))

        return enter

    def _prune_on(self, width: int, criterion: int) -> Callable[[], None]:
        """Prune a network for some steps; return a function that enters them in the state."""
        state, key = self.state, (width, criterion)
        net = state.cursors[key]
        assert net is not None
        found: list[WalkStep] = []
        is_over = True
        for step in self.prune(self.look(net.copy()), self.criteria[criterion]):
            found.append(step)
            if len(found) * self.steps.between >= STEPS_OF_A_TASK:
                is_over = False
                break

        def enter() -> None:
            for step in found:
                self._offer(step, (self.widths.index(width), criterion))
            if is_over:
                del state.cursors[key]
            else:
                state.cursors[key] = found[-1].net

        return enter

    def _offer(self, step: WalkStep, order: tuple[int, int]) -> None:
        """Keep a network if it is the best of the smallest level that it fits."""
        if step.net.size > self.levels[0]:
            return
        level = min(level for level in self.levels if level >= step.net.size)
        for hall in self.halls_of(step.net):
            best = hall.get(level)
            if best is None or (step.loss, order) < (best.loss, best.order):
                hall[level] = Candidate(step.net, step.loss, order)

    def halls_of(self, net: SharedLayer) -> list[dict[int, Candidate]]:
        """Return the halls of which a network may become the best of a level."""
        return [self.state.best]

    def complete(self, candidate: Candidate, level: int) -> Candidate:
        """Learn a network of the front to the end, and move connections of a small one."""
        learned = self.finish(candidate.net)
        best = learned if learned.loss < candidate.loss else candidate
        is_swapped = self.is_swapped(level)
        found = self.swap(best, level) if is_swapped else best
        return Candidate(found.net, found.loss, candidate.order)

    def is_swapped(self, level: int) -> bool:
        """Return whether connections are moved in the network of a level."""
        return self.levels.index(level) % SWAPPED_EVERY == 0 and level <= LARGEST_SWAPPED

    def descend(self, net: SharedLayer, rates: Array) -> None:
        """Take a step for each rate, or raise an exception if the walk is stopped."""
        for start in range(0, len(rates), STEPS_BETWEEN_LOOKS):
            if self._stop.is_set():
                raise WalkStopped
            self.descent.descend(net, rates[start : start + STEPS_BETWEEN_LOOKS])

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
        rates = np.full(self.steps.between, WALK_RATE)
        while step.net.size > 1:
            size = step.net.size
            target = max(size - max(size // SHARE, 1), self.levels[0])
            if size <= self.levels[0]:
                target = max(level for level in self.levels if level < size)
            net = remove(step.net, criterion(step.net, step.survey), target)
            if not net.size:
                return
            self.descend(net, rates)
            step = self.look(net)
            yield step

    def finish(self, net: SharedLayer, rate: float = LAST_RATE) -> WalkStep:
        """Learn a copy of a network to the end."""
        net = net.restarted()
        self.descend(net, cosine(self.steps.last, rate))
        return self.look(net)

    def swap(self, best: WalkStep | Candidate, level: int) -> WalkStep | Candidate:
        """Move connections of a network, and keep what is better."""
        rates = cosine(self.steps.swap, SWAP_RATE)
        for number in range(self.steps.rounds):
            survey = self.descent.survey(best.net, absent=True)
            assert survey.absent is not None
            children = []
            for child in range(CHILDREN):
                stream = Stream(self.seed, _WALK - 1 - level, CHILDREN * number + child)
                net = move(best.net, survey, stream)
                self.descend(net, rates)
                children.append(self.look(net))
            better = min(children, key=lambda one: one.loss)
            if better.loss < best.loss:
                best = better
        return best


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
