"""The shape of a table to the generations, the batch and the penalties that suit it: by the shape
alone, so that the same command gives the same bytes everywhere."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dsgec.data.dataset import Dataset
from dsgec.search.batches import WHOLE_EVERY
from dsgec.search.objectives import OBJECTIVES
from dsgec.search.settings import BY_SHAPE, NOTHING, Preset, Settings

USUAL_BATCH = 512
NUMERIC_L2 = 0.25
"""Of a numeric target: networks follow its noise more readily than that of classes."""
LARGE_PARSIMONY = 1e-4
"""Of a table with batches: more rows can tell more connections apart."""
_MANY_ROWS = 3 * USUAL_BATCH  # from here on, batches save more than they lose
_SMALL = 10_000  # rows of a generation, times outputs
_LEAST = 120
_QUICKER = 4
THOROUGH_ENSEMBLE = 5
"""Networks; more are hardly better."""


def with_budget(
    settings: Settings, given: Mapping[str, Any], preset: Preset, dataset: Dataset
) -> Settings:
    """The settings with what suits the data set, but for what was given."""
    if not preset.learns:
        return settings
    if given.get("batch") is None and _can_have_batches(settings):
        settings = replace(settings, batch=usual_batch(len(dataset.y)))
    settings = _with_penalties(settings, given, len(dataset.classes))
    if given.get("generations") is None:
        usual = usual_generations(dataset, settings.batch)
        settings = replace(settings, generations=usual // _QUICKER if preset.is_quick else usual)
    if preset.is_thorough and settings.minimise != NOTHING:
        if given.get("generations") is None:  # one front, from a search that is as long
            longer = THOROUGH_ENSEMBLE * settings.generations
            settings = replace(settings, generations=longer)
    elif preset.is_thorough and given.get("ensemble") is None and settings.islands == 1:
        settings = replace(settings, ensemble=THOROUGH_ENSEMBLE)
    return settings


def _with_penalties(settings: Settings, given: Mapping[str, Any], classes: int) -> Settings:
    """Each class has an output with connections and numbers of its own, whose penalties add up; the
    loss of a row does not. So both have the share that they have with two classes.

    Where a cost is minimised, that alone keeps networks small: half of the usual parsimony lets the
    front go on to larger ones."""
    share = 2.0 / classes if classes > 2 else 1.0
    if given.get("l2") is None:
        settings = replace(settings, l2=settings.l2 * share if classes else NUMERIC_L2)
    if given.get("parsimony") is None:
        has_chosen_batch = settings.batch and given.get("batch") is None
        usual = LARGE_PARSIMONY if has_chosen_batch else settings.parsimony
        if settings.minimise != NOTHING:
            usual /= 2.0
        settings = replace(settings, parsimony=usual * share)
    return settings


def _can_have_batches(settings: Settings) -> bool:
    known = OBJECTIVES.get(settings.objective)
    return settings.variation == "trees" and not (known and known.by_class)


def usual_batch(rows: int) -> int:
    """None for a table of few rows."""
    return USUAL_BATCH if rows >= _MANY_ROWS else 0


def usual_generations(dataset: Dataset, batch: int) -> int:
    """As many as a small table has, or fewer: by the root of the work that one takes."""
    rows, classes = len(dataset.y), len(dataset.classes)
    if 0 < batch < rows:
        rows = batch + rows // WHOLE_EVERY
    work = rows * (classes if classes > 2 else 1)
    return max(round(BY_SHAPE * min(1.0, math.sqrt(_SMALL / work))), _LEAST)
