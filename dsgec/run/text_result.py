"""The result of a search with a user's fitness: its record, its hall of fame and its folder."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path
from typing import Any

from dsgec.errors import DsgecError
from dsgec.folder import Folder
from dsgec.grammar.genome.derivation_tree import TreeNode, make_tree
from dsgec.grammar.genome.genotype import Genotype
from dsgec.grammar.genome.psge import PROBABILITY_GENES
from dsgec.manifest import BEST, DIVERSITY, HALL, HISTORY, PAGE, RECORD
from dsgec.plain_data import MOST_BYTES, as_plain, csv_text, from_plain, read_json, to_json
from dsgec.random import Stream
from dsgec.run.folder import has_record, read_timing
from dsgec.run.genealogy import log_files
from dsgec.run.history import history_text, parse_history
from dsgec.run.job import Job, text_identity
from dsgec.run.populations import read_log
from dsgec.run.record import GrammarRecord
from dsgec.run.result_folder import replace_run
from dsgec.run.search import Outcome
from dsgec.run.session import make_timing
from dsgec.search.diversity import Diversity
from dsgec.search.evolver import Evolver, HistoryRow
from dsgec.search.individual import Champion
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings
from dsgec.search.text_evolvers import judges_of

TASK = "fitness"
"""The task in the record of such a run; those of networks are classification and regression."""

_MOST_HALL = 1_000


@dataclass(frozen=True, slots=True)
class FitnessRecord:
    """The fitness of a run: the names of problem and function, and a digest of the source."""

    name: str
    function: str
    sha256: str
    task: str = TASK


@dataclass(frozen=True, slots=True)
class FailureRecord:
    """The number of phenotypes without a fitness for one reason, and the first of them."""

    reason: str
    count: int
    phenotype: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEntry:
    """A phenotype of the hall of fame, with its score and its genotype, by symbols.

    `values` are the cases or the objectives, as the fitness gave them.
    """

    score: float
    phenotype: str
    values: tuple[float, ...] | None = None
    genotype: Mapping[str, tuple[int, ...]]

    @property
    def length(self) -> int:
        """The number of characters."""
        return len(self.phenotype)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextResultRecord:
    """The best phenotype of a run, and how it came about."""

    fitness: float
    score: float
    generations: int
    ended: str
    evaluations: int
    reused: int
    best: TextEntry
    tree: tuple[str, ...] = ()
    solved: int | None = None
    failures: tuple[FailureRecord, ...] = ()

    @property
    def failed(self) -> int:
        """The number of phenotypes without a fitness."""
        return sum(one.count for one in self.failures)


@dataclass(frozen=True, slots=True)
class TextRecord:
    """The content of run.json of a search with a user's fitness."""

    dsgec: str
    grammar: GrammarRecord
    data: FitnessRecord
    settings: Mapping[str, Any]
    result: TextResultRecord

    def as_json(self) -> dict[str, Any]:
        """Return the content of run.json."""
        found: dict[str, Any] = as_plain(self)
        return found

    def validate(self) -> None:
        """Raise a ValueError if it is the record of another kind of run."""
        if self.data.task != TASK:
            raise ValueError("`data.task` is wrong")


@dataclass(frozen=True, slots=True, eq=False)
class TextResult:
    """The content of the folder of a search with a user's fitness."""

    record: TextRecord
    history: tuple[HistoryRow, ...]
    timing: dict[str, Any]
    hall: tuple[TextEntry, ...]
    diversity: tuple[Diversity, ...] = ()
    logged: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def result(self) -> TextResultRecord:
        """The figures of the record."""
        return self.record.result


@dataclass(frozen=True, slots=True, eq=False)
class WrittenSearch:
    """A search with a user's fitness in its folder, finished or interrupted."""

    folder: Path
    result: TextResult

    @property
    def record(self) -> TextRecord:
        """Return the record of the search."""
        return self.result.record

    @property
    def timing(self) -> dict[str, Any]:
        """Return the content of timing.json."""
        return self.result.timing

    @property
    def ended(self) -> str:
        """Return why it ended: one of ENDS, `interrupted` or `max-seconds`."""
        return self.record.result.ended


def make_text_result(job: Job, outcome: Outcome, evolver: Evolver) -> TextResult:
    """Return the result of a search with a user's fitness."""
    problem, last = job.problem, outcome.last
    assert problem.fitness is not None
    names = (*problem.language.tables.names, *PROBABILITY_GENES)
    by_depth = job.settings.representation == "sge"

    def entry(one: Champion) -> TextEntry:
        sign = -1.0 if problem.fitness is not None and problem.fitness.maximise else 1.0
        values = tuple(sign * value + 0.0 for value in one.values) or None
        return TextEntry(
            score=problem.as_score(one.fitness),
            phenotype=one.phenotype,
            values=values,
            genotype=name_genes(one, names, by_depth=by_depth),
        )

    hall = tuple(entry(one) for one in outcome.champions[:_MOST_HALL])
    best = next((one for one in hall if one.phenotype == last.phenotype), None)
    best = best or entry(Champion(last.size, last.best, last.phenotype))
    is_cases = problem.fitness.objectives == 1 and best.values is not None
    asked = text_identity(job.grammar, problem, job.settings)
    record = TextRecord(
        asked["dsgec"],
        GrammarRecord(**asked["grammar"]),
        FitnessRecord(**asked["data"]),
        asked["settings"],
        TextResultRecord(
            fitness=last.best,
            score=problem.as_score(last.best) + 0.0,
            generations=last.generation,
            ended=outcome.ended,
            evaluations=last.evaluations,
            reused=last.reused,
            best=best,
            tree=_tree_lines(job, outcome),
            solved=_count_solved(best.values or ()) if is_cases else None,
            failures=_collect_failures(evolver),
        ),
    )
    timing = make_timing(outcome.backend, outcome.seconds, last.evaluations, outcome.compiling)
    diversity = tuple(row for judge in judges_of(evolver) for row in judge.diversity)
    logged = log_files(problem, job.settings, outcome.log, outcome.history[-1].generation)
    return TextResult(record, outcome.history, timing, hall, diversity, logged)


