"""The engine reads and writes only what is its own, and its threads do not race."""

import shutil
from dataclasses import replace

import pytest

from dsgec.search.settings import COSTS, Settings
from tests.support.compilers import fast_engine
from tests.support.engine_program import (
    GRAMMARS,
    OBJECTIVES,
    SANITIZERS,
    WARNING_CASES,
    WARNINGS,
    assert_same_end,
    build_program,
    run_program,
)
from tests.support.engine_runs import make, make_data
from tests.support.example_grammars import INDIRECT

pytestmark = pytest.mark.needs_cc

SHALLOW = (("hidden-layers", 2), ("nodes", 3), ("sum", 2))
LEARNING = [
    *(("dsge", grammar, "trees") for grammar in GRAMMARS),
    ("dsge", "multi_layer", "lists"),
    ("sge", "one_layer", "lists"),
    ("ge", "one_layer", "lists"),
    ("copsge", "one_layer", "lists"),
]


MINIMISING = ("dsge", "multi_layer_softmax", "trees", 2, "flash")


def without_warnings(compiler, representation, grammar, variation, steps, minimise="none"):
    """The problem, its settings and the flags; skips where there is no such compiler."""
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    of_clang = ("-Wno-unknown-pragmas", "-Wno-pass-failed", "-Wno-unused-command-line-argument")
    extra = of_clang if compiler == "clang" else ()
    settings = Settings(
        population=10,
        generations=2,
        representation=representation,
        variation=variation,
        steps=steps,
        minimise=minimise,
        elites=int(minimise == "none"),
    )
    problem = make(grammar, settings, make_data(classes=0 if grammar == "formula" else 2))
    return problem, settings, (*WARNINGS, *extra)


@pytest.mark.parametrize(
    ("case", "compiler"),
    [
        *((case, "gcc") for case in (*WARNING_CASES, MINIMISING)),
        *((case, "clang") for case in (WARNING_CASES[0], MINIMISING)),
        *(pytest.param(case, "clang", marks=pytest.mark.campaign) for case in WARNING_CASES[1:]),
    ],
    ids=str,
)
def test_the_source_has_no_warnings(compiler, case, tmp_path):
    problem, _, flags = without_warnings(compiler, *case)
    build_program(
        problem, tmp_path, *flags, "-fsyntax-only", compiler=compiler, representation=case[0]
    )


@pytest.mark.campaign  # an optimiser takes its time
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("case", [*WARNING_CASES, MINIMISING], ids=str)
def test_the_source_has_no_warnings_of_an_optimiser(compiler, case, tmp_path):
    problem, settings, flags = without_warnings(compiler, *case)
    flags = ("-O1", *flags)
    program = build_program(problem, tmp_path, *flags, compiler=compiler, representation=case[0])
    assert_same_end(run_program(program, problem, settings, 1, tmp_path), problem, settings)


@pytest.mark.campaign
@pytest.mark.parametrize("grammar", GRAMMARS)
def test_no_address_and_no_behaviour_is_undefined(grammar, tmp_path):
    settings = Settings(population=25, generations=30, elites=2, seed=3)
    for number, (classes, rows) in enumerate([(2, 43), (0, 700), (3, 20)]):
        problem = make(grammar, settings, make_data(number, rows, 3, classes))
        engine = fast_engine(problem, settings)
        if engine.step(1)[0].invalid == settings.population:
            continue
        program = build_program(problem, tmp_path, *SANITIZERS)
        for threads in (1, 3):
            lines = run_program(program, problem, settings, threads, tmp_path)
            assert_same_end(lines, problem, settings)


@pytest.mark.campaign
@pytest.mark.parametrize(("objective", "classes"), OBJECTIVES)
def test_no_address_is_wrong_in_any_objective(objective, classes, tmp_path):
    settings = Settings(population=25, generations=20, seed=3)
    grammar = "multi_layer_softmax" if classes else "formula"
    problem = make(grammar, settings, make_data(1, 43, 3, classes), objective)
    program = build_program(problem, tmp_path, *SANITIZERS)
    assert_same_end(run_program(program, problem, settings, 2, tmp_path), problem, settings)


