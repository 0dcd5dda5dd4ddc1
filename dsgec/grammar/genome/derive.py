"""Derive a phenotype from the start symbol; a representation chooses the alternatives.

The derivation keeps track of the layers, because the connections of a neuron depend on the layers
before it, and of the places of constants, because these are learned.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate

from dsgec.grammar.genome.genotype import (
    Choice,
    ConstantPlace,
    Derivation,
    Gene,
    Options,
    Sources,
    find_sources,
    neuron_name,
)
from dsgec.grammar.genome.rule_tables import NONE, Child, RuleTables
from dsgec.network.syntax import count_neurons

FindGene = Callable[[int, int, int], Gene]
"""A function from a rule, the depth of its recursion and the layer (0: outside the layers, or not
`<features>`) to the gene that its choice is read from."""

Choose = Callable[[Gene, int, Options], int]
"""A function from a gene, the index of the integer that is read next and the options to the choice,
or to NONE if there is none."""

_OUTSIDE, _IN_LAYER, _IN_OUTPUT = range(3)
_END_OF_LAYER = (NONE, 0)  # on the stack of symbols

EXHAUSTED = "the codons run out"


def derive(
    tables: RuleTables, find_gene: FindGene, choose: Choose, connect: str, max_size: int
) -> Derivation:
    """Derive a phenotype or report why there is none; the caller fills in the genotype."""
    pieces: list[str] = []
    read: dict[Gene, int] = {}
    choices: list[Choice] = []
    constants: list[tuple[int, ConstantPlace]] = []  # with the numbers of their pieces
    expansions: list[tuple[int, int]] = []
    size = 0
    widths: list[int] = []
    place, layer_start = _OUTSIDE, 0
    reachable: Sources
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
            reachable = find_sources(widths, inputs, connect, place == _IN_OUTPUT)
            todo.append(_END_OF_LAYER)

        layer = 0
        options: Options = tables.options(rule, depth)
        if rule == tables.features and place != _OUTSIDE:
            layer, options = len(widths) + 1, reachable
        gene = find_gene(rule, depth, layer)
        index = read.get(gene, 0)
        choice = choose(gene, index, options)
        if choice == NONE:
            return Derivation({}, "", read, fault=EXHAUSTED)
        read[gene] = index + 1
        expansions.append((rule, choice))
        if len(options) > 1:
            choices.append(Choice(gene, index, options))

        if choice >= len(tables.productions[rule]):
            pieces.append(neuron_name(choice, inputs))
            size += 1 + len(pieces[-1])
        else:
            if tables.is_constant(rule):
                constants.append((len(pieces), ConstantPlace(rule, choice, gene, index)))
            for symbol in reversed(tables.productions[rule][choice]):
                if isinstance(symbol, Child):
                    todo.append((symbol.rule, depth + 1 if symbol.deeper else 0))
                else:
                    todo.append(symbol)
            size += tables.cost[rule][choice]
        if size > max_size:
            return Derivation({}, "", read, fault=too_large(max_size))

    places = _locate(pieces, constants)
    phenotype, made = "".join(pieces), tuple(expansions)
    return Derivation({}, phenotype, read, tuple(choices), constants=places, expansions=made)


def _locate(
    pieces: list[str], constants: list[tuple[int, ConstantPlace]]
) -> tuple[ConstantPlace, ...]:
    """Return the constants with the places of their pieces in the phenotype, in bytes."""
    lengths = [len(piece.encode("utf-8", "surrogatepass")) for piece in pieces] if constants else []
    ends = [*accumulate(lengths)]
    return tuple(
        replace(constant, offset=ends[number] - lengths[number], length=lengths[number])
        for number, constant in constants
    )


def too_large(max_size: int) -> str:
    """Return the fault of a phenotype that is larger than allowed."""
    return f"the phenotype is larger than {max_size}"
