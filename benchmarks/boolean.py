"""Measure evaluations per second on a Boolean table of 2,048 rows, the 11-bit multiplexer.

    python -m benchmarks.boolean --sge3 CLONE --python PYTHON

PYTHON is that of an environment with what sge3 needs. Both have the same functions and population
and trees of few levels, and are measured alternately in seconds of CPU time, with all that they do
to breed. sge3 runs its own example of the multiplexer. Evaluations of dsgec are those of distinct
phenotypes.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

from dsgec.data.dataset import Dataset
from dsgec.grammar.load import parse
from dsgec.search.choose import choose_evolver
from dsgec.search.problem import make_problem
from dsgec.search.settings import Settings

_GRAMMAR = """<start> ::= not(<b>)
<b> ::= and(<b>, <b>) | or(<b>, <b>) | not(<b>) | if(<b>, <b>, <b>) | <x>
<x> ::= x_1 | ... | x_n
%max-depth b=6
"""
_DRIVER = """
import contextlib, io, sys, tempfile, time
clone, population, generations = sys.argv[1:]
sys.path.insert(0, clone + "/sge")
import sge, sge.parameters
from examples.multiplexer_11 import Multiplexer_11
table = Multiplexer_11()
calls, started, lengths = [0], [], []
class Counted:
    def evaluate(self, phenotype):
        one = phenotype[0] if isinstance(phenotype, list) else phenotype
        started or started.append(time.process_time())
        if isinstance(phenotype, list):
            calls[0] += len(phenotype)
            lengths.extend(map(len, phenotype))
            return [table.evaluate(one) for one in phenotype]
        calls[0] += 1
        lengths.append(len(phenotype))
        return table.evaluate(phenotype)
words = {"popsize": population, "generations": generations, "elitism": 1, "seed": 1,
         "grammar": clone + "/sge/grammars/mux11_grammar.txt", "save_step": 1000000,
         "experiment_name": tempfile.mkdtemp()}
sge.parameters.params.update(MIN_TREE_DEPTH=3, MAX_TREE_DEPTH=8)
sys.argv = ["sge", *(w for n, v in words.items() for w in ("--" + n, str(v)))]
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    sge.evolutionary_algorithm(evaluation_function=Counted())
print(calls[0] / (time.process_time() - started[0]), sum(lengths) / len(lengths))
"""


def multiplexer() -> Dataset:
    """Return all rows of the multiplexer: three address inputs and eight data inputs."""
    x = np.array([[row >> bit & 1 for bit in range(11)] for row in range(2048)], float)
    y = np.array([row[3 + int(row[0] + 2 * row[1] + 4 * row[2])] for row in x])
    names = tuple(f"x_{number}" for number in range(1, 12))
    return Dataset("multiplexer", names, "y", (0, 1), x, y, "0")


def rate_ours(population: int, generations: int) -> tuple[float, float]:
    """Return evaluations per second of CPU time, and the mean length of the last phenotypes."""
    settings = Settings(population=population, generations=generations, test=0.0, seed=1)
    problem = make_problem(parse(_GRAMMAR, "multiplexer"), multiplexer(), settings)
    evolver = choose_evolver(problem, settings, "engine")
    next(evolver.generations())  # which compiles the engine
    evolver = choose_evolver(problem, settings, "engine")
    started = time.process_time()
    *_, last = evolver.generations()
    seconds = time.process_time() - started
    return last.evaluations / seconds, float(len(last.phenotype))


def rate_theirs(python: str, clone: str, population: int, generations: int) -> tuple[float, float]:
    """Return evaluations per second of CPU time, and the mean length of phenotypes."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(_DRIVER)
        file.flush()
        words = [python, file.name, clone, population, generations]
        answer = subprocess.run(  # noqa: S603  (what the user names)
            [*map(str, words)], capture_output=True, text=True, check=True
        )
    rate, length = map(float, answer.stdout.split())
    return rate, length


def main() -> None:
    """Measure both alternately, and print the medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sge3", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--population", type=int, default=100)
    arguments = parser.parse_args()
    runs: dict[str, Callable[[], tuple[float, float]]] = {
        "dsgec": lambda: rate_ours(arguments.population, 200),
        "sge3": lambda: rate_theirs(arguments.python, arguments.sge3, arguments.population, 2),
    }
    rates: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(arguments.rounds):
        for name, run in runs.items():
            rate, length = run()
            rates[name].append(rate)
            print(f"{name}: {rate:,.0f} evaluations a second, {length:.0f} characters", flush=True)
    ours, theirs = (statistics.median(rates[name]) for name in ("dsgec", "sge3"))
    print(f"medians: {ours:,.0f} and {theirs:,.0f}: {ours / theirs:,.0f} times as fast")


if __name__ == "__main__":
    main()
