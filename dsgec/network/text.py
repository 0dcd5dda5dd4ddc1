"""Write a Network as text, an equation for each neuron, that `parse` reads back."""

import sys
from typing import assert_never

from dsgec.network.ir import Apply, Constant, Input, Network
from dsgec.network.syntax import COMPARISON, NEGATION, POWER, SIGNS, split_layers

_SIGNS = {
    function: (strength, sign)
    for sign, (strength, function) in reversed(SIGNS.items())  # `=` and `^` come last
}

_Todo = str | tuple[int, int]


def network_text(network: Network) -> str:
    """Return the equations of a network, in evaluation order."""
    names: dict[int, str] = {}
    lines = [f"inputs = {network.inputs}"]
    for number, layer in enumerate(network.layers, 1):
        fresh: dict[int, str] = {}
        for index, position in enumerate(layer, 1):
            lines.append(f"h_{number}_{index} = {expression_text(network, position, names)}")
            if isinstance(network.nodes[position], Apply) and position not in names:
                fresh.setdefault(position, f"h_{number}_{index}")
        names |= fresh
    values = [expression_text(network, position, names) for position in network.outputs]
    if network.softmax:
        outputs = ", ".join(f"y_{i}" for i in range(1, len(values) + 1))
        lines.append(f"{outputs} = softmax({', '.join(values)})")
    else:
        lines += [f"y_{i} = {value}" for i, value in enumerate(values, 1)]
    return "\n".join(lines) + "\n"


def expression_text(network: Network, position: int, names: dict[int, str]) -> str:
    """Return the expression of one node; the nodes in `names` are called by their names."""
    pieces: list[str] = []
    # What is still to be printed, last first: text, or a node and how strongly it must bind.
    todo: list[_Todo] = [(position, 0)]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        position, strength = item
        if position in names:
            pieces.append(names[position])
            continue
        node = network.nodes[position]
        inner: list[_Todo]
        match node:
            case Constant(value):
                # A negative base needs its sign kept in: -2.0 ^ 2.0 is -(2.0 ^ 2.0).
                pieces.append(
                    f"({value!r})" if repr(value)[0] == "-" and strength > NEGATION else repr(value)
                )
            case Input(column):
                pieces.append(f"x_{column + 1}")
            case Apply("neg", (argument,)):
                is_number = isinstance(network.nodes[argument], Constant)
                inner = ["-(", (argument, 0), ")"] if is_number else ["-", (argument, NEGATION)]
                todo += reversed(_bracket(inner, strength > NEGATION))
            case Apply(function, (left, right)) if function in _SIGNS:
                own, sign = _SIGNS[function]
                # `^` binds to the right, comparisons to neither side, the others to the left.
                needs = own + (own in (POWER, COMPARISON)), own + (own != POWER)
                inner = [(left, needs[0]), f" {sign} ", (right, needs[1])]
                todo += reversed(_bracket(inner, own < strength))
            case Apply(function, arguments):
                todo.append(")")
                for index, argument in enumerate(reversed(arguments)):
                    todo += [", ", (argument, 0)] if index else [(argument, 0)]
                todo.append(f"{function}(")
            case _:
                assert_never(node)
    return "".join(pieces)


def _bracket(inner: list[_Todo], needed: bool) -> list[_Todo]:
    return ["(", *inner, ")"] if needed else inner


def line_phenotype(phenotype: str, intercept: float, slope: float, *, layered: bool) -> str:
    """Return the phenotype of intercept + slope * output; a number if the slope is 0."""
    start = split_layers(phenotype)[-1][-1][0] if layered else 0
    output = phenotype[start:]
    line = f"({_numeral(intercept)})"
    if slope != 0.0:
        line += f"+({_numeral(slope)})*({output})"
    return phenotype[:start] + line


def _numeral(value: float) -> str:
    """Return the number with all its digits, limited to what a double can hold."""
    most = sys.float_info.max
    return repr(min(max(value, -most), most))
