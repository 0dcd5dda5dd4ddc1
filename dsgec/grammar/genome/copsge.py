"""Co-evolutionary Probabilistic Structured Grammatical Evolution (Mégane and others: GECCO 2022).

It is PSGE, but the probabilities are inherited: a child has those of its parent or, after
crossover, those of the better parent, and they mutate before it is mapped.
"""

from dsgec.grammar.genome.constants import draw_gaussian
from dsgec.grammar.genome.genotype import Derivation, Genotype
from dsgec.grammar.genome.psge import ONE, Psge, normalise
from dsgec.random import Stream


class CoPsge(Psge):
    """The Co-PSGE representation of a grammar."""

    def vary_probabilities(self, genotype: Genotype, stream: Stream) -> Genotype:
        """Mutate at most one probability of each symbol; the others of the symbol make room."""
        probabilities = [*genotype[self.probability_gene]]
        for share in self._learned():
            own = [one / ONE for one in probabilities[share]]
            moved = next(
                (j for j in range(len(own)) if stream.chance(self.settings.grammar_mutation)), None
            )
            if moved is None:
                continue
            change = self.settings.grammar_deviation * draw_gaussian(stream)
            others = change / (len(own) - 1)
            own[moved] += change + others
            probabilities[share] = normalise([max(one - others, 0.0) for one in own])
        return {**genotype, self.probability_gene: tuple(probabilities)}

    def inherit(self, child: Genotype, parent: Genotype) -> Genotype:
        """Return a child with the probabilities of a parent."""
        return {**child, self.probability_gene: parent[self.probability_gene]}

    def learn(self, genotype: Genotype, best: Derivation | None) -> "CoPsge":
        """Return the same: nothing is learned for the whole population."""
        del genotype, best
        return self
