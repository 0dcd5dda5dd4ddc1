"""Time of an individual with a user's operators that do nothing, beside the native ones.

    python -m benchmarks.operators

prints the CPU time for breeding, mapping and scoring an individual, with a batched fitness that
costs next to nothing: the least of three searches with 500 individuals and 20 generations.
"""

import time
from typing import Any

import dsgec

GRAMMAR = """
<e> ::= ( <e> <o> <e> ) | x | y | 1
<o> ::= + | - | *
%max-depth e=6
"""
POPULATION, GENERATIONS = 500, 20


def select(population: Any, random: Any) -> int:
    """Return the best of three."""
    drawn = [random.below(len(population)) for _ in range(3)]
    return int(min(drawn, key=lambda number: population[number].fitness))


def cross(mother: Any, father: Any, random: Any) -> tuple[Any, Any]:
    """Return the parents."""
    del random
    return mother, father


def mutate(individual: Any, random: Any) -> Any:
    """Return the individual."""
    del random
    return individual


def measure(**settings: Any) -> float:
    """Return the microseconds of an individual."""
    seconds = []
    for _ in range(3):
        began = time.process_time()
        dsgec.search(
            GRAMMAR,
            lambda texts: [abs(len(text) - 100) for text in texts],
            batched=True,
            population=POPULATION,
            generations=GENERATIONS,
            **settings,
        )
        seconds.append(time.process_time() - began)
    return min(seconds) / POPULATION / (GENERATIONS + 1) * 1e6


if __name__ == "__main__":
    for variation in ("trees", "lists"):
        for operators in ({}, {"select": select}, {"cross": cross}, {"mutate": mutate}):
            name = ", ".join(operators) or "native"
            print(f"{variation} {name:8} {measure(variation=variation, **operators):6.1f} µs")
