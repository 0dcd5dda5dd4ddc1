"""An engine that is compiled as for a user runs as one that is compiled without optimisation."""

import pytest

from dsgec.engine.toolchain import find_toolchain
from dsgec.search.choose import choose_evolver
from dsgec.search.settings import Settings
from tests.support.compilers import fast_engine
from tests.support.engine_runs import make

pytestmark = pytest.mark.needs_cc

SETTINGS = Settings(
    **{"population": 20, "generations": 10, "seed": 5, "elites": 2, "variation": "trees"},
    **{"steps": 2, "crossover": 0.3},
)


@pytest.mark.parametrize("grammar", ["one_layer", "multi_layer_softmax"])
def test_an_engine_compiled_for_a_user_saves_the_same_bytes(grammar):
    problem = make(grammar, SETTINGS)
    users = choose_evolver(problem, SETTINGS, "engine")
    fast = fast_engine(problem, SETTINGS)
    assert find_toolchain().identity in users.description
    assert users.step(11) == fast.step(11)
    assert users.save() == fast.save()
