"""Settings of runs that learn, and a function that evolves them."""

import math

LEARNING_SETTINGS = {
    "variation": "trees",
    "crossover": 0.0,
    "mutation": 1.0,
    "steps": 1,
    "parsimony": 1e-4,
}
ENDING_SETTINGS = {"tuning": 20, "pruning": 6}


def evolve_generations(evolver, generations):
    for _ in range(generations + 1):
        evolver.advance(1, math.inf)
    return evolver
