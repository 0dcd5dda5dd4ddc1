"""Dynamic Structured Grammatical Evolution: genotypes, how they are mapped, mutated and crossed.

A genotype has a gene for each symbol that was ever expanded: the list of the alternatives taken, in
the order in which they are read. `<features>` has a gene of its own for each layer.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from dsgec.genome.connections import Sources, neuron_name, sources
from dsgec.genome.random import Stream
from dsgec.genome.tables import NONE, Child, Tables
from dsgec.layered import count_neurons

Gene = tuple[int, int]
"""A rule and, for `<features>` inside a layer, the number of that layer; otherwise 0."""

Genotype = Mapping[Gene, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Choice:
    """An integer that the mapping read and that could have been another one."""

    gene: Gene
    index: int
    options: tuple[int, ...] | Sources


@dataclass(frozen=True, slots=True)
class Derivation:
    """What a genotype maps to. `genotype` is the mended one; `fault` says why there is no text."""

    genotype: Genotype
    phenotype: str
    read: Mapping[Gene, int]
    choices: tuple[Choice, ...]
    fault: str = ""


_OUTSIDE, _IN_LAYER, _IN_OUTPUT = range(3)
_END_OF_LAYER = (NONE, 0)  # on the stack of symbols


def express(
    tables: Tables, genotype: Genotype, stream: Stream, connect: str, max_size: int
) -> Derivation:
    """Map a genotype, mending it where it must be.

    Missing integers are drawn and added at the end of their gene; an integer that the depth at its
    place forbids, or a connection to a neuron that is gone, is drawn anew. So the growth of a new
    individual is the mapping of the empty genotype.
    """
    codons = {gene: list(values) for gene, values in genotype.items()}
    read: dict[Gene, int] = {}
    choices: list[Choice] = []
    pieces: list[str] = []
    size = 0
    widths: list[int] = []
    place, layer_start = _OUTSIDE, 0
    inputs = len(tables.productions[tables.features]) if tables.features != NONE else 0
    todo: list[str | tuple[int, int]] = [(tables.start, 0)]

    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        if item == _END_OF_LAYER:
            if place == _IN_LAYER:
                widths.append(count_neurons("".join(pieces[layer_start:])))
            place = _OUTSIDE
            continue

        rule, depth = item
        if place == _OUTSIDE and rule in (tables.layer, tables.output_layer):
            place = _IN_LAYER if rule == tables.layer else _IN_OUTPUT
            layer_start = len(pieces)
            reachable = sources(widths, inputs, connect, place == _IN_OUTPUT)
            todo.append(_END_OF_LAYER)

        options: tuple[int, ...] | Sources
        if rule == tables.features and place != _OUTSIDE:
            gene = (rule, len(widths) + 1)
            options = reachable
        else:
            gene = (rule, 0)
            rooms = tables.allowed[rule]
            options = rooms[min(max(tables.limits[rule] - depth, 0), len(rooms) - 1)]

        values = codons.setdefault(gene, [])
        index = read.get(gene, 0)
        read[gene] = index + 1
        if index == len(values):
            values.append(_draw(options, stream))
        elif values[index] not in options:
            values[index] = _draw(options, stream)
        if len(options) > 1:
            choices.append(Choice(gene, index, options))

        choice = values[index]
        if choice >= len(tables.productions[rule]):
            pieces.append(neuron_name(choice, inputs))
            size += 1 + len(pieces[-1])
        else:
            for symbol in reversed(tables.productions[rule][choice]):
                if isinstance(symbol, Child):
                    todo.append((symbol.rule, depth + 1 if symbol.deeper else 0))
                else:
                    todo.append(symbol)
            size += tables.cost[rule][choice]
        if size > max_size:
            fault = f"the phenotype is larger than {max_size}"
            return Derivation(_frozen(codons), "", read, (), fault)

    return Derivation(_frozen(codons), "".join(pieces), read, tuple(choices))


def mutate(derivation: Derivation, stream: Stream) -> Genotype:
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
        values[choice.index] = _draw(others, stream)
    return {**derivation.genotype, choice.gene: tuple(values)}


def crossover(mother: Genotype, father: Genotype, stream: Stream) -> tuple[Genotype, Genotype]:
    """One-point crossover of whole genes; only genes that both parents have are exchanged."""
    common = sorted(mother.keys() & father.keys())
    if len(common) < 2:
        return mother, father
    exchanged = common[1 + stream.below(len(common) - 1) :]
    return (
        {**mother, **{gene: father[gene] for gene in exchanged}},
        {**father, **{gene: mother[gene] for gene in exchanged}},
    )


def _draw(options: tuple[int, ...] | Sources, stream: Stream) -> int:
    if isinstance(options, Sources):
        return options.draw(stream)
    return options[stream.below(len(options))]


def _frozen(codons: dict[Gene, list[int]]) -> Genotype:
    return {gene: tuple(codons[gene]) for gene in sorted(codons)}
