"""Compare Co-PSGE with the code of its authors, and with GE by the size of the population.

    python -m benchmarks.probabilistic --copsge CLONE

CLONE is that of github.com/jessicamegane/co-psge; PyYAML and tqdm must be installed. All evolve
the quartic polynomial by the same grammar and fitness: the authors' code with a population of 100,
50 generations, one elite and the rates of its defaults, which are those of dsgec's.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import dsgec
from dsgec.problems import quartic

LISTS = {"variation": "lists", "crossover": 0.95, "mutation": 0.95}
KINDS: dict[str, dict[str, Any]] = {"ge": LISTS, "psge": {}, "copsge": {}}
_GRAMMAR = """<e> ::= (<e> <op> <e>) | <f>(<e>) | x
<op> ::= + | - | * | /
<f> ::= sin | cos | exp | log
"""
_DRIVER = """
import contextlib, io, math, sys, tempfile
import numpy
numpy.infty = numpy.inf  # which numpy 2 has no longer
from dsgec.problems import quartic
clone, grammar, seed = sys.argv[1:]
sys.path.insert(0, clone + "/sge")
import sge
found = []
class Quartic:
    def evaluate(self, phenotype):
        value = quartic.fitness(phenotype)
        found.append(value if math.isfinite(value) else 1e6)
        return found[-1], {}
words = {"popsize": 100, "generations": 50, "elitism": 1, "tsize": 3, "prob_mutation": 0.1,
         "max_tree_depth": 8, "min_tree_depth": 6, "grammar": grammar, "seed": seed,
         "save_step": 1000000, "experiment_name": tempfile.mkdtemp()}
sys.argv = ["sge", *(w for n, v in words.items() for w in ("--" + n, str(v)))]
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    sge.evolutionary_algorithm(evaluation_function=Quartic())
print(min(found))
"""


def best_of_theirs(clone: Path, seed: int) -> float:
    """Return the best fitness that the authors' code finds."""
    with tempfile.TemporaryDirectory() as folder:
        grammar = Path(folder, "quartic.bnf")
        grammar.write_text(_GRAMMAR, encoding="utf-8")
        words = [sys.executable, "-c", _DRIVER, clone.resolve(), grammar, seed]
        answer = subprocess.run(  # noqa: S603  (what the user names)
            [*map(str, words)], capture_output=True, text=True, check=True, timeout=600
        )
    return float(answer.stdout)


def best_of_ours(kind: str, population: int, seed: int) -> float:
    """Return the best fitness that a representation of dsgec finds."""
    settings = {"population": population, "generations": 50, "seed": seed, **KINDS[kind]}
    found = dsgec.search(quartic.grammar, quartic.fitness, representation=kind, **settings).score
    return float(found)


def summary(name: str, found: Sequence[float]) -> str:
    """Return mean, deviation, median and successes as text."""
    mean, deviation = statistics.mean(found), statistics.stdev(found)
    solved = sum(np.array(found) <= quartic.settings["stop_at"])
    median = statistics.median(found)
    return f"{name}: {mean:.2f} ± {deviation:.2f}, median {median:.2f}, {solved} solved"


def main() -> None:
    """Print what all find, and a test between the two codes."""
    from scipy.stats import mannwhitneyu

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--copsge", type=Path, help="a clone of the authors' code")
    parser.add_argument("--seeds", type=int, default=20)
    arguments = parser.parse_args()
    seeds = range(1, arguments.seeds + 1)
    ours = {
        (kind, population): [best_of_ours(kind, population, seed) for seed in seeds]
        for population in (100, 1000)
        for kind in KINDS
    }
    for (kind, population), found in ours.items():
        print(summary(f"{kind}, population {population}", found), flush=True)
    for kind in ("psge", "copsge"):
        p = mannwhitneyu(ours[kind, 1000], ours["ge", 1000]).pvalue
        print(f"{kind} against ge, population 1000: p = {p:.2f}")
    if arguments.copsge:
        theirs = [best_of_theirs(arguments.copsge, seed) for seed in seeds]
        print(summary("the authors' code, population 100", theirs))
        print(f"against ours: p = {mannwhitneyu(theirs, ours['copsge', 100]).pvalue:.2f}")


if __name__ == "__main__":
    main()
