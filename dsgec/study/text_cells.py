"""The cells of a study whose fitness is a user's: the grammar, the problem and the run."""

from typing import Any

from dsgec.errors import DsgecError
from dsgec.grammar.load import GrammarFile, load_grammar, parse_grammar
from dsgec.pipeline import Hooks, evolve_texts
from dsgec.problems import NAMES
from dsgec.run.job import Job
from dsgec.run.text_result import TextResult
from dsgec.search.evolver import Evolver
from dsgec.search.fitness import LocalEvaluator
from dsgec.search.operators import make_operators
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings
from dsgec.search.text_problem import make_text_problem
from dsgec.search.text_settings import TextSettings
from dsgec.study.definition import Cell, Data
from dsgec.study.evaluators import (
    find_function,
    load_problem,
    module_digest,
    problem_name,
    split_place,
)

_NO_SIZES = {"layers": 0, "neurons": 0, "features": 0, "connections": 0}


def load_text_grammar(name: str) -> GrammarFile:
    """Load a grammar file, or the grammar of a shipped problem or of a user's file."""
    if name not in NAMES and not name.endswith(".py"):
        return load_grammar(name, any_text=True)
    text = getattr(load_problem(name), "grammar", None)
    if not isinstance(text, str):
        raise DsgecError(f"{name} has no `grammar`")
    return parse_grammar(text, problem_name(name), any_text=True)


def make_cell_problem(grammar: GrammarFile, data: Data, settings: Settings) -> Problem:
    """Return the problem of a cell; its function is found again wherever the cell is run."""
    assert isinstance(settings, TextSettings)
    place, function = split_place(data.fitness)
    module = load_problem(place)
    evaluate = LocalEvaluator(find_function(module, place, function))
    name = f"{problem_name(place)}:{function}"
    digest = module_digest(module)
    operators = make_operators(getattr(module, "operators", {}))
    return make_text_problem(
        *(grammar.grammar, evaluate, settings), name=name, digest=digest, operators=operators
    )


def run_cell(
    cell: Cell, grammar: GrammarFile, problem: Problem, evolver: Evolver, hooks: Hooks
) -> tuple[dict[str, Any], TextResult]:
    """Run a cell, and return its result as the file of a cell has it."""
    made = evolve_texts(Job(grammar, problem, cell.settings), evolver, hooks)
    result, goal = made.result, cell.settings.stop_at
    is_solved = goal is not None and (
        result.score >= goal if problem.rises else result.score <= goal
    )
    figures = {"score": result.score, **({} if goal is None else {"solved": float(is_solved)})}
    record = {
        "fitness": result.fitness,
        "objective": problem.dataset.name,
        "generations": result.generations,
        "ended": result.ended,
        "evaluations": result.evaluations,
        "train": figures,
        "test": {},
        "network": _NO_SIZES,
        "phenotype": result.best.phenotype,
    }
    return record, made
