"""What an individual is: its genotype, and what the mapping makes of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from dsgec.grammar.genome.connections import Sources
from dsgec.random import Stream

REPRESENTATIONS = ("dsge", "sge", "ge")
"""The representations, by the names that a user has for them."""

Gene = tuple[int, int]
"""A rule and which of its genes: in DSGE the layer that `<features>` is read in, in SGE the level
of recursion, otherwise 0. All of GE's codons are the gene (0, 0)."""

Genotype = Mapping[Gene, tuple[int, ...]]

Options = tuple[int, ...] | Sources
"""The integers that may stand at a place: alternatives, or codes of connections."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An integer that the mapping read and that could have been another one."""

    gene: Gene
    index: int
    options: Options


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a phenotype: which it is of its rule's, the integer that it is read from, and
    where its numeral stands, in bytes."""

    rule: int
    rank: int
    gene: Gene
    index: int
    offset: int = 0
    length: int = 0


@dataclass(frozen=True, slots=True)
class Derivation:
    """What a genotype maps to. `genotype` is the mended one; `fault` says why there is no text.

    `choices` are what a mutation of DSGE and SGE can change; GE's can change any codon read.
    `numbers` are those of the phenotype, in its order.
    """

    genotype: Genotype
    phenotype: str
    read: Mapping[Gene, int]
    choices: tuple[Choice, ...] = ()
    fault: str = ""
    numbers: tuple[Number, ...] = ()


class Representation(Protocol):
    """A way to write individuals as integers: DSGE, SGE or GE."""

    def grow(self, stream: Stream) -> Genotype:
        """What a new individual starts from."""
        ...

    def express(self, genotype: Genotype, stream: Stream) -> Derivation:
        """Map a genotype, mending it where the representation allows for that."""
        ...

    def is_whole(self, genotype: Genotype) -> bool:
        """Whether untrusted integers have all that `express` and the operators take for granted."""
        ...

    def mutate(self, derivation: Derivation, stream: Stream) -> Genotype:
        """One integer that was read, replaced by another."""
        ...

    def crossover(
        self, mother: Genotype, father: Genotype, stream: Stream
    ) -> tuple[Genotype, Genotype]:
        """Two children that share out what their parents have."""
        ...


def draw(options: Options, stream: Stream) -> int:
    """One of the options."""
    if isinstance(options, Sources):
        return options.draw(stream)
    return options[stream.below(len(options))]


def mutate_choice(derivation: Derivation, stream: Stream) -> Genotype:
    """One integer that was read, replaced by another that is allowed in its place."""
    if not derivation.choices:
        return derivation.genotype
    choice = derivation.choices[stream.below(len(derivation.choices))]
    values = list(derivation.genotype[choice.gene])
    current = values[choice.index]
    if isinstance(choice.options, Sources):
        values[choice.index] = choice.options.without(current).draw(stream)
    else:
        others = tuple(option for option in choice.options if option != current)
        values[choice.index] = draw(others, stream)
    return {**derivation.genotype, choice.gene: tuple(values)}


def placed(numbers: Sequence[Number], spans: Sequence[tuple[int, int]]) -> tuple[Number, ...]:
    """The numbers of a phenotype with their places; none where there is no phenotype."""
    if not spans:
        return ()
    return tuple(
        replace(number, offset=offset, length=length)
        for number, (offset, length) in zip(numbers, spans, strict=True)
    )
