"""Run PonyGE2 or sge3 on the grammar of `benchmarks.any_fitness`, and print the CPU seconds.

It runs in an environment of theirs: `python any_fitness_peers.py NAME CLONE GRAMMAR POPULATION
GENERATIONS`. The first call of the fitness starts the clock, so that imports do not count.
"""

import contextlib
import io
import os
import sys
import tempfile
import time
import types
from pathlib import Path
from typing import Any

del sys.path[0]  # of this folder, whose `numbers` is not Python's

started = []
calls = [0]


def distance(phenotype: str) -> int:
    """The same fitness as in `benchmarks.any_fitness`."""
    if not started:
        started.append(time.process_time())
    calls[0] += 1
    return abs(len(phenotype) - 100)


def run_ponyge(clone: Path, grammar: str, population: int, generations: int) -> None:
    """Run PonyGE2 with its defaults, one process and no files."""
    import numpy

    numpy.NaN = numpy.nan  # which numpy 2 has no longer
    os.chdir(clone / "src")
    sys.path.insert(0, str(Path.cwd()))
    from fitness.base_ff_classes.base_ff import base_ff

    module = types.ModuleType("fitness.text_distance")

    class text_distance(base_ff):
        def evaluate(self, ind: Any, **_: Any) -> int:
            return distance(ind.phenotype)

    module.text_distance = text_distance
    sys.modules["fitness.text_distance"] = module
    from algorithm.parameters import params, set_params

    words = {
        "grammar_file": grammar,
        "fitness_function": "text_distance",
        "population_size": population,
        "generations": generations,
        "max_tree_depth": 17,
        "random_seed": 1,
    }
    given = [word for name, value in words.items() for word in (f"--{name}", str(value))]
    set_params([*given, "--debug", "--silent"])
    params["SEARCH_LOOP"]()


def run_sge3(clone: Path, grammar: str, population: int, generations: int) -> None:
    """Run sge3 with its defaults; it writes its log to a temporary folder."""
    sys.path.insert(0, str(clone / "sge"))
    import sge

    class Evaluator:
        def evaluate(self, phenotype: Any) -> Any:
            if isinstance(phenotype, list):
                return [(distance(one), {}) for one in phenotype]
            return distance(phenotype), {}

    words = {
        "popsize": population,
        "generations": generations,
        "elitism": 1,
        "grammar": grammar,
        "save_step": 1000000,
        "seed": 1,
        "experiment_name": tempfile.mkdtemp(),
    }
    sys.argv = ["sge", *(word for n, v in words.items() for word in (f"--{n}", str(v)))]
    sge.evolutionary_algorithm(evaluation_function=Evaluator())


if __name__ == "__main__":
    name, clone, grammar, population, generations = sys.argv[1:]
    run = {"ponyge": run_ponyge, "sge3": run_sge3}[name]
    with contextlib.redirect_stdout(io.StringIO()):
        run(Path(clone), grammar, int(population), int(generations))
    seconds = time.process_time() - started[0]
    print(seconds, calls[0])
