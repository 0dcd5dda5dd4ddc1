"""Genotypes, what they map to, and the connections that the dynamic rules allow.

In the gene of `<features-i>`, an integer below the number of alternatives of `<features>` is that
alternative; a larger one names a hidden neuron by its layer and its place in it. So a connection
still means the same neuron when other layers grow or shrink, and a connection to a neuron that is
gone is detected.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from dsgec.random import Stream

REPRESENTATIONS = ("dsge", "sge", "ge", "psge", "copsge")
"""The names of the representations in settings."""

INITIALISATIONS = ("random", "ramped", "pi-grow")
"""The ways to make the first generation, in the order of plan.c; `random` needs no plan."""
RANDOM, RAMPED, PI_GROW = INITIALISATIONS

STRIDE = 1 << 16
"""The number of neurons of a layer that connections can name."""

MOST_LAYERS = ((1 << 31) - 1) // STRIDE
"""The number of layers that connections can name: a code is a signed integer of 32 bits."""


class Expansion(NamedTuple):
    """A symbol at a depth of its recursion, and the alternative that it takes; NONE: any."""

    rule: int
    depth: int
    choice: int


Plan = Sequence[Expansion]
"""The expansions of a tree from left to right, parents before children."""

Gene = tuple[int, int]
"""A rule and the number of its gene: in DSGE the layer that `<features>` is read in, in SGE the
level of recursion, otherwise 0. All codons of GE are the gene (0, 0)."""

Genotype = Mapping[Gene, tuple[int, ...]]


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
        """Draw a group, and then one of its codes."""
        group = self.groups[stream.below(len(self.groups))]
        return group[stream.below(len(group))]

    def without(self, code: int) -> "Sources":
        """Return the same sources without one code."""
        return _make_sources(
            *([member for member in group if member != code] for group in self.groups)
        )


def find_sources(widths: Sequence[int], inputs: int, connect: str, output: bool) -> Sources:
    """Return the sources of a layer if the hidden layers before it have these widths.

    The layer just before it is one group. With `connect` "all", everything before that is a second
    group of the same probability: earlier hidden layers and, except for the output layer, inputs.
    """
    features = range(inputs)
    if not widths:
        return _make_sources(features)
    layers = [
        range(inputs + number * STRIDE, inputs + number * STRIDE + min(width, STRIDE))
        for number, width in enumerate(widths)
    ]
    if connect == "previous":
        return _make_sources(layers[-1])
    earlier = [code for layer in layers[:-1] for code in layer]
    if not output:
        earlier = [*features, *earlier]
    return _make_sources(layers[-1], earlier)


def _make_sources(*groups: Sequence[int]) -> Sources:
    kept = tuple(group for group in groups if group)
    return Sources(kept, frozenset(code for group in kept for code in group))


def neuron_name(code: int, inputs: int) -> str:
    """Return the name in a phenotype of the hidden neuron with this code."""
    layer, neuron = divmod(code - inputs, STRIDE)
    return f"h_{layer + 1}_{neuron + 1}"


Options = tuple[int, ...] | Sources
"""The integers that are allowed in a place: alternatives or codes of connections."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An integer that the mapping read, and the options that it had."""

    gene: Gene
    index: int
    options: Options


@dataclass(frozen=True, slots=True)
class ConstantPlace:
    """A constant of a phenotype: its rank among its rule's constants, and the integer it is read
    from; `offset` and `length` are those of its numeral in bytes."""

    rule: int
    rank: int
    gene: Gene
    index: int
    offset: int = 0
    length: int = 0


@dataclass(frozen=True, slots=True)
class Derivation:
    """The phenotype of a genotype, or a `fault` that says why there is none.

    `genotype` is the repaired one. `read` has how many integers of each gene were read, and
    `choices` those that a mutation of DSGE or SGE can change; GE can change any codon read.
    `constants` are those of the phenotype, in its order. `expansions` has the rule and the choice
    of every node of the derivation tree, parents before children, from left to right.
    """

    genotype: Genotype
    phenotype: str
    read: Mapping[Gene, int]
    choices: tuple[Choice, ...] = ()
    fault: str = ""
    constants: tuple[ConstantPlace, ...] = ()
    expansions: tuple[tuple[int, int], ...] = field(default=(), compare=False, repr=False)


class Representation(Protocol):
    """A way to represent individuals by integers, such as DSGE, SGE or GE."""

    def grow(self, stream: Stream, plan: Plan = ()) -> Genotype:
        """Return the genotype of a new individual, whose tree may be planned."""
        ...

    def express(self, genotype: Genotype, stream: Stream) -> Derivation:
        """Map a genotype, and repair it if the representation allows that."""
        ...

    def is_valid(self, genotype: Genotype) -> bool:
        """Return whether an untrusted genotype has what `express` and the operators need."""
        ...

    def vary(self, genotype: Genotype, mutation: float, stream: Stream) -> Derivation:
        """Map a child, mutate it with the given probability, and map it again."""
        derivation = self.express(genotype, stream)
        if not stream.chance(mutation):
            return derivation
        return self.express(self.mutate(derivation, stream), stream)

    def mutate(self, derivation: Derivation, stream: Stream) -> Genotype:
        """Replace one integer that was read by another that is allowed in its place."""
        if not derivation.choices:
            return derivation.genotype
        choice = derivation.choices[stream.below(len(derivation.choices))]
        values = list(derivation.genotype[choice.gene])
        current = values[choice.index]
        if isinstance(choice.options, Sources):
            values[choice.index] = choice.options.without(current).draw(stream)
        else:
            others = tuple(option for option in choice.options if option != current)
            values[choice.index] = draw_option(others, stream)
        return {**derivation.genotype, choice.gene: tuple(values)}

    def crossover(
        self, mother: Genotype, father: Genotype, stream: Stream
    ) -> tuple[Genotype, Genotype]:
        """Return two children, made by exchanging parts of the parents."""
        ...


def draw_option(options: Options, stream: Stream) -> int:
    """Draw one of the options."""
    if isinstance(options, Sources):
        return options.draw(stream)
    return options[stream.below(len(options))]
