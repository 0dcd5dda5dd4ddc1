"""Programs around the engine's source, for sanitizers and profilers, and their input."""

import struct
import subprocess
from pathlib import Path

from dsgec.engine.source import emit_engine
from dsgec.search.native_input import make_parameters, make_tables
from tests.support.compilers import fast_engine
from tests.support.engine_runs import OBJECTIVES_OF
from tests.support.example_grammars import EMPTY_AND_LONG, NESTED_LAYERS, SHIPPED

HERE = Path(__file__).parent
DRIVER = HERE / "engine_program.c"
STRICT = ("-std=c99", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-pthread")
WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-pedantic", "-Werror")
SANITIZERS = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
OBJECTIVES = [(name, 3 if of else 0) for of, names in OBJECTIVES_OF.items() for name in names]
GRAMMARS = (*SHIPPED, NESTED_LAYERS, EMPTY_AND_LONG)
WARNING_CASES = [
    ("dsge", "multi_layer_softmax", "trees", 2),
    ("sge", "one_layer", "lists", 0),
    ("ge", "one_layer", "lists", 1),
    ("psge", "one_layer", "lists", 1),
    ("copsge", "one_layer", "lists", 0),
    ("dsge", "multi_layer_softmax", "lists", 0),
    ("ge", "one_layer", "lists", 0),
    ("dsge", "formula", "trees", 0),
]


def program_source(problem, representation="dsge", programs=(DRIVER,), learning=False):
    """Return the engine's source followed by that of a program."""
    roles = problem.language.grammar.directives
    engine = emit_engine(
        problem.language.tables,
        representation,
        bool(roles.layer),
        roles.output,
        problem.objective,
        learning=learning or problem.learning is not None,
        trees=problem.learning is not None and problem.learning.trees,
        weighted=problem.row_weights is not None,
        minimises=problem.cost.is_minimised,
    )
    parts = (HERE / "engine_problem.c", *programs)
    return "\n".join([engine.whole, *(part.read_text(encoding="utf-8") for part in parts)])


def cost_bytes(problem, settings):
    """Return the tables by which the engine counts costs, as engine_problem.c reads them."""
    if not problem.cost.has_prices:
        return b""
    made = fast_engine(problem, settings).native.costs
    p, q = made.prologue, made.prices
    operations, features, required, each, once, needs = made.arrays
    numbers = (p.count, p.columns, p.classes, p.has_threshold, len(each), len(once), q.base)
    arrays = (operations, features, required, each, once, needs)
    return struct.pack("=7qQ", *numbers, q.base_needs) + b"".join(a.tobytes() for a in arrays)


def problem_bytes(problem, settings, threads):
    """Return a problem as engine_problem.c reads it."""
    p, t = make_parameters(problem, settings, threads), make_tables(problem)
    names = (
        *("crossover", "mutation", "penalty", "parsimony", "down_sample", "learning_factor"),
        *("grammar_mutation", "grammar_deviation", "rate_mutation", "rate_deviation"),
    )
    rates = [p.pop(name) for name in names]
    seed, classes = p.pop("seed"), p.pop("classes")
    last = [p.pop(name) for name in ("steps", "batch", "selection", "adaptive", "initialisation")]
    numbers = p.values()
    sizes = (*t.columns.shape, classes, len(t.groups), settings.generations + 1, *last)
    flat = [number for group in t.groups for number in group]
    return b"".join(
        [
            struct.pack("=Q19q10d", seed, *numbers, *sizes, *rates),
            struct.pack(f"={len(flat)}q", *flat),
            t.columns.tobytes(),
            t.single.tobytes(),
            t.each.tobytes(),
            b"" if t.row_weights is None else t.row_weights.tobytes(),
            cost_bytes(problem, settings),
        ]
    )


def build_program(problem, folder, *flags, compiler="cc", representation="dsge", driver=DRIVER):
    (folder / "engine.c").write_text(
        program_source(problem, representation, (driver,)), encoding="utf-8"
    )
    program = folder / "engine"
    command = [compiler, *STRICT, *flags, str(folder / "engine.c"), "-o", str(program), "-lm"]
    subprocess.run(command, check=True, timeout=300)
    return program


def run_program(program, problem, settings, threads, folder):
    """Return the lines that the program prints; fail if a sanitizer reports anything."""
    (folder / "problem").write_bytes(problem_bytes(problem, settings, threads))
    answer = subprocess.run(
        [str(program), str(folder / "problem")],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        env={"ASAN_OPTIONS": "detect_stack_use_after_return=1", "TSAN_OPTIONS": "halt_on_error=1"},
    )
    assert answer.returncode == 0, answer.stderr[-3000:]
    assert answer.stderr == ""
    return answer.stdout.splitlines()


def engine_end(problem, settings):
    engine = fast_engine(problem, settings)
    engine.step(settings.generations + 1)
    return f"{engine.best.fitness.hex()}", len(engine.native.save())


def assert_same_end(lines, problem, settings):
    first, second = lines
    assert first == second
    fitness, length, _ = first.split()
    assert (float.fromhex(fitness).hex(), int(length)) == engine_end(problem, settings)
