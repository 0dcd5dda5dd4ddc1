"""Read and check everything that the cells of a study need, before the first run starts."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from dsgec.data.dataset import Dataset
from dsgec.data.options import Preprocessing, ReadingOptions
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.errors import DsgecError, Fault
from dsgec.grammar.load import GrammarFile, load_grammar
from dsgec.problems import NAMES
from dsgec.run.baselines import check_rivals
from dsgec.run.job import Job
from dsgec.run.text_result import TextResultRecord
from dsgec.search.fitness import LocalEvaluator
from dsgec.search.problem import Problem, make_problem
from dsgec.search.settings import Settings
from dsgec.search.text_problem import make_text_problem
from dsgec.search.text_settings import TextSettings
from dsgec.study.definition import Cell, Data
from dsgec.study.problem_file import ProblemFile
from dsgec.study.results import file_name
from dsgec.study.toml_reader import STUDY

RUNS = "runs"
"""The folder of the files of finished runs, in that of the study."""

Source = tuple[str, str | None, ReadingOptions, Preprocessing]


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A run that is ready to start, and the name of its file in the folder RUNS."""

    cell: Cell
    grammar: GrammarFile
    dataset: Dataset
    """As it was read; the problem's own is preprocessed by the training rows."""
    problem: Problem
    file: str

    @property
    def asked(self) -> dict[str, object]:
        """Return everything that the result depends on."""
        return asked_of(self.grammar, self.problem, self.cell)

    @property
    def size(self) -> int:
        """Return a rough measure of the work: training rows times individuals."""
        settings = self.cell.settings
        return settings.generations * settings.population * len(self.problem.split.train) + 1


def prepare(cells: Sequence[Cell]) -> list[Task]:
    """Return the task of each cell; raise all errors now, so that none is found hours later."""
    faults: dict[str, Fault] = {}
    grammars: dict[str, GrammarFile | None] = {}
    datasets: dict[Source, Dataset | None] = {}
    problems: dict[tuple[str, Source, Settings], Problem | None] = {}
    tasks: list[Task] = []
    for cell in cells:
        with _collect_faults(faults, f"grammar {cell.grammar.file}"):
            if cell.grammar.file not in grammars:
                grammars[cell.grammar.file] = None
                load = load_text_grammar if cell.data.fitness else load_grammar
                grammars[cell.grammar.file] = load(cell.grammar.file)
        grammar = grammars[cell.grammar.file]
        if cell.data.fitness:
            with _collect_faults(faults, f"{cell.grammar.name} by {cell.data.name}"):
                if grammar is not None:
                    problem = make_cell_problem(grammar, cell.data, cell.settings)
                    tasks.append(_make_task(cell, grammar, problem.dataset, problem))
            continue
        source = (cell.data.file, cell.data.target, cell.data.reading, cell.data.preprocessing)
        with _collect_faults(faults, f"data {cell.data.file}"):
            if source not in datasets:
                datasets[source] = None
                table = read_table(cell.data.file, cell.data.reading)
                datasets[source] = make_dataset(table, cell.data.target, cell.data.preprocessing)
        dataset = datasets[source]
        if grammar is None or dataset is None:
            continue
        kind = (cell.grammar.file, source, replace(cell.settings, seed=0))
        with _collect_faults(faults, f"{cell.grammar.name} on {cell.data.name}"):
            if kind not in problems:
                problems[kind] = None
                check_rivals(cell.settings.compare)
                problems[kind] = make_problem(grammar.grammar, dataset, cell.settings)
        if (known := problems[kind]) is not None:
            tasks.append(_make_task(cell, grammar, dataset, known))
    if faults:
        raise DsgecError(faults.values())
    return tasks


def _make_task(cell: Cell, grammar: GrammarFile, dataset: Dataset, problem: Problem) -> Task:
    name = file_name(cell, asked_of(grammar, problem, cell))
    return Task(cell, grammar, dataset, problem, name)


def asked_of(grammar: GrammarFile, problem: Problem, cell: Cell) -> dict[str, Any]:
    """Return everything that the result of a cell depends on."""
    asked = Job(grammar, problem, cell.settings).identity
    if cell.data.reading != ReadingOptions():
        asked["data"]["reading"] = asdict(cell.data.reading) | {"names": []}
    return asked


@contextlib.contextmanager
def _collect_faults(faults: dict[str, Fault], place: str) -> Iterator[None]:
    try:
        yield
    except DsgecError as error:
        for fault in error.faults:
            texts = fault.at("" if fault.span else place, STUDY)
            faults.setdefault(str(texts), texts)


def remarks(tasks: Sequence[Task]) -> list[str]:
    """Return the notes and warnings for the user, each of them once."""
    texts = (
        text
        for task in tasks
        for text in (
            *map(str, task.grammar.warnings),
            *(
                STUDY.write(f"note: {task.cell.data.name}: {note}")
                for note in (*task.problem.dataset.notes, task.problem.remark)
                if note
            ),
        )
    )
    return [text for text in dict.fromkeys(texts) if text]


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
