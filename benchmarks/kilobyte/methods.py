"""The methods by name; each yields candidates for the training rows of a case."""

from collections.abc import Callable, Iterator

from benchmarks.kilobyte import boosted, loops
from benchmarks.kilobyte.candidate import Candidate
from benchmarks.kilobyte.case import Case

METHODS: dict[str, Callable[[Case], Iterator[Candidate]]] = {
    "loop-linear": loops.linear,
    "loop-mlp": loops.perceptron,
    "loop-boosted": boosted.boosted,
}
