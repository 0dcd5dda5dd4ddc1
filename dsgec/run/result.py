"""The result of a run in memory: its record, hall of fame and evidence."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError
from dsgec.export.artefact import model_id
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.names import safe_name
from dsgec.grammar.load import GrammarFile
from dsgec.manifest import HALL
from dsgec.network.description import describe_model
from dsgec.network.model import Model
from dsgec.network.notation import TEXT, is_formula, readable_formula, write_formula
from dsgec.network.ranges import NO_RANGES, choose_ranges
from dsgec.network.rounding import probe_rows
from dsgec.network.structure import measure_size
from dsgec.run.baselines import Baselines, compare
from dsgec.run.decisions import decide
from dsgec.run.evidence import Evidence, make_evidence
from dsgec.run.genealogy import log_files
from dsgec.run.hall import HallRow, hall_text, parse_hall
from dsgec.run.job import Job, identity, training_ranges
from dsgec.run.pick import DTYPES, Hall, footprints, make_front
from dsgec.run.record import (
    Counts,
    DataRecord,
    Footprint,
    FrontRecord,
    GrammarRecord,
    IntervalRecord,
    ModelRecord,
    ResultRecord,
    RunRecord,
    Validation,
)
from dsgec.run.search import Outcome
from dsgec.run.session import Stages, make_timing
from dsgec.run.warnings import warn_unsupported, warnings
from dsgec.search import metrics
from dsgec.search.budget import make_budget
from dsgec.search.evolver import Generation, HistoryRow
from dsgec.search.measure import Measurer, PlainMeasurer, find_intervals, measure_outputs, row_parts
from dsgec.search.models import complete_phenotype, make_model
from dsgec.search.problem import Problem
from dsgec.search.recommend import Recommendation
from dsgec.search.settings import Settings


@dataclass(frozen=True, eq=False)
class Result:
    """The content of a run's folder.

    `hall` is the text of the hall of fame and `evidence` is drawn by the report; an estimator has
    neither, because it does not wait for them: `Rest` makes them later. `config` is the text of
    config.toml, empty for a run on data in memory, which no file can name. `logged` are the files
    of logged populations and their genealogy, by name.
    """

    record: RunRecord
    model: Model
    name: str
    history: tuple[HistoryRow, ...]
    timing: dict[str, Any]
    hall: str = ""
    evidence: Evidence | None = None
    config: str = ""
    logged: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def result(self) -> ResultRecord:
        """The figures of the record."""
        return self.record.result

    @cached_property
    def hall_rows(self) -> list[HallRow]:
        """The networks of the hall of fame, by size."""
        return parse_hall(self.hall, HALL, self.metrics) if self.hall else []

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics, the main one first."""
        return list(self.result.train)


def make_result(
    job: Job, outcome: Outcome, stages: Stages, *, baselines: Callable[[], Baselines] | None
) -> Result:
    """Measure the network of a run and, with baselines, also the hall of fame and the evidence.

    `baselines` waits until they are fitted.
    """
    problem, settings = job.problem, job.settings
    hall, drawn = "", None
    with stages("results"):
        model = make_model(problem, outcome.last.phenotype)
        outputs = outcome.measurer().outputs(outcome.last.phenotype)
        record = make_record(
            *(problem, settings, job.grammar, outcome.last, model, outputs, outcome.ended)
        )
        result = replace(record.result, validation=_validation(outcome.choice))
        if baselines is not None:
            drawn = make_evidence(problem, model)
    if baselines is not None:
        with stages("baselines"):
            compared, comparison = compare(
                *(problem, model.threshold, outputs, result.test, baselines()),
                balance=settings.balance,
            )
            result = replace(result, baselines=compared, comparison=comparison)
            others = warnings(problem, result, outcome.history, settings.test)
            result = replace(result, warnings=(*_doubts(problem, outcome, result), *others))
        with stages("hall_of_fame"):
            hall = _hall(problem, outcome, outcome.measurer())
        with stages("cost"):
            is_given = problem.cost.has_prices or make_budget(settings) is not None
            dtypes = (settings.dtype,) if is_given else DTYPES
            record = replace(record, result=result)
            rows = _readable_rows(hall, record)
            cost, proposed = footprints(record, model, rows, settings.chip, dtypes)
            front = _front(record, model, rows, cost)
            result = replace(result, cost=cost, proposed=proposed, front=front or None)
    elif doubts := _doubts(problem, outcome, result):
        result = replace(result, warnings=doubts)
    record = replace(record, result=result)
    evaluations = outcome.last.evaluations
    timing = make_timing(outcome.backend, outcome.seconds, evaluations, outcome.compiling)
    name = record.model.name
    logged = log_files(problem, settings, outcome.log, outcome.history[-1].generation)
    return Result(record, model, name, outcome.history, timing, hall, drawn, job.config, logged)


def _doubts(problem: Problem, outcome: Outcome, result: ResultRecord) -> tuple[str, ...]:
    """Return the warnings on the choice of the network."""
    notes = filter(None, (outcome.note,))
    return (*notes, *warn_unsupported(problem, outcome.choice, result))


