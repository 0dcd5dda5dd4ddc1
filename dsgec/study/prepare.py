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
from dsgec.run.baselines import check_rivals
from dsgec.run.identity import identity, text_identity
from dsgec.search.problem import Problem, make_problem
from dsgec.search.settings import Settings
from dsgec.study.definition import Cell
from dsgec.study.results import file_name
from dsgec.study.text_cells import load_text_grammar, make_cell_problem
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
        if self.cell.data.fitness:
            return text_identity(self.grammar, self.problem, self.cell.settings)
        return asked_of(self.grammar, self.problem.dataset, self.cell)

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
        if cell.data.fitness:
            tasks += _prepare_text(cell, grammars[cell.grammar.file], faults)
            continue
        source = (cell.data.file, cell.data.target, cell.data.reading, cell.data.preprocessing)
        with _collect_faults(faults, f"data {cell.data.file}"):
            if source not in datasets:
                datasets[source] = None
                table = read_table(cell.data.file, cell.data.reading)
                datasets[source] = make_dataset(table, cell.data.target, cell.data.preprocessing)
        grammar, dataset = grammars[cell.grammar.file], datasets[source]
        if grammar is None or dataset is None:
            continue
        kind = (cell.grammar.file, source, replace(cell.settings, seed=0))
        with _collect_faults(faults, f"{cell.grammar.name} on {cell.data.name}"):
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


def _prepare_text(
    cell: Cell, grammar: GrammarFile | None, faults: dict[str, Fault]
) -> Iterator[Task]:
    """Yield the task of a cell whose fitness is a user's, unless there is an error."""
    with _collect_faults(faults, f"{cell.grammar.name} by {cell.data.name}"):
        if grammar is not None:
            problem = make_cell_problem(grammar, cell.data, cell.settings)
            name = file_name(cell, text_identity(grammar, problem, cell.settings))
            yield Task(cell, grammar, problem.dataset, problem, name)


def asked_of(grammar: GrammarFile, dataset: Dataset, cell: Cell) -> dict[str, Any]:
    """Return everything that the result of a cell depends on."""
    asked = identity(grammar, dataset, cell.settings)
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
