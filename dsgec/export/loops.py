"""Network to loops over a block of rows: what compilers turn into vector instructions.

A long loop body spills registers and takes compilers minutes, so a loop ends with a neuron where it
is long enough; values that a later loop reads are kept in arrays.
"""

from dataclasses import dataclass

from dsgec.export.statements import Statement, StatementWriter, Syntax, last_reads
from dsgec.network.ir import Apply, Network
from dsgec.rendering import Code

_LONG_ENOUGH, _TOO_LONG = 48, 160  # statements of a loop


@dataclass(frozen=True, slots=True)
class Loops:
    """The statements of each loop; `slots` arrays are shared by them, as `v[slot][i]`."""

    loops: tuple[tuple[Statement, ...], ...]
    slots: int
    outputs: tuple[Code, ...]


def loops(network: Network, language: Syntax) -> Loops:
    """The same operations in the same order as in a row's program."""
    last_read = last_reads(network)
    neurons = {position for layer in network.layers for position in layer}
    writer = StatementWriter(network, language, split=False)
    found: list[list[Statement]] = []
    open_: list[int] = []  # the positions of the current loop
    slots = 0
    begin = 0
    for position, node in enumerate(network.nodes):
        if not isinstance(node, Apply):
            continue
        writer.node(position, node)
        open_.append(position)
        length = len(writer.statements) - begin
        if length < _TOO_LONG and not (position in neurons and length >= _LONG_ENOUGH):
            continue
        body = writer.statements[begin:]
        for kept in open_:
            if last_read.get(kept, -1) > position:
                body.append(Statement(Code(f"v[{slots}][i]"), Code(writer.names[kept])))
                writer.names[kept] = f"v[{slots}][i]"
                slots += 1
        found.append(body)
        open_, begin = [], len(writer.statements)
    found.append(writer.statements[begin:])
    outputs = tuple(Code(writer.operand(position)) for position in network.outputs)
    return Loops(tuple(map(tuple, found)), slots, outputs)
