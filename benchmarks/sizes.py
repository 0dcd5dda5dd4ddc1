"""The command: test accuracy at given numbers of connections, and the CPU time of the whole front.

python -m benchmarks.sizes --tables digits,segment --seeds 3 --variants evolve,walk,no-swaps

`evolve` is the search of the default grammar without a walk; `walk` is that of the grammar with one
shared hidden layer; the other variants are the walk without one of its parts. Each seed is another
split and another search. A size has the largest network of the hall of fame that is not larger; the
test rows choose nothing. `--report` reads reporting tables, on which nothing may be tuned, and
`--rows` draws rows of larger tables for each seed.
"""

import argparse
import contextlib
import json
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.front import load_dataset
from benchmarks.splits import split_rows
from benchmarks.tables import Table, load_table, names_of
from dsgec.data.dataset import Dataset
from dsgec.grammar.load import load_grammar
from dsgec.run.search import Search
from dsgec.search.choose import choose_evolver
from dsgec.search.defaults import with_defaults
from dsgec.search.presets import Preset, make_settings
from dsgec.search.problem import make_problem
from dsgec.search.walk import front as walk_front
from dsgec.setting import make

TABLES = "digits,segment,optdigits,movement_libras,led7digit"
SIZES = (25, 50, 100, 200, 400, 800)
VARIANTS: dict[str, dict[str, Any]] = {
    "evolve": {},
    "walk": {},
    "no-swaps": {"LARGEST_SWAPPED": 0},
    "deviation": {"CRITERIA": walk_front.CRITERIA[:1]},
    "curvature": {"CRITERIA": walk_front.CRITERIA[1:]},
    "one-start": {"WIDTHS": (64,)},
    "no-linear": {"WIDTHS": tuple(filter(None, walk_front.WIDTHS))},
    "more-starts": {"WIDTHS": (0, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)},
    "one-step": {"SHARE": 2},
}


@dataclass(frozen=True, slots=True)
class Accuracies:
    """The test accuracy at each size, that of the recommended network, and the CPU seconds."""

    sizes: list[float]
    chosen: float
    connections: int
    seconds: float


@contextlib.contextmanager
def changed(values: dict[str, Any]) -> Iterator[None]:
    """Change constants of the walk for a while."""
    before = {name: getattr(walk_front, name) for name in values}
    try:
        for name, value in values.items():
            setattr(walk_front, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(walk_front, name, value)


def search(dataset: Dataset, variant: str, given: dict[str, Any]) -> Accuracies:
    """Run one search, and evaluate its hall of fame on the test rows."""
    preset = make(Preset, {})
    kind = "network" if variant == "evolve" else "shared"
    name = kind if len(dataset.classes) == 2 else f"{kind}_softmax"
    grammar = load_grammar(name).grammar
    settings = with_defaults(make_settings(given, preset), given, preset, dataset, grammar)
    problem = make_problem(grammar, dataset, settings)
    with changed(VARIANTS[variant]):
        evolver = choose_evolver(problem, settings, "engine")
        started = time.process_time()
        outcome = Search(evolver).run()
        seconds = time.process_time() - started
    phenotypes = [champion.phenotype for champion in outcome.champions]
    measurer = outcome.measurer()
    measured = [measurer.measure(one) for one in (*phenotypes, outcome.best.phenotype)]
    tests = [one.figures["test"]["accuracy"] or 0.0 for one in measured]
    largest = [
        max((n for n, one in enumerate(outcome.champions) if one.size <= size), default=None)
        for size in SIZES
    ]
    at = [0.0 if number is None else tests[number] for number in largest]
    return Accuracies(at, tests[-1], outcome.best.size, seconds)


def with_rows(table: Table, seed: int, most: int) -> Table:
    """Return a table with so many of its rows at most, drawn by a seed; 0: with all."""
    if not 0 < most < len(table.target):
        return table
    rows = np.sort(np.concatenate(split_rows(table, seed, most)))
    features = tuple(replace(one, values=one.values[rows]) for one in table.features)
    return replace(table, features=features, target=table.target[rows])


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return statistics.fmean(values), error


def summary(found: dict[tuple[str, int, str], Accuracies], variants: Sequence[str]) -> list[str]:
    """Return the means over tables and seeds, and the differences from `walk` with their errors."""
    lines = []
    for variant in variants:
        own = {key[:2]: one for key, one in found.items() if key[2] == variant}
        if not own:
            continue
        parts = [f"{variant:12}"]
        for number in range(len(SIZES)):
            mean, _ = mean_and_error([one.sizes[number] for one in own.values()])
            pairs = [
                one.sizes[number] - found[(*key, "walk")].sizes[number]
                for key, one in own.items()
                if (*key, "walk") in found
            ]
            more, error = mean_and_error(pairs) if pairs else (0.0, 0.0)
            parts.append(f"{mean:.3f} ({more:+.3f} ± {error:.3f})")
        seconds, _ = mean_and_error([one.seconds for one in own.values()])
        chosen, _ = mean_and_error([one.chosen for one in own.values()])
        connections, _ = mean_and_error([float(one.connections) for one in own.values()])
        lines.append(
            " ".join([*parts, f"chosen {chosen:.3f} with {connections:.0f}, {seconds:.1f} s"])
        )
    return lines


def main(words: Sequence[str] | None = None) -> int:
    """Search, and print a line for each search and each variant."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sizes", description=__doc__)
    add = parser.add_argument
    add("--tables", default=TABLES, help="names of development tables")
    add("--seeds", type=int, default=3, help="seeds and splits of each table (3)")
    add("--variants", default="evolve,walk", help=f"of {', '.join(VARIANTS)}")
    add("--rows", type=int, default=0, help="most rows of a table, drawn for each seed (all)")
    add("--report", action="store_true", help="read reporting tables")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of all runs")
    options = parser.parse_args(words)
    variants = options.variants.split(",")
    given = {
        name: json.loads(value) for name, _, value in (one.partition("=") for one in options.set)
    }
    found: dict[tuple[str, int, str], Accuracies] = {}
    print("sizes", *SIZES)
    for seed in range(1, options.seeds + 1):
        for name in names_of(options.tables):
            table = load_table(name, report=options.report)
            dataset = load_dataset(with_rows(table, seed, options.rows))
            for variant in variants:
                one = search(dataset, variant, {**given, "seed": seed, "split_seed": seed})
                found[name, seed, variant] = one
                sizes = " ".join(f"{value:.3f}" for value in one.sizes)
                chosen = f"chosen {one.chosen:.3f} with {one.connections}"
                print(name, seed, variant, sizes, f"{chosen}, {one.seconds:.1f} s", flush=True)
    print(*summary(found, variants), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
