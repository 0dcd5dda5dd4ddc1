"""The command: what a second objective is worth, as the hypervolume of the hall of fame.

python -m benchmarks.front --tables wine,ionosphere,australian --seeds 30

For each table and seed there are two runs of as many evaluations: a usual one and one with
`minimise`. A hall of fame is a set of points, a cost and a score on the training rows; its
hypervolume is the area that they dominate, up to the worst cost and score of both. The same is
printed for the test rows, by the main metric.
"""

import argparse
import csv
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.tables import Table, load_table, names_of
from dsgec.data.dataset import Dataset
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.grammar.load import load_grammar
from dsgec.run.search import Search
from dsgec.search.choose import choose_evolver
from dsgec.search.defaults import default_grammar, with_defaults
from dsgec.search.objectives import OBJECTIVES
from dsgec.search.presets import Preset, make_settings
from dsgec.search.problem import make_problem
from dsgec.search.settings import COSTS
from dsgec.setting import make

Point = tuple[float, float]
"""A cost and a score, both to be low."""


def hypervolume(points: Iterable[Point], corner: Point) -> float:
    """The area that points dominate, up to a corner."""
    area, height = 0.0, corner[1]
    for cost, score in sorted(points):
        if cost < corner[0] and score < height:
            area += (corner[0] - cost) * (height - score)
            height = score
    return area


def corner_of(*fronts: Sequence[Point]) -> Point:
    """The worst cost and the worst score."""
    both = [point for front in fronts for point in front]
    return max(cost for cost, _ in both), max(score for _, score in both)


@dataclass(frozen=True, slots=True)
class Front:
    """What a run has found: points on the training and on the test rows, and what that took."""

    train: list[Point]
    test: list[Point]
    generations: int
    population: int
    evaluations: int
    seconds: float


def load_dataset(table: Table) -> Dataset:
    """A table as `dsgec evolve` reads it."""
    target = [table.classes[number] for number in table.target] if table.classes else table.target
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{table.name}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*(column.name for column in table.features), "target"])
            writer.writerows(
                zip(*(column.values for column in table.features), target, strict=True)
            )
        return make_dataset(
            read_table(str(path)), "target", preprocessing=make(Preprocessing, {}, learned=True)
        )


def search(dataset: Dataset, what: str, given: dict[str, Any]) -> Front:
    """A run, and the costs and the scores of its hall of fame."""
    preset = make(Preset, {"effort": given["effort"]})
    own = {"patience": 0, **given}
    grammar = load_grammar(default_grammar(dataset)).grammar
    settings = with_defaults(make_settings(own, preset), own, preset, dataset, grammar)
    problem = make_problem(grammar, dataset, settings)
    started = time.process_time()
    outcome = Search(choose_evolver(problem, settings, "engine")).run()
    seconds = time.process_time() - started
    measurer = outcome.measurer()
    texts = [champion.phenotype for champion in outcome.champions]
    if what == "connections":
        costs = [measurer.describe(text)[0].connections for text in texts]
    else:
        taken = [measurer.cost(text) for text in texts]
        costs = [getattr(one, what) if one else 0 for one in taken]
    sign = -1.0 if OBJECTIVES[problem.objective].rises else 1.0
    measured = [measurer.measure(text) for text in texts]
    scores = [sign * one.score for one in measured]
    # Of the test rows it is the first metric: the share of wrong classes, or 1 - R².
    name = "accuracy" if dataset.classes else "r2"
    tests = [1.0 - (one.figures["test"][name] or 0.0) for one in measured]
    return Front(
        [*zip(map(float, costs), scores, strict=True)],
        [*zip(map(float, costs), tests, strict=True)],
        settings.generations,
        settings.population,
        outcome.last.evaluations,
        seconds,
    )


def compare(dataset: Dataset, seed: int, what: str, given: dict[str, Any]) -> dict[str, float]:
    """Both runs: the ratios of their hypervolumes, and of what each took."""
    usual = search(dataset, what, {**given, "seed": seed})
    # The usual run keeps one individual of each generation, and makes the others.
    fewer = usual.generations * (usual.population - 1) // usual.population
    own = {"generations": fewer, **given, "seed": seed, "minimise": what}
    minimised = search(dataset, what, own)
    found = {
        "evaluations": minimised.evaluations / usual.evaluations,
        "seconds": minimised.seconds / usual.seconds,
        "networks": float(len(minimised.train)),
        "usual networks": float(len(usual.train)),
    }
    for part in ("train", "test"):
        fronts = [getattr(one, part) for one in (usual, minimised)]
        before, after = (hypervolume(front, corner_of(*fronts)) for front in fronts)
        found[part] = after / before if before else 1.0
    return found


def main(words: Sequence[str] | None = None) -> int:
    """Compare, and print a line for each seed and each table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.front", description=__doc__)
    add = parser.add_argument
    add("--tables", default="wine,ionosphere,australian", help="names of development tables")
    add("--seeds", type=int, default=30, help="seeds of each table (30)")
    add("--minimise", default="flash", choices=COSTS, help="the second objective (flash)")
    add("--chip", default="cortex-m0plus", help="what flash and cycles are estimated for")
    add("--effort", default="normal", help="quick or normal (default)")
    options = parser.parse_args(words)
    given = {"chip": options.chip, "effort": options.effort}
    for name in names_of(options.tables):
        dataset = load_dataset(load_table(name))
        found = []
        for seed in range(1, options.seeds + 1):
            one = compare(dataset, seed, options.minimise, given)
            found.append(one)
            print(name, seed, *(f"{key} {value:.3f}" for key, value in one.items()), flush=True)
        better = {part: sum(one[part] >= 1.0 for one in found) for part in ("train", "test")}
        evaluations = sum(one["evaluations"] for one in found) / len(found)
        print(
            f"{name}: the front has at least the hypervolume of the usual hall of fame in"
            f" {better['train']} of {len(found)} seeds on the training rows, {better['test']} on"
            f" the test rows, with {evaluations:.3f} times the evaluations"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
