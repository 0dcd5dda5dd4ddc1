"""The state of a walk, as bytes from which it continues in another process."""

import json
from dataclasses import dataclass, field

import numpy as np

from dsgec.search.walk.layer import Array, Indices, LayerShape, SharedLayer

DENSE = -1
"""In the place of a criterion: a dense network that is not pruned yet."""

_POWERS = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A network of the front, its loss with the penalty, and the walk that found it.

    `order` is the number of the width and the criterion; of equal losses, the first is kept.
    """

    net: SharedLayer
    loss: float
    order: tuple[int, int]


@dataclass(slots=True)
class WalkState:
    """The networks of a walk between two tasks.

    `cursors` has the network that each unfinished walk has come to, by width and criterion; None
    before a dense network has begun to learn. `best` is the best network of each level, and
    `completed` those that were learned to the end. `linear` is the best linear network of each
    level, for walks that need it. `learned` are networks of integers.
    """

    cursors: dict[tuple[int, int], SharedLayer | None]
    best: dict[int, Candidate] = field(default_factory=dict)
    completed: dict[int, Candidate] = field(default_factory=dict)
    linear: dict[int, Candidate] = field(default_factory=dict)
    learned: dict[tuple[int, int], SharedLayer] = field(default_factory=dict)


def save_state(state: WalkState) -> bytes:
    """Return a state as bytes: a line of JSON, and the arrays of the networks."""
    nets = [net for net in state.cursors.values() if net is not None]
    halls = [state.best, state.completed, state.linear]
    candidates = [one for hall in halls for one in hall.values()]
    nets += [one.net for one in candidates] + [*state.learned.values()]
    head = {
        "cursors": [[*key, net is not None] for key, net in state.cursors.items()],
        "halls": [
            [[level, one.loss.hex(), *one.order] for level, one in hall.items()] for hall in halls
        ],
        "learned": [[*key] for key in state.learned],
        "nets": [[net.hidden, net.size, net.steps] for net in nets],
    }
    parts = [array.tobytes() for net in nets for array in _arrays(net)]
    return b"\n".join([json.dumps(head).encode(), b"".join(parts)])


def _arrays(net: SharedLayer) -> list[Array]:
    indices = [one.astype(np.float64) for one in (net.neurons, net.sources)]
    return [*indices, net.values, net.momentum, net.square, net.powers]


def restore_state(data: bytes, shape: LayerShape) -> WalkState:
    """Return the state that `save_state` returned; raise a ValueError if it is damaged."""
    head, _, body = data.partition(b"\n")
    try:
        described = json.loads(head or b"{}")
        reader = _Reader(body, shape)
        nets = iter([reader.net(*one) for one in described["nets"]])
        cursors = {
            (int(width), int(criterion)): next(nets) if begun else None
            for width, criterion, begun in described["cursors"]
        }
        best, completed, linear = (
            {
                int(level): Candidate(next(nets), float.fromhex(loss), (int(width), int(criterion)))
                for level, loss, width, criterion in hall
            }
            for hall in described["halls"]
        )
        learned = {(int(start), int(kind)): next(nets) for start, kind in described["learned"]}
    except (KeyError, TypeError, StopIteration, RecursionError) as error:
        raise ValueError("its walk cannot be read") from error
    if reader.at != len(body):
        raise ValueError("its walk is not complete")
    return WalkState(cursors, best, completed, linear, learned)


class _Reader:
    """Reads networks from bytes that may be damaged."""

    def __init__(self, body: bytes, shape: LayerShape) -> None:
        self.body, self.shape, self.at = body, shape, 0

    def net(self, hidden: int, size: int, steps: int) -> SharedLayer:
        shape = self.shape
        if not (0 <= hidden <= shape.widest and size >= 0 and steps >= 0):
            raise ValueError("its walk has an impossible network")
        count = hidden + shape.outputs
        neurons, sources = self._indices(size, count), self._indices(size, shape.inputs + hidden)
        total = size + count
        values, momentum, square = (self._take(total) for _ in range(3))
        net = SharedLayer(
            *(shape, hidden, neurons, sources, values, momentum, square),
            *(self._take(_POWERS), steps),
        )
        inner = sources >= shape.inputs
        is_sorted = np.all(np.lexsort((sources, neurons)) == np.arange(size))
        if not is_sorted or np.any(inner != ((neurons >= hidden) & (hidden > 0))):
            raise ValueError("its walk has an impossible connection")
        return net

    def _indices(self, size: int, limit: int) -> Indices:
        found = self._take(size)
        if np.any((found != np.floor(found)) | (found < 0) | (found >= limit)):
            raise ValueError("its walk has an impossible connection")
        return found.astype(np.int32)

    def _take(self, count: int) -> Array:
        size = count * 8
        part = self.body[self.at : self.at + size]
        if len(part) != size:
            raise ValueError("its walk is not complete")
        self.at += size
        return np.frombuffer(part, np.float64).copy()
