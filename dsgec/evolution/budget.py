"""The shape of a problem to the generations that suit it: by the shape alone, so that the same
command gives the same bytes everywhere."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dsgec.data.ir import Dataset
from dsgec.evolution.settings import BY_SHAPE, Preset, Settings

_SMALL = 4_000  # rows times outputs
_LEAST = 120


def with_budget(
    settings: Settings, given: Mapping[str, Any], preset: Preset, dataset: Dataset
) -> Settings:
    """The settings with generations for the data set, unless they were given."""
    if not preset.learns or given.get("generations") is not None:
        return settings
    return replace(settings, generations=usual_generations(dataset))


def usual_generations(dataset: Dataset) -> int:
    """As many as a small table has, or fewer: by the root of the work that one takes."""
    classes = len(dataset.classes)
    work = len(dataset.y) * (classes if classes > 2 else 1)
    return max(round(BY_SHAPE * min(1.0, math.sqrt(_SMALL / work))), _LEAST)
