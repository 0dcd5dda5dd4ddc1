"""Define the values that Python passes to an engine and gets from it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NativeGenotype = dict[tuple[int, int], tuple[int, ...]]
"""The integers by rule and part."""

Parameters = dict[str, int | float]
"""The scalar fields of `dsgec_engine_settings`."""


@dataclass(frozen=True, slots=True, eq=False)
class EngineTables:
    """The training table: a column for each feature, and the rows in groups of whole lanes.

    `groups` holds the first row of each group and the number of its rows without padding; `single`
    is the target of a single output, `each` has one for each class. `places` holds the position of
    each row of the dataset. `row_weights` is None if all rows have the same weight.
    """

    columns: NDArray[np.float64]
    single: NDArray[np.float64]
    each: NDArray[np.float64]
    groups: tuple[tuple[int, int], ...]
    places: NDArray[np.int64]
    row_weights: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class EngineIndividual:
    """An individual of the engine, or a champion, which also has a size and a cost.

    `fault` is empty or the name of a `dsgec_engine_fault`. `cases` are those of an individual that
    a user's fitness scored, or its objectives.
    """

    genotype: NativeGenotype
    phenotype: str
    fitness: float
    fault: str = ""
    invalid: bool = False
    rates: tuple[tuple[float, float], ...] = ()
    size: int = 0
    cost: int = 0
    cases: tuple[float, ...] = ()
