"""A long program keeps only the numbers that it still needs."""

import numpy as np

from dsgec.export.lower import network_program
from dsgec.network.model import unnamed_model
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from dsgec.program.ir import LocalArray
from tests.support.artefacts import expected_results, module_results, python_module
from tests.support.random_networks import same_bits


def test_a_long_program_uses_slots_again_and_gives_the_same_bits():
    terms = [f"{i}.5*x_{i % 7 + 1}^{i % 9 - 4}*sig(x_{i % 5 + 1}*{i})" for i in range(1, 500)]
    model = unnamed_model(
        simplify(parse(f"tanh({'+'.join(terms[:300])})*x_1 + {'-'.join(terms[300:])}"))
    )
    *parts, entry = network_program(model.network, "double").procedures
    (shared,) = (i for i in entry.body if isinstance(i, LocalArray))
    rows = np.random.default_rng(1).normal(0, 2, (20, 7))
    module = python_module(model, "python")

    assert sum(len(part.body) for part in parts) > 2000
    assert shared.size < 510  # each of 499 neurons is read later
    assert same_bits(module_results(module, model, rows), expected_results(model, rows))
