"""Grammatical Evolution (Ryan, Collins, O'Neill 1998): a list of codons, read by modulus.

A codon is read for every symbol, and stands for the alternative with its remainder. The
alternatives are those that the depth at that place allows, so the networks have the same bounds as
those of DSGE and SGE. As in PonyGE2, a mutation changes a codon that was read, and a symbol without
a choice takes a codon like any other.
"""

from dataclasses import dataclass

from dsgec.grammar.genome.derive import derive
from dsgec.grammar.genome.ir import Derivation, Gene, Genotype, Number, Options, placed
from dsgec.grammar.genome.tables import NONE, Tables
from dsgec.random import Stream

CODON_RANGE = (1 << 31) - 1
"""Codons are below it: so many that no alternative is out of reach or markedly more likely."""

_CODONS: Gene = (0, 0)


@dataclass(frozen=True, slots=True)
class Ge:
    """`codons` is how many an individual has, `wraps` how often it may be read again."""

    tables: Tables
    max_size: int
    codons: int
    wraps: int

    def grow(self, stream: Stream) -> Genotype:
        """Random codons."""
        return {_CODONS: tuple(stream.below(CODON_RANGE) for _ in range(self.codons))}

    def express(self, genotype: Genotype, stream: Stream) -> Derivation:
        """Map a genotype; one whose codons run out has a fault."""
        del stream
        codons = genotype[_CODONS]
        most = self.codons * (1 + self.wraps)
        read = 0
        numbers: list[Number] = []

        def choose(rule: int, depth: int, layer: int, options: Options) -> int:
            nonlocal read
            del depth, layer
            assert isinstance(options, tuple)  # there are no dynamic rules in GE
            if read == most:
                return NONE
            codon = codons[read % self.codons]
            if self.tables.is_number(rule):
                numbers.append(Number(rule, codon % len(options), _CODONS, read % self.codons))
            read += 1
            return options[codon % len(options)]

        phenotype, fault, spans = derive(self.tables, choose, "all", self.max_size)
        places = placed(numbers, spans)
        return Derivation(genotype, phenotype, {_CODONS: read}, fault=fault, numbers=places)

    def is_whole(self, genotype: Genotype) -> bool:
        """Whether there are as many codons as there should be, and nothing else."""
        return genotype.keys() == {_CODONS} and len(genotype[_CODONS]) == self.codons

    def mutate(self, derivation: Derivation, stream: Stream) -> Genotype:
        """A codon that was read, drawn again."""
        codons = list(derivation.genotype[_CODONS])
        index = stream.below(min(derivation.read[_CODONS], self.codons))
        codons[index] = stream.below(CODON_RANGE)
        return {_CODONS: tuple(codons)}

    def crossover(
        self, mother: Genotype, father: Genotype, stream: Stream
    ) -> tuple[Genotype, Genotype]:
        """One-point crossover, at the same place in both."""
        left, right = mother[_CODONS], father[_CODONS]
        point = 1 + stream.below(self.codons - 1) if self.codons > 1 else self.codons
        return (
            {_CODONS: left[:point] + right[point:]},
            {_CODONS: right[:point] + left[point:]},
        )
