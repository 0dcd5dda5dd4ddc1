"""Grammatical Evolution (Ryan, Collins, O'Neill 1998): a list of codons, read by modulus.

A codon is read for every symbol, and stands for the alternative with its remainder. The
alternatives are those that the depth at that place allows, so the networks have the same bounds as
those of DSGE and SGE. As in PonyGE2, a mutation changes a codon that was read, and a symbol without
a choice takes a codon like any other.
"""

from dataclasses import dataclass, replace

from dsgec.grammar.genome.derive import derive
from dsgec.grammar.genome.genotype import Derivation, Gene, Genotype, Options, Plan, Representation
from dsgec.grammar.genome.rule_tables import NONE, RuleTables
from dsgec.random import Stream

CODON_RANGE = (1 << 31) - 1
"""Codons are below it: so large that all alternatives are about equally likely."""

_CODONS: Gene = (0, 0)


@dataclass(frozen=True, slots=True)
class Ge(Representation):
    """The GE representation of a grammar, with `codons` that are read again up to `wraps` times."""

    tables: RuleTables
    max_size: int
    codons: int
    wraps: int

    def grow(self, stream: Stream, plan: Plan = ()) -> Genotype:
        """Draw all codons; those that are planned have the remainder of their alternative."""
        codons = []
        for rule, depth, choice in plan[: self.codons]:
            options = self.tables.options(rule, depth)
            rest = options.index(choice) if choice != NONE else 0
            step = len(options) if choice != NONE else 1
            codons.append(rest + step * stream.below((CODON_RANGE - 1 - rest) // step + 1))
        codons += [stream.below(CODON_RANGE) for _ in range(self.codons - len(codons))]
        return {_CODONS: tuple(codons)}

    def express(self, genotype: Genotype, stream: Stream) -> Derivation:
        """Map a genotype, with a fault if its codons run out."""
        del stream
        codons = genotype[_CODONS]
        most = self.codons * (1 + self.wraps)

        def find_gene(rule: int, depth: int, layer: int) -> Gene:
            del rule, depth, layer
            return _CODONS

        def choose(gene: Gene, index: int, options: Options) -> int:
            del gene
            assert isinstance(options, tuple)  # there are no dynamic rules in GE
            if index == most:
                return NONE
            return options[codons[index % self.codons] % len(options)]

        derived = derive(self.tables, find_gene, choose, "all", self.max_size)
        places = (replace(one, index=one.index % self.codons) for one in derived.constants)
        return replace(derived, genotype=genotype, choices=(), constants=tuple(places))

    def is_valid(self, genotype: Genotype) -> bool:
        """Return whether there is one gene with the right number of codons."""
        return genotype.keys() == {_CODONS} and len(genotype[_CODONS]) == self.codons

    def mutate(self, derivation: Derivation, stream: Stream) -> Genotype:
        """Draw a codon that was read again."""
        codons = list(derivation.genotype[_CODONS])
        index = stream.below(min(derivation.read[_CODONS], self.codons))
        codons[index] = stream.below(CODON_RANGE)
        return {_CODONS: tuple(codons)}

    def crossover(
        self, mother: Genotype, father: Genotype, stream: Stream
    ) -> tuple[Genotype, Genotype]:
        """Cross both parents at the same point."""
        left, right = mother[_CODONS], father[_CODONS]
        point = 1 + stream.below(self.codons - 1) if self.codons > 1 else self.codons
        return {_CODONS: left[:point] + right[point:]}, {_CODONS: right[:point] + left[point:]}
