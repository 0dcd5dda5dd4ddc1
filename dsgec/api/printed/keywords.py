"""The keyword arguments of `dsgec.evolve` and the parameters of the estimators.

@generated from the tables of settings by `python -m dsgec.api.generate`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from dsgec.grammar.load import GrammarFile


class Keywords(TypedDict, total=False):
    """The keyword arguments of `dsgec.evolve`."""

    preset: Literal["learning", "paper"]
    effort: Literal["quick", "normal", "thorough"]
    representation: Literal["dsge", "sge", "ge", "psge", "copsge"]
    population: int | None
    generations: int | None
    seed: int
    tournament: int
    selection: Literal["tournament", "lexicase", "epsilon-lexicase"]
    down_sample: float
    crossover: float | None
    mutation: float | None
    initialisation: Literal["random", "ramped", "pi-grow"]
    elites: int | None
    variation: Literal["trees", "lists"] | None
    steps: int | None
    l2: float | None
    parsimony: float | None
    batch: int | None
    pruning: int | None
    walk: int | None
    trees: bool
    tuning: int | None
    weights: Literal["real", "grammar"] | None
    choose: Literal["cv", "fitness"] | None
    connect: Literal["all", "previous"]
    max_depth: Mapping[str, int] | None
    max_size: int
    codons: int
    wraps: int
    learning_factor: float
    grammar_mutation: float
    grammar_deviation: float
    adaptive: bool
    rate_mutation: float
    rate_deviation: float
    split_seed: int
    objective: str | None
    minimise: Literal["none", "connections", "flash", "cycles"]
    chip: Literal["cortex-m0plus", "cortex-m4f", "avr", "rv32imc"]
    dtype: Literal["double", "float", "q15", "q7"]
    flash: str | None
    ram: str | None
    cycles: str | None
    balance: bool
    threshold: float | Literal["auto"]
    unknown: float
    stop_at: float | None
    patience: int | None
    ensemble: int | None
    islands: int
    migrate_every: int
    migrants: int
    compare: Literal["linear", "forest", "boosting"]
    ignore: str | Sequence[str]
    group: str | None
    categorical: str | Sequence[str]
    index: Literal["drop", "keep"] | None
    task: Literal["classification", "regression"] | None
    missing: Literal["fill", "error", "mean", "median", "drop"] | None
    scale: Literal["none", "standard", "minmax"] | None
    constant: Literal["drop", "keep"]
    window: int | None
    step: int | None
    label: Literal["last", "majority"]
    rate: float | None
    smooth: int
    backend: Literal["auto", "engine", "c", "numpy", "reference"]
    threads: int | None


class Parameters:
    """The parameters of both estimators."""

    def __init__(
        self,
        grammar: str | GrammarFile | None = None,
        *,
        preset: Literal["learning", "paper"] = "learning",
        effort: Literal["quick", "normal", "thorough"] = "normal",
        representation: Literal["dsge", "sge", "ge", "psge", "copsge"] = "dsge",
        population: int | None = None,
        generations: int | None = None,
        tournament: int = 3,
        selection: Literal["tournament", "lexicase", "epsilon-lexicase"] = "tournament",
        down_sample: float = 1.0,
        crossover: float | None = None,
        mutation: float | None = None,
        initialisation: Literal["random", "ramped", "pi-grow"] = "random",
        elites: int | None = None,
        variation: Literal["trees", "lists"] | None = None,
        steps: int | None = None,
        l2: float | None = None,
        parsimony: float | None = None,
        batch: int | None = None,
        pruning: int | None = None,
        walk: int | None = None,
        trees: bool = False,
        tuning: int | None = None,
        weights: Literal["real", "grammar"] | None = None,
        choose: Literal["cv", "fitness"] | None = None,
        connect: Literal["all", "previous"] = "all",
        max_depth: Mapping[str, int] | None = None,
        max_size: int = 250000,
        codons: int = 200,
        wraps: int = 0,
        learning_factor: float = 0.01,
        grammar_mutation: float = 0.05,
        grammar_deviation: float = 0.5,
        adaptive: bool = False,
        rate_mutation: float = 0.3,
        rate_deviation: float = 0.01,
        objective: str | None = None,
        minimise: Literal["none", "connections", "flash", "cycles"] = "none",
        chip: Literal["cortex-m0plus", "cortex-m4f", "avr", "rv32imc"] = "cortex-m0plus",
        dtype: Literal["double", "float", "q15", "q7"] = "double",
        flash: str | None = None,
        ram: str | None = None,
        cycles: str | None = None,
        unknown: float = 0.0,
        stop_at: float | None = None,
        patience: int | None = None,
        ensemble: int | None = None,
        islands: int = 1,
        migrate_every: int = 25,
        migrants: int = 2,
        categorical: str | Sequence[str] = (),
        scale: Literal["none", "standard", "minmax"] | None = None,
        smooth: int = 1,
        backend: Literal["auto", "engine", "c", "numpy", "reference"] = "auto",
        threads: int | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.grammar = grammar
        self.preset = preset
        self.effort = effort
        self.representation = representation
        self.population = population
        self.generations = generations
        self.tournament = tournament
        self.selection = selection
        self.down_sample = down_sample
        self.crossover = crossover
        self.mutation = mutation
        self.initialisation = initialisation
        self.elites = elites
        self.variation = variation
        self.steps = steps
        self.l2 = l2
        self.parsimony = parsimony
        self.batch = batch
        self.pruning = pruning
        self.walk = walk
        self.trees = trees
        self.tuning = tuning
        self.weights = weights
        self.choose = choose
        self.connect = connect
        self.max_depth = max_depth
        self.max_size = max_size
        self.codons = codons
        self.wraps = wraps
        self.learning_factor = learning_factor
        self.grammar_mutation = grammar_mutation
        self.grammar_deviation = grammar_deviation
        self.adaptive = adaptive
        self.rate_mutation = rate_mutation
        self.rate_deviation = rate_deviation
        self.objective = objective
        self.minimise = minimise
        self.chip = chip
        self.dtype = dtype
        self.flash = flash
        self.ram = ram
        self.cycles = cycles
        self.unknown = unknown
        self.stop_at = stop_at
        self.patience = patience
        self.ensemble = ensemble
        self.islands = islands
        self.migrate_every = migrate_every
        self.migrants = migrants
        self.categorical = categorical
        self.scale = scale
        self.smooth = smooth
        self.backend = backend
        self.threads = threads
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose


class ClassifierParameters(Parameters):
    """The parameters of the classifier."""

    def __init__(
        self,
        grammar: str | GrammarFile | None = None,
        *,
        preset: Literal["learning", "paper"] = "learning",
        effort: Literal["quick", "normal", "thorough"] = "normal",
        representation: Literal["dsge", "sge", "ge", "psge", "copsge"] = "dsge",
        population: int | None = None,
        generations: int | None = None,
        tournament: int = 3,
        selection: Literal["tournament", "lexicase", "epsilon-lexicase"] = "tournament",
        down_sample: float = 1.0,
        crossover: float | None = None,
        mutation: float | None = None,
        initialisation: Literal["random", "ramped", "pi-grow"] = "random",
        elites: int | None = None,
        variation: Literal["trees", "lists"] | None = None,
        steps: int | None = None,
        l2: float | None = None,
        parsimony: float | None = None,
        batch: int | None = None,
        pruning: int | None = None,
        walk: int | None = None,
        trees: bool = False,
        tuning: int | None = None,
        weights: Literal["real", "grammar"] | None = None,
        choose: Literal["cv", "fitness"] | None = None,
        connect: Literal["all", "previous"] = "all",
        max_depth: Mapping[str, int] | None = None,
        max_size: int = 250000,
        codons: int = 200,
        wraps: int = 0,
        learning_factor: float = 0.01,
        grammar_mutation: float = 0.05,
        grammar_deviation: float = 0.5,
        adaptive: bool = False,
        rate_mutation: float = 0.3,
        rate_deviation: float = 0.01,
        objective: str | None = None,
        minimise: Literal["none", "connections", "flash", "cycles"] = "none",
        chip: Literal["cortex-m0plus", "cortex-m4f", "avr", "rv32imc"] = "cortex-m0plus",
        dtype: Literal["double", "float", "q15", "q7"] = "double",
        flash: str | None = None,
        ram: str | None = None,
        cycles: str | None = None,
        threshold: float | Literal["auto"] = 0.5,
        unknown: float = 0.0,
        stop_at: float | None = None,
        patience: int | None = None,
        ensemble: int | None = None,
        islands: int = 1,
        migrate_every: int = 25,
        migrants: int = 2,
        categorical: str | Sequence[str] = (),
        scale: Literal["none", "standard", "minmax"] | None = None,
        smooth: int = 1,
        backend: Literal["auto", "engine", "c", "numpy", "reference"] = "auto",
        threads: int | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.grammar = grammar
        self.preset = preset
        self.effort = effort
        self.representation = representation
        self.population = population
        self.generations = generations
        self.tournament = tournament
        self.selection = selection
        self.down_sample = down_sample
        self.crossover = crossover
        self.mutation = mutation
        self.initialisation = initialisation
        self.elites = elites
        self.variation = variation
        self.steps = steps
        self.l2 = l2
        self.parsimony = parsimony
        self.batch = batch
        self.pruning = pruning
        self.walk = walk
        self.trees = trees
        self.tuning = tuning
        self.weights = weights
        self.choose = choose
        self.connect = connect
        self.max_depth = max_depth
        self.max_size = max_size
        self.codons = codons
        self.wraps = wraps
        self.learning_factor = learning_factor
        self.grammar_mutation = grammar_mutation
        self.grammar_deviation = grammar_deviation
        self.adaptive = adaptive
        self.rate_mutation = rate_mutation
        self.rate_deviation = rate_deviation
        self.objective = objective
        self.minimise = minimise
        self.chip = chip
        self.dtype = dtype
        self.flash = flash
        self.ram = ram
        self.cycles = cycles
        self.threshold = threshold
        self.unknown = unknown
        self.stop_at = stop_at
        self.patience = patience
        self.ensemble = ensemble
        self.islands = islands
        self.migrate_every = migrate_every
        self.migrants = migrants
        self.categorical = categorical
        self.scale = scale
        self.smooth = smooth
        self.backend = backend
        self.threads = threads
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
