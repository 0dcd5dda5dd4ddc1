"""Derive a phenotype from the start symbol; a representation chooses the alternatives.

The derivation keeps track of the layers, because the connections of a neuron depend on the layers
before it, and of the places of constants, because these are learned.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate

from dsgec.grammar.genome.genotype import Options, Sources, find_sources, neuron_name
from dsgec.grammar.genome.rule_tables import NONE, Child, RuleTables
from dsgec.network.syntax import count_neurons

Choose = Callable[[int, int, int, Options], int]
"""A function from a rule, the depth of its recursion, the layer (0: outside the layers, or not
`<features>`) and the options to the choice, or to NONE if there is none."""

_OUTSIDE, _IN_LAYER, _IN_OUTPUT = range(3)
_END_OF_LAYER = (NONE, 0)  # on the stack of symbols

EXHAUSTED = "the codons run out"


Spans = tuple[tuple[int, int], ...]
"""The offsets and lengths of the constants of a phenotype in bytes."""


def derive(
    tables: RuleTables, choose: Choose, connect: str, max_size: int
) -> tuple[str, str, Spans]:
    """Return the phenotype, the fault if there is none, and the places of its constants."""
    pieces: list[str] = []
    constants: list[int] = []  # the numbers of their pieces
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

        if rule == tables.features and place != _OUTSIDE:
            choice = choose(rule, depth, len(widths) + 1, reachable)
        else:
            choice = choose(rule, depth, 0, tables.options(rule, depth))
        if choice == NONE:
            return "", EXHAUSTED, ()

        if choice >= len(tables.productions[rule]):
            pieces.append(neuron_name(choice, inputs))
            size += 1 + len(pieces[-1])
        else:
            if tables.is_constant(rule):
                constants.append(len(pieces))  # its one symbol is the next piece
            for symbol in reversed(tables.productions[rule][choice]):
                if isinstance(symbol, Child):
                    todo.append((symbol.rule, depth + 1 if symbol.deeper else 0))
                else:
                    todo.append(symbol)
            size += tables.cost[rule][choice]
        if size > max_size:
            return "", too_large(max_size), ()

    return "".join(pieces), "", _spans(pieces, constants)


def _spans(pieces: Sequence[str], constants: Sequence[int]) -> Spans:
    if not constants:
        return ()
    lengths = [len(piece.encode("utf-8", "surrogatepass")) for piece in pieces]
    ends = [*accumulate(lengths)]
    return tuple((ends[number] - lengths[number], lengths[number]) for number in constants)


def too_large(max_size: int) -> str:
    """Return the fault of a phenotype that is larger than allowed."""
    return f"the phenotype is larger than {max_size}"
