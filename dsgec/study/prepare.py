"""Cells to tasks: everything that the runs need is read and checked before the first one starts."""

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
from dsgec.run.baselines import check_rivals
from dsgec.run.record import identity
from dsgec.search.problem import Problem, make_problem
from dsgec.search.settings import Settings
from dsgec.study.ir import Cell
from dsgec.study.reader import STUDY
from dsgec.study.results import file_name

RUNS = "runs"
"""The folder of the files of finished runs, in that of the study."""

Source = tuple[str, str | None, ReadingOptions, Preprocessing]


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A run that can start, and the file in the folder RUNS that it ends in."""

    cell: Cell
    grammar: GrammarFile
    dataset: Dataset
    """As the problem was made of it: the problem's own is fitted to the training rows."""
    problem: Problem
    file: str

    @property
    def asked(self) -> dict[str, object]:
        """All that the outcome depends on."""
        return asked_of(self.grammar, self.problem.dataset, self.cell)

    @property
    def size(self) -> int:
        """How much work it is, roughly: cells of the table, over the individuals of the run."""
        settings = self.cell.settings
        return settings.generations * settings.population * len(self.problem.split.train) + 1


def prepare(cells: Sequence[Cell]) -> list[Task]:
    """Read and check everything that the runs need, so that no mistake is found hours later."""
    faults: dict[str, Fault] = {}
    grammars: dict[str, GrammarFile | None] = {}
    datasets: dict[Source, Dataset | None] = {}
    problems: dict[tuple[str, Source, Settings], Problem | None] = {}
    tasks = []
    for cell in cells:
        with _keeping(faults, f"grammar {cell.grammar.file}"):
            if cell.grammar.file not in grammars:
                grammars[cell.grammar.file] = None
                grammars[cell.grammar.file] = load_grammar(cell.grammar.file)
        source = (cell.data.file, cell.data.target, cell.data.reading, cell.data.preprocessing)
        with _keeping(faults, f"data {cell.data.file}"):
            if source not in datasets:
                datasets[source] = None
                table = read_table(cell.data.file, cell.data.reading)
                datasets[source] = make_dataset(table, cell.data.target, cell.data.preprocessing)
        grammar, dataset = grammars[cell.grammar.file], datasets[source]
        if grammar is None or dataset is None:
            continue
        kind = (cell.grammar.file, source, replace(cell.settings, seed=0))
        with _keeping(faults, f"{cell.grammar.name} on {cell.data.name}"):
            if kind not in problems:
                problems[kind] = None
                check_rivals(cell.settings.compare)
                problems[kind] = make_problem(grammar.grammar, dataset, cell.settings)
        problem = problems[kind]
        if problem is None:
            continue
        name = file_name(cell, asked_of(grammar, dataset, cell))
        tasks.append(Task(cell, grammar, dataset, problem, name))
    if faults:
        raise DsgecError(faults.values())
    return tasks


def asked_of(grammar: GrammarFile, dataset: Dataset, cell: Cell) -> dict[str, Any]:
    """All that the outcome of a cell depends on."""
    asked = identity(grammar, dataset, cell.settings)
    if cell.data.reading != ReadingOptions():
        asked["data"]["reading"] = asdict(cell.data.reading) | {"names": []}
    return asked


@contextlib.contextmanager
def _keeping(faults: dict[str, Fault], place: str) -> Iterator[None]:
    try:
        yield
    except DsgecError as error:
        for fault in error.faults:
            texts = fault.at("" if fault.span else place, STUDY)
            faults.setdefault(str(texts), texts)


def remarks(tasks: Sequence[Task]) -> list[str]:
    """What a user should know beforehand, each thing once."""
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
