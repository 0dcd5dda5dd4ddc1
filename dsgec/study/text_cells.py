"""The cells of a study whose fitness is a user's: the grammar, the problem and the result."""

from typing import Any

from dsgec.grammar.load import GrammarFile, load_grammar
from dsgec.problems import NAMES
from dsgec.run.text_result import TextResultRecord
from dsgec.search.fitness import LocalEvaluator
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings
from dsgec.search.text_problem import make_text_problem
from dsgec.search.text_settings import TextSettings
from dsgec.study.definition import Cell, Data
from dsgec.study.problem_file import ProblemFile

_NO_SIZES = {"layers": 0, "neurons": 0, "features": 0, "connections": 0}


def load_text_grammar(name: str) -> GrammarFile:
    """Load a grammar file, or the grammar of a shipped problem or of a user's file."""
    if name not in NAMES and not name.endswith(".py"):
        return load_grammar(name, any_text=True)
    return ProblemFile.load(name).grammar()


def make_cell_problem(grammar: GrammarFile, data: Data, settings: Settings) -> Problem:
    """Return the problem of a cell; its function is found again wherever the cell is run."""
    assert isinstance(settings, TextSettings)
    own = ProblemFile.load(data.fitness)
    return make_text_problem(
        *(grammar.grammar, LocalEvaluator(own.fitness), settings),
        name=own.name,
        digest=own.digest,
        operators=own.operators,
    )


def cell_record(cell: Cell, problem: Problem, result: TextResultRecord) -> dict[str, Any]:
    """Return the result of a search as the file of a cell has it."""
    goal = cell.settings.stop_at
    is_solved = goal is not None and (
        result.score >= goal if problem.rises else result.score <= goal
    )
    figures = {"score": result.score, **({} if goal is None else {"solved": float(is_solved)})}
    return {
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
