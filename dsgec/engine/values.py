"""What goes into an engine and comes out of it, as values of Python."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NativeGenotype = dict[tuple[int, int], tuple[int, ...]]
"""The integers by rule and part."""

NativeChampion = tuple[int, float, str, NativeGenotype | None, int]
"""A size, a fitness, a text, where numbers are learned its genotype, and the cost."""

Parameters = dict[str, int | float]
"""The numbers of `dsgec_engine_settings` that are no tables."""


@dataclass(frozen=True, slots=True, eq=False)
class EngineTables:
    """What is learnt from: a column a feature, the rows in groups that whole lanes are filled of.

    `groups` has the first row of each group and how many of its rows count; `single` is the target
    of a lone output, `each` has one for each class. `places` has where each row has come to stand.
    `row_weights` are there where rows count differently.
    """

    columns: NDArray[np.float64]
    single: NDArray[np.float64]
    each: NDArray[np.float64]
    groups: tuple[tuple[int, int], ...]
    places: NDArray[np.int64]
    row_weights: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class EngineView:
    """An individual of the engine; `fault` is empty or the name of a `dsgec_engine_fault`."""

    genotype: NativeGenotype
    phenotype: str
    fitness: float
    fault: str
    invalid: bool
    rates: tuple[tuple[float, float], ...] = ()
