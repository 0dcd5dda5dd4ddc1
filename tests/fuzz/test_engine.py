"""An engine refuses a state or migrant of any bytes or runs on, exactly as the loop does.

No corpus is kept of these: the form of a state is that of one version and of one grammar, so real
runs make the seeds.
"""

import copy
import random

import pytest

from dsgec.errors import DsgecError
from dsgec.search.backends import ReferenceBackend
from dsgec.search.evolver import LoopEvolver
from dsgec.search.native import EngineEvolver, build_engine
from dsgec.search.state import identify
from tests.support.compilers import FAST_FLAGS, fast_toolchain
from tests.support.fuzzing.harness import EngineHarness, accepted, fuzz, replay

pytestmark = pytest.mark.needs_cc

RUNS = 20_000
COMPARED = 300
"""Of what a harness found, and of what its engine let in: the loop reads some forty a second."""
ENGINES = [
    ("one_layer", "dsge", 2),
    ("multi_layer", "dsge", 2),
    ("multi_layer_softmax", "dsge", 3),
    ("formula", "dsge", 0),
    ("float", "dsge", 2),
    ("one_layer", "sge", 2),
    ("formula", "sge", 0),
    ("one_layer", "ge", 2),
]
TREES = {"variation": "trees", "steps": 2, "crossover": 0.5}
LISTS = {"variation": "lists", "steps": 1}
LEARNING = [
    ("one_layer", "dsge", 2, TREES),
    ("multi_layer", "dsge", 2, TREES),
    ("multi_layer_softmax", "dsge", 3, TREES),
    ("formula", "dsge", 0, TREES),
    ("multi_layer", "dsge", 2, LISTS),
    ("one_layer", "sge", 2, LISTS),
    ("one_layer", "ge", 2, LISTS),
]
"""Engines that learn."""
TARGETS = ("restore", "receive")
NUMBERS = (0, 1, 2, 3, 0x7FFF, 0x8000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def damages(seeds, count):
    """Copies of real bytes in which one word, seldom of the many empty champions, is another."""
    rng = random.Random(1)
    for _ in range(count):
        damaged = bytearray(rng.choice(seeds[1:]))
        most = max(len(damaged) - 3000, 0) or len(damaged)
        place = rng.randrange(0, most - 4) // 4 * 4
        damaged[place : place + 4] = rng.choice(NUMBERS).to_bytes(4, "little")
        yield bytes(damaged)


@pytest.mark.parametrize(
    ("target", "grammar", "representation", "learning"),
    [
        ("restore", "one_layer", "dsge", TREES),
        ("receive", "one_layer", "dsge", TREES),  # by the same program
        pytest.param("receive", "one_layer", "sge", {}, marks=pytest.mark.campaign),
        pytest.param("restore", "multi_layer", "dsge", TREES, marks=pytest.mark.campaign),
        pytest.param("restore", "multi_layer", "dsge", {}, marks=pytest.mark.campaign),
        pytest.param("receive", "multi_layer", "dsge", TREES, marks=pytest.mark.campaign),
    ],
)
def test_damaged_bytes_are_refused_or_run_on_with(
    target, grammar, representation, learning, tmp_path
):
    harness = EngineHarness(target, grammar, representation, **learning)
    seeds = harness.seeds()
    inputs = [*seeds, *damages(seeds, 60), b"", seeds[0][:20]]
    if target == "restore":
        inputs += with_the_largest_counts(seeds[2])
    replay(harness, inputs, tmp_path)


def with_the_largest_counts(state):
    for place in (16, 24, 32):  # generation, evaluations, reused
        for count in ((1 << 62) - 1, 1 << 62, (1 << 64) - 1):
            yield state[:place] + count.to_bytes(8, "little") + state[place + 8 :]


class Pair:
    """The engine and the loop, each with the same bytes."""

    def __init__(self, harness):
        self.problem, self.settings = harness.problem, harness.settings
        self.target = harness.target
        self.identity = identify(self.problem, self.settings)
        representation = self.settings.representation
        self.build = build_engine(self.problem, representation, fast_toolchain(), FAST_FLAGS)
        begun = EngineEvolver(self.problem, self.settings, build=self.build)
        begun.step(3)
        self.begun = begun.save()
        self.loop = LoopEvolver(self.problem, self.settings, ReferenceBackend())
        if self.target == "receive":
            self.loop.restore(self.begun)

    def make(self):
        """An engine and a loop: new ones, or begun if they are to receive."""
        engine = EngineEvolver(self.problem, self.settings, build=self.build)
        if self.target == "receive":
            engine.restore(self.begun)
        loop = self.loop
        never_change = (self.problem, self.settings, loop.scorer.backend, loop.state)
        return engine, copy.deepcopy(loop, {id(one): one for one in never_change})

    def take(self, evolver, content):
        """Return whether the bytes were accepted; only errors of users are caught."""
        try:
            if self.target == "restore":
                evolver.restore(self.identity + content)
            else:
                evolver.receive(2, content)
        except DsgecError:
            return False
        return True

    def assert_same(self, content):
        """Gives whether the bytes were taken."""
        engine, loop = self.make()
        taken = self.take(engine, content)
        assert self.take(loop, content) == taken, content
        if taken:
            assert engine.save() == loop.save()
            if 0 < loop.next_generation <= self.settings.generations:
                engine.advance(1, float("inf"))
                loop.advance(1, float("inf"))
                assert engine.save() == loop.save()
        return taken


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("grammar", "representation", "learning"),
    [
        ("multi_layer", "dsge", {}),
        ("formula", "sge", {}),
        ("one_layer", "ge", {}),
        ("multi_layer", "dsge", TREES),
        ("one_layer", "ge", LISTS),
    ],
)
def test_engine_and_loop_refuse_the_same_damages(target, grammar, representation, learning):
    classes = 0 if grammar == "formula" else 2
    harness = EngineHarness(target, grammar, representation, classes, **learning)
    pair = Pair(harness)
    taken = [pair.assert_same(content) for content in damages(harness.seeds(), 16)]
    assert 0 < sum(taken) < len(taken)


@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("grammar", "representation", "classes", "learning"),
    [*((*engine, {}) for engine in ENGINES), *LEARNING],
)
def test_fuzzed_bytes_are_refused_or_run_on_with(
    target, grammar, representation, classes, learning, tmp_path
):
    harness = EngineHarness(target, grammar, representation, classes, **learning)
    found = fuzz(harness, harness.seeds(), tmp_path, RUNS)
    pair = Pair(harness)
    for content in spread(found):
        pair.assert_same(content)
    taken = accepted(harness, tmp_path)
    assert all(pair.assert_same(content) for content in spread(taken))
    assert len(taken) > len(found) // 4


def spread(inputs):
    """Every so many of the inputs that there are enough to compare."""
    return inputs[:: -(-len(inputs) // COMPARED)]
