"""Structured Grammatical Evolution (Lourenço, Pereira, Costa 2016).

Recursion is unrolled: a symbol at each depth of its recursion is a symbol of its own, and the
deepest has no alternative that goes deeper. So every symbol has a greatest number of expansions,
and its gene an integer for each of them, read or not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from dsgec.errors import DsgecError, mention
from dsgec.grammar.genome.derive import derive
from dsgec.grammar.genome.genotype import (
    Derivation,
    Gene,
    Genotype,
    Options,
    Plan,
    Representation,
    draw_option,
)
from dsgec.grammar.genome.rule_tables import NONE, Child, RuleTables
from dsgec.random import Stream

MOST_INTEGERS = 1_000_000
"""The most integers of an individual, so that a population fits into memory."""


@dataclass(frozen=True)
class Sge(Representation):
    """The SGE representation of a grammar, whose symbols are unrolled to their depth limits."""

    tables: RuleTables
    max_size: int

    @cached_property
    def sizes(self) -> Mapping[Gene, int]:
        """Return the number of integers of each gene."""
        return gene_sizes(self.tables)

    def grow(self, stream: Stream, plan: Plan = ()) -> Genotype:
        """Draw all integers of all genes that are not planned."""
        planned: dict[Gene, list[int]] = {}
        for one in plan:
            if one.choice != NONE:
                planned.setdefault((one.rule, one.depth), []).append(one.choice)
        genotype = {}
        for gene, size in self.sizes.items():
            values = planned.get(gene, [])[:size]
            while len(values) < size:
                values.append(draw_option(self.tables.options(*gene), stream))
            genotype[gene] = tuple(values)
        return genotype

    def express(self, genotype: Genotype, stream: Stream) -> Derivation:
        """Map a genotype, which always has all integers."""
        del stream

        def find_gene(rule: int, depth: int, layer: int) -> Gene:
            del layer
            return rule, depth

        def choose(gene: Gene, index: int, options: Options) -> int:
            del options
            return genotype[gene][index]

        derived = derive(self.tables, find_gene, choose, "all", self.max_size)
        return replace(derived, genotype=genotype)

    def is_valid(self, genotype: Genotype) -> bool:
        """Return whether there are all genes and integers, and each is allowed in its place."""
        return genotype.keys() == self.sizes.keys() and all(
            len(values) == self.sizes[gene] and set(values) <= set(self.tables.options(*gene))
            for gene, values in genotype.items()
        )

    def crossover(
        self, mother: Genotype, father: Genotype, stream: Stream
    ) -> tuple[Genotype, Genotype]:
        """Cross whole genes uniformly: one child gets the mother's, the other the father's."""
        first, second = {}, {}
        for gene in self.sizes:
            swapped = stream.below(2)
            first[gene], second[gene] = (
                (father[gene], mother[gene]) if swapped else (mother[gene], father[gene])
            )
        return first, second


def gene_sizes(tables: RuleTables) -> dict[Gene, int]:
    """Return the greatest number of expansions of each unrolled symbol, in the symbols' order.

    They are counted as in the SGE paper: a symbol is expanded at most as often as each symbol that
    mentions it, times the most mentions in one of its alternatives. If alternatives exclude one
    another, that is more than any derivation has.
    """
    mentions: dict[Gene, dict[Gene, int]] = {}
    order: list[Gene] = []  # callees first
    todo: list[tuple[Gene, bool]] = [((tables.start, 0), False)]
    while todo:
        gene, is_done = todo.pop()
        if is_done:
            order.append(gene)
        elif gene not in mentions:
            mentions[gene] = _count_mentions(tables, gene)
            todo.append((gene, True))
            todo += [(callee, False) for callee in mentions[gene]]
        if len(mentions) > MOST_INTEGERS:
            raise _too_many(tables, f"more than {MOST_INTEGERS:,}")
    sizes = dict.fromkeys(order, 0)
    sizes[tables.start, 0] = 1
    for gene in reversed(order):
        for callee, times in mentions[gene].items():
            sizes[callee] += sizes[gene] * times
    if (total := sum(sizes.values())) > MOST_INTEGERS:
        raise _too_many(tables, f"{total:,}" if total < 10**15 else "more than 10^15")
    return dict(sorted(sizes.items()))


def _count_mentions(tables: RuleTables, gene: Gene) -> dict[Gene, int]:
    """Return the symbols that one expansion mentions, and how often at most."""
    rule, depth = gene
    most: dict[Gene, int] = {}
    for alternative in tables.options(rule, depth):
        counts: dict[Gene, int] = {}
        for symbol in tables.productions[rule][alternative]:
            if isinstance(symbol, Child):
                callee = (symbol.rule, depth + 1 if symbol.deeper else 0)
                counts[callee] = counts.get(callee, 0) + 1
        for callee, count in counts.items():
            most[callee] = max(most.get(callee, 0), count)
    return most


def _too_many(tables: RuleTables, number: str) -> DsgecError:
    recursive = [
        {name: limit - 1}
        for name, limit, rooms in zip(tables.names, tables.limits, tables.allowed, strict=True)
        if len(rooms) > 1 and limit > 1
    ]
    example = f", such as {mention('max_depth', recursive[0])}" if recursive else ""
    return DsgecError(
        f"an individual of SGE would have {number} integers for this grammar,"
        f" and may have {MOST_INTEGERS:,}",
        f"SGE has one for every expansion that there could be: lower the depth limits{example},"
        f" or use {mention('representation', 'dsge')}.",
    )
