"""The Los Altos Hills trail on a grid of 100 × 100 cells (Koza 1992).

It resembles the Santa Fe trail at first and is longer. The ant has 3,000 steps. There are 157
pieces of food, as Koza counts and as EpochX has them. The files of lil-gp, ECJ and SGE have 156:
there the first way south is four pieces long instead of five, as it is in Santa Fe, so that all
that follows lies one row higher. The fitness is the food that is left.
"""

from dsgec.problems.ant import GRAMMAR, eaten, read_path

grammar = GRAMMAR
settings = {"stop_at": 0.0}
_PATH = """
E3f S5f E3f1g5f S4f1g4f2g7f1g W5f2g2f2g S7f2g E4f2g N2f1g E5f4g2f2g N6f2g4f3g E1f3g N2f2g4f2g
E12f2g N2f1g E3f2g S2f1g1f2g1f2g1f2g W3f3g S1f3g E1f3g S1f3g W1f3g S12f W1g1f S8f W5f S1g6f1g
W1g1f S6f W5f1g S1g9f
"""
trail = read_path(_PATH, 100, 100, steps=3000)


def fitness(phenotype: str) -> float:
    """Return how much food is left."""
    return float(len(trail.food) - eaten(phenotype, trail))
