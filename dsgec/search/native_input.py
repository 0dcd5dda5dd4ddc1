"""Convert a problem to the input of the engine, and digest all that its generations depend on."""

import hashlib
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dsgec.data.dataset import Dataset
from dsgec.engine.costs import EngineCosts
from dsgec.engine.library import Library
from dsgec.engine.values import EngineTables, Parameters
from dsgec.errors import DsgecError
from dsgec.grammar.genome.genotype import INITIALISATIONS
from dsgec.search import scoring
from dsgec.search.objectives import OBJECTIVES
from dsgec.search.problem import Problem
from dsgec.search.rows import LANES
from dsgec.search.selection import SELECTIONS
from dsgec.search.settings import Settings

_NOT_DIGESTED = ("threads", "batch")
"""Parameters that no result depends on, or that the digest of the problem has."""
_PROBABILISTIC = (
    *("learning_factor", "grammar_mutation", "grammar_deviation"),
    *("adaptive", "rate_mutation", "rate_deviation"),
)


@dataclass(frozen=True, slots=True, eq=False)
class EngineBuild:
    """The compiled engine of a problem: the code, the rows and a digest, for any seed."""

    library: Library
    compiler: str
    tables: EngineTables
    digest: bytes


def make_parameters(problem: Problem, settings: Settings, threads: int = 1) -> Parameters:
    """Return the numbers of `dsgec_engine_settings`, whose order is part of a run's identity."""
    learning = problem.learning
    return {
        "seed": settings.seed,
        "population": settings.population,
        "tournament": settings.tournament,
        "elites": settings.elites,
        "max_size": settings.max_size,
        "threads": max(threads, 1),
        "connect_all": int(settings.connect == "all"),
        "codons": settings.codons,
        "wraps": settings.wraps,
        "memory": scoring.REMEMBERED,
        "crossover": settings.crossover,
        "mutation": settings.mutation,
        "classes": len(problem.dataset.classes),
        "steps": learning.steps if learning else 0,
        "penalty": learning.penalty if learning else 0.0,
        "parsimony": learning.parsimony if learning else 0.0,
        "selection": [*SELECTIONS].index(settings.selection),
        "batch": problem.batch,
        "down_sample": settings.down_sample,
        **{name: getattr(settings, name) for name in _PROBABILISTIC},
        "initialisation": INITIALISATIONS.index(settings.initialisation),
    }


def single_parameters(problem: Problem, settings: Settings) -> Parameters:
    """Return the parameters of an engine that only evaluates phenotypes, on all rows."""
    return make_parameters(problem, settings) | {"population": 1, "elites": 0, "batch": 0}


def make_tables(problem: Problem) -> EngineTables:
    """Return the training rows, grouped by class if the objective sums each class on its own.

    A group is padded to whole lanes with copies of its last row, which do not count.
    """
    train = problem.split.train
    groups = [np.arange(len(train))]
    if problem.dataset.classes and OBJECTIVES[problem.objective].by_class:
        y = problem.dataset.y[train]
        groups = [np.flatnonzero(y == number) for number in range(len(problem.dataset.classes))]
    return _tables(problem.dataset, train, groups, problem.row_weights)


def make_test_tables(problem: Problem) -> EngineTables:
    """Return the test rows in order; if there are none, a training row, which does not count."""
    rows = problem.split.test if len(problem.split.test) else problem.split.train[:1]
    unweighed = None if problem.row_weights is None else np.ones(len(rows))
    tables = _tables(problem.dataset, rows, [np.arange(len(rows))], unweighed)
    return replace(tables, places=tables.places[: len(problem.split.test)])


def _tables(
    dataset: Dataset,
    rows: NDArray[np.intp],
    groups: list[NDArray[np.intp]],
    row_weights: NDArray[np.float64] | None,
) -> EngineTables:
    filled = [np.pad(own, (0, -len(own) % LANES), "edge") for own in groups]
    starts = np.cumsum([0, *map(len, filled)])
    bounds = tuple((int(start), len(own)) for start, own in zip(starts, groups, strict=False))
    within = np.concatenate(filled)
    places = np.empty(len(rows), np.int64)
    places[within] = np.arange(len(within))  # padding has the values of the row that it copies
    order = rows[within]
    weights = None if row_weights is None else row_weights[within]
    del groups, filled, within
    count = len(dataset.classes)
    single = dataset.scaled_y[order]
    each = (single == np.arange(count)[:, None]).astype(np.float64) if count else single[None, :]
    # Column by column, to keep no third copy of a large table in memory.
    columns = _aligned_array(len(dataset.features), len(order))
    for number in range(len(columns)):
        columns[number] = dataset.x[order, number]
    return EngineTables(columns, single, np.ascontiguousarray(each), bounds, places, weights)


def _aligned_array(rows: int, columns: int) -> NDArray[np.float64]:
    """Return an array that begins at a cache line, as does each of its rows of whole lanes."""
    memory = np.empty(rows * columns + LANES)
    start = -(memory.ctypes.data // memory.itemsize) % LANES
    return memory[start : start + rows * columns].reshape(rows, columns)


def problem_digest(problem: Problem, representation: str, tables: EngineTables) -> bytes:
    """Return a digest of the problem, which all islands of a run share."""
    language = problem.language
    roles = language.grammar.directives
    inputs = (
        representation,
        language.tables,
        roles.layer,
        roles.output,
        problem.objective,
        tables.groups,
        problem.learning,
    )
    digest = hashlib.sha256(repr(inputs).encode("utf-8", "surrogatepass"))
    for array in (tables.columns, tables.single, tables.row_weights):
        if array is not None:
            digest.update(array.astype("<f8", copy=False).data)
    if problem.cost.is_minimised:
        digest.update(repr((problem.cost.minimise, problem.cost.prices)).encode())
    if (own := problem.fitness) is not None:
        named = (own.name, own.digest, own.objectives, own.maximise, own.trees)
        digest.update(repr(named).encode("utf-8", "surrogatepass"))
    return digest.digest()


def run_identity(problem: bytes, parameters: Parameters) -> bytes:
    """Return a digest of all that the generations depend on, given that of the problem."""
    numbers = [value for name, value in parameters.items() if name not in _NOT_DIGESTED]
    return hashlib.sha256(problem + repr(numbers).encode()).digest()


def other_run() -> DsgecError:
    """Return the error for a state that begins with another digest."""
    return DsgecError(
        "the saved state is one of another run",
        "It can be resumed only with the same grammar, data and settings.",
    )


def make_costs(problem: Problem) -> EngineCosts:
    """Return the columns and, if the cost on a chip is minimised, the prices for the engine."""
    dataset = problem.dataset
    return EngineCosts(
        dataset.inputs,
        len(dataset.classes),
        problem.has_own_threshold,
        problem.cost.prices,
        problem.cost.minimise,
    )
