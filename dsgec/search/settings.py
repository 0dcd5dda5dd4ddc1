"""The settings of a run: the one table from which all surfaces are made.

docs/how-to/add-a-setting.md shows how to add one.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from dsgec.errors import mention, setting_error
from dsgec.grammar.genome.genotype import INITIALISATIONS, RANDOM, REPRESENTATIONS
from dsgec.network.cost.chips import CHIPS, DEFAULT_CHIP
from dsgec.search.budget import FIXED_POINT, budget_setting, check_budget
from dsgec.search.objectives import list_objectives
from dsgec.setting import CommandLine, Setting, check, read_recorded, setting, settings_of

AUTO = "auto"
"""The threshold that is chosen on the training rows."""
VARIATIONS = ("trees", "lists")
WEIGHTS = ("real", "grammar")
BY_SHAPE = 600
"""Generations of a search that learns on a small table; larger ones: `dsgec.search.defaults`."""
CHOICES = ("cv", "fitness")
CONNECTIONS = ("all", "previous")
NOTHING = "none"
COSTS = ("connections", "flash", "cycles")
"""The costs that can be a second objective."""
DTYPES = ("double", "float")
"""The number types whose cost on a chip can be estimated during a search."""
RIVALS = ("linear", "forest", "boosting")
"""The models that a network can be compared with; the last two need scikit-learn."""
BACKENDS = ("auto", "engine", "c", "numpy", "reference")
SELECTIONS = ("tournament", "lexicase", "epsilon-lexicase")
"""The methods of `dsgec.search.selection`."""
BY_CASES = ("lexicase", "epsilon-lexicase")
PROBABILISTIC = ("psge", "copsge")
"""The representations whose alternatives have probabilities."""
CODON_MUTATION = 0.1
"""Their default probability of mutation, which is that of each codon."""
MOST_GENERATIONS = 100_000_000
_SEEDS = (0, 2**64 - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings that the result of a run depends on; the defaults are the paper's."""

    GROUP: ClassVar = "search"

    representation: str = setting(
        "dsge",
        "Representation of individuals as integers; grammars with layers need dsge.",
        choices=REPRESENTATIONS,
        formerly="engine",
    )
    population: int = setting(100, "Number of individuals.", 2, 1_000_000, learned=30)
    generations: int = setting(
        500,
        "Number of generations after the random one.",
        *(0, MOST_GENERATIONS),
        learned=BY_SHAPE,
        chosen=f"{BY_SHAPE} or fewer, depending on the size of the table (paper preset: 500)",
    )
    seed: int = setting(1, "Random seed of the evolution.", *_SEEDS)
    tournament: int = setting(
        3, "Tournament size: individuals from which a parent is chosen.", 1, 1_000_000
    )
    selection: str = setting(
        SELECTIONS[0],
        "Selection of parents: the best of a few individuals, or by their errors in the training"
        " rows, taken in random order.",
        choices=SELECTIONS,
        recorded_with="selection",
    )
    down_sample: float = setting(
        1.0,
        "Share of the rows by which lexicase selects in a generation.",
        *(0.0, 1.0),
        recorded_with="selection",
    )
    diversity = False
    crossover: float = setting(0.95, "Probability of crossover.", 0.0, 1.0, learned=0.0)
    mutation: float = setting(0.95, "Probability of mutation.", 0.0, 1.0, learned=1.0)
    initialisation: str = setting(
        RANDOM,
        "First generation: random choices, ramped half-and-half, or position-independent grow.",
        choices=INITIALISATIONS,
        recorded_with="initialisation",
    )
    elites: int = setting(
        1,
        "Best individuals that are kept for the next generation.",
        *(0, 999_999),
        learned=1,
        chosen="1, or 0 with --minimise, since all parents then compete with the children",
    )
    variation: str = setting(
        "lists",
        "What mutation and crossover change: one place of a tree, or integers, as in the paper.",
        choices=VARIATIONS,
        representations=("dsge",),
        recorded_with="variation",
        learned="trees",
    )
    steps: int = setting(
        *(0, "Gradient steps for the weights of each child; 0: weights are only mutated."),
        *(0, 1_000),
        recorded_with="steps",
        learned=1,
    )
    l2: float = setting(
        0.15,
        "L2 penalty on weights, divided by the number of training rows.",
        *(0.0, 1e6),
        recorded_with="l2",
        learned=0.15,
        chosen="0.15; 0.25 for a numeric target; 0.3 / classes for more than two; 0.5 with --walk",
    )
    parsimony: float = setting(
        0.0,
        "Penalty for each connection.",
        *(0.0, 1e6),
        recorded_with="parsimony",
        learned=2e-4,
        chosen="0.0002, 0.0001 with batches; 2 / classes of it if over 2; half with --minimise",
    )
    batch: int = setting(
        0,
        "Number of training rows that a generation uses, drawn again for each; every tenth"
        " generation uses all rows; 0: always all.",
        *(0, 1_000_000_000),
        recorded_with="batch",
        learned=0,
        chosen="chosen by the size of the table (paper preset: 0)",
    )
    pruning: int = setting(
        *(0, "Rounds of pruning of the best network at the end, which fill the hall of fame."),
        *(0, 100_000),
        recorded_with="pruning",
        learned=1_000,
    )
    walk: int = setting(
        0,
        "Gradient steps of a pruning walk, for a grammar with one shared hidden layer; 0: no walk.",
        *(0, 1_000_000),
        recorded_with="walk",
        learned=0,
        chosen="3000 for a grammar with one shared hidden layer",
    )
    trees: bool = setting(
        False, "Also try decision trees, and sums of boosted ones.", recorded_with="trees"
    )
    tuning: int = setting(
        *(0, "Evaluations for tuning the weights of each of the best networks at the end."),
        *(0, 1_000_000),
        recorded_with="tuning",
        learned=200,
    )
    weights: str = setting(
        "grammar",
        "Weights of a tuned network: in full precision, or as the grammar writes them.",
        choices=WEIGHTS,
        recorded_with="weights",
        learned="real",
    )
    choose: str = setting(
        "fitness",
        "How the network is chosen: by cross-validation on the training rows, or by fitness.",
        choices=CHOICES,
        recorded_with="choose",
        learned="cv",
    )
    connect: str = setting(
        "all",
        "Inputs of a neuron: all earlier layers, or the previous one.",
        choices=CONNECTIONS,
        representations=("dsge",),
    )
    max_depth: tuple[tuple[str, int], ...] = setting(
        (),
        "Maximum depth of recursion of a symbol; default: as in the grammar.",
        *(0, 999_999),
        metavar="SYMBOL=DEPTH",
    )
    max_size: int = setting(250_000, "Maximum size of a valid phenotype.", 1, 10_000_000)
    codons: int = setting(
        200, "Number of integers of an individual.", 1, 1_000_000, representations=("ge",)
    )
    wraps: int = setting(
        0, "How often the integers may be reused.", 0, 1_000, representations=("ge",)
    )
    learning_factor: float = setting(
        0.01,
        "How much the best individual changes the probabilities of the alternatives it has taken.",
        *(0.0, 1.0),
        representations=("psge",),
        recorded_with="representation",
    )
    grammar_mutation: float = setting(
        0.05,
        "Probability that one of the probabilities of a symbol mutates.",
        *(0.0, 1.0),
        representations=("copsge",),
        recorded_with="representation",
    )
    grammar_deviation: float = setting(
        0.5,
        "Standard deviation of the mutation of probabilities.",
        *(0.0, 1e6),
        representations=("copsge",),
        recorded_with="representation",
    )
    adaptive: bool = setting(
        False,
        "Give each individual a mutation rate for each symbol, which also mutates; they begin with"
        " --mutation.",
        representations=PROBABILISTIC,
        recorded_with="adaptive",
    )
    rate_mutation: float = setting(
        0.3,
        "Probability that an adaptive mutation rate mutates.",
        *(0.0, 1.0),
        representations=PROBABILISTIC,
        recorded_with="adaptive",
    )
    rate_deviation: float = setting(
        0.01,
        "Standard deviation of the mutation of adaptive mutation rates.",
        *(0.0, 1e6),
        representations=PROBABILISTIC,
        recorded_with="adaptive",
    )
    test: float = setting(
        0.3, "Share of rows to test with, or a file of test rows.", 0, 0.9, group="data"
    )
    split_seed: int = setting(
        1, "Random seed of the split into training and test rows.", *_SEEDS, group="data"
    )
    objective: str = setting(
        "",
        f"Objective: {list_objectives()};"
        " default: log-loss for classes (paper preset: exp-rmse), otherwise rmse.",
        metavar="NAME",
    )
    minimise: str = setting(
        NOTHING,
        "Second objective: the cost of a network in connections, or in bytes of flash or cycles on"
        " a chip. The search then finds the Pareto front of score and cost.",
        choices=(NOTHING, *COSTS),
        recorded_with="minimise",
    )
    chip: str = setting(
        DEFAULT_CHIP,
        "Chip for which flash and cycles are estimated; avr has no double and implies float.",
        choices=tuple(CHIPS),
        recorded_with="chip",
    )
    dtype: str = setting(
        DTYPES[0],
        "Type of the numbers in the C for which they are estimated; a result can be exported in"
        " any other type. With a budget also q15 and q7, which is then the default.",
        choices=(*DTYPES, *FIXED_POINT),
        recorded_with="dtype",
    )
    flash: str = budget_setting("flash")
    ram: str = budget_setting("ram")
    cycles: str = budget_setting("cycles")
    balance: bool = setting(
        False, "Give all classes the same total weight in the objective.", recorded_with="balance"
    )
    threshold: float | str = setting(
        0.5,
        "Probability from which the second of two classes is predicted; auto: chosen on the"
        " training rows.",
        *(0.0, 1.0),
        instead=AUTO,
        metavar="NUMBER|auto",
        recorded_with="threshold",
    )
    unknown: float = setting(
        *(0.0, "Share of training rows that may be of no class: no probability reaches a limit."),
        *(0.0, 0.5),
        recorded_with="unknown",
    )
    folds: int = setting(
        0,
        "Folds of a cross-validation, each of which is a run.",
        *(0, 1_000_000),
        metavar="K",
        option="cv",
        group="data",
    )
    fold: int = setting(0, "Fold to test with.", 0, 999_999)
    stop_at: float | None = setting(
        None, "Stop when the best score is this good.", metavar="SCORE", recorded_with="stop_at"
    )
    patience: int = setting(
        0,
        "Stop after this many generations without improvement; 0: never.",
        *(0, MOST_GENERATIONS),
        recorded_with="patience",
        learned=150,
    )
    ensemble: int = setting(
        1,
        "Number of networks, evolved separately, whose mean is the result.",
        *(1, 100),
        recorded_with="ensemble",
        learned=1,
        chosen="1, or 5 with --effort thorough",
    )
    islands: int = setting(
        1, "Number of populations that exchange individuals.", 1, 1_000, recorded_with="islands"
    )
    migrate_every: int = setting(
        25, "Generations between exchanges.", 1, MOST_GENERATIONS, recorded_with="islands"
    )
    migrants: int = setting(
        2, "Individuals that an island sends to the next.", 0, 1_000_000, recorded_with="islands"
    )
    compare: tuple[str, ...] = setting(
        (),
        "Another model to compare with on the same rows; forest and boosting need scikit-learn.",
        choices=RIVALS,
        recorded_with="compare",
        group="data",
    )

    def __post_init__(self) -> None:
        highest = {"fold": max(self.folds - 1, 0)}
        if self.population > 1:  # otherwise that is what is wrong
            highest["elites"] = self.population - 1
        if self.islands > 1 and self.population > 1:
            highest["migrants"] = self.population - 1
        check(self, highest)
        if self.minimise != NOTHING:
            self._check_front()
        check_budget(self)
        if self.ensemble > 1 and self.islands > 1:
            raise setting_error(
                "ensemble",
                f"is {self.ensemble}, but members of an ensemble have no islands",
                f"Leave it out, or {mention('islands')}.",
            )

    @property
    def has_fronts(self) -> bool:
        """True if there is more than one objective: the population is then sorted."""
        return self.minimise != NOTHING

    def _check_front(self) -> None:
        if self.ensemble > 1:
            raise setting_error(
                "ensemble",
                f"is {self.ensemble}, but the mean of networks costs as much as all of them, which"
                f" {mention('minimise')} is there to avoid",
                f"Leave it out, or use {mention('islands', self.ensemble)}.",
            )
        if self.selection in BY_CASES:
            raise setting_error(
                "selection",
                f"is {self.selection}, but {mention('minimise', self.minimise)} sorts by fronts",
                "Leave it out.",
            )
        if self.elites:
            raise setting_error(
                "elites",
                f"is {self.elites}, but with {mention('minimise', self.minimise)} all parents"
                " compete with the children",
                "Leave it out.",
            )

    def as_json(self) -> dict[str, Any]:
        """Return the settings as run.json has them."""
        return {
            one.key: one.plain(getattr(self, one.name))
            for one in SETTINGS
            if is_recorded(one, self)
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "Settings":
        """Read the settings that `as_json` returned, or raise a DsgecError."""
        return read_recorded(cls, values)


def is_recorded(one: Setting, settings: Settings) -> bool:
    """Return whether run.json has a setting: not if it is a later one that has no effect."""
    match one.recorded_with:
        case "":
            return True
        case "representation":
            return settings.representation in one.representations
        case name:
            return bool(getattr(settings, name) != getattr(_DEFAULTS, name))


SETTINGS = settings_of(Settings)
OPTIONS = CommandLine(SETTINGS)
_DEFAULTS = Settings()