def find_tree(problem: Problem, settings: Settings, genotype: Genotype) -> TreeNode:
    """Return the derivation tree of a genotype."""
    derivation = problem.represent(settings).express(genotype, Stream(0, 0, 0))
    return make_tree(problem.language.tables, derivation)


def _tree_lines(job: Job, outcome: Outcome) -> tuple[str, ...]:
    same = (one for one in outcome.champions if one.phenotype == outcome.last.phenotype)
    best = next(same, None)
    if best is None or not best.genotype:
        return ()
    return tuple(find_tree(job.problem, job.settings, best.genotype).lines())


def _count_solved(values: Sequence[float]) -> int:
    """Return the number of cases without an error."""
    return sum(value == 0.0 for value in values)


def name_genes(
    one: Champion, names: Sequence[str], *, by_depth: bool = False
) -> dict[str, tuple[int, ...]]:
    """Return a genotype by the names of its symbols; a symbol of SGE also has its depth."""
    return {
        f"{names[rule]}@{part}" if by_depth else names[rule]: values
        for (rule, part), values in (one.genotype or {}).items()
    }


def _collect_failures(evolver: Evolver) -> tuple[FailureRecord, ...]:
    """Return the failures of all populations, the most frequent first."""
    found: dict[str, FailureRecord] = {}
    for judge in judges_of(evolver):
        for reason, own in judge.failures.items():
            before = found.get(reason)
            count = own.count + (before.count if before else 0)
            phenotype = before.phenotype if before else own.phenotype
            found[reason] = FailureRecord(reason, count, phenotype)
    return tuple(sorted(found.values(), key=lambda one: (-one.count, one.reason)))


def write_text_result(
    folder: Folder, result: TextResult, make_page: Callable[[TextResult], str]
) -> None:
    """Write a result in the place of an earlier run; run.json is written last."""
    files: dict[str, str | bytes] = {
        BEST: result.result.best.phenotype,
        HISTORY: history_text(result.history),
        HALL: text_hall_text(result.hall),
        **({DIVERSITY: diversity_text(result.diversity)} if result.diversity else {}),
        **result.logged,
        PAGE: make_page(result),
        RECORD: to_json(result.record.as_json()),
    }
    encoded = {
        name: text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        for name, text in files.items()
    }
    replace_run(folder, encoded, result.timing)


def diversity_text(rows: Sequence[Diversity]) -> str:
    """Return the text of diversity.csv; the generations of islands follow one another."""
    names = ",".join(one.name for one in fields(Diversity))
    return "".join(f"{line}\n" for line in (names, *(_csv(astuple(row)) for row in rows)))


def _csv(values: Sequence[float]) -> str:
    return ",".join(map(repr, values))


def text_hall_text(hall: Sequence[TextEntry]) -> str:
    """Return the text of hall_of_fame.csv: score, length, values and phenotype of each entry."""
    width = len(hall[0].values or ()) if hall else 0
    names = [f"value_{number}" for number in range(1, width + 1)]
    rows = ([one.score, one.length, *(one.values or ()), one.phenotype] for one in hall)
    return csv_text(["score", "length", *names, "phenotype"], rows)


def _parse_hall(text: str, source: str) -> tuple[TextEntry, ...]:
    try:
        names, *rows = csv.reader(io.StringIO(text), strict=True)
        if names[:2] != ["score", "length"] or names[-1] != "phenotype":
            raise ValueError("columns")
        return tuple(
            TextEntry(
                score=float(score),
                phenotype=phenotype,
                values=tuple(map(float, values)) or None,
                genotype={},
            )
            for score, _, *values, phenotype in rows
        )
    except (ValueError, csv.Error, IndexError) as error:
        raise DsgecError(f"{source} is not the hall of fame of a search") from error


def is_text_run(folder: Folder) -> bool:
    """Return whether a folder holds a search with a user's fitness, by what its record says."""
    if not has_record(folder):
        return False
    found = read_json(folder, RECORD)
    data = found.get("data") if isinstance(found, dict) else None
    return isinstance(data, dict) and data.get("task") == TASK


def read_text_record(folder: Folder) -> TextRecord:
    """Return the record of a search, or raise a DsgecError."""
    try:
        return from_plain(TextRecord, read_json(folder, RECORD))
    except ValueError as error:
        raise DsgecError(
            f"{folder.path / RECORD} is not the record of a search: {error}",
            "`dsgec search … --overwrite` makes it again.",
        ) from error


def read_text_result(folder: Folder) -> TextResult:
    """Return the content of the folder of a search."""
    texts = {
        name: folder.read(name, MOST_BYTES).decode("utf-8", "replace") for name in (HISTORY, HALL)
    }
    return TextResult(
        read_text_record(folder),
        parse_history(texts[HISTORY], str(folder.path / HISTORY)),
        read_timing(folder) or {},
        _parse_hall(texts[HALL], str(folder.path / HALL)),
        logged=read_log(folder),
    )
