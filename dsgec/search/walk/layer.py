"""Networks with one shared hidden layer, as arrays that a descent changes and a walk prunes.

A connection goes from a source to a neuron. Sources are the inputs and then the hidden neurons;
neurons are the hidden ones and then the outputs. Connections are sorted by neuron and then by
source, which is the order in which they are added.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic import scalar

Array = NDArray[np.float64]
Indices = NDArray[np.int32]

ACTIVATIONS = ("clip", "relu", "sig", "tanh")
"""The functions of hidden neurons, in the order of the enumeration of templates/walk/descent.h."""


@dataclass(frozen=True, slots=True)
class LayerShape:
    """The properties that all networks of a walk share.

    `limits` are the least and the greatest weight and bias of a hidden neuron and of an output;
    `widest` is the most hidden neurons. Without hidden neurons, a network is linear. Networks read
    only the inputs `read`, if there are any.
    """

    inputs: int
    outputs: int
    activation: str
    penalty: float
    limits: tuple[tuple[float, float], ...]
    widest: int = 64
    has_linear: bool = True
    read: tuple[int, ...] = ()

    @property
    def sources(self) -> Indices:
        """The inputs that a network may read."""
        return np.array(self.read or range(self.inputs), np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Numerals:
    """The numbers that a network may have, which are learned by straight-through estimation.

    `levels` are those of the weights and the biases of hidden neurons, and of the weights and the
    biases of outputs, each in ascending order. Values of hidden neurons are rounded to multiples of
    2^-`digits`, up to `top`. A descent changes other values, whose nearest levels the network has:
    the gradient by a level is that of the value.
    """

    levels: tuple[Array, Array, Array, Array]
    digits: int
    top: float

    def nearest(self, kinds: Indices, values: Array) -> Array:
        """Return the nearest level of each value; the lower one of two that are equally near."""
        found = np.empty_like(values)
        for kind, levels in enumerate(self.levels):
            own = kinds == kind
            places = np.searchsorted(middles(levels)[:-1], values[own], side="left")
            found[own] = levels[places]
        return found

    def rounded(self, values: Array) -> Array:
        """Return values of hidden neurons, which are not negative, as they are rounded."""
        units = 2.0**self.digits
        whole: Array = np.floor(values * units + 0.5) * (1.0 / units)
        return np.where(whole > self.top, self.top, whole)


def middles(levels: Array) -> Array:
    """Return the middle between each level and the next one, and the last level."""
    return np.append((levels[:-1] + levels[1:]) * 0.5, levels[-1])


@dataclass(slots=True)
class SharedLayer:
    """A network whose hidden neurons all outputs share.

    `values` has the weights of the connections and then the biases of the neurons; `momentum` and
    `square` are Adam's first and second moments of them, after `steps` steps, and `powers` the
    powers of Adam's decays.
    """

    shape: LayerShape
    hidden: int
    neurons: Indices
    sources: Indices
    values: Array
    momentum: Array
    square: Array
    powers: Array
    steps: int = 0
    numerals: Numerals | None = None

    @property
    def size(self) -> int:
        """The number of connections."""
        return len(self.sources)

    @property
    def count(self) -> int:
        """The number of neurons, outputs included."""
        return self.hidden + self.shape.outputs

    @property
    def weights(self) -> Array:
        return self.values[: self.size]

    @property
    def biases(self) -> Array:
        return self.values[self.size :]

    @property
    def first(self) -> Indices:
        """The first connection of each neuron, and the number of connections."""
        return np.searchsorted(self.neurons, np.arange(self.count + 1)).astype(np.int32)

    def allowed_sources(self, neuron: int) -> slice:
        """Return the sources that a neuron may have: for outputs, the hidden layer if any."""
        inputs = self.shape.inputs
        return (
            slice(inputs, inputs + self.hidden) if neuron >= self.hidden > 0 else slice(0, inputs)
        )

    def copy(self) -> "SharedLayer":
        """Return a copy whose values can change."""
        return replace(
            self,
            values=self.values.copy(),
            momentum=self.momentum.copy(),
            square=self.square.copy(),
            powers=self.powers.copy(),
        )

    def restarted(self) -> "SharedLayer":
        """Return a copy whose descent begins again, without moments."""
        one = self.copy()
        one.momentum[:] = 0.0
        one.square[:] = 0.0
        one.powers[:] = 1.0
        return one

    @property
    def kinds(self) -> Indices:
        """The kind of each value: weights and biases of hidden neurons, and those of outputs."""
        return np.concatenate(
            [
                np.where(self.neurons < self.hidden, 0, 2),
                np.where(np.arange(self.count) < self.hidden, 1, 3),
            ]
        ).astype(np.int32)

    @property
    def seen(self) -> Array:
        """The weights and biases with which it computes: its values, or their nearest levels."""
        return self.numerals.nearest(self.kinds, self.values) if self.numerals else self.values

    def bounds(self) -> tuple[Array, Array]:
        """Return the least and the greatest value of each weight and bias."""
        limits = np.array(self.shape.limits)
        if self.numerals:
            limits = np.array([(levels[0], levels[-1]) for levels in self.numerals.levels])
        limits = limits[self.kinds]
        return np.ascontiguousarray(limits[:, 0]), np.ascontiguousarray(limits[:, 1])

    def keep(self, connections: NDArray[np.bool_]) -> "SharedLayer":
        """Return the network with some of its connections, and without useless neurons.

        A neuron that reads nothing is a constant, which is added to the biases of its readers.
        """
        inputs, hidden = self.shape.inputs, self.hidden
        kept, biases = connections.copy(), self.biases.copy()
        while True:
            reads = np.bincount(self.neurons[kept], minlength=self.count)[:hidden] > 0
            inner = kept & (self.sources >= inputs)
            read = np.bincount(self.sources[inner] - inputs, minlength=hidden)[:hidden] > 0
            constant = (
                inner
                & ~np.append(reads, True)[
                    np.where(self.sources >= inputs, self.sources - inputs, hidden)
                ]
            )
            unread = (
                kept
                & (self.neurons < hidden)
                & ~np.append(read, True)[np.minimum(self.neurons, hidden)]
            )
            if not (constant.any() or unread.any()):
                break
            for c in np.flatnonzero(constant):
                value = activate(self.shape.activation, biases[self.sources[c] - inputs])
                biases[self.neurons[c]] += self.weights[c] * value
            kept &= ~(constant | unread)
        alive = np.append(reads & read, np.ones(self.shape.outputs, bool))
        return self._select(kept, alive, biases)

    def _select(
        self, kept: NDArray[np.bool_], alive: NDArray[np.bool_], biases: Array
    ) -> "SharedLayer":
        """Return the network of the kept connections and of the neurons that are alive."""
        inputs = self.shape.inputs
        places = (np.cumsum(alive) - 1).astype(np.int32)
        sources = self.sources[kept]
        inner = sources >= inputs
        sources = np.where(inner, inputs + places[np.where(inner, sources - inputs, 0)], sources)
        chosen = np.concatenate([kept, alive])
        least, most = self.bounds()
        values = np.minimum(np.maximum(np.concatenate([self.weights, biases]), least), most)
        return SharedLayer(
            self.shape,
            int(alive[: self.hidden].sum()),
            places[self.neurons[kept]],
            sources.astype(np.int32),
            values[chosen],
            self.momentum[chosen],
            self.square[chosen],
            self.powers.copy(),
            self.steps,
            self.numerals,
        )

    def connect(self, neurons: Indices, sources: Indices) -> "SharedLayer":
        """Return the network with further connections, whose weights are 0."""
        all_neurons = np.concatenate([self.neurons, neurons]).astype(np.int32)
        all_sources = np.concatenate([self.sources, sources]).astype(np.int32)
        order = np.lexsort((all_sources, all_neurons))

        def extend(values: Array) -> Array:
            weights = np.concatenate([values[: self.size], np.zeros(len(neurons))])[order]
            return np.concatenate([weights, values[self.size :]])

        return SharedLayer(
            self.shape,
            self.hidden,
            all_neurons[order],
            all_sources[order],
            extend(self.values),
            extend(self.momentum),
            extend(self.square),
            self.powers.copy(),
            self.steps,
            self.numerals,
        )


def activate(activation: str, value: float) -> float:
    """Return the value of a hidden neuron whose sum is this."""
    found: float = getattr(scalar, activation)(float(value))
    return found


def make_layer(
    shape: LayerShape, hidden: int, neurons: Indices, sources: Indices, values: Array
) -> SharedLayer:
    """Return a network that has not learned yet."""
    zeros = np.zeros(len(values))
    return SharedLayer(shape, hidden, neurons, sources, values, zeros, zeros.copy(), np.ones(2))


def count_dense(shape: LayerShape, hidden: int) -> int:
    """Return the number of connections of a dense network."""
    inputs = len(shape.read) or shape.inputs
    return hidden * (inputs + shape.outputs) or inputs * shape.outputs


def dense_layer(shape: LayerShape, hidden: int) -> tuple[Indices, Indices]:
    """Return the neurons and sources of a dense network; without hidden neurons, a linear one."""
    sources, outputs = shape.sources, shape.outputs
    inputs = len(sources)
    if not hidden:
        neurons, sources = np.repeat(np.arange(outputs), inputs), np.tile(sources, outputs)
        return neurons.astype(np.int32), sources.astype(np.int32)
    neurons = np.concatenate(
        [np.repeat(np.arange(hidden), inputs), np.repeat(hidden + np.arange(outputs), hidden)]
    )
    sources = np.concatenate(
        [np.tile(sources, hidden), np.tile(shape.inputs + np.arange(hidden), outputs)]
    )
    return neurons.astype(np.int32), sources.astype(np.int32)
