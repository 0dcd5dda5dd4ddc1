"""Find the parts of a network for the packed layout: features, neurons, and other nodes.

A feature is a column, perhaps filled, centred, scaled or compared with a category. A neuron is a
sum of weighted nodes that may go through a function of one argument.
"""

from dataclasses import dataclass
from functools import cached_property

from dsgec.export.sums import ONE, Terms, network_sums, term_of
from dsgec.network.ir import ARITY, OPERATORS, Apply, Constant, Input, Network

ENCODINGS = ("fill", "sub", "div", "is")
"""The functions that make a feature of a column; it goes through at most so many."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """A function of a value and a constant, or of the value twice if the constant is None."""

    function: str
    constant: float | None


@dataclass(frozen=True, slots=True)
class Feature:
    """A column and the functions that it goes through."""

    column: int
    encodings: tuple[Encoding, ...] = ()


@dataclass(frozen=True, slots=True)
class SumNeuron:
    """A weighted sum; `function` is what it goes through, or empty."""

    terms: Terms
    function: str = ""


class NetworkParts:
    """The needed nodes of a network by their kinds; nodes inside sums are not needed.

    Nodes that are neither features nor neurons are computed `before` the neurons. They are `late`
    if they depend on neurons, and so is everything that depends on them.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.sums = network_sums(network)
        self.features: dict[int, Feature] = {}
        self.neurons: dict[int, SumNeuron] = {}
        self.before: set[int] = set()
        self.late: set[int] = set()
        self.readers = self._readers()
        for position in sorted(self.readers):
            self._classify(position)

    def sources(self, position: int) -> tuple[int, ...]:
        """Return the nodes that a node is computed from."""
        node = self.network.nodes[position]
        if not isinstance(node, Apply) or self.feature(position):
            return ()
        terms = self.terms(position)
        return node.arguments if terms is None else tuple(s for _, s in terms if s != ONE)

    def feature(self, position: int) -> Feature | None:
        """Return a node as a feature, or None."""
        encodings: list[Encoding] = []
        while len(encodings) <= len(ENCODINGS):
            node = self.network.nodes[position]
            match node:
                case Input(column):
                    return Feature(column, tuple(reversed(encodings)))
                case Apply(function, (left, right)) if function in ENCODINGS:
                    constant = self.network.nodes[right]
                    if isinstance(constant, Constant):
                        encodings.append(Encoding(function, constant.value))
                    elif left == right:
                        encodings.append(Encoding(function, None))
                    else:
                        return None
                    position = left
                case _:
                    return None
        return None

    def terms(self, position: int) -> Terms | None:
        """Return the terms of a sum, a product with a constant or a negative; None for others."""
        if position in self.sums:
            return self.sums[position]
        match self.network.nodes[position]:
            case Apply("neg", (argument,)):
                return ((-1.0, argument),)
            case Apply("mul"):
                term = term_of(self.network, position)
                return None if term == (1.0, position) else (term,)
            case _:
                return None

    def _readers(self) -> dict[int, int]:
        """Return how often each needed node is read; outputs are read once more."""
        found: dict[int, int] = {}
        for position in self.network.outputs:
            found[position] = found.get(position, 0) + 1
        for position in range(len(self.network.nodes) - 1, -1, -1):
            if position in found:
                for source in self.sources(position):
                    found[source] = found.get(source, 0) + 1
        return found

    def _classify(self, position: int) -> None:
        node = self.network.nodes[position]
        if feature := self.feature(position):
            self.features[position] = feature
            return
        if not isinstance(node, Apply):
            return
        sources = self.sources(position)
        if self.late.intersection(sources):
            self.late.add(position)
        elif (neuron := self._neuron(position, node)) is not None:
            self.neurons[position] = neuron
        elif self.neurons.keys().isdisjoint(sources):
            self.before.add(position)
        else:
            self.late.add(position)

    def _neuron(self, position: int, node: Apply) -> SumNeuron | None:
        terms = self.terms(position)
        if terms is not None:
            return SumNeuron(terms)
        if node.function in OPERATORS or ARITY[node.function] != 1:
            return None
        (argument,) = node.arguments
        inner = self.neurons.get(argument)
        if inner is not None and not inner.function and self.readers[argument] == 1:
            del self.neurons[argument]
            return SumNeuron(inner.terms, node.function)
        return SumNeuron(((1.0, argument),), node.function)

    @cached_property
    def depths(self) -> dict[int, int]:
        """The depth of each neuron: 1 if it reads no other neurons."""
        found: dict[int, int] = {}
        for position in sorted(self.neurons):
            sources = (source for _, source in self.neurons[position].terms)
            found[position] = 1 + max((found.get(source, 0) for source in sources), default=0)
        return found
