"""What `dsgec.evolve` and the estimators take.

@generated from the tables of settings by `python -m dsgec.api.generate`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from dsgec.bnf.load import GrammarFile


class Keywords(TypedDict, total=False):
    """Of `dsgec.evolve`, by keyword."""

    representation: Literal["dsge", "sge", "ge"]
    population: int
    generations: int
    seed: int
    tournament: int
    crossover: float
    mutation: float
    elites: int
    connect: Literal["all", "previous"]
    max_depth: Mapping[str, int] | None
    max_size: int
    codons: int
    wraps: int
    split_seed: int
    objective: str | None
    stop_at: float | None
    patience: int
    islands: int
    migrate_every: int
    migrants: int
    ignore: str | Sequence[str]
    task: Literal["classification", "regression"] | None
    missing: Literal["error", "mean", "median", "drop"]
    scale: Literal["none", "standard", "minmax"]
    constant: Literal["drop", "keep"]
    backend: Literal["auto", "engine", "c", "numpy", "reference"]
    threads: int | None


class Parameters:
    """Of both estimators."""

    def __init__(
        self,
        grammar: str | GrammarFile | None = None,
        *,
        representation: Literal["dsge", "sge", "ge"] = "dsge",
        population: int = 100,
        generations: int = 200,
        tournament: int = 3,
        crossover: float = 0.95,
        mutation: float = 0.95,
        elites: int = 1,
        connect: Literal["all", "previous"] = "all",
        max_depth: Mapping[str, int] | None = None,
        max_size: int = 250000,
        codons: int = 200,
        wraps: int = 0,
        objective: str | None = None,
        stop_at: float | None = None,
        patience: int = 0,
        islands: int = 1,
        migrate_every: int = 25,
        migrants: int = 2,
        scale: Literal["none", "standard", "minmax"] = "standard",
        backend: Literal["auto", "engine", "c", "numpy", "reference"] = "auto",
        threads: int | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.grammar = grammar
        self.representation = representation
        self.population = population
        self.generations = generations
        self.tournament = tournament
        self.crossover = crossover
        self.mutation = mutation
        self.elites = elites
        self.connect = connect
        self.max_depth = max_depth
        self.max_size = max_size
        self.codons = codons
        self.wraps = wraps
        self.objective = objective
        self.stop_at = stop_at
        self.patience = patience
        self.islands = islands
        self.migrate_every = migrate_every
        self.migrants = migrants
        self.scale = scale
        self.backend = backend
        self.threads = threads
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
