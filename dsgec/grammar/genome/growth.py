"""How a search that learns draws what is new: numbers near 0, and recursion with a probability.

Uniform draws make most networks one neuron, and most weights so large that neurons saturate.
"""

from collections.abc import Sequence

from dsgec.grammar.genome.numbers import gaussian, nearest
from dsgec.grammar.genome.tables import Child, Production, Tables
from dsgec.random import Stream

SPREAD = 0.5
"""Standard deviation of a new number."""

AT_FIRST = 0.7
"""Probability that an alternative that goes deeper is taken in the first generation."""

LATER = 0.3
"""And when a mutation makes something new."""


def grow_choice(
    tables: Tables, rule: int, options: Sequence[int], growth: float, stream: Stream
) -> int:
    """A new integer for a rule: a number, or one of the options."""
    if tables.is_number(rule):
        return nearest(tables.numbers[rule], SPREAD * gaussian(stream))
    deeper = [option for option in options if goes_deeper(tables.productions[rule][option])]
    if 0 < len(deeper) < len(options):
        takes = stream.chance(growth)
        options = [option for option in options if (option in deeper) == takes]
    return options[stream.below(len(options))]


def goes_deeper(production: Production) -> bool:
    """Whether an alternative has a symbol of its rule's own recursion."""
    return any(isinstance(symbol, Child) and symbol.deeper for symbol in production)
