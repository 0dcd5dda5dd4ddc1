"""The methods by name; each yields candidates for the training rows of a case."""

from collections.abc import Callable, Iterator

from benchmarks.kilobyte import boosted, compiled, edge, libraries, loops, with_dsgec
from benchmarks.kilobyte.candidate import Candidate
from benchmarks.kilobyte.case import Case

METHODS: dict[str, Callable[[Case], Iterator[Candidate]]] = {
    "dsgec": with_dsgec.evolved,
    "loop-linear": loops.linear,
    "loop-mlp": loops.perceptron,
    "loop-boosted": boosted.boosted,
    "emlearn-trees": libraries.emlearn_trees,
    "emlearn-bayes": libraries.emlearn_bayes,
    "emlearn-mlp": libraries.emlearn_mlp,
    "m2cgen-trees": libraries.m2cgen_trees,
    "m2cgen-linear": libraries.m2cgen_linear,
    "bonsai": edge.bonsai,
    "protonn": edge.protonn,
    "dsgec-compile": compiled.compiled_models,
}
