"""Trees and sums of trees as phenotypes, which are parsed, exported and recorded like any other."""

from collections.abc import Callable, Sequence

from dsgec.network.readers.ensembles import Ensemble
from dsgec.network.trees import Tree

Threshold = Callable[[int, float], float]
"""Return the threshold of a feature, given the limit that a tree compares its column with."""


def ensemble_phenotype(ensemble: Ensemble, threshold: Threshold) -> str:
    """Return the phenotype of an ensemble, with the output layer that its link asks for."""
    sums: list[list[str]] = [
        [] if start is None else [repr(float(start))] for start in ensemble.starts
    ]
    for tree in ensemble.trees:
        for output, text in zip(tree.outputs, _tree_texts(tree, threshold), strict=True):
            sums[output].append(text)
    outputs = [" + ".join(terms) for terms in sums]
    match ensemble.link:
        case "sigmoid":
            return f"sig( {outputs[0]} )"
        case "softmax":
            return f"softmax( {' , '.join(outputs)} )"
        case _:
            return " - ".join(outputs)  # the neurons of the last layer


def _tree_texts(tree: Tree, threshold: Threshold) -> Sequence[str]:
    """Return the text of each output of a tree."""
    tests = [
        f"x_{column + 1} <= {threshold(column, limit)!r}"
        for column, limit in zip(tree.columns, tree.thresholds, strict=True)
    ]
    found = []
    for output in range(len(tree.outputs)):
        texts = {~number: repr(float(leaf[output])) for number, leaf in enumerate(tree.leaves)}
        for split in reversed(range(len(tests))):  # children have greater numbers
            left, right = texts[tree.lefts[split]], texts[tree.rights[split]]
            texts[split] = left if left == right else f"if({tests[split]}, {left}, {right})"
        found.append(texts[tree.root])
    return found
