"""Dynamic Structured Grammatical Evolution (Assunção, Lourenço, Machado, Ribeiro 2017).

A genotype has a gene for each symbol that was ever expanded: the list of the alternatives taken, in
the order in which they are read. `<features>` has a gene of its own for each layer.
"""

from dataclasses import dataclass, replace

from dsgec.grammar.genome.constants import grow_choice
from dsgec.grammar.genome.derive import derive
from dsgec.grammar.genome.genotype import (
    MOST_LAYERS,
    Derivation,
    Gene,
    Genotype,
    Options,
    Plan,
    Representation,
    draw_option,
)
from dsgec.grammar.genome.plan import planned_lists
from dsgec.grammar.genome.rule_tables import RuleTables
from dsgec.random import Stream


@dataclass(frozen=True, slots=True)
class Dsge(Representation):
    """The DSGE representation of a grammar.

    A neuron may read "all" layers before its own or the "previous" one (`connect`). With `growth`,
    the probability of a recursive alternative, new integers are drawn by `grow_choice`.
    """

    tables: RuleTables
    connect: str
    max_size: int
    growth: float | None = None

    def grow(self, stream: Stream, plan: Plan = ()) -> Genotype:
        """Return a genotype with what is planned: the mapping draws all that is missing."""
        del stream
        lists = planned_lists(plan)
        return {(rule, 0): tuple(one.choice for one in lists[rule]) for rule in sorted(lists)}

    def express(self, genotype: Genotype, stream: Stream) -> Derivation:
        """Map a genotype, and repair it where necessary.

        Missing integers are drawn and added at the end of their gene; an integer that the depth at
        its place forbids, or a connection to a neuron that is gone, is drawn again.
        """
        codons = {gene: list(values) for gene, values in genotype.items()}

        def find_gene(rule: int, depth: int, layer: int) -> Gene:
            del depth  # the options depend on it, the gene does not
            return rule, layer

        def choose(gene: Gene, index: int, options: Options) -> int:
            values = codons.setdefault(gene, [])
            if index == len(values):
                values.append(self._draw(gene[0], options, stream))
            elif values[index] not in options:
                values[index] = self._draw(gene[0], options, stream)
            return values[index]

        derived = derive(self.tables, find_gene, choose, self.connect, self.max_size)
        return replace(derived, genotype={gene: tuple(codons[gene]) for gene in sorted(codons)})

    def _draw(self, rule: int, options: Options, stream: Stream) -> int:
        """Draw a new integer out of these options."""
        if self.growth is None or not isinstance(options, tuple):
            return draw_option(options, stream)
        return grow_choice(self.tables, rule, options, self.growth, stream)

    def is_valid(self, genotype: Genotype) -> bool:
        """Return whether the genes are those of symbols; the mapping repairs all else."""
        return all(
            rule < len(self.tables.productions)
            and (layer == 0 or (rule == self.tables.features and layer <= MOST_LAYERS))
            for rule, layer in genotype
        )

    def crossover(
        self, mother: Genotype, father: Genotype, stream: Stream
    ) -> tuple[Genotype, Genotype]:
        """Cross whole genes at one point; only genes that both parents have are exchanged."""
        common = sorted(mother.keys() & father.keys())
        if len(common) < 2:
            return mother, father
        exchanged = common[1 + stream.below(len(common) - 1) :]
        return (
            {**mother, **{gene: father[gene] for gene in exchanged}},
            {**father, **{gene: mother[gene] for gene in exchanged}},
        )
