"""Turn the front of a walk into integer networks for a chip: the candidates of `--dtype q7`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dsgec.errors import DsgecError
from dsgec.export.artefact import PACKED, QUICK, Artefact
from dsgec.network.ranges import Range
from dsgec.search.individual import Champion
from dsgec.search.models import make_model
from dsgec.search.objectives import OBJECTIVES
from dsgec.search.problem import Problem
from dsgec.search.walk.descent import Descent, WalkTable
from dsgec.search.walk.front import FIRST_RATE, Walk, cosine
from dsgec.search.walk.integers import (
    DTYPE,
    LEARNED_STEPS,
    WEIGHTS,
    IntegerColumns,
    as_integers,
    column_ranges,
    from_integers,
    integer_columns,
    learn,
)
from dsgec.search.walk.layer import SharedLayer, count_dense
from dsgec.search.walk.stage import WalkStage, derive, make_rows

KINDS = ("nibbles", "ternary")
"""The sets of weights that are tried: `dsgec.search.walk.integers.WEIGHTS` has them."""
DENSE_WIDTHS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24)
"""Hidden neurons of dense networks that are tried beside the front: few bits need no sources."""
MOST_DENSE = 4000


@dataclass(frozen=True, slots=True, eq=False)
class IntegerCandidate:
    """A network that was learned in integers.

    `model` exported as q7, packed, with the `ranges`, is the integer network: no weight is rounded.
    `flash` is the estimate of its bytes on the chip; `fitness` is its loss on the training rows,
    computed by its integers. The phenotype of the champion, with the weights in full precision, is
    derived by the grammar of the run but for its numerals.
    """

    champion: Champion
    kind: str
    fitness: float
    flash: int
    artefact: Artefact
    net: SharedLayer


def integer_candidates_of(
    stage: WalkStage,
    chip: str,
    make_descent: Callable[[WalkTable], Descent],
    nets: Sequence[SharedLayer] | None = None,
    kinds: Sequence[str] = KINDS,
    steps: int = LEARNED_STEPS,
) -> list[IntegerCandidate]:
    """Return the networks of a walk, and some dense ones, learned in integers for a chip.

    Call it when the walk is over: `stage` is its stage, `nets` are those of its front (all of
    `stage.walk.front()` if none are given), and `make_descent` makes a descent of other rows, such
    as `lambda table: NativeDescent(table, library)`. Only candidates that no other one beats in
    both flash and fitness are returned, the smallest first. For cross-validation, call it with the
    stage of a `Problem.part`.
    """
    if stage.grammar.activation != "clip":
        return []
    problem = stage.problem
    columns = integer_columns(problem)
    descent = make_descent(integer_rows(stage, columns))
    chosen = [one.net for one in stage.walk.front()] if nets is None else nets
    starts = [as_integers(net, columns) for net in [*chosen, *dense_starts(stage.walk, steps)]]
    ranges = column_ranges(problem)
    found = []
    for start in starts:
        for kind in kinds:
            learned = learn(start, WEIGHTS[kind], descent, steps)
            one = make_candidate(stage, from_integers(learned, columns), kind, ranges, chip)
            if one is not None:
                found.append(one)
    return unbeaten(found)


def integer_rows(stage: WalkStage, columns: IntegerColumns) -> WalkTable:
    """Return the rows of a walk with the integers of the columns."""
    return make_rows(stage.problem, stage.settings, stage.grammar.outputs, columns.columns)


def unbeaten(candidates: Sequence[IntegerCandidate]) -> list[IntegerCandidate]:
    """Return the candidates that no other one beats in both flash and fitness, smallest first."""
    found: list[IntegerCandidate] = []
    for one in sorted(candidates, key=lambda each: (each.flash, each.fitness)):
        if not found or one.fitness < found[-1].fitness:
            found.append(one)
    return found


def dense_starts(walk: Walk, steps: int, widths: Sequence[int] = DENSE_WIDTHS) -> list[SharedLayer]:
    """Return dense networks of several widths that have learned from the rows of a walk."""
    found = []
    for width in widths:
        if width <= walk.shape.widest and count_dense(walk.shape, width) <= MOST_DENSE:
            start = walk.start(width)
            walk.descent.descend(start, cosine(steps, FIRST_RATE))
            found.append(start)
    return found


def make_candidate(
    stage: WalkStage, net: SharedLayer, kind: str, ranges: Sequence[Range | None], chip: str
) -> IntegerCandidate | None:
    """Return a network as a candidate, or None if it is not derived or has no fixed point."""
    problem, settings = stage.problem, stage.settings
    found = derive(problem, settings, stage.grammar, net)
    if found is None:
        return None
    derivation, weights = found
    try:
        artefact = integer_artefact(problem, weights.phenotype, ranges)
    except DsgecError:
        return None
    size = problem.language.connections(weights.phenotype)
    fitness = integer_fitness(problem, artefact)
    flash = artefact.cost(chip).flash
    champion = Champion(size, fitness, weights.phenotype, derivation.genotype, flash, weights)
    return IntegerCandidate(champion, kind, fitness, flash, artefact, net)


def integer_artefact(
    problem: Problem, phenotype: str, ranges: Sequence[Range | None], name: str = "network"
) -> Artefact:
    """Return a phenotype as it is exported in fixed point, packed."""
    model = make_model(problem, phenotype)
    return Artefact(model, name, DTYPE, selftest=QUICK, ranges=tuple(ranges), layout=PACKED)


def integer_fitness(problem: Problem, artefact: Artefact) -> float:
    """Return the objective of a network on the training rows, computed by its integers."""
    dataset, train = problem.dataset, problem.split.train
    rows = dataset.x if dataset.raw is None else dataset.raw
    outputs = artefact.number_format.results(rows[train])
    targets = problem.targets(len(artefact.model.network.outputs))
    if targets.values.shape[1] == 1:
        outputs = outputs[:, -1:]
    return OBJECTIVES[problem.objective].fitness(outputs, targets)
