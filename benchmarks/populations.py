"""Measure how many bytes logged populations take, beside the same as JSON.

    python -m benchmarks.populations

The JSON has, for each individual, what sge3 writes: genotype, fitness, phenotype, the number of
integers read for each symbol, and the depth of the tree.
"""

import json
import time

import dsgec
from dsgec.problems import santa_fe

POPULATION, GENERATIONS = 100, 200


def main() -> None:
    """Print the bytes of both for each individual, and what logging costs."""
    given = {"population": POPULATION, "generations": GENERATIONS}
    for name, settings in {
        "DSGE, trees": {},
        "DSGE, lists": {"variation": "lists"},
        "SGE": {"representation": "sge"},
        "GE": {"representation": "ge"},
    }.items():
        started = time.process_time()
        dsgec.search(santa_fe.grammar, santa_fe.fitness, **given, **settings)
        plain = time.process_time() - started
        started = time.process_time()
        run = dsgec.search(
            santa_fe.grammar, santa_fe.fitness, log="populations", **given, **settings
        )
        logged = time.process_time() - started
        count = POPULATION * (GENERATIONS + 1)
        ours = sum(len(data) for file, data in run.details.logged.items() if "/" in file)
        text = 0
        for generation in range(0, GENERATIONS + 1, 20):
            for one in run.individuals(generation):
                genotype = [[*values] for values in one.genotype.values()]
                record = {
                    "genotype": genotype,
                    "fitness": one.score,
                    "phenotype": one.phenotype,
                    "mapping_values": [len(own) for own in genotype],
                    "tree_depth": one.tree.depth if one.tree else 0,
                }
                text += len(json.dumps(record)) + 2
        theirs = text / (POPULATION * (GENERATIONS // 20 + 1))
        print(
            f"{name}: {ours / count:.1f} bytes for each individual, as JSON {theirs:.0f};"
            f" {plain:.2f} s of CPU time without the log, {logged:.2f} s with it"
        )


if __name__ == "__main__":
    main()
