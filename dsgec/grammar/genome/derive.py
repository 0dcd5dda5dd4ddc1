"""The walk from the start symbol to a phenotype; a representation says which way to go.

It keeps account of the layers, because what a neuron can be connected to depends on those before,
and of the places of numbers, because these are learned.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate

from dsgec.grammar.genome.connections import Sources, neuron_name, sources
from dsgec.grammar.genome.ir import Options
from dsgec.grammar.genome.tables import NONE, Child, Tables
from dsgec.network.syntax import count_neurons

Choose = Callable[[int, int, int, Options], int]
"""The choice for a rule, at a depth of its recursion, in a layer (0: what the grammar states, or
outside the layers), out of the options; NONE where there is none to be had."""

_OUTSIDE, _IN_LAYER, _IN_OUTPUT = range(3)
_END_OF_LAYER = (NONE, 0)  # on the stack of symbols

EXHAUSTED = "the codons run out"


Spans = tuple[tuple[int, int], ...]
"""Of the numbers of a text, where each begins and how long it is, in bytes."""


def derive(tables: Tables, choose: Choose, connect: str, max_size: int) -> tuple[str, str, Spans]:
    """The phenotype, why there is none, and the numbers in it."""
    pieces: list[str] = []
    numbers: list[int] = []  # which of the pieces they are
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
            reachable = sources(widths, inputs, connect, place == _IN_OUTPUT)
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
            if tables.is_number(rule):
                numbers.append(len(pieces))  # its one symbol is the next
            for symbol in reversed(tables.productions[rule][choice]):
                if isinstance(symbol, Child):
                    todo.append((symbol.rule, depth + 1 if symbol.deeper else 0))
                else:
                    todo.append(symbol)
            size += tables.cost[rule][choice]
        if size > max_size:
            return "", too_large(max_size), ()

    return "".join(pieces), "", _spans(pieces, numbers)


def _spans(pieces: Sequence[str], numbers: Sequence[int]) -> Spans:
    if not numbers:
        return ()
    lengths = [len(piece.encode("utf-8", "surrogatepass")) for piece in pieces]
    ends = [*accumulate(lengths)]
    return tuple((ends[number] - lengths[number], lengths[number]) for number in numbers)


def too_large(max_size: int) -> str:
    """The fault of a phenotype that is larger than it may be."""
    return f"the phenotype is larger than {max_size}"
