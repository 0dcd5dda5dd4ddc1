"""Checked arrays of numbers to a Run, on from an earlier one where there is one."""

import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.api.evolve import Callback, make_evolver, notes_of, report_to, with_rows
from dsgec.api.run import Run
from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.data.arrays import make_table
from dsgec.data.dataset import Dataset
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.row_metadata import digest_groups, digest_weights
from dsgec.errors import DsgecError, mention
from dsgec.grammar.load import GrammarFile, load_grammar
from dsgec.network.model import Label, plain_columns
from dsgec.pipeline import evolve, prepare
from dsgec.run.record import identity, is_same_run
from dsgec.run.result import make_later
from dsgec.run.search import Search
from dsgec.search.defaults import default_grammar
from dsgec.search.settings import Execution, Settings

Numbers = NDArray[np.float64]
Groups = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A run, and the state that it goes on from, where one was asked for and could be kept."""

    run: Run
    state: bytes | None = None


def numbers_dataset(
    x: Numbers,
    y: Numbers,
    names: Sequence[str],
    classes: tuple[Label, ...],
    preprocessing: Preprocessing,
    row_weights: Numbers | None = None,
    groups: Groups | None = None,
) -> Dataset:
    """Numbers that somebody has checked: every column is a feature, also one that is constant."""
    if not preprocessing.fills and np.isnan(x).any():
        raise DsgecError(
            "X has NaN, a missing value",
            f"Fill it, or leave {mention('preset', 'paper')} out: other runs fill it themselves.",
        )
    task = _task(classes)
    columns = plain_columns(tuple(names))
    digest = hashlib.sha256(repr((tuple(names), classes)).encode())
    for array in (x, y):
        digest.update(np.ascontiguousarray(array).astype("<f8", copy=False).data)
    return Dataset(
        name="data",
        features=tuple(names),
        target="y",
        classes=classes,
        x=x,
        y=y,
        digest=digest.hexdigest(),
        columns=columns,
        raw=x,
        preprocessing=replace(preprocessing, task=task, constant="keep", index="keep"),
        row_weights=row_weights,
        weights_digest="" if row_weights is None else digest_weights(row_weights),
        groups=groups,
        groups_digest="" if groups is None else digest_groups(groups),
    )


def frame_dataset(
    X: Any,
    y: Numbers,
    classes: tuple[Label, ...],
    preprocessing: Preprocessing,
    row_weights: Numbers | None = None,
    groups: Groups | None = None,
) -> Dataset:
    """A table with categories, and the numbers of the classes or the values of its rows."""
    table = with_rows(make_table(X, y), row_weights, groups)
    asked = replace(preprocessing, task=_task(classes), constant="keep", index="keep")
    dataset = make_dataset(table, table.columns[-1], asked)
    return replace(dataset, target="y", classes=classes)


def _task(classes: tuple[Label, ...]) -> str:
    return "classification" if classes else "regression"


@standard_arithmetic()
def fit(
    dataset: Dataset,
    grammar: Any,
    settings: Settings,
    *,
    execution: Execution,
    callback: Callback | None = None,
    before: Fitted | None = None,
    keeps_state: bool = False,
) -> Fitted:
    """Evolve on all rows; after `before`, for as many generations more."""
    if grammar is None:
        grammar = default_grammar(len(dataset.classes))
    file = grammar if isinstance(grammar, GrammarFile) else load_grammar(str(grammar))
    settings = replace(settings, test=0.0)
    job = prepare(file, dataset, settings)
    if before is not None and not _is_same(before.run, file, dataset, settings):
        _warn("the data or the parameters differ from before: evolution starts from scratch")
        before = None
    state = None
    if before is not None:
        if not settings.generations:
            return before
        generations = before.run.generations + settings.generations
        job = replace(job, settings=replace(settings, generations=generations))
        state = before.state
    evolver = make_evolver(job, execution)

    def resume(search: Search) -> None:
        if before is not None and state is not None:
            search.resume(state, before.run.history, keeps_patience=False)

    hooks = replace(report_to(callback), on_search=resume)
    evolution = evolve(job, evolver, hooks, in_full=False)
    if before is not None and state is None:
        # The same seed gives the same generations, so that only time is lost.
        _warn(
            "there was no warm_start before, so no population was kept: the"
            f" {before.run.generations} generations before were run again, with the same result"
        )
    saved = evolver.save() if keeps_state else None
    rest = make_later(job.problem, evolution.result.model, evolution.outcome)
    return Fitted(Run.of(evolution.result, notes_of(job, evolver), rest), saved)


def _is_same(run: Run, file: GrammarFile, dataset: Dataset, settings: Settings) -> bool:
    """Whether the run is one of the same inputs, however long it was."""
    earlier = {**run.record["settings"], "generations": settings.generations}
    return is_same_run({**run.record, "settings": earlier}, identity(file, dataset, settings))


def _warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=6)
