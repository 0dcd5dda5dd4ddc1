"""The dynamic rules: what a neuron can be connected to, made while an individual is mapped.

In the gene of `<features-i>` an integer below the number of alternatives of `<features>` is that
alternative; a larger one names a hidden neuron by its layer and its place in it. So a connection
still means the same neuron when other layers have grown or shrunk, and one whose neuron is gone is
seen to be faulty.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.random import Stream

STRIDE = 1 << 16
"""Neurons of one layer that can be named; a layer's later ones cannot be connected to."""

MOST_LAYERS = ((1 << 31) - 1) // STRIDE
"""Layers that can be named: a code is an integer of 32 bits with a sign."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The codes that a connection may have: one group, or two of equal probability."""

    groups: tuple[Sequence[int], ...]
    members: frozenset[int]

    def __contains__(self, code: int) -> bool:
        return code in self.members

    def __len__(self) -> int:
        return len(self.members)

    def draw(self, stream: Stream) -> int:
        """A group, then a member of it."""
        group = self.groups[stream.below(len(self.groups))]
        return group[stream.below(len(group))]

    def without(self, code: int) -> "Sources":
        """The same choice with one code left out."""
        return _sources(*([member for member in group if member != code] for group in self.groups))


def sources(widths: Sequence[int], inputs: int, connect: str, output: bool) -> Sources:
    """What the layer after `widths` can read, where `widths` are the sizes of the hidden layers.

    The layer just before it is one group. With `connect` "all", everything before that is a second
    group of the same weight: earlier hidden layers and, unless this is the output layer, inputs.
    """
    features = range(inputs)
    if not widths:
        return _sources(features)
    layers = [
        range(inputs + number * STRIDE, inputs + number * STRIDE + min(width, STRIDE))
        for number, width in enumerate(widths)
    ]
    if connect == "previous":
        return _sources(layers[-1])
    earlier = [code for layer in layers[:-1] for code in layer]
    if not output:
        earlier = [*features, *earlier]
    return _sources(layers[-1], earlier)


def _sources(*groups: Sequence[int]) -> Sources:
    kept = tuple(group for group in groups if group)
    return Sources(kept, frozenset(code for group in kept for code in group))


def neuron_name(code: int, inputs: int) -> str:
    """The phenotype's name of the hidden neuron that `code` stands for."""
    layer, neuron = divmod(code - inputs, STRIDE)
    return f"h_{layer + 1}_{neuron + 1}"