def make_record(
    problem: Problem,
    settings: Settings,
    grammar: GrammarFile,
    last: Generation,
    model: Model,
    outputs: NDArray[np.float64],
    ended: str,
) -> RunRecord:
    """Return the record of a run, with the metrics of its network but without baselines.

    `outputs` are those of the network for all rows.
    """
    dataset, directives = problem.dataset, problem.language.grammar.directives
    asked = identity(grammar, dataset, settings)
    named = {name: asked["data"].pop(name) for name in ("name", "sha256", "target", "task")}
    figures = measure_outputs(problem, outputs)
    decisions = decide(problem, model, outputs)
    score = (
        problem.as_score(last.best)
        if problem.has_plain_fitness
        else problem.score(outputs[problem.split.train])
    )
    return RunRecord(
        asked["dsgec"],
        GrammarRecord(**asked["grammar"], layered=bool(directives.layer), output=directives.output),
        DataRecord(
            **named,
            options=asked["data"],
            train_rows=len(problem.split.train),
            test_rows=len(problem.split.test),
            train_groups=_count_groups(problem, problem.split.train),
            test_groups=_count_groups(problem, problem.split.test),
            target_scale=dataset.target_scale or None,
            ranges=training_ranges(problem),
        ),
        asked["settings"],
        ModelRecord(model_id(model), safe_name(dataset.name), describe_model(model)),
        ResultRecord(
            fitness=last.best,
            objective=problem.objective,
            score=score,
            generations=last.generation,
            ended=ended,
            evaluations=last.evaluations,
            reused=last.reused,
            train=figures["train"],
            test=figures["test"],
            intervals=IntervalRecord(find_intervals(problem, outputs)),
            confusion=_confusions(problem, model, outputs),
            unknown=decisions[0],
            smoothing=decisions[1],
            network=measure_size(model.network),
            formula=_formula(problem, model) if settings.variation == "trees" else None,
            phenotype=complete_phenotype(problem, last.phenotype),
        ),
    )


def _count_groups(problem: Problem, rows: NDArray[np.intp]) -> int | None:
    groups = problem.dataset.groups
    return None if groups is None else len(np.unique(groups[rows]))


def _formula(problem: Problem, model: Model) -> str | None:
    """Return the formula as people read it, if the run was one for a formula.

    Runs of the paper's preset have none: their records are what they always were.
    """
    if not is_formula(model, linear=problem.language.is_linear):
        return None
    ranges = training_ranges(problem)
    found = readable_formula(model, ranges)
    if found is None:
        return None
    return write_formula(found, model, probe_rows(model.columns, ranges), TEXT)


def _confusions(
    problem: Problem, model: Model, outputs: NDArray[np.float64]
) -> dict[str, Counts] | None:
    dataset = problem.dataset
    if not dataset.classes:
        return None
    count, numbers = len(dataset.classes), dataset.class_numbers
    return {
        part: tuple(
            map(tuple, metrics.confusion(outputs[rows], numbers[rows], count, model.threshold))
        )
        for part, rows in row_parts(problem)
    }


def _validation(choice: Recommendation | None) -> Validation | None:
    """Return how cross-validation chose the network, or None if its fitness did."""
    if choice is None:
        return None
    own = choice.champion.validated
    return Validation(
        measure=choice.measure,
        score=own.score if own else None,
        error=own.error if own else None,
        baseline=choice.baseline,
        rows=choice.rows,
        candidates=choice.candidates,
        supported=choice.unsupported is None,
        factor=choice.factor if choice.factor != 1.0 else None,
    )


def _front(
    record: RunRecord, model: Model, rows: Sequence[HallRow], cost: Footprint | None
) -> tuple[FrontRecord, ...]:
    """Return the cross-validated networks, with their cost as the run's network has it."""
    if cost is None:
        return ()
    ranges = choose_ranges(model.columns, record.ranges, NO_RANGES) if record.ranges else ()
    known = ranges if cost.dtype in STORED_BITS else ()
    return make_front(
        Hall(rows, record, model, HALL, cost.chip, cost.dtype, known), record.model.id
    )


def _readable_rows(hall: str, record: RunRecord) -> list[HallRow]:
    """Return the networks of a hall of fame; empty if one is too large to be read again."""
    try:
        return parse_hall(hall, HALL, list(record.result.train))
    except DsgecError:
        return []


def _hall(problem: Problem, outcome: Outcome, measurer: Measurer) -> str:
    is_chosen = outcome.choice is not None
    return hall_text(problem, outcome.champions, outcome.best, measurer, is_chosen=is_chosen)


class Rest:
    """The hall of fame and the evidence, made when they are first asked for.

    They need the training rows, which are not pickled: what has not been made by then is empty.
    """

    def __init__(
        self,
        hall: str = "",
        evidence: Evidence | None = None,
        make: Callable[[], tuple[str, Evidence]] | None = None,
    ) -> None:
        self._parts: tuple[str, Evidence | None] = (hall, evidence)
        self._make = make

    def __call__(self) -> tuple[str, Evidence | None]:
        """Return the text of the hall of fame, and the evidence."""
        if self._make is not None:
            self._parts, self._make = self._make(), None
        return self._parts

    def __reduce__(self) -> tuple[Any, ...]:
        return Rest, self._parts


def make_later(problem: Problem, model: Model, outcome: Outcome) -> Rest:
    """Return what `make_result` leaves out without baselines; no engine is kept for it."""
    kept = replace(outcome, measurer=lambda: PlainMeasurer(problem))
    return Rest(make=lambda: (_hall(problem, kept, kept.measurer()), make_evidence(problem, model)))