@pytest.mark.campaign
@pytest.mark.parametrize("representation", ["sge", "ge", "psge", "copsge"])
def test_no_address_is_wrong_in_other_representations(representation, tmp_path):
    for grammar in ("one_layer", "formula", INDIRECT):
        settings = Settings(
            population=25, generations=30, seed=3, representation=representation, codons=90, wraps=1
        )
        problem = make(grammar, settings, make_data(classes=0 if grammar == "formula" else 2))
        program = build_program(problem, tmp_path, *SANITIZERS, representation=representation)
        for threads in (1, 3):
            lines = run_program(program, problem, settings, threads, tmp_path)
            assert_same_end(lines, problem, settings)


def learn(representation, grammar, variation, **settings):
    """Settings of a run that learns."""
    settings = {"elites": 0 if "minimise" in settings else 2, **settings}
    return Settings(
        **{"population": 20, "generations": 20, "seed": 3, "steps": 3},
        **{"crossover": 0.3, "codons": 150, "wraps": 1, "representation": representation},
        **{"variation": variation, "max_depth": SHALLOW if "multi" in grammar else ()},
        **settings,
    )


@pytest.mark.campaign  # test_row_weights.py has a run that learns with weights
def test_no_address_is_wrong_in_a_short_run_that_learns(tmp_path):
    settings = replace(learn("dsge", "multi_layer", "trees"), generations=6)
    problem = make("multi_layer", settings)
    program = build_program(problem, tmp_path, "-O0", *SANITIZERS[2:])  # built in half the time
    assert_same_end(run_program(program, problem, settings, 2, tmp_path), problem, settings)


@pytest.mark.campaign
@pytest.mark.parametrize("what", COSTS)
@pytest.mark.parametrize(("representation", "grammar", "variation"), LEARNING)
def test_no_address_is_wrong_where_a_cost_is_minimised(
    representation, grammar, variation, what, tmp_path
):
    chosen = learn(representation, grammar, variation, minimise=what, dtype="float")
    for steps in (0, 2):  # lists without steps remember scores
        settings = replace(chosen, elites=0, steps=steps)
        problem = make(grammar, settings, make_data(1, 43, 3, 2))
        if fast_engine(problem, settings).step(1)[0].invalid == settings.population:
            continue
        program = build_program(problem, tmp_path, *SANITIZERS, representation=representation)
        for threads in (1, 3):
            lines = run_program(program, problem, settings, threads, tmp_path)
            assert_same_end(lines, problem, settings)


@pytest.mark.campaign
@pytest.mark.parametrize(("representation", "grammar", "variation"), LEARNING)
def test_no_address_is_wrong_where_numbers_are_learned(
    representation, grammar, variation, tmp_path
):
    settings = learn(representation, grammar, variation)
    for number, (classes, rows) in enumerate([(2, 43), (0, 700), (3, 20)]):
        problem = make(grammar, settings, make_data(number, rows, 3, classes))
        if fast_engine(problem, settings).step(1)[0].invalid == settings.population:
            continue
        program = build_program(problem, tmp_path, *SANITIZERS, representation=representation)
        for threads in (1, 3):
            lines = run_program(program, problem, settings, threads, tmp_path)
            assert_same_end(lines, problem, settings)


@pytest.mark.campaign
@pytest.mark.parametrize(("objective", "classes"), OBJECTIVES)
def test_no_address_is_wrong_in_any_objective_that_is_learned(objective, classes, tmp_path):
    grammar = "multi_layer_softmax" if classes else "formula"
    settings = learn("dsge", grammar, "trees", connect="previous")
    problem = make(grammar, settings, make_data(1, 43, 3, classes), objective)
    program = build_program(problem, tmp_path, *SANITIZERS)
    assert_same_end(run_program(program, problem, settings, 2, tmp_path), problem, settings)


@pytest.mark.campaign
@pytest.mark.parametrize("grammar", ["one_layer", "multi_layer", "multi_layer_softmax"])
def test_two_threads_that_learn_do_not_race(grammar, tmp_path):
    settings = learn("dsge", grammar, "trees")
    problem = make(grammar, settings)
    program = build_program(problem, tmp_path, "-O1", "-g", "-fsanitize=thread")
    assert_same_end(run_program(program, problem, settings, 2, tmp_path), problem, settings)


@pytest.mark.campaign
@pytest.mark.parametrize("grammar", ["one_layer", "multi_layer", "multi_layer_softmax"])
def test_two_threads_do_not_race(grammar, tmp_path):
    settings = Settings(population=30, generations=20, seed=4)
    problem = make(grammar, settings)
    program = build_program(problem, tmp_path, "-O1", "-g", "-fsanitize=thread")
    assert_same_end(run_program(program, problem, settings, 2, tmp_path), problem, settings)
