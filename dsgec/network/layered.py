"""How the text of a layered phenotype is cut into layers and neurons.

`--` separates layers and `-` separates neurons, where they stand outside parentheses; inside, and
at the start of an operand, a `-` is a sign or a minus. Both the mapping, which must know how many
neurons a layer has, and the network parser cut with this one function.
"""

import re

_LANDMARK = re.compile(r"\d\.?[eE][+-]?\d+|[()]|-", re.ASCII)  # of a numeral, its exponent
_BLANKS = " \t\n\r\f\v"
_BEFORE_A_SIGN = frozenset("+*/^,(")

Stretch = tuple[int, int]


def cut(text: str) -> list[list[Stretch]]:
    """The layers of `text`, each the list of its neurons as (start, end) offsets."""
    layers: list[list[Stretch]] = [[]]
    depth = start = resume = 0
    for match in _LANDMARK.finditer(text):
        mark, at = match[0], match.start()
        if mark == "(":
            depth += 1
        elif mark == ")":
            depth -= 1
        elif mark == "-" and depth == 0 and at >= resume:
            last = at - 1
            while last >= start and text[last] in _BLANKS:
                last -= 1
            if last < start or text[last] in _BEFORE_A_SIGN:
                continue
            layers[-1].append((start, at))
            if text.startswith("--", at):
                layers.append([])
                start = resume = at + 2
            else:
                start = at + 1
    layers[-1].append((start, len(text)))
    return layers


def count_neurons(text: str) -> int:
    """The number of neurons in the text of one layer."""
    return sum(map(len, cut(text)))
