"""A problem as a file for engine_problem.c, and the source of a program that reads it."""

import struct
from pathlib import Path

from dsgec.engine.source import emit_engine
from dsgec.search.native_input import make_parameters, make_tables
from tests.support.fast import quick_engine

HERE = Path(__file__).parent
DRIVER = HERE / "engine_program.c"


def source(problem, representation="dsge", programs=(DRIVER,), learning=False):
    """The engine's source with that of a program behind it; it learns if the problem says so."""
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


def costs(problem, settings):
    """What the engine is given to count costs with, as a loaded one has it."""
    if not problem.cost.has_prices:
        return b""
    made = quick_engine(problem, settings).native.costs
    p, q = made.prologue, made.prices
    operations, features, required, each, once, needs = made.arrays
    numbers = (p.count, p.columns, p.classes, p.has_threshold, len(each), len(once), q.base)
    arrays = (operations, features, required, each, once, needs)
    return struct.pack("=7qQ", *numbers, q.base_needs) + b"".join(a.tobytes() for a in arrays)


def data(problem, settings, threads):
    p, t = make_parameters(problem, settings, threads), make_tables(problem)
    rates = [p.pop(name) for name in ("crossover", "mutation", "penalty", "parsimony")]
    steps, batch, classes, seed = (p.pop(name) for name in ("steps", "batch", "classes", "seed"))
    numbers = p.values()
    sizes = (*t.columns.shape, classes, len(t.groups), settings.generations + 1, steps, batch)
    flat = [number for group in t.groups for number in group]
    return b"".join(
        [
            struct.pack("=Q16q4d", seed, *numbers, *sizes, *rates),
            struct.pack(f"={len(flat)}q", *flat),
            t.columns.tobytes(),
            t.single.tobytes(),
            t.each.tobytes(),
            b"" if t.row_weights is None else t.row_weights.tobytes(),
            costs(problem, settings),
        ]
    )
