"""An outcome to its result: all that a run leaves, measured, before any file is written."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from dsgec.errors import DsgecError
from dsgec.manifest import HALL
from dsgec.network.model import Model
from dsgec.run.baselines import Baselines, compare
from dsgec.run.evidence import evidence
from dsgec.run.footprint import DTYPES, footprints
from dsgec.run.hall import HallRow, hall_text, parse_hall
from dsgec.run.job import Job
from dsgec.run.record import make_record, make_timing
from dsgec.run.search import Outcome
from dsgec.run.stages import Stages
from dsgec.run.validation import unsupported, validation
from dsgec.run.warnings import warnings
from dsgec.search.evolver import HistoryRow
from dsgec.search.measure import Measurer, PlainMeasurer
from dsgec.search.problem import Problem


@dataclass(frozen=True, eq=False)
class Result:
    """What the folder of a run holds.

    `hall` is the text of the hall of fame and `evidence` what the report draws; both are empty for
    an estimator, which does not wait for them: `Rest` makes them. `config` is the text of
    config.toml, empty for a run on data in memory, which no file can name.
    """

    record: dict[str, Any]
    model: Model
    name: str
    history: tuple[HistoryRow, ...]
    timing: dict[str, Any]
    hall: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)
    config: str = ""

    @property
    def result(self) -> dict[str, Any]:
        """The figures of the record."""
        result: dict[str, Any] = self.record["result"]
        return result

    @cached_property
    def hall_rows(self) -> list[HallRow]:
        """The networks of the hall of fame, by size."""
        return parse_hall(self.hall, HALL, self.metrics) if self.hall else []

    @property
    def metrics(self) -> list[str]:
        """The names of the figures, the main one first."""
        return list(self.result["train"])


def make_result(
    job: Job, outcome: Outcome, stages: Stages, *, baselines: Callable[[], Baselines] | None
) -> Result:
    """Measure the network of a run and, with baselines, the hall of fame and the report's data.

    The baselines are waited for.
    """
    problem, settings = job.problem, job.settings
    hall, drawn = "", {}
    with stages("results"):
        last = outcome.last
        model = problem.model(last.phenotype)
        record = make_record(problem, settings, job.grammar, last, model, outcome.ended)
        record["result"] |= validation(outcome.choice)
        doubts = [*filter(None, (outcome.note,)), *unsupported(problem, outcome.choice)]
        if baselines is not None:
            drawn = evidence(problem, model)
    if baselines is not None:
        with stages("baselines"):
            result = record["result"]
            result |= compare(problem, model, result, baselines(), balance=settings.balance)
            others = warnings(problem, result, outcome.history, settings.test)
            result["warnings"] = [*doubts, *others]
        with stages("hall_of_fame"):
            hall = _hall(problem, outcome, outcome.measurer())
        with stages("cost"):
            dtypes = (settings.dtype,) if problem.has_prices else DTYPES
            rows = _rows(hall, record)
            record["result"] |= footprints(record, model, rows, settings.chip, dtypes)
    elif doubts:
        record["result"]["warnings"] = doubts
    timing = make_timing(outcome.backend, outcome.seconds, last.evaluations, outcome.compiling)
    name = record["model"]["name"]
    return Result(record, model, name, outcome.history, timing, hall, drawn, job.config)


def _rows(hall: str, record: dict[str, Any]) -> list[HallRow]:
    """Return the networks of a hall of fame; none if one is too large to be read again."""
    try:
        return parse_hall(hall, HALL, list(record["result"]["train"]))
    except DsgecError:
        return []


def _hall(problem: Problem, outcome: Outcome, measurer: Measurer) -> str:
    is_chosen = outcome.choice is not None
    return hall_text(problem, outcome.champions, outcome.best, measurer, is_chosen=is_chosen)


class Rest:
    """The hall of fame and what the report draws, which are made when they are asked for.

    They need the training rows, which are not pickled: what has not been made by then is empty.
    """

    def __init__(
        self,
        hall: str = "",
        evidence: dict[str, Any] | None = None,
        make: Callable[[], tuple[str, dict[str, Any]]] | None = None,
    ) -> None:
        self._made = (hall, evidence or {})
        self._make = make

    def __call__(self) -> tuple[str, dict[str, Any]]:
        """The text of the one, and the content of report.json."""
        if self._make is not None:
            self._made, self._make = self._make(), None
        return self._made

    def __reduce__(self) -> tuple[Any, ...]:
        return Rest, self._made


def later(problem: Problem, model: Model, outcome: Outcome) -> Rest:
    """What `make_result` leaves out without baselines; no engine is kept for it."""
    kept = replace(outcome, measurer=lambda: PlainMeasurer(problem))

    def make() -> tuple[str, dict[str, Any]]:
        return _hall(problem, kept, kept.measurer()), evidence(problem, model)

    return Rest(make=make)
