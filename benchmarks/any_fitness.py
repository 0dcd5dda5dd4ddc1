"""Measure searches with a user's fitness: mapping and breeding, overhead and processes.

    python -m benchmarks.any_fitness --ponyge CLONE --sge3 CLONE --python PYTHON

PYTHON is that of an environment with what PonyGE2 and sge3 need. All breed the same grammar with
the same population and the same fitness, alternately: the distance of a text's length from 100, so
that all map texts of the same size. dsgec runs as DSGE with trees, DSGE with lists, and GE. Without
clones, only dsgec's own figures are measured.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import dsgec

GRAMMAR = """<e> ::= <e> <o> <e> | ( <e> <o> <e> ) | <p> ( <e> ) | <v>
<o> ::= + | - | * | /
<p> ::= sin | cos | exp | log
<v> ::= x | y | 1.0
"""
DEPTH = "%max-depth e=6\n"
OURS = {
    "dsgec, DSGE with trees": {"variation": "trees"},
    "dsgec, DSGE with lists": {"variation": "lists"},
    "dsgec, GE": {"representation": "ge"},
}


def distance(phenotype: str) -> int:
    """Return the distance of a length from 100, as `any_fitness_peers` does."""
    return abs(len(phenotype) - 100)


def compute(phenotype: str) -> int:
    """Compute for a millisecond of CPU time."""
    end = time.process_time() + 0.001
    while time.process_time() < end:
        pass
    return distance(phenotype)


def wait(phenotype: str) -> int:
    """Wait for a while, as for a simulator elsewhere."""
    time.sleep(0.005)
    return distance(phenotype)


def rate_ours(population: int, generations: int, **settings: Any) -> float:
    """Return individuals per second of CPU time, after a run that compiles the engine.

    The first call of the fitness starts the clock, as `any_fitness_peers` does.
    """
    started: list[float] = []

    def timed(phenotype: str) -> int:
        if not started:
            started.append(time.process_time())
        return abs(len(phenotype) - 100)

    dsgec.search(GRAMMAR + DEPTH, distance, population=10, generations=1, **settings)
    dsgec.search(
        *(GRAMMAR + DEPTH, timed), population=population, generations=generations, **settings
    )
    return population * (generations + 1) / (time.process_time() - started[0])


def rate_theirs(python: str, name: str, clone: str, population: int, generations: int) -> float:
    """Return individuals per second of CPU time of PonyGE2 or sge3."""
    driver = Path(__file__).with_name("any_fitness_peers.py")
    with tempfile.NamedTemporaryFile("w", suffix=".bnf") as file:
        file.write(GRAMMAR)
        file.flush()
        words = [python, driver, name, clone, file.name, population, generations]
        answer = subprocess.run(  # noqa: S603  (what the user names)
            [*map(str, words)], capture_output=True, text=True, check=True, timeout=600
        )
    seconds = float(answer.stdout.split()[0])
    return population * (generations + 1) / seconds


def measure_peers(arguments: argparse.Namespace) -> None:
    """Print the rates of all, measured alternately, and the ratios of their medians."""
    peers = {"ponyge": arguments.ponyge, "sge3": arguments.sge3}
    rates: dict[str, list[float]] = {}
    for _ in range(arguments.rounds):
        for name, settings in OURS.items():
            rates.setdefault(name, []).append(rate_ours(500, 200, **settings))
        for name, clone in peers.items():
            if clone:
                found = rate_theirs(arguments.python, name, clone, 500, 20)
                rates.setdefault(name, []).append(found)
    medians = {name: statistics.median(found) for name, found in rates.items()}
    for name, median in medians.items():
        ratios = [f"{median / medians[peer]:.0f} × {peer}" for peer in peers if peer in medians]
        beside = f" = {', '.join(ratios)}" if name in OURS else ""
        spread = f"{min(rates[name]):,.0f} to {max(rates[name]):,.0f}"
        print(f"{name}: {median:,.0f} individuals a second ({spread}){beside}", flush=True)


def measure_overhead() -> None:
    """Print what dsgec adds to a fitness of 1 ms, and what a second process gains."""
    given = {"population": 200, "generations": 20}
    dsgec.search(GRAMMAR + DEPTH, distance, population=10, generations=1)
    overheads, gains = [], []
    for _ in range(3):
        started = time.process_time()
        run = dsgec.search(GRAMMAR + DEPTH, compute, **given)
        alone = time.process_time() - started
        evaluations = run.details.result.evaluations
        overheads.append(alone / (0.001 * evaluations) - 1.0)
        each: dict[int, float] = {}
        for processes in (1, 2):
            run = dsgec.search(GRAMMAR + DEPTH, wait, processes=processes, **given)
            each[processes] = run.details.timing["evolve_seconds"]
        gains.append(each[1] / each[2])
    print(f"overhead with a fitness of 1 ms of CPU: {100 * statistics.median(overheads):.2f} %")
    gain = statistics.median(gains)
    print(f"a fitness that waits 5 ms, two processes against one: {gain:.2f} times as fast")


def main() -> None:
    """Measure what the arguments allow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ponyge")
    parser.add_argument("--sge3")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    measure_peers(arguments)
    measure_overhead()


if __name__ == "__main__":
    main()
