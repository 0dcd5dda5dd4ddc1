"""Dynamic Structured Grammatical Evolution (Assunção, Lourenço, Machado, Ribeiro 2017).

A genotype has a gene for each symbol that was ever expanded: the list of the alternatives taken, in
the order in which they are read. `<features>` has a gene of its own for each layer.
"""

from dataclasses import dataclass

from dsgec.grammar.genome.connections import MOST_LAYERS
from dsgec.grammar.genome.derive import derive
from dsgec.grammar.genome.growth import grow_choice
from dsgec.grammar.genome.ir import (
    Choice,
    Derivation,
    Gene,
    Genotype,
    Number,
    Options,
    draw,
    mutate_choice,
    placed,
)
from dsgec.grammar.genome.tables import Tables
from dsgec.random import Stream


@dataclass(frozen=True, slots=True)
class Dsge:
    """`connect` says what a neuron may read: "all" layers before its own, or the "previous" one.

    With `growth`, new alternatives and numbers are drawn as `dsgec.grammar.genome.growth` does.
    """

    tables: Tables
    connect: str
    max_size: int
    growth: float | None = None

    def grow(self, stream: Stream) -> Genotype:
        """Nothing: the mapping draws what is missing, so the growth of an individual is that of
        the empty genotype."""
        del stream
        return {}

    def express(self, genotype: Genotype, stream: Stream) -> Derivation:
        """Map a genotype, mending it where it must be.

        Missing integers are drawn and added at the end of their gene; an integer that the depth at
        its place forbids, or a connection to a neuron that is gone, is drawn again.
        """
        codons = {gene: list(values) for gene, values in genotype.items()}
        read: dict[Gene, int] = {}
        choices: list[Choice] = []
        numbers: list[Number] = []

        def choose(rule: int, depth: int, layer: int, options: Options) -> int:
            del depth  # the options depend on it, the gene does not
            gene = (rule, layer)
            values = codons.setdefault(gene, [])
            index = read.get(gene, 0)
            read[gene] = index + 1
            if index == len(values):
                values.append(self.draw(rule, options, stream))
            elif values[index] not in options:
                values[index] = self.draw(rule, options, stream)
            if self.tables.is_number(rule):
                numbers.append(Number(rule, values[index], gene, index))
            if len(options) > 1:
                choices.append(Choice(gene, index, options))
            return values[index]

        phenotype, fault, spans = derive(self.tables, choose, self.connect, self.max_size)
        mended = {gene: tuple(codons[gene]) for gene in sorted(codons)}
        return Derivation(
            mended,
            phenotype,
            read,
            () if fault else tuple(choices),
            fault,
            placed(numbers, spans),
        )

    def draw(self, rule: int, options: Options, stream: Stream) -> int:
        """A new integer for a place where these may stand."""
        if self.growth is None or not isinstance(options, tuple):
            return draw(options, stream)
        return grow_choice(self.tables, rule, options, self.growth, stream)

    def is_whole(self, genotype: Genotype) -> bool:
        """Whether the genes are those of symbols; what they lack, the mapping mends."""
        return all(
            rule < len(self.tables.productions)
            and (layer == 0 or (rule == self.tables.features and layer <= MOST_LAYERS))
            for rule, layer in genotype
        )

    def mutate(self, derivation: Derivation, stream: Stream) -> Genotype:
        """One integer that was read, replaced by another that is allowed in its place."""
        return mutate_choice(derivation, stream)

    def crossover(
        self, mother: Genotype, father: Genotype, stream: Stream
    ) -> tuple[Genotype, Genotype]:
        """One-point crossover of whole genes; only genes that both parents have are exchanged."""
        common = sorted(mother.keys() & father.keys())
        if len(common) < 2:
            return mother, father
        exchanged = common[1 + stream.below(len(common) - 1) :]
        return (
            {**mother, **{gene: father[gene] for gene in exchanged}},
            {**father, **{gene: mother[gene] for gene in exchanged}},
        )
