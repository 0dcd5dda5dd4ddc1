"""An engine that gets no memory, or no thread, says so: nothing crashes and nothing leaks."""

from pathlib import Path

import pytest

from dsgec.engine.source import engine_header
from dsgec.errors import DsgecError
from dsgec.search import native as engines
from dsgec.search.native import EngineEvolver
from dsgec.search.settings import Settings
from tests.support.engine_program import GRAMMARS, build_program, run_program
from tests.support.engine_runs import FAST_FLAGS, make, make_data

pytestmark = pytest.mark.needs_cc

HERE = Path(__file__).parent
STARVED = ("-include", str(HERE / "starve.h"))
SANITIZED = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
SHALLOW = {"one_layer": (), "multi_layer": (("hidden-layers", 2), ("nodes", 2), ("sum", 2))}
THREADS = (1, 3)
CONTROL = "void dsgec_starve(int64_t, int); int64_t dsgec_starved(void);"


def refused(problem, settings, threads, folder, *flags):
    """Refuse each request in turn; return the number of refusals for each number of threads."""
    program = build_program(
        problem,
        folder,
        *STARVED,
        *flags,
        representation=settings.representation,
        driver=HERE / "starved.c",
    )
    return [int(run_program(program, problem, settings, each, folder)[-1]) for each in threads]


def test_every_refusal_of_memory_is_an_error_and_nothing_leaks(tmp_path):
    settings = Settings(population=6, generations=3, elites=2, seed=3)
    assert min(refused(make("one_layer", settings), settings, THREADS, tmp_path, "-O0")) > 50


def learning(representation="dsge", **more):
    """Settings of a run that learns; without penalties a score is that of the text alone."""
    trees = {"variation": "trees" if representation == "dsge" else "lists"}
    return Settings(**more, **trees, representation=representation, steps=2, l2=0.0, crossover=0.5)


@pytest.mark.parametrize(
    "grammar", ["one_layer", pytest.param("multi_layer", marks=pytest.mark.campaign)]
)
def test_a_run_that_learns_without_memory_leaks_nothing(grammar, tmp_path):
    settings = learning(population=6, generations=3, elites=2, seed=3, max_depth=SHALLOW[grammar])
    assert refused(make(grammar, settings), settings, [1], tmp_path, "-O0")[0] > 50


def report(capsys, name, counts):
    with capsys.disabled():
        for threads, count in zip(THREADS, counts, strict=False):
            print(f"\n{name}, {threads} threads: {count} requests refused", end="", flush=True)
    assert min(counts) > 50


@pytest.mark.campaign
def test_a_run_that_minimises_flash_without_memory_leaks_nothing(tmp_path, capsys):
    settings = learning(population=6, generations=3, elites=0, seed=3, minimise="flash")
    counts = refused(make("one_layer", settings), settings, [1], tmp_path, "-O1")
    report(capsys, "dsge, one_layer, learning, flash", counts)


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("representation", "grammar"),
    [("dsge", "one_layer"), ("dsge", "multi_layer"), ("sge", "one_layer"), ("ge", "one_layer")],
)
def test_no_refusal_of_memory_makes_an_address_wrong_in_learning(
    representation, grammar, tmp_path, capsys
):
    settings = learning(
        representation, population=8, generations=4, seed=3, max_depth=SHALLOW[grammar]
    )
    problem = make(grammar, settings)
    counts = refused(problem, settings, THREADS, tmp_path, "-O1", *SANITIZED)
    report(capsys, f"{representation}, {grammar}, learning", counts)


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("representation", "grammar"),
    [*(("dsge", each) for each in GRAMMARS), ("sge", "one_layer"), ("ge", "one_layer")],
)
def test_no_refusal_of_memory_makes_an_address_wrong(representation, grammar, tmp_path, capsys):
    settings = Settings(
        population=10, generations=6, elites=2, seed=3, representation=representation
    )
    problem = make(grammar, settings, make_data(1, 43, 3, 3 if "softmax" in grammar else 2))
    counts = refused(problem, settings, THREADS, tmp_path, "-O1", *SANITIZED)
    name = grammar if "::=" not in grammar else "a grammar of the tests"
    report(capsys, f"{representation}, {name}", counts)


def test_a_run_without_memory_ends_with_a_message(monkeypatch):
    monkeypatch.setattr(engines, "engine_header", lambda: engine_header() + CONTROL)
    settings = Settings(population=6, generations=3, seed=3)
    problem = make("one_layer", settings)

    def start():
        return EngineEvolver(problem, settings, flags=(*FAST_FLAGS, *STARVED))

    start()  # compiled, and from now on found in the cache: one library for all
    undisturbed = start()
    undisturbed.step(4)
    native = undisturbed.native._lib
    number, messages, ended = 0, set(), False
    while not ended:
        number += 1
        native.dsgec_starve(number, 0)
        try:
            engine = start()
            engine.step(4)
            state = engine.save()
        except DsgecError as error:
            messages.add(error.faults[0].message)
            continue
        ended = native.dsgec_starved() == 0
        assert state == undisturbed.save()
    native.dsgec_starve(0, 0)
    assert number > 30
    assert messages == {"the engine stopped: there is not enough memory"}
