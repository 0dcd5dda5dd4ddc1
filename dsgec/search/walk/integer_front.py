"""Learn the networks of a walk, and some dense ones, as the integer networks of fixed point."""

from collections.abc import Callable

from dsgec.search.walk.descent import Descent
from dsgec.search.walk.front import (
    FIRST_RATE,
    LARGEST_SWAPPED,
    Task,
    Walk,
    WalkProgress,
    WalkSteps,
    cosine,
)
from dsgec.search.walk.integers import (
    WEIGHTS,
    IntegerColumns,
    as_integers,
    learn,
    with_short_biases,
)
from dsgec.search.walk.layer import LayerShape, SharedLayer, count_dense
from dsgec.search.walk.state import Candidate

KINDS = ("nibbles", "bytes")
"""The sets of weights that networks learn: `dsgec.search.walk.integers.WEIGHTS` has them."""
DENSE_WIDTHS = (0, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24)
"""Hidden neurons of dense networks beside the pruned ones: few bits need no sources."""
MOST_DENSE = 4_000
MOST_BYTES = 8
"""The most hidden neurons of a dense network whose weights are bytes; more have few bits."""
SPACING = 1.4
"""Each pruned network that learns has about so many times the connections of the one before."""
LEAST_SIZE = 3
_LEARN = -2  # in the place of a criterion

LINEAR = 1 << 20

Start = int
"""A network that learns in integers: the connections of a pruned one, with `LINEAR` added for a
linear one beside a better network; or, if not positive, less the width of a dense one."""


class IntegerWalk(Walk):
    """A walk at whose end networks of several sizes learn in integers, dense ones among them."""

    def __init__(
        self,
        descent: Descent,
        shape: LayerShape,
        steps: WalkSteps,
        seed: int,
        threads: int,
        largest: int,
        columns: IntegerColumns,
        integer_descent: Descent,
    ) -> None:
        super().__init__(descent, shape, steps, seed, threads, largest)
        self.columns, self.integer_descent = columns, integer_descent
        widths = [width for width in DENSE_WIDTHS if width <= shape.widest]
        self.dense = [width for width in widths if count_dense(shape, width) <= MOST_DENSE]
        self.sizes = spaced_levels(self.levels)

    @property
    def starts(self) -> list[Start]:
        """The networks that learn in integers, once all are pruned."""
        best, linear = self.state.best, self.state.linear
        beside = [s for s in self.sizes if s in linear and linear[s].order != best[s].order]
        return [
            *(-width for width in self.dense),
            *(size for size in self.sizes if size in best),
            *(LINEAR + size for size in beside),
        ]

    def halls_of(self, net: SharedLayer) -> list[dict[int, Candidate]]:
        """Return the halls: a linear network takes fewer bytes than others of its size."""
        return [*super().halls_of(net), *([] if net.hidden else [self.state.linear])]

    def learned(self) -> dict[tuple[Start, str], SharedLayer]:
        """Return the networks of integers, by where they began and their set of weights."""
        return {
            (start, KINDS[kind]): net
            for start in self.starts
            for kind in range(len(KINDS))
            if (net := self.state.learned.get((start, kind))) is not None
        }

    def is_swapped(self, level: int) -> bool:
        return level <= LARGEST_SWAPPED

    @property
    def progress(self) -> WalkProgress:
        if self.state.cursors:
            return super().progress
        done = len({start for start, _ in self.state.learned})
        return WalkProgress("learning in integers", done, len(self.starts))

    def _tasks(self) -> list[Task]:
        if self.state.cursors:
            return super()._tasks()
        done = {start for start, _ in self.state.learned}
        return [(start, _LEARN) for start in self.starts if start not in done]

    def _work(self, task: Task) -> Callable[[], None]:
        match task:
            case (start, criterion) if criterion == _LEARN:
                found = {
                    (start, number): net
                    for number, net in enumerate(self._learn_integers(start))
                    if net is not None
                }
                return lambda: self.state.learned.update(found)
        return super()._work(task)

    def network_of(self, start: Start) -> SharedLayer:
        """Return a network as it has learned with weights of any digits."""
        if start > LINEAR:
            return self.complete(self.state.linear[start - LINEAR], start - LINEAR).net
        if start > 0:
            return self.complete(self.state.best[start], start).net
        net = self.start(-start)
        self.descend(net, cosine(self.steps.last, FIRST_RATE))
        return net

    def _learn_integers(self, start: Start) -> list[SharedLayer | None]:
        """Return the network of a start with each set of weights, or None without it."""
        whole = as_integers(self.network_of(start), self.columns)
        found: list[SharedLayer | None] = []
        for kind in KINDS:
            if kind == KINDS[0] or -MOST_BYTES <= start <= 0:
                learned = learn(whole, WEIGHTS[kind], self.integer_descent, self.steps.last)
                found.append(with_short_biases(learned, self.columns, self.integer_descent))
            else:
                found.append(None)
        return found


def spaced_levels(levels: list[int]) -> list[int]:
    """Return some levels, the largest first, about evenly spaced by their logarithms."""
    found = levels[:1]
    for level in levels:
        if level >= LEAST_SIZE and level * SPACING <= found[-1]:
            found.append(level)
    return found
