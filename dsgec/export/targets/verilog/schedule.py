"""A circuit to stages: what is computed between two clocks, and what is kept for later ones."""

from collections.abc import Iterable
from dataclasses import dataclass

from dsgec.export.targets.verilog.circuit import Circuit, Gate

_LONGEST = 6  # of what follows on each other in a stage: three additions, or a product and a sum
_DELAYS = {"+": 2, "-": 2, "*": 5, "choose": 1, "<<": 2, ">>": 2, "rom": _LONGEST}
_DELAYS |= dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), 2)
_WITH_NUMBER = {"*": 4, "<<": 0, ">>": 0}


@dataclass(frozen=True, slots=True)
class Schedule:
    """The stage of each node that is needed, and the last stage in which each is read.

    Results are ready at the end of stage `latency` - 1.
    """

    stages: dict[int, int]
    read: dict[int, int]
    latency: int


def schedule(circuit: Circuit, outputs: Iterable[int]) -> Schedule:
    """As soon as possible: an operation waits for its operands and for time in its stage."""
    wanted = sorted(_needed(circuit, outputs))
    stages: dict[int, int] = {}
    ends: dict[int, int] = {}
    for number in wanted:
        node = circuit.nodes[number]
        moving = [o for o in node.operands if circuit.number(o) is None]
        stage = max((stages[o] for o in moving), default=0)
        start = max((ends[o] for o in moving if stages[o] == stage), default=0)
        delay = _delay(circuit, node)
        if start + delay > _LONGEST:
            stage, start = stage + 1, 0
        stages[number], ends[number] = stage, start + delay
    latency = 1 + max(stages.values(), default=0)
    read = dict(stages)
    for number in wanted:
        for operand in circuit.nodes[number].operands:
            if operand in stages:
                read[operand] = max(read[operand], stages[number])
    for output in outputs:
        if output in stages:
            read[output] = latency - 1
    return Schedule(stages, read, latency)


def _needed(circuit: Circuit, outputs: Iterable[int]) -> set[int]:
    """What outputs are made of, but for numbers."""
    found: set[int] = set()
    waiting = list(outputs)
    while waiting:
        number = waiting.pop()
        if number not in found and circuit.number(number) is None:
            found.add(number)
            waiting.extend(circuit.nodes[number].operands)
    return found


def _delay(circuit: Circuit, node: Gate) -> int:
    if node.operation in _WITH_NUMBER and circuit.number(node.operands[1]) is not None:
        return _WITH_NUMBER[node.operation]
    return _DELAYS.get(node.operation, 0)
