"""Probabilistic Structured Grammatical Evolution, also co-evolutionary.

A gene of a symbol is a list of codons, as long as needed. A codon is a number from 0 to 1, here a
multiple of 2^-31, and stands for the alternative in whose share of the probabilities it falls. The
probabilities are those of the alternatives that the depth allows, so an alternative that is likely
has many codons. A learned constant is the exception: its integer is the rank of its numeral.

In PSGE (Mégane, Lourenço, Machado: CEC 2022), the alternatives that the best individual has taken
become more likely after each generation: the best of the run and of the generation by turns. An
individual keeps the probabilities that it was mapped with, as a gene of its own; so it keeps its
phenotype while it is in the elite.

In Co-PSGE (Mégane and others: GECCO 2022), a child has the probabilities of its parent or, after
crossover, those of the better parent, and they mutate before it is mapped.

With rates of its own (Adaptive Facilitated Mutation, Carvalho, Mégane, Lourenço, Machado: EuroGP
2023), an individual has a mutation rate for each symbol, which also mutates.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from dsgec.grammar.genome.constants import draw_gaussian
from dsgec.grammar.genome.derive import derive
from dsgec.grammar.genome.genotype import Derivation, Gene, Genotype, Options, Plan, Representation
from dsgec.grammar.genome.rule_tables import NONE, RuleTables
from dsgec.random import Stream

CODON_BITS = 31
CODON_RANGE = (1 << CODON_BITS) - 1
"""New codons are below it."""
ONE = 1 << 30
"""The integer that stands for the probability 1 in genotypes."""
CODON_DEVIATION = 0.5
"""The standard deviation of the mutation of a codon."""
LARGEST = (1 << 31) - 1
PROBABILITY_GENES = ("%probabilities", "%rates")
"""The names of the genes behind those of the rules."""


@dataclass(frozen=True, slots=True)
class ProbabilitySettings:
    """The settings of PSGE and Co-PSGE; `first_rate` is the rate with which rates begin."""

    learning_factor: float = 0.01
    grammar_mutation: float = 0.05
    grammar_deviation: float = 0.5
    adaptive: bool = False
    rate_mutation: float = 0.3
    rate_deviation: float = 0.01
    first_rate: float = 0.1


@dataclass(frozen=True)
class Psge(Representation):
    """The PSGE representation of a grammar.

    `probabilities` are those of the next generation, for all alternatives of all symbols; none
    before the first, in which all alternatives of a symbol are equally likely.
    """

    tables: RuleTables
    max_size: int
    settings: ProbabilitySettings = ProbabilitySettings()
    probabilities: tuple[int, ...] = ()

    @property
    def probability_gene(self) -> Gene:
        """The gene with the probabilities of all alternatives, as multiples of 2^-30."""
        return len(self.tables.names), 0

    @property
    def rate_gene(self) -> Gene:
        """The gene with the mutation rates of all symbols, as multiples of 2^-30."""
        return len(self.tables.names) + 1, 0

    @cached_property
    def shares(self) -> tuple[slice, ...]:
        """The part of the probabilities that belongs to each rule."""
        found, start = [], 0
        for productions in self.tables.productions:
            found.append(slice(start, start + len(productions)))
            start += len(productions)
        return tuple(found)

    def grow(self, stream: Stream, plan: Plan = ()) -> Genotype:
        """Return a genotype with the codons of a plan: the mapping draws all that is missing."""
        lists: dict[int, list[int]] = {}
        for rule, depth, choice in plan:
            if choice != NONE:
                lists.setdefault(rule, []).append(self._draw_codon(rule, depth, choice, stream))
        genotype: dict[Gene, tuple[int, ...]] = {(rule, 0): tuple(lists[rule]) for rule in lists}
        equal = (ONE // len(own) for own in self.tables.productions for _ in own)
        genotype[self.probability_gene] = tuple(equal)
        if self.settings.adaptive:
            rate = int(self.settings.first_rate * ONE + 0.5)
            genotype[self.rate_gene] = (rate,) * len(self.tables.names)
        return genotype

    def _draw_codon(self, rule: int, depth: int, choice: int, stream: Stream) -> int:
        """Draw a codon for an alternative while all alternatives are equally likely."""
        count = len(self.tables.productions[rule])
        if count == 1:
            return 0
        options, share = self.tables.options(rule, depth), ONE // count
        at = options.index(choice) * share + stream.below(share)
        total = len(options) * share
        return ((at << CODON_BITS) + total - 1) // total

    def express(self, genotype: Genotype, stream: Stream) -> Derivation:
        """Map a genotype by its own probabilities; missing codons are drawn."""
        codons = {gene: list(values) for gene, values in genotype.items()}
        probabilities = genotype[self.probability_gene]

        def find_gene(rule: int, depth: int, layer: int) -> Gene:
            del depth, layer
            return rule, 0

        def choose(gene: Gene, index: int, options: Options) -> int:
            assert isinstance(options, tuple)  # there are no dynamic rules in PSGE
            rule, values = gene[0], codons.setdefault(gene, [])
            if self.tables.is_constant(rule):
                if index == len(values) or values[index] not in options:
                    values[index:] = [stream.below(len(options)), *values[index + 1 :]]
                return values[index]
            if index == len(values):
                has_choice = len(self.tables.productions[rule]) > 1
                values.append(stream.below(CODON_RANGE) if has_choice else 0)
            return pick(options, probabilities[self.shares[rule]], values[index])

        derived = derive(self.tables, find_gene, choose, "all", self.max_size)
        made = {gene: tuple(codons[gene]) for gene in sorted(codons)}
        return replace(derived, genotype=made, choices=())

    def is_valid(self, genotype: Genotype) -> bool:
        """Return whether there are probabilities, and rates if they are adaptive."""
        probabilities = genotype.get(self.probability_gene, ())
        rates = genotype.get(self.rate_gene, ())
        return (
            len(probabilities) == self.shares[-1].stop
            and all(sum(probabilities[share]) <= LARGEST for share in self.shares)
            and len(rates) == (len(self.tables.names) if self.settings.adaptive else 0)
            and all(rule < len(self.tables.names) + 2 and not part for rule, part in genotype)
        )

    def vary(self, genotype: Genotype, mutation: float, stream: Stream) -> Derivation:
        """Map a child, and mutate each codon that was read by the rate of its symbol."""
        genotype = self._vary_rates(self.vary_probabilities(genotype, stream), stream)
        derivation = self.express(genotype, stream)
        return self.express(self._mutate(derivation, mutation, stream), stream)

    def vary_probabilities(self, genotype: Genotype, stream: Stream) -> Genotype:
        """Return the genotype as it is: probabilities are learned, and not varied."""
        del stream
        return genotype

    def _vary_rates(self, genotype: Genotype, stream: Stream) -> Genotype:
        if not self.settings.adaptive:
            return genotype
        rates = [*genotype[self.rate_gene]]
        for rule in range(len(rates)):
            if stream.chance(self.settings.rate_mutation):
                moved = rates[rule] / ONE + self.settings.rate_deviation * draw_gaussian(stream)
                rates[rule] = int(min(max(moved, 0.0), 1.0) * ONE + 0.5)
        return {**genotype, self.rate_gene: tuple(rates)}

    def _mutate(self, derivation: Derivation, mutation: float, stream: Stream) -> Genotype:
        genotype = dict(derivation.genotype)
        rates = genotype.get(self.rate_gene)
        for gene in sorted(derivation.read):
            rule, values = gene[0], [*genotype[gene]]
            count = len(self.tables.productions[rule])
            rate = mutation if rates is None else rates[rule] / ONE
            for index in range(derivation.read[gene] if count > 1 else 0):
                if not stream.chance(rate):
                    continue
                if self.tables.is_constant(rule):
                    other = stream.below(count - 1)
                    values[index] = other + (other >= values[index])
                else:
                    values[index] = _move(values[index], draw_gaussian(stream))
            genotype[gene] = tuple(values)
        return genotype

    def crossover(
        self, mother: Genotype, father: Genotype, stream: Stream
    ) -> tuple[Genotype, Genotype]:
        """Cross whole lists uniformly, each with its rate; probabilities stay where they are."""
        masks = [stream.below(2) for _ in self.tables.names]
        return self._mix(mother, father, masks), self._mix(father, mother, masks)

    def _mix(self, own: Genotype, other: Genotype, masks: Sequence[int]) -> Genotype:
        child = {}
        for rule, swapped in enumerate(masks):
            taken = (other if swapped else own).get((rule, 0))
            if taken is not None:
                child[rule, 0] = taken
        child[self.probability_gene] = own[self.probability_gene]
        if self.settings.adaptive:
            both = zip(masks, own[self.rate_gene], other[self.rate_gene], strict=True)
            child[self.rate_gene] = tuple(theirs if mask else ours for mask, ours, theirs in both)
        return child

    def inherit(self, child: Genotype, parent: Genotype) -> Genotype:
        """Return a child with the probabilities of the generation, which all children share."""
        del parent
        return {**child, self.probability_gene: self.probabilities}

    def learn(self, genotype: Genotype, best: Derivation | None) -> "Psge":
        """Return PSGE for the next generation.

        `genotype` has the probabilities of the last one, which its best individual changes.
        """
        before = genotype[self.probability_gene]
        if best is None:
            return replace(self, probabilities=before)
        counts = [0] * len(before)
        for rule, choice in best.expansions:
            counts[self.shares[rule].start + choice] += 1
        after = [*before]
        factor = self.settings.learning_factor
        for share in self._rule_probabilities():
            own, total = counts[share], sum(counts[share])
            if total:
                moved = [
                    min(old / ONE + factor * count / total, 1.0)
                    if count
                    else old / ONE - factor * (old / ONE)
                    for old, count in zip(before[share], own, strict=True)
                ]
                after[share] = normalise(moved)
        return replace(self, probabilities=tuple(after))

    def _rule_probabilities(self) -> Iterator[slice]:
        """Yield the part of the probabilities of each rule that has some."""
        for rule, share in enumerate(self.shares):
            if share.stop - share.start > 1 and not self.tables.is_constant(rule):
                yield share


def pick(options: Sequence[int], probabilities: Sequence[int], codon: int) -> int:
    """Return the option in whose share of the probabilities a codon falls."""
    total = sum(probabilities[option] for option in options)
    if total == 0:
        return options[codon * len(options) >> CODON_BITS]
    left = codon * total >> CODON_BITS
    for option in options:
        if left < probabilities[option]:
            return option
        left -= probabilities[option]
    raise AssertionError("a codon is below 1")


def normalise(probabilities: Sequence[float]) -> list[int]:
    """Return probabilities that sum to 1, as integers."""
    total = 0.0
    for one in probabilities:
        total += one
    return [int(one / total * ONE + 0.5) for one in probabilities]


def _move(codon: int, gaussian: float) -> int:
    moved = codon * 2.0**-CODON_BITS + CODON_DEVIATION * gaussian
    return int(min(max(moved, 0.0), 1.0) * CODON_RANGE)


class CoPsge(Psge):
    """The Co-PSGE representation of a grammar."""

    def vary_probabilities(self, genotype: Genotype, stream: Stream) -> Genotype:
        """Mutate at most one probability of each symbol; the others of the symbol make room."""
        probabilities = [*genotype[self.probability_gene]]
        for share in self._rule_probabilities():
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
