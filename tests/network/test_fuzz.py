"""Any text is parsed as a network or refused with a message, quickly."""

import random
import time

import pytest

from dsgec.errors import DsgecError
from dsgec.network.ir import check
from dsgec.network.parse import parse, parse_phenotype
from dsgec.network.simplify import simplify
from dsgec.network.text import network_text
from tests.support.random_networks import network_text as random_text

PHENOTYPES = [
    "8.56*sig(8.90*x_1+3.79*x_3+2.41)+-4.26*sig(1.70*x_4+0.73*x_2+6.17)",
    "sig(0.12*x_1+-3.40)-sig(1.00*x_2+0.5)--sig(2.2*h_1_1+x_3)--sig(1.5*h_2_1+h_1_2+0.11)",
    "sig(x_1)-sig(x_2)--softmax(h_1_1*2+1,h_1_2,3)",
    "np.sin(x[:, 0]) / pdiv(x[1], 2) ** 3 - -max(x3, 1e-5)",
    "y_1 = 3\ninputs = 2",
]
PIECES = [
    *"()+-*/^,=.0123456789exhy_[]: \n#",
    "--",
    "sig(",
    "softmax(",
    "h_1_1",
    "x_1",
    "\0",
    "é",
    "1e9",
]


def mutate_phenotype(rng):
    characters = list(random_text(rng, 3) if rng.random() < 0.3 else rng.choice(PHENOTYPES))
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        at = rng.randrange(len(characters) + 1)
        action = rng.random()
        if action < 0.4:
            characters.insert(at, rng.choice(PIECES))
        elif action < 0.7 and characters:
            del characters[at : at + rng.randint(1, 4)]
        elif action < 0.85:
            characters[at:at] = characters[: rng.randint(0, 30)]
        else:
            characters.insert(at, rng.choice([*PIECES, *"()"]) * rng.randint(1, 300))
    return "".join(characters)


def parse_mutants(count, seed):
    """Parse random phenotypes, and return how many are networks."""
    rng = random.Random(seed)
    accepted = 0
    for _ in range(count):
        phenotype = mutate_phenotype(rng)
        start = time.process_time()
        try:
            inputs = rng.choice([None, 5])
            if rng.random() < 0.6:
                network = parse(phenotype, inputs=inputs)
            else:
                network = parse_phenotype(phenotype, layered=rng.random() < 0.7, inputs=inputs)
        except DsgecError as error:
            assert str(error).replace("\n", "").isprintable()
        else:
            accepted += 1
            assert parse(network_text(check(network))) == network
            check(simplify(network))
        assert time.process_time() - start < 2.0, phenotype
    return accepted


def test_mutated_phenotypes_are_parsed_or_refused():
    assert parse_mutants(500, seed=1) > 20


@pytest.mark.campaign
def test_20_000_mutated_phenotypes_are_parsed_or_refused():
    assert parse_mutants(20_000, seed=2) > 1_000
